"""Exports: the shown rows in their order, in files whose path cannot be guessed."""

from pathlib import Path

import pandas as pd
import pytest

from symdemo.ui.analyse.export import KINDS
from symdemo.ui.shared.temporary import temporary_files

QUERY = {"conditions": [{"kind": "one_of", "column": "label", "values": ["entailment", None]}],
         "sort": "premise", "descending": True}  # fmt: skip


@pytest.fixture(autouse=True)
def noted(page):
    page.workspace.mark([2, 3], True)
    page.workspace.note([3], '=odd, "quoted"')
    page.view["query"] = QUERY


def exported(page, kind):
    return Path(page.act("export", kind=kind)["download"]["path"])


def test_a_file_holds_the_shown_rows_in_order(page, service):
    rows = pd.read_csv(exported(page, "csv"))
    every = service.opened(page.workspace).analysis.rows
    shown = every[every.label.isna() | (every.label == "entailment")]
    shown = shown.sort_values("premise", ascending=False, kind="stable")
    assert rows.row.tolist() == [row + 1 for row in shown.index]
    for name in ("premise", "tiny: verdict", "other: right", "tiny: nearest_premise",
                 "system: verdict"):  # fmt: skip
        assert rows[name].fillna("–").astype(str).tolist() == (
            shown[name].fillna("–").astype(str).tolist()
        ), name
    assert rows.marked.astype(bool).tolist() == [row in (2, 3) for row in shown.index]
    notes = rows.set_index("row").note.dropna()
    assert list(notes.index) == [4]
    assert notes[4] == "'" + '=odd, "quoted"'
    run = service.opened(page.workspace).runs["tiny"]
    for place, label in enumerate(run.labels):
        expected = run.probabilities[shown.index, place]
        assert rows[f"tiny: share of {label}"].tolist() == pytest.approx(expected.tolist())


def test_a_report_has_the_marked_rows(page, data):
    html = exported(page, "html").read_text()
    assert data.pairs[3].premise in html
    assert data.key in html
    assert page.workspace.id not in html


@pytest.mark.parametrize("kind", [*KINDS, None, "exe", "../csv", ["csv"], {"a": 1}, "x" * 9])
def test_no_rows_or_an_unknown_kind_is_one_sentence(page, kind):
    page.look(query={"conditions": [{"kind": "rows_of", "rows": []}]})
    assert len(page.act("export", kind=kind)["problem"]) < 150


def test_paths_cannot_be_guessed_and_stay_in_the_folder(page, monkeypatch):
    monkeypatch.setitem(vars(page.workspace.data), "name", "../../etc/passwd")
    first, *others = [exported(page, kind) for kind in ("csv", *KINDS)]
    assert first not in others
    for path in (first, *others):
        assert path.resolve().is_relative_to(temporary_files().folder)
        assert path.parent.stat().st_mode & 0o077 == 0
