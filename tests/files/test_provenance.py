"""Which code a figure depends on: another version where it does something else, not other words."""

import pytest

from symdemo.errors import InputError
from symdemo.files import provenance as module
from symdemo.files.provenance import code_version, provenance

SOURCE = '''"""What it is."""

def double(x: float) -> float:
    """Twice."""
    # because
    return 2 * x
'''


@pytest.fixture
def package(tmp_path, monkeypatch):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "own.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "alone.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(module, "PACKAGE", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("What it is.", "What else it is.\n\nAt length.", True),
        ("# because", "# for that matter", True),
        ("\n\ndef", "\n\n\n\ndef", True),
        ("2 * x", "3 * x", False),
        ("double", "twice", False),
    ],
)
@pytest.mark.parametrize("name", ["inner", "inner.own", "alone"])
def test_a_version_is_of_what_code_does(package, name, old, new, same):
    path = package / ("alone.py" if name == "alone" else "inner/own.py")
    before = code_version(name)
    path.write_text(path.read_text("utf-8").replace(old, new), encoding="utf-8")
    assert (code_version(name) == before) is same


def test_a_version_is_of_all_modules_named_in_whatever_order(package):
    assert code_version("inner", "alone") == code_version("alone", "inner")
    assert len({code_version("inner"), code_version("alone"), code_version("inner", "alone")}) == 3


def test_a_module_that_is_not_there_is_refused(package):
    with pytest.raises(InputError, match=r"There is no module symdemo\.other\."):
        code_version("inner", "other")


def test_provenance_has_a_version_where_modules_are_named():
    assert "code" not in provenance()
    assert provenance("geometry")["code"] == code_version("geometry")
