"""Rows of pasted lines and of files, and the lines that are set aside."""

import pytest
from teaching_tools import BOSS, refusal

from symdemo.data.tables import TableFile
from symdemo.teaching.limits import Limits
from symdemo.teaching.row_sources import read_file, read_lines, unread_lines
from symdemo.teaching.rows import TeachRow

GOOD = "Cy,knows,Di,yes"
CSV = "who,does,whom,verdict\nAnn,is the boss of,Ben,no\n\nCy,knows,Di,Maybe\n"
MAPPING = {"subject": "who", "relation": "does", "object": "whom", "label": "verdict"}
EXPECTED = [BOSS, TeachRow("Cy", "knows", "Di", label="neutral")]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("a b c", "There is 1 column; subject, relation, object and label are expected"),
        ("Ann,,Ben,no", "The relation is empty; a few words are expected."),
        (" , , ,no", "The premise is empty; a few words are expected."),
        ("=HYPERLINK(1),is,b,no", "The subject is “=HYPERLINK(1)”, which looks like"),
        ("A" * 301 + ",is,b,no", "The subject “AAAAAAAAAAAAAAAAAAAAAAAAAAAAA…” has 301 characters"),
    ],
)
def test_a_bad_line_is_set_aside(line, says):
    text = f"{GOOD}\n\n{line}\n{GOOD}"
    rows, problems = read_lines(text)
    (problem,) = problems.values()
    assert rows == [TeachRow("Cy", "knows", "Di", label="entailment")] * 2
    assert problem.startswith(f"Line 3: {says}")
    assert unread_lines(text, problems)[0] == line


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
