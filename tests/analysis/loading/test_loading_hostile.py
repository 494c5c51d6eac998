"""Files that nobody wrote to be read: each is refused in a sentence, or gives harmless text."""

import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from row_samples import refusal

from symdemo.analysis.loading import load_table, look_at_table
from symdemo.analysis.loading.tables import MAX_FILE_BYTES
from symdemo.errors import InputError
from symdemo.pairs import check_pair

MAPPING = {"premise": "premise", "hypothesis": "hypothesis", "label": "label"}
HEAD = "premise,hypothesis,label\n"
ROW = "Ann met Ben.,Ben met Ann.,yes\n"
ENDLESS = '"Ann met Ben.,Ben met Ann.,yes\n'


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.csv", (HEAD + ROW).encode("utf-16"), "is not UTF-8 text but text in UTF-16"),
        ("t.csv", (HEAD + ROW).encode("utf-16-le"), "is not UTF-8 text but text in UTF-16, or no"),
        ("t.csv", (HEAD + "Zoë met Ben.,x,y\n").encode("latin-1"), "is not UTF-8 text; save it as"),
        ("t.csv", b"PK\x03\x04\x14\0\6\0" + b"\x8a" * 900, "but a spreadsheet or another zip"),
        ("t.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 900, "but an old spreadsheet"),
        ("t.csv", b"PAR1" + b"\x15" * 900, "but a Parquet file"),
        ("t.jsonl", b"\x1f\x8b\x08" + b"\x15" * 900, "but a gzip archive"),
        ("t.csv", b"\0" * 5_000, "or no text at all"),
        ("t.csv", "", "t.csv is empty"),
        ("t.csv", "\n\n  \n\r\n", "t.csv is empty"),
        ("t.jsonl", "\n\n", "t.jsonl is empty"),
        ("t.csv", HEAD, "t.csv has no row that can be used"),
        ("t.csv", ",".join(f"c{n}" for n in range(1_000)), "has 1,000 columns; at most 100"),
        ("t.csv", "premise,premise\na,b\n", "has two columns “premise”"),
        ("t.csv", "premise,a\0b\na,b\n", "contains the control character U+0000"),
        ("t.csv", HEAD + ROW + ENDLESS + ROW * 9_000, "line 3 has a cell of more than 131,072"),
        ("t.csv", HEAD + f'"{"a" * 30_000_000}"', "t.csv, line 2, has 30,000,002 characters"),
        ("t.csv", "," * 30_000_000, "t.csv, line 1, has 30,000,000 characters"),
        ("t.jsonl", '{"premise": ' + "[" * 9_999 + "]" * 9_999 + "}", "line 1: This is not a JSON"),
        ("t.jsonl", '{"premise": [' + "[]," * 2_000_000 + "[]]}", "This has 6,000,017 characters"),
        ("t.jsonl", '{"a\\ud800": "x"}', "contains the control character U+D800"),
        ("t.parquet", b"", "t.parquet is not a readable Parquet file"),
        ("t.parquet", HEAD + ROW, "t.parquet is not a readable Parquet file"),
        ("t.xlsx", b"PK", "ends in “.xlsx”; .csv, .tsv, .jsonl or .parquet is expected"),
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused_in_one_quick_sentence(write, name, content, says):
    path = write(name, content)
    began = time.process_time()  # not what others do on a busy machine
    message = refusal(load_table, path, MAPPING)
    assert time.process_time() - began < 1
    assert says in message
    assert len(message) < 250
    assert "\0" not in message


def test_a_large_file_is_refused_unread(tmp_path):
    path = tmp_path / "t.csv"
    with path.open("wb") as file:
        file.truncate(200 * 1024**2)
    for ask in (look_at_table, lambda path: load_table(path, MAPPING)):
        assert refusal(ask, path) == "t.csv has 200.0 MiB; at most 64.0 MiB are read."
    assert MAX_FILE_BYTES == 64 * 1024**2


def test_a_quotation_mark_that_stays_open_says_what_it_took(write):
    path = write("t.csv", HEAD + ROW + ENDLESS + ROW * 7)
    loaded = load_table(path, MAPPING)
    assert len(loaded) == 1
    assert [(row.number, row.reason) for row in loaded.refused] == [
        (
            3,
            'A quotation mark " is not closed, so that the 7 lines after it are one cell; close it '
            "or remove it.",
        )
    ]
    path = write("t.csv", HEAD + ENDLESS + ROW * 100 + 'Cy,"met"\n' + ROW)
    assert "so that the 101 lines after it" in load_table(path, MAPPING).refused[0].reason
    quoted = '"Ann\nmet Ben.",Ben met Ann.,yes\n'
    assert load_table(write("t.csv", HEAD + quoted), MAPPING).pairs[0].premise == "Ann met Ben."


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_line_ends_and_a_byte_order_mark_change_nothing(write, end):
    path = write("t.csv", "\ufeff" + (HEAD + ROW * 2).replace("\n", end))
    assert look_at_table(path).columns == ("premise", "hypothesis", "label")
    assert [pair.label for pair in load_table(path, MAPPING).pairs] == ["entailment"] * 2


def test_formulas_html_and_hidden_signs_stay_text_or_are_refused(write):
    rows = "=HYPERLINK(1) met Ben.,Ben met =HYPERLINK(1).,<img src=x>\n"
    rows += "\u202eAnn met Ben.,Ben met \u202eAnn.,\n\x1b[2JAnn met Ben.,Ben met Ann.,yes\n"
    loaded = load_table(write("t.csv", HEAD + rows), MAPPING)
    assert loaded.pairs[0].premise == "=HYPERLINK(1) met Ben."
    assert loaded.pairs[0].label == "<img src=x>"
    assert loaded.pairs[1].premise == "\u202eAnn met Ben."
    assert "control character U+001B" in loaded.refused[0].reason
    assert "\x1b" not in loaded.refused[0].text
    shown = look_at_table(write("t.csv", HEAD + rows)).rows
    assert all(cell.isprintable() for row in shown for cell in row)


def test_values_of_json_that_are_no_text_spoil_their_row_alone(write):
    good = '{"premise": "Ann met Ben.", "hypothesis": "Ben met Ann.", "label": 1}'
    bad = [
        good.replace('"Ann met Ben."', value)
        for value in (
            "3",
            "NaN",
            "1e999",
            "null",
            "[1]",
            '{"a": 1}',
            "1" + "0" * 4_000,
            '"a \\ud800"',
        )
    ]
    bad += [
        good.replace("1}", f"{label}}}") for label in ("2.5", "[]", "1" + "0" * 90, "-Infinity")
    ]
    bad += ["1" + "0" * 9_000, "[" * 100_000, "null"]
    loaded = load_table(
        write("t.jsonl", "\n".join([*bad, good, good.replace("1}", "-1}")])), MAPPING
    )
    assert [pair.label for pair in loaded.pairs] == ["2.5", None, "1", "-1"]
    assert len(loaded.refused) == len(bad) - 2
    assert all(row.reason.endswith((".", "?")) and len(row.reason) < 200 for row in loaded.refused)


def test_only_mapped_columns_of_a_parquet_file_are_read(tmp_path):
    path = tmp_path / "t.parquet"
    columns = {"premise": ["Ann met Ben."], "hypothesis": ["Ben met Ann."], "label": [0]}
    pq.write_table(pa.table(columns | {"nested": [[{"a": b"x"}]], "raw": [b"\xff"]}), path)
    look = look_at_table(path)
    assert look.rows == (("Ann met Ben.", "Ben met Ann.", "0", "", ""),)
    assert load_table(path, MAPPING, {"0": "neutral"}).pairs[0].label == "neutral"
    message = refusal(load_table, path, MAPPING | {"label": "raw"})
    assert message == "The column “raw” of t.parquet holds binary; text is expected."


SCRAPS = st.sampled_from([
    "Ann met Ben.", "Ben met Ann.", "yes", ",", "\n", "\r", '"', "\0", "\ud800", "\u202e", "{",
    "}", '"premise":', "[", ":", "1e999", "\ufeff", HEAD, ROW, ";", "\t", "é", "null",
])  # fmt: skip


@given(st.lists(SCRAPS, max_size=30), st.sampled_from([".csv", ".tsv", ".jsonl", ".parquet"]))
@settings(max_examples=150)
def test_any_scraps_give_pairs_or_one_sentence(tmp_path_factory, scraps, ending):
    path = tmp_path_factory.getbasetemp() / f"scraps{ending}"
    text = HEAD * (ending == ".csv") + "".join(scraps)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        look = look_at_table(path, headed=True)
        loaded = load_table(path, MAPPING)
    except InputError as error:
        loaded, said = None, str(error)
    if loaded is None:
        assert len(said) < 300
        assert "\n" not in said
    else:
        assert all(pair == check_pair(pair) for pair in loaded.pairs)
        assert sum(loaded.reasons.values()) == len(loaded.refused)
        assert len(loaded) + len(loaded.refused) == look.n_rows, (scraps, ending)
