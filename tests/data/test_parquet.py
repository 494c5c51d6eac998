"""Parquet files of strangers: their cells, their bounds, and what is refused before it is read."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from row_samples import refusal

from symdemo.data import parquet
from symdemo.data.opening import Accepted
from symdemo.data.parquet import parquet_records
from symdemo.data.tables import column_names, count_rows, file_records, seems_headed

BOTH = Accepted((".csv", ".parquet"), 1_000_000)


@pytest.fixture
def made(tmp_path):
    """Write columns to a Parquet file; its path."""

    def write(columns, **options):
        path = tmp_path / "t.parquet"
        pq.write_table(pa.table(columns), path, **options)
        return path

    return write


def records(path, columns=None):
    return list(parquet_records(path, columns))


@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_cells_come_as_they_are(made, kind, dictionary):
    texts = pa.array(["a", None, "ü", "a"], kind)
    columns = {"text": texts, "n": [1, None, 3, 4], "x": [0.5, 1, 2, 3], "yes": [True, None] * 2}
    path = made(columns, use_dictionary=dictionary, row_group_size=3)
    assert records(path) == [
        (1, "a,1,0.5,True", {"text": "a", "n": 1, "x": 0.5, "yes": True}),
        (2, ",,1.0,", {"text": None, "n": None, "x": 1.0, "yes": None}),
        (3, "ü,3,2.0,True", {"text": "ü", "n": 3, "x": 2.0, "yes": True}),
        (4, "a,4,3.0,", {"text": "a", "n": 4, "x": 3.0, "yes": None}),
    ]
    assert records(path, ["n"])[2] == (3, "3", {"n": 3})


def test_columns_and_rows_are_those_of_any_table(made):
    path = made({"premise": ["a b"] * 3, "nested": [[1], [2], []]})
    assert column_names(path, accepted=BOTH) == ["premise", "nested"]
    assert seems_headed(path, BOTH)
    assert count_rows(path, accepted=BOTH) == 3
    assert [number for number, _, _ in file_records(path, accepted=BOTH)] == [1, 2, 3]
    assert "ends in “.parquet”; .csv, .tsv or .jsonl is expected" in refusal(column_names, path)


@pytest.mark.parametrize(
    ("values", "seen"),
    [([["a b"]], "list<"), ([b"a b"], "binary"), ([{"x": 1}], "struct<")],
)
def test_a_column_that_is_no_text_is_refused_by_its_type(made, values, seen):
    path = made({"premise": values})
    message = refusal(records, path, ["premise"])
    assert message.startswith("The column “premise” of t.parquet holds")
    assert seen in message
    assert records(path) == [(1, "", {})]


def test_a_column_that_unpacks_to_too_much_is_refused_before_it_is_read(made, monkeypatch):
    columns = {"premise": ["a b " * 200_000] * 50, "small": ["x"] * 50}
    path = made(columns, use_dictionary=False, compression="zstd")
    assert path.stat().st_size < 1_000_000
    monkeypatch.setattr(parquet, "MAX_UNPACKED", 30_000_000)
    monkeypatch.setattr(parquet, "_values", lambda column: pytest.fail("was read"))
    assert "unpack to 38.1 MiB; at most 28.6 MiB are read" in refusal(records, path, ["premise"])
    monkeypatch.undo()
    assert len(records(path, ["small"])) == 50


def test_a_text_that_a_dictionary_holds_once_and_rows_name_often_is_not_copied(made):
    long = pa.array(["a b " * 50_000, "short one"])
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 20_000 + [1]), long)
    found = records(made({"premise": column}))
    assert str(found[0][2]) == "There is a cell of 200,000 bytes; at most 100,000 are read."
    assert found[0][2] is found[4_000][2]
    assert found[-1] == (20_001, "short one", {"premise": "short one"})


@pytest.mark.parametrize("damage", ["empty", "cut", "overwritten", "another"])
def test_damaged_files_are_refused_in_one_sentence(made, damage):
    path = made({"premise": [f"Ann {n} met Ben." for n in range(500)]}, compression="none")
    whole = path.read_bytes()
    path.write_bytes(
        {
            "empty": b"",
            "cut": whole[:-40],
            "overwritten": whole[:30] + b"\xff" * 400 + whole[430:],
            "another": b"PK\x03\x04" + whole[4:-4] + b"none",
        }[damage]
    )
    message = refusal(records, path)
    assert message.startswith("t.parquet is not a readable Parquet file: ")
    assert len(message) < 150


def test_bytes_that_are_no_utf8_spoil_their_row_or_the_file_but_nothing_else(made):
    wrong = pa.Array.from_buffers(
        pa.string(),
        2,
        [None, pa.py_buffer(b"\0\0\0\0\3\0\0\0\6\0\0\0"), pa.py_buffer(b"a\xffbabc")],
    )
    found = records(made({"premise": wrong}))
    assert [str(values) for _, _, values in found] == [
        "There is a cell that is not UTF-8 text; text is expected.",
        "{'premise': 'abc'}",
    ]
