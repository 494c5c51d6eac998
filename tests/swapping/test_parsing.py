"""The parsers: their files are checked, and each text is parsed once."""

import json
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest
from programs import run_python
from refusals import refusal

from symdemo.errors import ModelError
from symdemo.swapping import parsing
from symdemo.swapping.parsing import PIPELINE, SECOND, SHA256, hash_files, open_pipeline


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
    assert "is not installed: run" in refusal(open_pipeline, PIPELINE, raising=ModelError)


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


WITHOUT_SPACY = """
import json, sys
sys.modules["spacy"] = None
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


def test_without_the_parser():
    found = json.loads(run_python("-c", WITHOUT_SPACY).stdout)
    assert "pip install" in found.pop("free")
    # Known wordings need no parser; without its dictionary only long slips are recognised.
    expected = {"wording": "Norway is part of Oslo.", "long slip": True, "short slip": False}
    assert found == expected
