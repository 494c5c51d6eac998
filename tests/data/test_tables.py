"""Files of tables: columns, rows, faults; damaged files, and small ones that unpack to much."""

import csv
import io
import json
import resource
import time
import zipfile
from collections import deque

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from openpyxl import Workbook
from refusals import refusal

from symdemo.data import packed_rows
from symdemo.data.columns import check_mapping, guess_mapping
from symdemo.data.tables import TableFile
from symdemo.data.text_rows import MAX_FILE_BYTES, csv_text
from symdemo.errors import InputError
from symdemo.jobs.deadline import DeadlineError, within
from symdemo.text import MIB

COLUMNS = ["who", "does", "whom", "verdict", "note"]
CSV = "who,does,whom,verdict,note\nAnn,is the boss of,Ben,no,x\n\nCy,knows,Di,Maybe,\n"
JSONL = "\n\n".join(json.dumps(row) for row in csv.DictReader(CSV.splitlines()))


def errors(table, columns=None):
    return [f"{row.number}: {row.error}" for row in table.rows(columns) if row.error]


@pytest.fixture
def parquet(tmp_path):
    """Write columns to a Parquet file, and open it."""

    def write(columns, **options):
        path = tmp_path / "t.parquet"
        pq.write_table(pa.table(columns), path, **options)
        return TableFile(path)

    return write


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", CSV),
        ("t.CSV", "\ufeff" + CSV.replace("\n", "\r\n")),
        ("t.csv", "\n" + CSV.replace(",", ";")),
        ("t.csv", CSV.replace("\n", "\r")),
        ("t.tsv", CSV.replace(",", "\t")),
        ("t.jsonl", "\ufeff" + JSONL),
    ],
)
def test_rows_of_text_files(write, name, content):
    table = TableFile(write(name, content))
    first, second = table.rows()
    assert table.columns == COLUMNS
    assert table.count() == 2
    assert list(first.cells.values()) == ["Ann", "is the boss of", "Ben", "no", "x"]
    assert list(second.cells.values()) == ["Cy", "knows", "Di", "Maybe", ""]
    assert second.number == first.number + 2
    assert first.text.startswith("Ann" if "json" not in name else '{"who": "Ann"')
    assert next(table.rows(["whom", "none"])).cells == {"whom": "Ben", "none": ""}


def test_json_values_become_text(write):
    lines = ['{"a": true, "b": 3.0, "c": [1], "d": null}', '{"a": 2.5, "b": NaN, "e": 1}']
    table = TableFile(write("t.jsonl", "\n".join(lines)))
    assert [list(row.cells.values()) for row in table.rows()] == [
        ["true", "3", "", "", ""],
        ["2.5", "", "", "", "1"],
    ]
    assert errors(table, ["c"]) == ["1: The c is list; text is expected."]


def test_broken_rows_come_with_their_error(write):
    lines = ['{"a": "x"}', "[1]", "{", "[" * 100_000, '{"a": "' + "x" * 1_000_000 + '"}']
    assert errors(TableFile(write("t.jsonl", "\n".join(lines)))) == [
        "2: This is a JSON list; one object of cells a line is expected.",
        "3: This is not a JSON object; one object of cells a line is expected.",
        "4: This is not a JSON object; one object of cells a line is expected.",
        "5: This has 1,000,009 characters; at most 1,000,000 are read.",
    ]
    table = TableFile(write("t.csv", CSV + "Eve,knows,Flo,no,1,2\nGil\n" + 'a,"b,c\nd,e'))
    assert errors(table) == [
        "5: There are 6 columns, but the header has 5.",
        '7: A quotation mark " is not closed, so that the 1 lines after it are one cell; close it '
        "or remove it.",
    ]
    assert [row.cells["who"] for row in table.rows() if not row.error] == ["Ann", "Cy", "Gil"]
    mixed = TableFile(write("m.csv", "a,b\né,x\n".encode() + b"\xe9,y\n"))
    assert errors(mixed, ["a"]) == ["3: The a is not UTF-8 text."]
    swallowed = TableFile(write("s.csv", 'a,b\n"' + "x,y\n" * 1_000 + '",z\nc,d\n'))
    assert "so that the 1,000 lines after it are one cell" in errors(swallowed)[0]
    assert [row.cells["a"] for row in swallowed.rows() if not row.error] == ["c"]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.xls", "PK", "t.xls ends in “.xls”; .csv, .tsv, .txt, .json, .jsonl, .xlsx or .parq"),
        ("t.xlsx", "PK", "t.xlsx is not a readable Excel file: File is not a zip file"),
        ("t.csv", "", "t.csv is empty; a table with named columns is expected."),
        ("t.jsonl", "\n[]\n", "t.jsonl, line 2: This is a JSON list"),
        ("t.csv", ",".join(map(str, range(101))), "t.csv has 101 columns; at most 100 are read."),
        ("t.csv", "a" * 101, "The name of a column of t.csv “aaaaaaaaaaaaaaaaaaaaaaaaaaaaa…” has"),
        ("t.csv", b"\xff\xfea", "t.csv is not readable as utf-16; save it as “CSV UTF-8” and"),
        ("t.csv", b"a\0,\0b\0\n\0", "not text but text in UTF-16 without its mark, or no text"),
        ("t.csv", b"PK\x03\x04\xff\xfe\x00\x00", "but a spreadsheet or another zip archive;"),
        ("t.csv", f"a,{'b' * 140_000}", "not a readable CSV file: line 1 has a cell of more than"),
        ("t.csv", f"a,b\nc,{'d' * 1_000_001}", "t.csv, line 2, has 1,000,003 characters;"),
        ("t.csv", b" " * (MAX_FILE_BYTES + 1), "t.csv has 32.0 MiB; at most 32.0 MiB are read."),
    ],
)
def test_bad_files_are_refused_in_one_sentence(write, name, content, says):
    assert says in refusal(lambda: list(TableFile(write(name, content), headed=True).rows()))


