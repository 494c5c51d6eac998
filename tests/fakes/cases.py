"""Cases in a table: CSV beside the tests that go through its rows."""

import csv
from pathlib import Path

import pytest


def cases_of(test: str, name: str) -> list[dict[str, str]]:
    """Return the rows of a table in the folder of a test file."""
    with (Path(test).parent / name).open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def each_case(test: str, name: str) -> pytest.MarkDecorator:
    """Run a test with each `row` of such a table, called by its cells."""
    rows = cases_of(test, name)
    return pytest.mark.parametrize("row", rows, ids=[" | ".join(row.values()) for row in rows])
