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
    HEAD,
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
    names = [next(name for name in OURS if name in published["rows"]), HEAD, *BASELINES]
    rows = {
        row[0].strip(): row[1:] for row in Cells(panel(published).split("</table>")[0]).rows[1:]
    }
    assert len(rows) == 3 + len(EXAMPLES)
    for title, key in (("All", "three"), ("Same construction", "matched")):
        for name, cell in zip(names, rows[title], strict=True):
            mean = published["rows"][name][key]["mean"]
            assert cell.strip() == ("–" if mean is None else f"{100 * mean:.1f}%")
    for kind in EXAMPLES:
        shares = [published["rows"][name]["by_kind"][kind][0] for name in names]
        assert [c.strip() for c in rows[kind.capitalize()]] == [f"{100 * s:.1f}%" for s in shares]


def test_a_file_that_is_none_is_refused_in_one_sentence(published):
    del published["rows"]["words"]["by_kind"]
    with pytest.raises(InputError, match=r"by_kind.*run it again"):
        UnseenReport.from_json(published)
    assert "Why." in show_unseen(Problem("Why."))


def test_what_the_file_says_is_escaped(published):
    published["command"] = published["made_by"]["commit"] = NASTY
    assert "<img" not in panel(published)