@pytest.mark.parametrize(
    ("text", "headed"),
    [
        ("subject,relation,object,label\nAnn,knows,Ben,yes\n", True),
        ("who,does,whom,truth\nAnn,knows,Ben,yes\nCy,knows,Di,no\n", True),
        ("who,does,whom,does it hold?\nAnn,knows,Ben,yes\nCy,likes,Di,No.\n", True),
        ("Ann,knows,Ben,Yes\nCy,likes,Di,no\n", False),
        ("Ann,knows,Ben,depends\nCy,likes,Di,depends\n", False),
        ("Ann knows Ben.;depends\n", False),
        ("1,Ann,knows,Ben,own\n", False),
        ("Ann,knows,Ann,own\n", False),
    ],
)
def test_a_first_line_that_is_a_row_is_noticed(write, text, headed):
    assert TableFile(write("t.csv", text), headed=None).headed is headed


def test_a_file_without_a_header_is_read_by_places(write):
    table = TableFile(write("t.csv", "Ann,knows,Ben,yes\n\nCy,knows,,no\nDi,no,x,y,z\n"), False)
    assert table.columns == ["Column 1", "Column 2", "Column 3", "Column 4"]
    assert table.guess()["object"] == "Column 3"
    assert [row.cells.get("Column 3") for row in table.rows()] == ["Ben", "", None]
    assert table.count() == 3


def test_mappings_are_guessed_and_checked():
    assert guess_mapping(["Head", "Relation", "TAIL", "gold_label", "id"]) == {
        "subject": "Head", "relation": "Relation", "object": "TAIL", "label": "gold_label",
    }  # fmt: skip
    assert guess_mapping(["sentence1", "sentence2", "label"]) == {
        "premise": "sentence1", "hypothesis": "sentence2", "label": "label",
    }  # fmt: skip
    assert guess_mapping(["premise", "sentence", "text"]) == {"premise": "premise"}
    assert guess_mapping(["colour", ""]) == {}
    check_mapping({"premise": "a", "label": "b"}, ["a", "b"])
    check_mapping({"premise": "a"}, ["a", "b"], labelled=False)
    for mapping, says in (
        ({"premise": "a", "label": "x"}, "There is no column “x”; seen: a, b."),
        ({"size": "a"}, "A row has no field “size”; expected: subject, relation"),
        ({"premise": "a"}, "Columns for subject, relation, object and label are needed"),
        ({"subject": "a", "label": "b"}, "or for premise and label; seen: a, b."),
    ):
        assert says in refusal(check_mapping, mapping, ["a", "b"])


@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_rows_of_parquet_files(parquet, kind, dictionary):
    texts = pa.array(["a", None, "ü", "a"], kind)
    columns = {"text": texts, "n": [1, None, 3, 4], "x": [0.5, 1, 2, 3], "yes": [True, None] * 2}
    table = parquet(columns | {"l": [[1]] * 4}, use_dictionary=dictionary, row_group_size=3)
    assert table.columns == ["text", "n", "x", "yes", "l"]
    assert table.count() == 4
    assert [(row.number, list(row.cells.values())[:4]) for row in table.rows()] == [
        (1, ["a", "1", "0.5", "true"]),
        (2, ["", "", "1", ""]),
        (3, ["ü", "3", "2", "true"]),
        (4, ["a", "4", "3", ""]),
    ]
    assert next(table.rows(["n"])).cells == {"n": "1"}
    assert next(table.rows(["text"])).text == "a"


