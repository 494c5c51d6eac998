"""Exported rows and the report: whole or not at all, and nothing in a cell does anything."""

import csv
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from analyse_tools import tags_of, text_of
from pyarrow import parquet
from refusals import refusal

from symdemo.analysis import analyse_predictions, exports, report_html
from symdemo.analysis.exports import export_rows
from symdemo.errors import InputError


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "text": pd.Series(["=1+1", "é “a”,\nb", None, "+49", "half \ud800"], dtype=object),
            "number": [0.5, np.nan, np.inf, -1.25, 1e-9],
            "whole": [1, 2, 3, 4, 5],
            "flag": pd.Series([True, None, False, None, True], dtype=object),
            "empty": pd.Series([None] * 5, dtype=object),
        }
    )


ROWS = [
    {"text": "=1+1", "number": 0.5, "whole": 1, "flag": True, "empty": None},
    {"text": "é “a”,\nb", "number": None, "whole": 2, "flag": None, "empty": None},
    {"text": None, "number": None, "whole": 3, "flag": False, "empty": None},
    {"text": "+49", "number": -1.25, "whole": 4, "flag": None, "empty": None},
    {"text": "half ?", "number": 1e-9, "whole": 5, "flag": True, "empty": None},
]


@pytest.mark.parametrize("at_once", [1, 2, 5_000])
def test_every_kind_is_read_back(frame, tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(exports, "_AT_ONCE", at_once)
    export_rows(frame, str(tmp_path / "new" / "a.jsonl"), "jsonl")
    lines = (tmp_path / "new" / "a.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == ROWS
    export_rows(frame, tmp_path / "a.parquet", "parquet")
    assert parquet.read_table(tmp_path / "a.parquet").to_pylist() == ROWS
    export_rows(frame, tmp_path / "a.csv", "csv")
    data = (tmp_path / "a.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbftext,number,")
    cells = list(csv.reader(data.decode("utf-8-sig").splitlines(keepends=True)))
    assert cells == [
        list(frame.columns),
        ["'=1+1", "0.5", "1", "True", ""],
        ["é “a”,\nb", "", "2", "", ""],
        ["", "", "3", "False", ""],
        ["'+49", "-1.25", "4", "", ""],
        ["half ?", "1e-09", "5", "True", ""],
    ]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_an_empty_table_has_its_columns_still(frame, tmp_path, kind):
    export_rows(frame.head(0), tmp_path / "a", kind)
    if kind == "parquet":
        assert parquet.read_table(tmp_path / "a").column_names == list(frame.columns)
    else:
        expected = ",".join(frame.columns) + "\r\n" if kind == "csv" else ""
        assert (tmp_path / "a").read_bytes().decode("utf-8-sig") == expected


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_fault_on_the_way_leaves_the_old_file(frame, tmp_path, kind, monkeypatch):
    path = tmp_path / "a"
    path.write_text("mine", encoding="utf-8")

    def broken(*_, **__):
        raise RuntimeError("the disk is gone")

    for place in (exports, "csv_text"), (exports.json, "dumps"), (parquet, "write_table"):
        monkeypatch.setattr(*place, broken)
    with pytest.raises(RuntimeError, match="disk"):
        export_rows(frame, path, kind)
    with pytest.raises(InputError, match="mixes kinds"):
        export_rows(frame.assign(mixed=["a", 1, None, 2, 3]), path, kind)
    assert "format is “xlsx”" in refusal(export_rows, frame, path, "xlsx")
    assert path.read_text(encoding="utf-8") == "mine"
    assert list(tmp_path.iterdir()) == [path]


EVIL = '<script>alert("x")</script><img src=x onerror=alert(1)>'


def read(page):
    """Return the text of a page, with spaces between cells."""
    return text_of(page.replace("</t", " </t").replace("</d", " </d"))


@pytest.fixture
def page(tmp_path):
    def page(analysis, **options) -> str:
        path = tmp_path / "new" / "report.html"
        report_html(analysis, path, **options)
        assert [entry.name for entry in path.parent.iterdir()] == ["report.html"]
        return path.read_text(encoding="utf-8")

    return page


def test_figures_stand_beside_the_rules(page, asked, answered, other):
    analysis = analyse_predictions(asked, {"m": answered, "o": other}, {"m": other})
    text = page(analysis, made={"Data": "a.csv"}, words=True)
    tags = [tag for tag, _ in tags_of(text)]
    for expected in (
        "8 pairs were tested, all labelled",
        "Right on 5 of 8 pairs: 62.5%.",
        "30.6% to 86.3%",
        "The relation’s name alone 87.5%",
        "It said neutral (45.0% sure) and was right.",
        "It said entailment (99.0% sure); the label is neutral.",
        "both are right on 2 and neither on 1; only m on 3, only o on 2",
        "Data a.csv",
    ):
        assert expected in read(text), expected
    assert {"script", "link", "img", "iframe"}.isdisjoint(tags)
    assert tags.count("circle") == tags.count("title") - 1 > 6
    assert "http" not in text.replace("http-equiv", "")
    assert "nan" not in read(text).casefold().split()


def test_whatever_stands_in_a_cell_is_text(page, asked, answered):
    pairs = [
        replace(pair, premise=f"{pair.premise} {EVIL}", relation=EVIL, label=f"{EVIL}{n % 2}")
        for n, pair in enumerate(asked)
    ]
    made = {EVIL: EVIL}
    text = page(analyse_predictions(pairs, {EVIL: answered}), made=made)
    assert {"script", "img"}.isdisjoint(tag for tag, _ in tags_of(text))
    assert not [name for _, own in tags_of(text) for name in own if name.startswith("on")]
    assert 'alert("x")' in read(text)


def test_pairs_without_labels_give_answers_alone(page, asked, answered):
    pairs = [replace(pair, label=None) for pair in asked]
    text = read(page(analyse_predictions(pairs, {"m": answered})))
    assert "none is labelled" in text
    assert "Verdicts Verdict Pairs entailment 4" in text
    for absent in ("Right on", "Accuracy", "the label is", "errors"):
        assert absent not in text
