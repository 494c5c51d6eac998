"""Hostile tables: damaged files of every kind, and small ones that take much time or memory."""

import json
import time
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from symdemo.data import packed_rows
from symdemo.data.tables import TableFile
from symdemo.errors import InputError
from symdemo.jobs.deadline import within
from symdemo.text import MIB

ROWS = [("premise", "label")] + [(f"Ann{n} met “Bén”.", "yes" if n % 2 else "no") for n in range(9)]
CSV = "\n".join(map(",".join, ROWS))
RECORDS = [dict(zip(ROWS[0], row, strict=True)) for row in ROWS[1:]]
TEXTS = {
    "t.csv": CSV,
    "t.tsv": CSV.replace(",", "\t"),
    "t.txt": "\n".join(row[0] for row in ROWS[1:]),
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
            "insert": lambda h, t, p, n: h + p + t,
            "replace": lambda h, t, p, n: h + p + t[len(p) :],
            "cut": lambda h, t, p, n: h + t[n:],
            "repeat": lambda h, t, p, n: h + t[:n] * 200 + t,
        }[kind](head, tail, piece, length)
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
    for row in ROWS:
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
            pq.write_table(pa.table({"premise": [row[0] for row in ROWS]}), path)
        else:
            workbook(path)
        path.write_bytes(damaged(path.read_bytes(), changes))
    read(path)


BOMBS = {
    "names": ("t.csv", "a," * 100_000 + "\na", "has 100,001 columns"),
    "blank objects": ("t.json", "[" + "{}," * 2_000_000 + "{}]", "2,000,002 lists and objects"),
    "columns": ("t.json", json.dumps({n: {n: 1} for n in range(6_000)}), "has 6,000 columns; at"),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_table_that_would_take_long_or_much_is_refused_soon(write, kind):
    name, content, says = BOMBS[kind]
    assert says in read(write(name, content))


def test_a_row_of_millions_of_cells_is_refused_in_bounded_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(packed_rows, "BINARY_MEMORY", 400 * MIB)
    path = workbook(
        tmp_path / "t.xlsx",
        lambda sheet: sheet.replace(b"</row>", b"<c/>" * 2_000_000 + b"</row>", 1),
    )
    assert path.stat().st_size < 100_000
    assert "it takes more than" in read(path)