@pytest.mark.parametrize(
    ("values", "seen"), [([["a b"]], "list<"), ([b"a b"], "binary"), ([{"x": 1}], "struct<")]
)
def test_a_parquet_column_without_text_is_refused_by_its_type(parquet, values, seen):
    table = parquet({"premise": values})
    assert f"“premise” of t.parquet holds {seen}" in refusal(list, table.rows(["premise"]))
    assert "has no such column of texts" in refusal(next, table.rows())


LONG = "a b " * 50_000
BOMBS = {
    "a cell": ({}, ["a b " * 30_000_000], "it takes more than 500 MiB of memory"),
    "a shared text": (
        {"use_dictionary": True},
        pa.DictionaryArray.from_arrays(pa.array([0] * 20_000), pa.array([LONG])),
        "a cell has 200,000 characters; at most 100,000 are read",
    ),
    "shared beginnings": (
        {"column_encoding": "DELTA_BYTE_ARRAY"},
        [LONG + str(number) for number in range(300)],
        "a cell has 200,001 characters",
    ),
    "rows": (
        {"use_dictionary": True},
        pa.DictionaryArray.from_arrays(pa.array([0] * 5_000_000), pa.array(["a b"])),
        "it takes more than 1 s",
    ),
}
"""Kind → how a column is written that is small in the file, the column, and the refusal."""


@pytest.mark.parametrize("kind", BOMBS)
def test_a_small_parquet_file_that_unpacks_to_much_is_refused(parquet, monkeypatch, kind):
    options, column, says = BOMBS[kind]
    options = {"use_dictionary": False, "write_statistics": False, "compression": "zstd"} | options
    table = parquet({"premise": column}, **options)
    assert table.path.stat().st_size < 100_000
    monkeypatch.setattr(packed_rows, "BINARY_MEMORY", 500 * MIB)
    monkeypatch.setattr(packed_rows, "BINARY_SECONDS", 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert says in refusal(deque, table.rows(["premise"]), 0)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB


def test_a_crash_of_the_parquet_reader_is_an_error(parquet, monkeypatch, tmp_path):
    table = parquet({"premise": ["a b"]})
    program = tmp_path / "crash.py"
    program.write_text("import os\nprint('[1', end='', flush=True)\nos.abort()")
    monkeypatch.setattr(packed_rows, "_BINARY_ROWS", str(program))
    assert "Parquet file: its reader ended with status -6" in refusal(list, table.rows())


@pytest.mark.parametrize(("name", "line"), [("t.csv", "a,b"), ("t.jsonl", "{}")])
def test_a_file_of_millions_of_lines_is_refused_within_the_deadline(write, name, line):
    path = write(name, '{"a": "b"}\n' + (line + "\n") * 2_000_001)
    began = time.process_time()
    assert "more than 2,000,000 lines" in refusal(TableFile(path).count)
    assert time.process_time() - began < 10
    with pytest.raises(DeadlineError), within(0.0):
        TableFile(path)


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: b"",
        lambda whole: whole[:-40],
        lambda whole: whole[:30] + b"\xff" * 400 + whole[430:],
        lambda whole: b"PK\x03\x04" + whole[4:-4] + b"none",
        lambda whole: whole.replace(b"77 met", b"77 m\xfft"),  # not UTF-8
    ],
)
def test_damaged_parquet_files_are_refused_in_one_sentence(parquet, damage):
    path = parquet({"premise": [f"Ann {n} met Ben." for n in range(500)]}, compression="none").path
    path.write_bytes(damage(path.read_bytes()))
    said = refusal(lambda: list(TableFile(path).rows()))
    assert said.startswith("t.parquet is not a readable Parquet file: ")
    assert len(said) < 150


@pytest.mark.parametrize("sign", "=+-@\t\r")
def test_written_csv_never_holds_a_formula(sign):
    text = csv_text([[f"{sign}1+1", f"1{sign}1"]])
    assert next(csv.reader(io.StringIO(text, newline=""))) == [f"'{sign}1+1", f"1{sign}1"]
    assert csv_text([["a,b", 'say "x"', -1.5, None]], "\n") == '"a,b","say ""x""",-1.5,\n'


