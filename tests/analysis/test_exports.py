"""Exported rows: read back by other programs as they were, whole or not at all."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from pyarrow import parquet
from refusals import refusal

from symdemo.analysis import exports
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


@pytest.fixture(params=[1, 2, 5_000])
def in_parts(request, monkeypatch):
    monkeypatch.setattr(exports, "_AT_ONCE", request.param)


@pytest.mark.usefixtures("in_parts")
def test_every_kind_is_read_back(frame, tmp_path):
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
