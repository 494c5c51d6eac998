"""A person's rows: their pairs, labels and faults; from lines and files; two tables merged."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal
from teaching_tools import ANY_ROW, BOSS

from symdemo.data.relations import RELATIONS
from symdemo.data.tables import TableFile
from symdemo.jobs.deadline import DeadlineError
from symdemo.pairs import Pair
from symdemo.teaching.limits import Limits
from symdemo.teaching.merge import merge
from symdemo.teaching.near_labels import NearLabel, near_labels
from symdemo.teaching.project_files import RowTable
from symdemo.teaching.row_sources import EXAMPLES, example_rows, read_file, read_lines
from symdemo.teaching.rows import FIELDS, check_rows, labelled_pair, read_label, rows_of_pairs
from symdemo.teaching.rows import TeachRow as Row


def test_a_row_of_parts_is_a_pair():
    pair = Row("my cat", "chased", "The dog", label="no!").pair()
    assert pair == Pair(
        "My cat chased the dog.", "The dog chased my cat.", "no!", "chased", "my cat", "The dog"
    )
    assert Row("Ann", "knows", "Ben").pair().label is None
    relation = "[Y] is the mother of [X]"
    pair = Row("Ann", relation, "Ben").pair()
    assert (pair.premise, pair.relation) == ("Ben is the mother of Ann.", relation)
    assert Row("Ann", "[X] is the boss of [Y].", "Ben", label="contradiction").pair() == BOSS.pair()
    pair = Row("Ann", "hired", "Ben", hypothesis="Ben was hired by Ann.").pair()
    assert (pair.hypothesis, pair.relation) == ("Ben was hired by Ann.", "hired")


def test_a_whole_premise_finds_its_hypothesis_and_its_parts():
    found = ("is the boss of", "Ann", "Ben")
    pair = Row(premise="Ann is the boss of Ben.", label="contradiction").pair()
    assert pair == Pair("Ann is the boss of Ben.", "Ben is the boss of Ann.", pair.label, *found)
    assert rows_of_pairs([pair]) == [BOSS]
    given = Row(premise="Ann is the boss of Ben", hypothesis="ben is the boss of Ann.").pair()
    assert given == Pair("Ann is the boss of Ben", "ben is the boss of Ann.", None, *found)
    other = Row(premise="Ann is the boss of Ben.", hypothesis="Ben works for Ann.").pair()
    assert (other.relation, other.head, other.tail) == (None, None, None)
    apart = Row(premise="Ann's mother is Carla.").pair()
    assert (apart.relation, apart.hypothesis) == ("[X]'s mother is [Y].", "Carla's mother is Ann.")


@given(st.lists(ANY_ROW, max_size=8))
def test_rows_become_pairs_and_rows_again(rows):
    assert rows_of_pairs(map(labelled_pair, rows)) == rows
    assert not any(row.is_unfinished for row in rows)
    assert all(replace(row, label=" ").is_unfinished for row in rows)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (Row(), "There are no words"),
        (Row(hypothesis="Ben likes Ann."), "a hypothesis but no premise"),
        (Row("Ann", "", "Ben"), "The relation is empty"),
        (Row("Ann", "is [X]", "Ben"), "names [X] 1 times and [Y] 0 times"),
        (Row("Ann", "likes", "ann"), "both “Ann”, so swapping changes nothing"),
        (Row("=1+1", "is", "b"), "“=1+1”, which looks like a spreadsheet formula"),
        (Row("\uff1d1+1", "is", "b"), "“\uff1d1+1”, which looks like a spreadsheet formula"),
        (Row("a", "b", "+cmd|' /C x'!A0"), "“+cmd|' /C x'!A0”, which looks"),
        (Row("A\x00b", "is", "c"), "The subject contains the control character U+0000"),
        (Row("x" * 2001, "is", "c"), f"The subject “{'x' * 29}…” has 2,001 characters; at most"),
        (Row(7, "is", "c"), "The subject is int; text is expected."),
        (Row(premise="Ann"), "The premise is “Ann”; a sentence of at least two words"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence(row, says):
    message = refusal(row.pair)
    assert says in message
    assert len(message) < 200
    if not row.is_blank:
        labelled = Row(**{name: getattr(row, name) for name in FIELDS} | {"label": "x"})
        assert refusal(labelled_pair, labelled) == message


def test_what_is_taught_needs_a_label():
    assert labelled_pair(BOSS) == BOSS.pair()
    assert refusal(labelled_pair, Row("Ann", "likes", "Ben")) == (
        "The label of “Ann likes Ben.” is empty; entailment, contradiction, neutral or a "
        "label of your own is expected."
    )


def test_label_words():
    for label, words in {
        "entailment": "yes YES Holds symmetric true Entailment entails “yes” yes.",
        "contradiction": "no No contradicts antisymmetric FALSE contradiction",
        "neutral": "unknown maybe neither open Neutral Maybe.",
    }.items():
        assert {read_label(word) for word in words.split()} == {label}
    assert read_label("  It  Depends ") == "It Depends"


def test_every_kind_of_problem_has_its_sentence():
    table = [
        Row("Ann", "leads", "Ben", label="contradiction"),  # 1
        Row("ann", "leads", "ben", label="contradiction"),  # 2, as 1
        Row("Ann", "leads", "", label="x"),  # 3, unfinished
        Row("Cy", "knows", "Di", label="entailment"),  # 4
        Row("Cy", "knows", "Di", label="neutral"),  # 5, against 4
        Row("Di", "knows", "Cy", label="contradiction"),  # 6, against 4 in turn
        Row("Ann", "leads", "Ben", label="contradiction"),  # 7, as 1
    ]
    report = check_rows(table)
    assert not report.ready
    expected = [
        ("unfinished", (3,), "Row 3: The object is empty"),
        ("conflict", (4, 5), "Rows 4 and 5 are the same sentence with different labels"),
        ("conflict", (4, 6), "Rows 4 and 6 are the same two sentences in reverse order"),
        ("duplicate", (1, 2, 7), "Rows 2 and 7 repeat row 1; they count only once."),
        ("small_class", (1,), "relation “leads” has only one pair of names"),
        ("small_class", (4,), "label “entailment”"),
        ("small_class", (4, 5, 6), "relation “knows”"),
        ("small_class", (5,), "label “neutral”"),
    ]
    for problem, (kind, rows, words) in zip(report.problems, expected, strict=True):
        assert (problem.kind, problem.rows) == (kind, rows)
        assert words in problem.message
    assert len(report.pairs) == 4


def test_advice_does_not_block():
    report = check_rows([BOSS, BOSS, Row()])
    assert report.ready
    assert [problem.kind for problem in report.problems] == [
        "one_label", "duplicate", "small_class", "small_class",
    ]  # fmt: skip
    assert "Every row has the label “contradiction”" in report.problems[0].message
    assert report.problems[1].message == "Row 2 repeats row 1; it counts only once."


def test_empty_and_hostile_tables():
    for table in ([], [Row(), Row(" ")]):
        report = check_rows(table)
        assert (report.ready, report.pairs, report.problems) == (False, (), ())
    report = check_rows([Row("a", "b", None, label="x"), Row("=1", "b", "c", label="x"), BOSS])
    assert [p.rows for p in report.problems[:2]] == [(1,), (2,)]
    assert "Row 2: The subject is “=1”" in report.problems[1].message
    many = {problem.kind: problem.message for problem in check_rows([BOSS] * 9).problems}
    assert many["duplicate"] == "Rows 2, 3, 4, 5 and 4 more repeat row 1; they count only once."


def test_limits_are_kept():
    table = [Row(f"A{n}", f"r{n}", f"B{n}", label=f"l{n}") for n in range(4)]
    report = check_rows(table, Limits(labels=3, relations=2))
    assert [p.message for p in report.problems if p.kind == "too_many"] == [
        "There are 4 different labels; at most 3 can be taught.",
        "There are 4 different relations; at most 2 can be taught.",
    ]
    assert not report.ready
    assert check_rows(table, Limits(labels=4, relations=4, rows=4)).ready


@given(st.lists(ANY_ROW, max_size=8))
def test_the_report_adds_up(rows):
    report = check_rows(rows)
    assert report == check_rows([*rows, Row()])
    assert sum(report.counts_by_label.values()) == len(report.pairs)
    assert sum(report.counts_by_relation.values()) == len(report.pairs)
    repeated = sum(len(p.rows) - 1 for p in report.problems if p.kind == "duplicate")
    assert len(report.pairs) + repeated == len(rows)


def test_rows_for_which_there_is_no_time_are_read_the_next_time():
    table = [Row(premise=f"Ann {n} leads Ben.", label="contradiction") for n in range(6)]
    left = iter(range(2))

    def until_time_is_up(pair):
        if next(left, None) is None:
            raise DeadlineError
        return pair

    report = check_rows(table, check=until_time_is_up)
    (unread,) = [problem for problem in report.problems if problem.kind == "unread"]
    assert unread.rows == (3, 4, 5, 6)
    assert "not read yet" in unread.message
    assert len(report.pairs) == 2
    assert not report.ready
    assert not any(problem.kind == "unread" for problem in check_rows(table).problems)


GOOD = "Cy,knows,Di,yes"
CSV = "who,does,whom,verdict\nAnn,is the boss of,Ben,no\n\nCy,knows,Di,Maybe\n"
MAPPING = {"subject": "who", "relation": "does", "object": "whom", "label": "verdict"}
EXPECTED = [BOSS, Row("Cy", "knows", "Di", label="neutral")]


def test_spellings_and_limits():
    rows, _ = read_lines("a,b,c,Depends\nd,b,e,DEPENDS\nf,b,g,depends \n")
    assert {row.label for row in rows} == {"Depends"}
    assert len(read_lines(f"{GOOD}\n" * 3, Limits(rows=3))[0]) == 3
    message = refusal(read_lines, f"{GOOD}\n" * 4, Limits(rows=3))
    assert message == "There are 4 rows; at most 3 are allowed."


def test_files_are_read_by_their_mapping(write):
    path = write("t.csv", CSV)
    assert read_file(path, MAPPING) == (EXPECTED, {})
    rows, problems = read_file(write("u.csv", CSV + "a,b,c,no,1\nGil,knows\n"), MAPPING, most=3)
    assert rows == EXPECTED
    assert list(problems.values()) == ["Line 5: There are 5 columns, but the header has 4."]
    assert refusal(read_file, path, MAPPING | {"label": "x"}).startswith("There is no column “x”")
    assert refusal(read_file, path, MAPPING, Limits(rows=1)).startswith("There are 2 rows")
    unnamed = write("v.csv", f"Ann,knows,Ben,yes\n{GOOD}\n")
    table = TableFile(unnamed, headed=None)
    assert len(read_file(unnamed, table.guess(), headed=table.headed)[0]) == 2


def test_examples_can_be_taught_and_are_new_to_the_shipped_models():
    known = {relation.template for relation in RELATIONS}
    for example in EXAMPLES:
        rows = example_rows(example)
        report = check_rows(rows)
        assert report.problems == ()
        assert list(report.counts_by_relation.values()) == [4] * 5
        assert {"entailment", "contradiction"} <= report.counts_by_label.keys()
        assert len({(pair.relation, pair.entity_pair) for pair in report.pairs}) == 20
        assert len({(row.relation, row.label) for row in rows}) == 5
        for row in rows:
            assert not {f"[X] {row.relation} [Y].", f"[Y] {row.relation} [X]."} & known
    assert "depends" in {row.label for row in example_rows("chemistry")}


def labelled(*labels):
    return [Row(f"A{n}", "knows", f"B{n}", label=label) for n, label in enumerate(labels)]


def test_a_mistyped_label_is_found():
    for meant, words in {
        "entailment": "entailmnet Entailement y",
        "contradiction": "contradictory Nope!",
        "neutral": "nuetral mabye",
    }.items():
        for typed in words.split():
            found = near_labels(labelled("entailment", typed))
            assert found == [NearLabel(typed, meant, (2,))]
            assert near_labels(labelled(typed), settled=[typed]) == []


def test_of_two_spellings_the_rarer_is_questioned():
    found = near_labels(labelled("depends", "depend", "depends", "nuetral", "nuetral"))
    assert found == [NearLabel("depend", "depends", (2,)), NearLabel("nuetral", "neutral", (4, 5))]
    assert near_labels(labelled("depends", "depend")) == []


A, B, C, D = (Row(name, "knows", "Zoe", label="neutral") for name in "ABCD")
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
    theirs = table({"a": A, "b": B, "t": Row("T")})
    assert merge({"a": A, "b": B}, mine, theirs)[0].ids == ("n", "a", "m", "b", "t")


def test_a_table_is_stored_and_read_again():
    one = RowTable.of([A, B], 3)
    assert RowTable.from_json(one.to_json()) == one
    plain = [A.to_json(), B.to_json()]  # as archives and early projects have it
    assert RowTable.from_json(plain).rows == (A, B)