PLAIN_ROWS = [("premise", "label")] + [
    (f"Ann{n} met “Bén”.", "yes" if n % 2 else "no") for n in range(9)
]
PLAIN_CSV = "\n".join(map(",".join, PLAIN_ROWS))
RECORDS = [dict(zip(PLAIN_ROWS[0], row, strict=True)) for row in PLAIN_ROWS[1:]]
TEXTS = {
    "t.csv": PLAIN_CSV,
    "t.tsv": PLAIN_CSV.replace(",", "\t"),
    "t.txt": "\n".join(row[0] for row in PLAIN_ROWS[1:]),
    "t.jsonl": "\n".join(map(json.dumps, RECORDS)),
    "t.json": json.dumps(RECORDS),
    "t.JSON": json.dumps({"premise": {"0": "Ann met Ben.", "1": None}, "label": {"0": [1]}}),
}
TOKENS = [
    b"\0", b'"', b"\n" * 50, b"\r", b",", b"\t", b"{", b"[" * 3_000, b"}", b'{"a":' * 990, b":",
    b"\xff\xfe", b"\xef\xbb\xbf", b"\xe9", b"\\ud800", b"NaN", b"1e999", b"9" * 5_000, b"null",
    b"=1+1", b"premise", b"Ann,Ann," * 300, b"\x85\x1c", b"x" * 200_000,
]  # fmt: skip
DAMAGE = st.lists(
    st.tuples(
        st.sampled_from(["insert", "replace", "cut", "repeat"]),
        st.floats(0, 1),
        st.one_of(st.sampled_from(TOKENS), st.binary(max_size=8)),
        st.integers(1, 40),
    ),
    min_size=1,
    max_size=5,
)


def damaged(content, changes):
    for kind, at, piece, length in changes:
        place = int(at * len(content))
        head, tail = content[:place], content[place:]
        content = {
            "insert": head + piece + tail,
            "replace": head + piece + tail[len(piece) :],
            "cut": head + tail[length:],
            "repeat": head + tail[:length] * 200 + tail,
        }[kind]
    return content


def read(path):
    """Read a table in every way; return the refusal, empty if there is none."""
    began, refused = time.process_time(), ""
    try:
        with within(30):
            table = TableFile(path)
            table.label_meanings(table.guess().get("label"))
            for columns in (None, table.columns[:1]):
                for row in table.rows(columns):
                    assert row.error or row.cells.keys() <= set(table.columns)
            table.count()
    except InputError as error:
        refused = str(error)
    assert time.process_time() - began < 10
    assert "\n" not in refused
    assert len(refused) < 400
    return refused


ANY = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def with_each_token_first(test):
    for token in TOKENS:
        test = example(changes=[("insert", 0.0, token, 1)])(test)
    return test


@pytest.mark.parametrize("name", TEXTS)
@settings(ANY, max_examples=60)
@with_each_token_first
@given(changes=DAMAGE)
def test_damaged_text_is_read_or_refused_in_a_sentence(write, name, changes):
    read(write(name, damaged(TEXTS[name].encode(), changes)))


def workbook(path, sheet=None):
    """Write the rows as a workbook; `sheet` changes the XML of its sheet."""
    book = Workbook()
    for row in PLAIN_ROWS:
        book.active.append(row)
    book.save(path)
    if sheet:
        with zipfile.ZipFile(path) as old:
            parts = {name: old.read(name) for name in old.namelist()}
        name = "xl/worksheets/sheet1.xml"
        parts[name] = sheet(parts[name])
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
            for part, content in parts.items():
                new.writestr(part, content)
    return path


@pytest.mark.slow
@settings(ANY, max_examples=40)
@given(changes=DAMAGE, part=st.sampled_from(["sheet", "file", "parquet"]))
def test_damaged_binary_files_are_read_or_refused_in_a_sentence(tmp_path, changes, part):
    if part == "sheet":
        path = workbook(tmp_path / "t.xlsx", lambda sheet: damaged(sheet, changes))
    else:
        path = tmp_path / ("t.parquet" if part == "parquet" else "t.xlsx")
        if part == "parquet":
            pq.write_table(pa.table({"premise": [row[0] for row in PLAIN_ROWS]}), path)
        else:
            workbook(path)
        path.write_bytes(damaged(path.read_bytes(), changes))
    read(path)


TEXT_BOMBS = {
    "names": ("t.csv", "a," * 100_000 + "\na", "has 100,001 columns"),
    "blank objects": ("t.json", "[" + "{}," * 2_000_000 + "{}]", "2,000,002 lists and objects"),
    "columns": ("t.json", json.dumps({n: {n: 1} for n in range(6_000)}), "has 6,000 columns; at"),
}


@pytest.mark.parametrize("kind", TEXT_BOMBS)
def test_a_table_that_would_take_long_or_much_is_refused_soon(write, kind):
    name, content, says = TEXT_BOMBS[kind]
    assert says in read(write(name, content))


def test_a_row_of_millions_of_cells_is_refused_in_bounded_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(packed_rows, "BINARY_MEMORY", 400 * MIB)
    path = workbook(
        tmp_path / "t.xlsx",
        lambda sheet: sheet.replace(b"</row>", b"<c/>" * 2_000_000 + b"</row>", 1),
    )
    assert path.stat().st_size < 100_000
    assert "it takes more than" in read(path)
