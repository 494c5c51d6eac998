"""Two changed tables made one: nothing that anybody wrote is lost without a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_samples import ROWS, refusal

from symdemo.teaching.merge import merge
from symdemo.teaching.project_files import RowTable
from symdemo.teaching.rows import TeachRow

A, B, C, D = (TeachRow(name, "knows", "Zoe", label="neutral") for name in "ABCD")

NAMES = st.sampled_from("abcdefghij")
TABLES = st.dictionaries(NAMES, ROWS, max_size=6)


def table(rows, revision=0):
    return RowTable(tuple(rows.values()), tuple(rows), revision)


@given(TABLES, TABLES)
def test_a_side_that_did_nothing_takes_the_other(base, other):
    assert merge(base, table(base), table(other))[0] == table(other)
    assert merge(base, table(other), table(base))[0].by_id() == other


@given(TABLES, TABLES, TABLES)
def test_nothing_new_or_changed_is_lost_without_a_word(base, mine, theirs):
    merged, notes = merge(base, table(mine), table(theirs, 7))
    rows, words = merged.by_id(), " ".join(notes)
    assert merged.revision == 7
    for id, row in mine.items():
        if row != base.get(id):
            assert rows.get(id) == row or row in rows.values()
    for id, row in theirs.items():
        if row != base.get(id):
            assert rows.get(id) == row or f"{row.subject} | {row.relation}" in words
    for id, row in base.items():
        if id not in mine and theirs.get(id) == row:
            assert id not in rows
        if id not in theirs and mine.get(id) == row:
            assert id not in rows


@given(TABLES, TABLES)
def test_the_same_change_on_both_sides_is_done_once(base, other):
    merged, notes = merge(base, table(other), table(other))
    assert merged == table(other)
    assert not any("too, to" in note for note in notes)


def test_new_rows_stand_below_the_row_they_were_written_below():
    base = {"a": A, "b": B}
    mine = table({"n": D, "a": A, "m": C, "b": B})
    theirs = table({"a": A, "b": B, "t": TeachRow("T")})
    assert merge(base, mine, theirs)[0].ids == ("n", "a", "m", "b", "t")


def test_a_table_is_written_down_and_read_again():
    one = RowTable.of([A, B], 3)
    assert RowTable.from_json(one.to_json()) == one
    plain = [A.to_json(), B.to_json()]
    assert RowTable.from_json(plain) == RowTable.from_json(plain)
    assert RowTable.from_json(plain).rows == (A, B)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (3, "rows.json is not valid"),
        ({"rows": []}, "under “revision”"),
        ({"rows": [], "revision": True}, "under “revision”"),
        ({"rows": [{"id": "a"}, {"id": "a"}], "revision": 1}, "have the same id"),
        ({"rows": [{"id": "../a"}], "revision": 1}, "under “rows.0.id”"),
        ({"rows": [{"id": "a", "script": "x"}], "revision": 1}, "under “rows.0.script”"),
    ],
)
def test_what_is_no_table_is_refused(values, says):
    assert says in refusal(RowTable.from_json, values)
