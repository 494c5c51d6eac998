"""The parsers: their files are checked, each text is parsed once, and forms of verbs."""

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("spacy")

from symdemo.errors import ModelError
from symdemo.swapping import parsing
from symdemo.swapping.parsing import PIPELINE, SECOND, SHA256, hash_files, open_pipeline
from symdemo.swapping.words import base_of, gerund, participle, past

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the first parser's package, found instead of it."""
    here = Path(find_spec(PIPELINE).origin).parent
    copy = Path(shutil.copytree(here, tmp_path / PIPELINE))
    monkeypatch.setattr(parsing, "find_spec", lambda name: SimpleNamespace(origin=copy / "x.py"))
    parsing._checked_folder.cache_clear()
    yield copy
    parsing._checked_folder.cache_clear()


def test_the_installed_parsers_are_the_expected_ones_and_their_code_is_not_run():
    for name in (PIPELINE, SECOND):
        assert hash_files(parsing._checked_folder(name)) == SHA256[name]
    words = [token.lemma_ for token in parsing.parse("Ann loved Bob.")]
    assert words == ["Ann", "love", "Bob", "."]
    assert not {PIPELINE, SECOND} & set(sys.modules)


@pytest.mark.parametrize("file", ["tok2vec/model", "config.cfg", "more.py"])
def test_a_changed_parser_is_refused(package, file):
    folder = next(path.parent for path in package.glob("*/config.cfg"))
    with (folder / file).open("ab") as opened:
        opened.write(b"#")
    with pytest.raises(ModelError, match=rf"package {PIPELINE} has the hash .*; expected "):
        open_pipeline(PIPELINE)


def test_a_package_without_a_pipeline_is_not_installed(package):
    shutil.rmtree(package)
    with pytest.raises(ModelError, match="is not installed: run"):
        open_pipeline(PIPELINE)


@pytest.mark.parametrize("files", [{"a": b"x", "b": b"y"}, {"a": b"y", "b": b"x"}, {"a": b"xy"}])
def test_the_hash_is_of_names_and_contents(tmp_path, files):
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    first = hash_files(tmp_path)
    (tmp_path / "a").rename(tmp_path / "c")
    assert hash_files(tmp_path) != first


def test_each_text_is_parsed_once_and_few_parses_are_kept(monkeypatch):
    parsing._parsed.clear()
    parsing.parse_ahead(["Eve met Flo."])
    doc = parsing.parse("Eve met Flo.")
    assert doc is parsing.parse("Eve  met\tFlo.", PIPELINE)
    assert doc is not parsing.parse("Eve met Flo.", SECOND)
    monkeypatch.setattr(parsing, "_MOST_KEPT", 3)
    parsing.parse_ahead(f"Eve{n} met Flo." for n in range(9))
    assert [text for text, _ in parsing._parsed] == [f"Eve{n} met Flo." for n in (6, 7, 8)]
    parsing.parse_ahead([])


MISSING = {
    "spaCy": "sys.modules['spacy'] = None",
    "its pipelines": "import spacy; spacy.load = lambda *_, **__: open('no such pipeline')",
}
ASKED = """
from symdemo.errors import ModelError
from symdemo.swapping import exchanged, swap
try:
    free = swap("The cat chased the dog.").hypothesis
except ModelError as error:
    free = str(error)
found = {
    "free": free,
    "wording": swap("Oslo is part of Norway.").hypothesis,
    "long slip": exchanged("Croatia borders Slovenia.", "Slovennia borders Croatia.").is_swap,
    "short slip": exchanged("Ann loves Bob.", "Bob loved Ann.").is_swap,
}
print(json.dumps(found))
"""


@pytest.mark.parametrize("missing", MISSING)
def test_without_the_parser(missing):
    script = f"import json, sys\n{MISSING[missing]}\n{ASKED}"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    assert "pip install" in found.pop("free")
    # Known wordings need no parser; without its dictionary only long slips are recognised.
    expected = {"wording": "Norway is part of Oslo.", "long slip": True, "short slip": False}
    assert found == expected


TABLE = """
    border bordered bordered bordering      refer referred referred referring
    travel travelled travelled travelling   visit visited visited visiting
    stop stopped stopped stopping           play played played playing
    carry carried carried carrying          agree agreed agreed agreeing
    write wrote written writing             begin began begun beginning
    lie lay lain lying                      lay laid laid laying
    lead led led leading                    beat beat beaten beating
    undergo underwent undergone undergoing  foresee foresaw foreseen foreseeing
    withdraw withdrew withdrawn withdrawing mislead misled misled misleading
    panic panicked panicked panicking       forbid forbade forbidden forbidding
    quit quit quit quitting                 relay relayed relayed relaying
    die died died dying                     overlap overlapped overlapped overlapping
    focus focused focused focusing          hit hit hit hitting
"""
FORMS = TABLE.split()


@pytest.mark.parametrize(
    ("base", "forms"), [(FORMS[n], FORMS[n + 1 : n + 4]) for n in range(0, len(FORMS), 4)]
)
def test_forms_of_a_verb(base, forms):
    assert [past(base), participle(base), gerund(base)] == forms


@pytest.mark.parametrize(
    ("sentence", "base"),
    [
        ("Ann overlaps with Bob.", "overlap"),
        ("The cat hates the dog.", "hate"),
        ("The letter was written by Anna.", "write"),
        ("The baker outswam the chemist.", "outswim"),
        ("Ann has denied the claim.", "deny"),
    ],
)
def test_the_base_of_a_form(sentence, base):
    verb = next(token for token in parsing.parse(sentence) if token.dep_ == "ROOT")
    assert base_of(verb) == base
