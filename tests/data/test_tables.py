"""Uploaded tables: their columns, their records, and the files that are refused."""

import csv
import json

import pytest
from row_samples import BOSS, refusal

from symdemo.data.opening import MAX_FILE_BYTES
from symdemo.teaching.limits import Limits
from symdemo.teaching.rows.reading import (
    columns_of,
    guess_columns,
    guess_mapping,
    read_file,
    seems_headed,
)
from symdemo.teaching.rows.row import Row, labelled_pair

MAPPING = {"subject": "who", "relation": "does", "object": "whom", "label": "verdict"}
WHOLE = {"premise": "premise", "hypothesis": "hypothesis", "label": "label"}


CSV = "who,does,whom,verdict,note\nAnn,is the boss of,Ben,no,x\n\nCy,knows,Di,Maybe,\n"
EXPECTED = [BOSS, Row("Cy", "knows", "Di", label="neutral")]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", CSV),
        ("t.CSV", "\ufeff" + CSV.replace("\n", "\r\n")),
        ("t.csv", "\n" + CSV.replace(",", ";")),
        ("t.tsv", CSV.replace(",", "\t")),
        (
            "t.jsonl",
            "\n".join(json.dumps(row) for row in csv.DictReader(CSV.splitlines())) + "\n\n",
        ),
    ],
)
def test_files_are_read_by_their_mapping(write, name, content):
    path = write(name, content)
    assert columns_of(path) == ["who", "does", "whom", "verdict", "note"]
    assert read_file(path, MAPPING) == (EXPECTED, [])


def test_mappings_are_guessed():
    assert guess_mapping(["Head", "Relation", "TAIL", "gold_label", "id"]) == {
        "subject": "Head", "relation": "Relation", "object": "TAIL", "label": "gold_label",
    }  # fmt: skip
    assert guess_mapping(["sentence1", "sentence2", "label"]) == {
        "premise": "sentence1", "hypothesis": "sentence2", "label": "label",
    }  # fmt: skip
    assert guess_mapping(["premise", "sentence", "text"]) == {"premise": "premise"}
    assert guess_mapping(["colour", ""]) == {}


def test_saved_pairs_are_read_as_rows(write, pairs):
    from symdemo.data.pair_files import save_pairs

    path = write("pairs.jsonl", "")
    save_pairs(pairs, path)
    rows, problems = read_file(path, guess_mapping(columns_of(path)))
    assert problems == []
    assert [labelled_pair(row) for row in rows] == list(pairs)


def test_bad_records_are_set_aside(write):
    good = json.dumps({"premise": "A is b", "hypothesis": "B is a", "label": True})
    lines = [good, "[1]", "{", good.replace('"A is b"', "3"), good.replace("true", "null"), "[" * 9]
    lines += [good.replace("true", "2.5"), good.replace('"B is a"', "null")]
    rows, problems = read_file(write("t.jsonl", "\n".join(lines)), WHOLE)
    assert rows == [
        Row(premise="A is b", hypothesis="B is a", label="entailment"),
        Row(premise="A is b", label="entailment"),
    ]
    assert [problem.message for problem in problems] == [
        "Line 2: This is a JSON list; one object of cells a line is expected.",
        "Line 3: This is not a JSON object; one object of cells a line is expected.",
        "Line 4: The premise is int; text is expected.",
        "Line 5: The label is empty; yes, no, maybe or your own name is expected.",
        "Line 6: This is not a JSON object; one object of cells a line is expected.",
        "Line 7: The label is float; text is expected.",
    ]
    path = write("t.csv", CSV + "Eve,knows,Flo,no,1,2\nGil,knows\n=A1,knows,Di,no\n")
    rows, problems = read_file(path, MAPPING)
    assert rows == EXPECTED
    assert [problem.message for problem in problems] == [
        "Line 5: There are 6 columns, but the header has 5.",
        "Line 6: The label is empty; yes, no, maybe or your own name is expected.",
        "Line 7: The subject is “=A1”, which is for a spreadsheet; plain words are expected.",
    ]
    assert problems[0].text == "Eve,knows,Flo,no,1,2"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.xlsx", "PK", "t.xlsx ends in “.xlsx”; .csv, .tsv or .jsonl is expected."),
        ("t.csv", "", "t.csv is empty; a table with the names of its columns is meant."),
        (
            "t.jsonl",
            "\n[]\n",
            "t.jsonl, line 2: This is a JSON list; one object of cells a line is expected.",
        ),
        ("t.jsonl", "\n", "t.jsonl is empty; a table with the names of its columns is meant."),
        ("t.csv", "a,b,a\n", "t.csv has two columns “a”; each needs its own name."),
        ("t.csv", ",".join(map(str, range(101))), "t.csv has 101 columns; at most 100 are read."),
        (
            "t.csv",
            "a" * 101,
            f"t.csv has the column “{'a' * 29}…” of 101 characters; a name of at most 100 is "
            "expected in its first line.",
        ),
        ("t.csv", b"a,\xff", "t.csv is not UTF-8 text; save it as “CSV UTF-8” and try again."),
        (
            "t.csv",
            f"a,{'b' * 140_000}",
            "t.csv is not a readable CSV file: line 1 has a cell of more than 131,072 characters; "
            "is a quotation mark not closed there?",
        ),
        (
            "t.csv",
            b" " * (MAX_FILE_BYTES + 1),
            "t.csv has 32.0 MiB; at most 32.0 MiB are read.",
        ),
    ],
)
def test_bad_files_are_refused_in_one_sentence(write, name, content, says):
    path = write(name, content)
    assert refusal(columns_of, path) == says
    assert refusal(read_file, path, MAPPING) == says


