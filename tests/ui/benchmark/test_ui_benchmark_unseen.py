"""The lead of the tab “Benchmark”: accuracy on unseen relations beside baselines."""

import json

import pytest

pytest.importorskip("gradio")

from bench_fakes import Cells
from ui_fakes import NASTY

from symdemo.errors import InputError
from symdemo.files.paths import RESULTS
from symdemo.ui.benchmark.panels import (
    BASELINES,
    EXAMPLES,
    OURS,
    UnseenReport,
    unseen_panel,
)
from symdemo.ui.benchmark.tab import show_unseen
from symdemo.ui.shared.events import Problem


@pytest.fixture
def published():
    return json.loads((RESULTS / UnseenReport.NAME).read_text(encoding="utf-8"))


def panel(values):
    return unseen_panel(UnseenReport.from_json(values))


def test_every_cell_is_the_figure_of_the_file(published):
    names = [next(name for name in OURS if name in published["rows"]), *BASELINES]
    chart, table, _ = panel(published).split("</table>")
    rows = {row[0].strip(): row[1:] for row in Cells(table).rows[1:]}
    bars = {row[0].strip(): row[2].strip() for row in Cells(chart).rows}
    assert [bars[title] for title in ("symdemo", *BASELINES.values())] == [
        cell.strip() for cell in rows["All"]
    ]
    assert [float(bar[:-1]) for bar in bars.values()] == sorted(
        (float(bar[:-1]) for bar in bars.values()), reverse=True
    )
    assert len(rows) == 3 + len(EXAMPLES)
    for title, key in (("All", "three"), ("Same construction", "matched")):
        for name, cell in zip(names, rows[title], strict=True):
            mean = published["rows"][name][key]["mean"]
            assert cell.strip() == ("–" if mean is None else f"{100 * mean:.1f}%")
    for kind in EXAMPLES:
        shares = [published["rows"][name]["by_kind"][kind][0] for name in names]
        assert [c.strip() for c in rows[kind.capitalize()]] == [f"{100 * s:.1f}%" for s in shares]


def test_the_best_baseline_is_named_also_where_it_is_better(published):
    published["rows"]["words"]["three"]["mean"] = 0.99
    assert "best baseline 99.0%" in panel(published)


def test_a_file_that_is_none_is_refused_in_one_sentence(published):
    del published["rows"]["words"]["by_kind"]
    with pytest.raises(InputError, match=r"by_kind.*run it again"):
        UnseenReport.from_json(published)
    assert "Why." in show_unseen(Problem("Why."))["unseen"]


def test_what_the_file_says_is_escaped(published):
    published["command"] = published["made_by"]["commit"] = NASTY
    shown = show_unseen(UnseenReport.from_json(published))
    assert "&lt;img" in shown["source"]
    assert "<img" not in "".join(shown.values())
