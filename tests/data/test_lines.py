"""Pasted lines: their separators, columns and headers, and the bad ones set aside."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_samples import BOSS, ROWS, refusal

from symdemo.teaching.limits import Limits
from symdemo.teaching.rows.check import check_rows
from symdemo.teaching.rows.reading import read_lines
from symdemo.teaching.rows.row import Row, read_label


@pytest.mark.parametrize("mark", ["\t", "|", " | ", ";", ", ", ","])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_each_separator_and_number_of_columns(mark, newline):
    lines = [
        ["Ann", "is the boss of", "Ben", "No"],
        ["Ann met Ben.", "Ben met Ann.", "yes"],
        [],
        ["Ann likes Ben.", "maybe"],
    ]
    rows, problems = read_lines("\ufeff" + newline.join(mark.join(line) for line in lines))
    assert problems == []
    assert rows == [
        BOSS,
        Row(premise="Ann met Ben.", hypothesis="Ben met Ann.", label="entailment"),
        Row(premise="Ann likes Ben.", label="neutral"),
    ]


@given(st.lists(ROWS, min_size=1, max_size=6), st.sampled_from("\t|;,"), st.booleans())
def test_pasted_rows_are_read_back(rows, mark, header):
    lines = [[row.subject, row.relation, row.object, row.label] for row in rows]
    if header:
        lines.insert(0, ["Subject", "relation", "OBJECT", "Label"])
    assert read_lines("\n".join(mark.join(line) for line in lines)) == (rows, [])


@given(st.text(max_size=300), st.sampled_from(["", "\t", ",", '"', "|", ";yes\n"]))
def test_any_pasted_text_gives_rows_or_problems(text, more):
    text = text + more + text
    rows, problems = read_lines(text)
    assert len(rows) + len(problems) <= len(text.splitlines()) + 1
    for problem in problems:
        assert problem.message.startswith(f"Line {problem.number}: ")
        assert "\n" not in problem.message
        assert len(problem.message) < 400
        assert problem.text.isprintable()
        assert len(problem.text) <= 60
    for row in rows:
        assert row.label == read_label(row.label)
        assert check_rows([row]).problems or row.pair()


def test_quoted_cells_and_separators_inside_cells():
    text = '"Ann, the boss",leads,"Ben ""B"" Di",no\nCy,leads,Di,no'
    assert read_lines(text)[0][0].pair().premise == 'Ann, the boss leads Ben "B" Di.'
    rows, problems = read_lines("Ann, the boss; leads; Ben, Jr.; no\nEve; leads; Cy; no")
    assert [row.subject for row in rows] == ["Ann, the boss", "Eve"]
    assert not problems
    assert read_lines("Ann, Ben and Cy met Di; yes")[0][0].premise == "Ann, Ben and Cy met Di"
    assert read_lines("salt; common, dissolves in, water, no")[0][0].subject == "salt; common"
    headed = "label;object;subject;relation;note\nno;Ben, Jr.;Ann;leads;x"
    assert read_lines(headed)[0] == [Row("Ann", "leads", "Ben, Jr.", label="contradiction")]
    assert read_lines("a,b,c,yes,,\n")[0] == [Row("a", "b", "c", label="entailment")]


def test_headers_name_the_columns_in_any_order():
    expected = [Row("Ann", "leads", "Ben", label="contradiction")]
    for text in (
        "label;tail;head;relation;note\nno;Ben;Ann;leads;seen\n",
        "Label,Object,Subject,Predicate\nfalse,Ben,Ann,leads",
        "| Subject | Relation | Object | Label |\n|---|:--|--|---:|\n| Ann | leads | Ben | no |",
    ):
        assert read_lines(text) == (expected, [])
    assert read_lines("Sentence\tGold label\nAnn leads Ben.\tno") == (
        [Row(premise="Ann leads Ben.", label="contradiction")],
        [],
    )
    assert read_lines("subject,relation,object,label\n") == ([], [])
    assert read_lines("head,contains,tail,yes")[0][0].subject == "head"


def test_one_spelling_of_a_new_label():
    rows, _ = read_lines("a,b,c,Depends\nd,b,e,DEPENDS\nf,b,g,depends \n")
    assert {row.label for row in rows} == {"Depends"}


GOOD = "Cy,knows,Di,yes"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "a b c",
            "There is 1 column; subject, relation, object and label are expected, or one or two "
            "sentences and a label.",
        ),
        ("a,b,c,d,e", "There are 5 columns; subject, relation"),
        ('"Ann, knows, Ben, no', 'A quotation mark " is not closed; close it or leave it out.'),
        ("Ann,knows,Ben,", "The label is empty; yes, no, maybe or your own name is expected."),
        ("Ann,,Ben,no", "The relation is empty; a few words are expected."),
        (",knows,,no", "The subject and the object are empty; a few words are expected."),
        (" , , ,no", "The premise is empty; a few words are expected."),
        ("=HYPERLINK(1),is,b,no", "The subject is “=HYPERLINK(1)”, which is for a spreadsheet"),
        ("A\x07,is,b,no", "The subject contains the control character U+0007"),
        ("A" * 301 + ",is,b,no", "The subject “AAAAAAAAAAAAAAAAAAAAAAAAAAAAA…” has 301 characters"),
        ("a,is,b," + "d" * 41, "The label “ddddddddddddddddddddddddddddd…” has 41 characters"),
        (
            "the cat,is bigger than,the dog",
            "“the cat” and “is bigger than” share no word; two sentences and a label are expected, "
            "or subject, relation, object and label.",
        ),
        ("Ann beats Ben, Cy and Di, no", "“Ann beats Ben” and “Cy and Di” share no word"),
        (
            "Ann likes Ben.,Ben likes Ann.",
            "“Ben likes Ann.” stands where a label is expected, such as yes or no.",
        ),
    ],
)
def test_a_bad_line_is_set_aside(line, says):
    rows, (problem,) = read_lines(f"{GOOD}\n\n{line}\n{GOOD}")
    assert rows == [Row("Cy", "knows", "Di", label="entailment")] * 2
    assert problem.number == 3
    assert problem.message.startswith(f"Line 3: {says}" if not says.endswith(".") else "Line 3: ")
    if says.endswith("."):
        assert problem.message == f"Line 3: {says}"
    assert problem.text[:3] == line.strip().replace("\x07", "�")[:3]
    assert "�" in problem.text or "\x07" not in line


def test_nothing_and_too_much_and_no_text():
    for text in ("", "\n \r\n\t\n", ",,,\n;;"):
        assert read_lines(text) == ([], [])
    assert refusal(read_lines, None) == "The pasted text is NoneType; lines of text are expected."
    assert refusal(read_lines, "a" * 2_000_001) == (
        "The pasted text has 2,000,001 characters; at most 2,000,000 are read at once."
    )
    assert len(read_lines(f"{GOOD}\n" * 3, Limits(rows=3))[0]) == 3
    message = refusal(read_lines, f"{GOOD}\n" * 4, Limits(rows=3))
    assert message == "There are 4 rows; at most 3 are kept."
    assert len(read_lines("a,b,c,d\n" * 3, Limits(rows=3, characters=1))[0]) == 3
