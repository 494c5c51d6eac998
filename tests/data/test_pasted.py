"""Pasted lines: their separators, columns and headers, and the lines that do not fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symdemo.data.pasted import read_headed, read_pasted
from symdemo.errors import InputError


def cells(text, labelled=True):
    rows = read_pasted(text, labelled)[1]
    return [tuple(row.cells.values()) for row in rows if not row.error]


@pytest.mark.parametrize("mark", ["\t", "|", " | ", ";", ", ", ","])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("labelled", [True, False])
def test_each_separator_and_number_of_columns(mark, newline, labelled):
    lines = [
        ["Ann", "is the boss of", "Ben", "No"],
        ["Ann met Ben.", "Ben met Ann.", "yes"],
        [],
        ["Ann likes Ben.", "maybe"],
    ]
    text = "\ufeff" + newline.join(mark.join(line) for line in lines)
    header, rows = read_pasted(text, labelled)
    assert header == ""
    assert [row.number for row in rows] == [1, 2, 4]
    assert [row.cells for row in rows] == [
        {"subject": "Ann", "relation": "is the boss of", "object": "Ben", "label": "No"},
        {"premise": "Ann met Ben.", "hypothesis": "Ben met Ann.", "label": "yes"},
        {"premise": "Ann likes Ben.", "label": "maybe"},
    ]


@given(st.text(max_size=300), st.sampled_from(["", "\t", ",", '"', "|", ";yes\n"]), st.booleans())
def test_any_text_gives_rows_or_errors(text, more, labelled):
    text = text + more + text
    for row in read_pasted(text, labelled)[1]:
        assert bool(row.error) != bool(row.cells)
        assert "\n" not in str(row.error or "")
        assert labelled or not row.error or "but the header has" in str(row.error)


def test_quotes_separators_inside_cells_and_empty_cells_at_the_end():
    text = '"Ann, the boss",leads,"Ben ""B"" Di",no\nCy,leads,Di,no'
    assert cells(text)[0] == ("Ann, the boss", "leads", 'Ben "B" Di', "no")
    assert cells("Ann, the boss; leads; Ben, Jr.; no\nEve; leads; Cy; no")[0][2] == "Ben, Jr."
    assert cells("Ann, Ben and Cy met Di; yes") == [("Ann, Ben and Cy met Di", "yes")]
    assert cells("salt; common, dissolves in, water, no")[0][0] == "salt; common"
    assert cells("a,b,c,yes,,\n") == [("a", "b", "c", "yes")]
    assert cells("head,contains,tail,yes")[0][0] == "head"


@pytest.mark.parametrize(
    "text",
    [
        "label;tail;head;relation;note\nno;Ben, Jr.;Ann;leads;seen\n",
        'Label,Object,Subject,Predicate\nno,"Ben, Jr.",Ann,leads',
        "| Subject | Relation | Object | Label |\n|---|:--|--|---:|\n| Ann | leads | Ben, Jr. |no|",
    ],
)
def test_headers_name_the_columns_in_any_order(text):
    header, (row,) = read_pasted(text, labelled=True)
    assert header == text.split("\n")[0]
    assert {field: cell.strip() for field, cell in row.cells.items()} == {
        "subject": "Ann", "relation": "leads", "object": "Ben, Jr.", "label": "no",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("a b c", "There is 1 column; subject, relation, object and label are expected, or one or"),
        ('"Ann, knows, Ben, no', 'A quotation mark " is not closed; close it or remove it.'),
        ("the cat,is bigger than,the dog", "“the cat” and “is bigger than” share no word; two"),
        ("Ann likes Ben.,Ben likes Ann.", "“Ben likes Ann.” is in the place of a label, such as"),
    ],
)
def test_a_line_that_does_not_fit_is_an_error_or_one_sentence(line, says):
    good = "Cy,knows,Di,yes"
    text = f"{good}\n\n{line}\n{good}"
    _, rows = read_pasted(text, labelled=True)
    assert [bool(row.error) for row in rows] == [False, True, False]
    assert rows[1].number == 3
    assert rows[1].text == line
    assert str(rows[1].error).startswith(says)
    _, rows = read_pasted(text, labelled=False)
    two = {"premise": "Ann likes Ben.", "hypothesis": "Ben likes Ann."}
    assert rows[1].cells == (two if "likes" in line else {"premise": line})


def test_too_long_a_line_nothing_and_no_text():
    _, rows = read_pasted("subject,relation,object\na,b,c,d", labelled=False)
    assert str(rows[0].error) == "There are 4 columns, but the header has 3."
    for text in ("", "\n \r\n\t\n", ",,,\n;;"):
        assert read_pasted(text, labelled=True) == ("", [])
    with pytest.raises(InputError, match="The pasted text is NoneType; lines of text are expected"):
        read_pasted(None, labelled=True)
    with pytest.raises(InputError, match="has 2,000,001 characters; at most 2,000,000 are read"):
        read_pasted("a" * 2_000_001, labelled=False)


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("premise\thypothesis\tgold\nAnn met Ben.\tBen met Ann.\tyes", 2),
        ("| Satz | Tausch | Urteil |\n|---|---|---|\n| Ann met Ben. | Ben met Ann. | yes |", 2),
        ("who,verb,whom,answer\nAnn,met,Ben,my own\n\n,,,\nCy,met,Di,my own", 3),
        ("Ann,met,Ben,yes\nCy,met,Di,no", 0),
        ("Ann,met,Ben,my own\nCy,met,Di,my own", 0),
        ("premise,label", 0),
        ("Ann met Ben.", 0),
        ("", 0),
    ],
)
def test_only_a_line_that_names_columns_is_a_header(text, n):
    assert len(read_headed(text)) == n
