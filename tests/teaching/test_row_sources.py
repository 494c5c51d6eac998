"""Rows of pasted lines, files and examples, lines that are set aside, and mistyped labels."""

import pytest
from refusals import refusal
from teaching_tools import BOSS

from symdemo.data.relations import RELATIONS
from symdemo.data.tables import TableFile
from symdemo.teaching.limits import Limits
from symdemo.teaching.near_labels import NearLabel, near_labels
from symdemo.teaching.row_sources import EXAMPLES, example_rows, read_file, read_lines
from symdemo.teaching.rows import TeachRow, check_rows

GOOD = "Cy,knows,Di,yes"
CSV = "who,does,whom,verdict\nAnn,is the boss of,Ben,no\n\nCy,knows,Di,Maybe\n"
MAPPING = {"subject": "who", "relation": "does", "object": "whom", "label": "verdict"}
EXPECTED = [BOSS, TeachRow("Cy", "knows", "Di", label="neutral")]


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
    return [TeachRow(f"A{n}", "knows", f"B{n}", label=label) for n, label in enumerate(labels)]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("entailmnet", "entailment"),
        ("Entailement", "entailment"),
        ("contradictory", "contradiction"),
        ("nuetral", "neutral"),
        ("y", "entailment"),
        ("Nope!", "contradiction"),
        ("mabye", "neutral"),
    ],
)
def test_a_mistyped_label_is_found(typed, meant):
    assert near_labels(labelled("entailment", typed)) == [NearLabel(typed, meant, (2,))]
    assert near_labels(labelled(typed), settled=[typed]) == []


def test_of_two_spellings_the_rarer_is_questioned():
    found = near_labels(labelled("depends", "depend", "depends", "nuetral", "nuetral"))
    assert found == [NearLabel("depend", "depends", (2,)), NearLabel("nuetral", "neutral", (4, 5))]
    assert near_labels(labelled("depends", "depend")) == []
