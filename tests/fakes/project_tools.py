"""What the tests of projects share: rows, and what was written and said."""

import pytest

from symdemo.errors import InputError
from symdemo.teaching.rows import TeachRow

ROWS = [
    TeachRow("Ann", "is a sibling of", "Ben", label="entailment"),
    TeachRow("Carl", "is the mother of", "Dan", label="contradiction"),
    TeachRow("Eve", "is next to", "", label=""),
]


def add(project, model, **values):
    return project.add_version(model, **{"how": "retrained"} | values)


def files_of(folder) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def said(call, *args, **kwargs) -> str:
    """The one sentence that a call is refused with."""
    with pytest.raises(InputError) as error:
        call(*args, **kwargs)
    text = str(error.value)
    assert "\n" not in text
    assert text.endswith(".")
    assert len(text) < 400
    return text
