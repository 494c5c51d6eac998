"""Merge two changed tables: nothing is lost without a word."""

from hypothesis import given
from hypothesis import strategies as st
from teaching_tools import ANY_ROW

from symdemo.teaching.merge import merge
from symdemo.teaching.project_files import RowTable
from symdemo.teaching.rows import TeachRow

A, B, C, D = (TeachRow(name, "knows", "Zoe", label="neutral") for name in "ABCD")
TABLES = st.dictionaries(st.sampled_from("abcdefghij"), ANY_ROW, max_size=6)


def table(rows, revision=0):
    return RowTable(tuple(rows.values()), tuple(rows), revision)


@given(TABLES, TABLES)
def test_an_unchanged_side_takes_the_other_and_equal_changes_count_once(base, other):
    assert merge(base, table(base), table(other))[0] == table(other)
    assert merge(base, table(other), table(base))[0].by_id() == other
    merged, notes = merge(base, table(other), table(other))
    assert merged == table(other)
    assert not any("too, to" in note for note in notes)


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
        if (id not in mine and theirs.get(id) == row) or (id not in theirs and mine.get(id) == row):
            assert id not in rows


def test_new_rows_keep_their_place():
    mine = table({"n": D, "a": A, "m": C, "b": B})
    theirs = table({"a": A, "b": B, "t": TeachRow("T")})
    assert merge({"a": A, "b": B}, mine, theirs)[0].ids == ("n", "a", "m", "b", "t")


def test_a_table_is_stored_and_read_again():
    one = RowTable.of([A, B], 3)
    assert RowTable.from_json(one.to_json()) == one
    plain = [A.to_json(), B.to_json()]  # as archives and early projects have it
    assert RowTable.from_json(plain).rows == (A, B)