def test_missing_files_bad_mappings_and_too_many_rows(write, tmp_path):
    for path in (tmp_path / "none.csv", tmp_path):
        assert refusal(columns_of, path).startswith(f"There is no file {path.name}; a CSV, TSV")
    path = write("t.csv", CSV)
    seen = "seen: who, does, whom, verdict, note."
    assert refusal(read_file, path, MAPPING | {"label": "x"}) == f"There is no column “x”; {seen}"
    assert refusal(read_file, path, MAPPING | {"size": "who"}).startswith(
        "A row has no field “size”; expected: subject, relation"
    )
    needs = (
        "Columns for subject, relation, object and label are needed, or for premise and label; "
        + seen
    )
    assert refusal(read_file, path, {"subject": "who", "label": "verdict"}) == needs
    assert refusal(read_file, path, {"premise": "who"}) == needs
    message = refusal(read_file, write("u.csv", CSV * 3), MAPPING, Limits(rows=7))
    assert message == "There are 8 rows; at most 7 are kept."
    late = write("late.csv", CSV.encode() + b"a,b,\xfe,no,\n")
    assert refusal(read_file, late, MAPPING).startswith("late.csv is not UTF-8 text")


@pytest.mark.parametrize(
    ("text", "headed"),
    [
        ("subject,relation,object,label\nAnn,knows,Ben,yes\n", True),
        ("who,does,whom,truth\nAnn,knows,Ben,yes\nCy,knows,Di,no\n", True),
        ("Ann,knows,Ben,Yes\nCy,likes,Di,no\n", False),
        ("Ann,knows,Ben,depends\nCy,likes,Di,depends\n", False),
        ("Ann knows Ben.;depends\n", False),
        ("1,Ann,knows,Ben,own\n", False),
        ("Ann,knows,Ann,own\n", False),
    ],
)
def test_a_first_line_that_is_a_row_is_noticed(write, text, headed):
    assert seems_headed(write("t.csv", text)) is headed


def test_a_file_without_names_is_read_by_places(write):
    path = write("t.csv", "Ann,knows,Ben,yes\n\nCy,knows,,no\nDi,knows,Eve,no,x\n")
    columns = columns_of(path, headed=False)
    assert columns == ["Column 1", "Column 2", "Column 3", "Column 4"]
    mapping = guess_columns(columns, headed=False)
    rows, problems = read_file(path, mapping, headed=False)
    assert rows == [Row("Ann", "knows", "Ben", label="entailment")]
    assert [problem.number for problem in problems] == [3, 4]
    assert read_file(path, mapping, headed=False, most=1) == (rows, [])
    swapped = mapping | {"subject": "Column 3", "object": "Column 1"}
    assert read_file(path, swapped, headed=False)[0][0].subject == "Ben"
    sentences = write("s.tsv", "Ann met Ben.\tmaybe\n")
    mapping = guess_columns(columns_of(sentences, headed=False), headed=False)
    assert mapping == {"premise": "Column 1", "label": "Column 2"}
    assert guess_columns(["Column 1"], headed=False) == {}
    empty = write("e.csv", "")
    assert refusal(columns_of, empty, False) == "e.csv is empty; a few rows are expected."
