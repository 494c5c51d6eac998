"""What is taken home: the rows that are shown in their order, and where the files lie."""

import json
import os
import time
from pathlib import Path

import pandas as pd
import pytest
from analyse_tools import Page

from symdemo.ui.analyse import taking_out

WRONG = {"conditions": [{"kind": "one_of", "column": "label", "values": ["entailment", None]}],
         "sort": "premise", "descending": True}  # fmt: skip


@pytest.fixture
def page(explorer, opened):
    opened.mark([2, 3], True)
    opened.note([3], '=odd, "quoted"')
    return Page(explorer, opened, query=WRONG)


def taken(page, kind):
    return Path(page.act("export", kind=kind)["download"]["path"])


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_files_hold_what_is_shown_in_its_order(page, desk, kind):
    path = taken(page, kind)
    read = {"csv": pd.read_csv, "parquet": pd.read_parquet}.get(kind)
    rows = read(path) if read else pd.DataFrame(map(json.loads, path.read_text().splitlines()))
    every = desk.opened(page.workspace).analysis.rows
    shown = every[every.label.isna() | (every.label == "entailment")]
    shown = shown.sort_values("premise", ascending=False, kind="stable")
    assert rows.row.tolist() == [row + 1 for row in shown.index]
    assert rows.premise.tolist() == shown.premise.tolist()
    for name in ("tiny: verdict", "other: right", "tiny: nearest_premise", "rival: verdict"):
        assert rows[name].fillna("–").astype(str).tolist() == (
            shown[name].fillna("–").astype(str).tolist()
        ), name
    assert rows.marked.astype(bool).tolist() == [row in (2, 3) for row in shown.index]
    notes = rows.set_index("row").note.dropna()
    assert list(notes.index) == [4]
    assert notes[4].lstrip("'") == '=odd, "quoted"'
    run = desk.opened(page.workspace).runs["tiny"]
    for place, label in enumerate(run.labels):
        expected = run.probabilities[shown.index, place]
        assert rows[f"tiny: share of {label}"].tolist() == pytest.approx(expected.tolist())


def test_a_report_has_the_chosen_rows(page, data):
    html = taken(page, "html").read_text()
    assert data.pairs[3].premise in html
    assert data.key in html
    assert page.workspace.id not in html


def test_no_row_left_is_no_crash(page):
    page.look(query={"conditions": [{"kind": "rows_of", "rows": []}]})
    for kind in taking_out.KINDS:
        found = page.act("export", kind=kind)
        assert found["problem"] == "No row is left to take home; take a filter away."


@pytest.mark.parametrize("kind", [None, "exe", "../csv", ["csv"], {"a": 1}, "x" * 9_000])
def test_another_kind_is_one_sentence(page, kind):
    assert len(page.act("export", kind=kind)["problem"]) < 150


def test_paths_cannot_be_guessed_and_nothing_lies_outside(page, uploads):
    page.workspace.data.__dict__["name"] = "../../etc/passwd"
    first, second = taken(page, "csv"), taken(page, "csv")
    assert first != second
    for path in (first, second):
        assert path.resolve().is_relative_to(uploads / "symdemo-exports")
        assert len(path.parent.name) == 22
        assert path.parent.stat().st_mode & 0o077 == 0


def test_files_of_yesterday_go_and_the_oldest_of_too_many(page, monkeypatch):
    old, newer = taken(page, "csv"), taken(page, "csv")
    long_ago = time.time() - 90_000
    os.utime(old.parent, (long_ago, long_ago))
    last = taken(page, "csv")
    assert [path.exists() for path in (old, newer, last)] == [False, True, True]
    monkeypatch.setattr(taking_out, "MOST_BYTES", 1)
    only = taken(page, "csv")
    assert [path.exists() for path in (newer, last, only)] == [False, False, True]
