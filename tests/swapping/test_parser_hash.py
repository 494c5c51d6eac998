"""The parsers are packages of third parties: files are checked, and no code of theirs is run."""

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("spacy")

from symdemo.errors import ModelError
from symdemo.swapping import parsing
from symdemo.swapping.parsing import PIPELINE, SECOND, SHA256, hash_files, open_pipeline


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the first parser's package, in whose place it is found."""
    here = Path(find_spec(PIPELINE).origin).parent
    copy = Path(shutil.copytree(here, tmp_path / PIPELINE))
    monkeypatch.setattr(parsing, "find_spec", lambda name: SimpleNamespace(origin=copy / "x.py"))
    parsing._checked_folder.cache_clear()
    yield copy
    parsing._checked_folder.cache_clear()


def test_the_installed_parsers_are_the_ones_that_are_meant():
    for name in (PIPELINE, SECOND):
        assert hash_files(parsing._checked_folder(name)) == SHA256[name]
    words = [token.lemma_ for token in parsing.parse("Ann loved Bob.")]
    assert words == ["Ann", "love", "Bob", "."]
    assert PIPELINE not in sys.modules
    assert SECOND not in sys.modules


@pytest.mark.parametrize("change", ["weights", "configuration", "another file"])
def test_a_changed_parser_is_refused(package, change):
    folder = next(path.parent for path in package.glob("*/config.cfg"))
    file = {"weights": "tok2vec/model", "configuration": "config.cfg"}.get(change, "more.py")
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
