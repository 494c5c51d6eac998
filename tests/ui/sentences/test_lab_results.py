"""The recorded results of BeLLM: plots, their words, and what a report may lack."""

import json
import re

import pytest

from symdemo.evaluation.results import SentenceReport
from symdemo.files.paths import RESULTS
from symdemo.ui.sentences.plots import PLOTS
from symdemo.ui.sentences.results import scores_panel, show
from symdemo.ui.shared.events import attempt

PARTS = ("sts", "degradation", "dependencies", "ablation")


@pytest.fixture
def report():
    values = json.loads((RESULTS / SentenceReport.NAME).read_text(encoding="utf-8"))
    return SentenceReport("stamp", values)


def traces(name, report):
    plot = PLOTS[name]
    return plot.draw(report.summary[plot.part])["data"]


def test_a_curve_has_every_layer_and_a_ring_at_its_turning_point(report):
    found = traces("layers", report)
    lines = [trace for trace in found if trace["mode"] == "lines+markers"]
    rings = [trace for trace in found if trace["mode"] == "markers"]
    for row, line, ring in zip(report.summary["degradation"], lines, rings, strict=True):
        turn = row["turning_point"]
        assert ring["marker"]["size"] > 2 * line["marker"]["size"]
        assert (line["x"], line["y"]) == (row["layers"], row["spearman"])
        assert (ring["x"], ring["y"]) == ([turn], [row["spearman"][turn - 1]])
    rows = report.summary["degradation"]
    for row, words in zip(rows, PLOTS["layers"].words(rows), strict=True):
        assert words.endswith(f"best with {row['turning_point']}: {max(row['spearman']):.1f}.")


def test_settings_are_ranked_with_their_range(report):
    seeds, means = traces("settings", report)
    rows = sorted(report.summary["ablation"], key=lambda row: -row["mean"])
    assert means["x"] == pytest.approx([row["mean"] for row in rows], abs=0.01)
    assert len(seeds["x"]) == sum(len(row["runs"]) for row in rows)
    for row, words in zip(rows, PLOTS["settings"].words(rows), strict=True):
        assert f": {row['mean']:.2f}" in words
        assert words.endswith("one seed.") == (len(row["runs"]) == 1)


def test_the_table_has_a_dash_for_what_was_not_measured(report):
    own = report.summary["sts"][-1]
    own["average"], score = None, own["tasks"]["STS-B"]
    panel = " ".join(scores_panel(report.summary["sts"]).split())
    (ours,) = re.findall(r'<th scope="row">BeLLM</th>(.*?)</tr>', panel)
    shown = "{value:.1f}<small>{low:.1f} to {high:.1f}</small>".format_map(score)
    *cells, average = re.findall(r'number">(.*?)</td>', ours)
    assert (shown in cells, average) == (True, "–")
    assert "The paper: BeLLM (LLaMA2-7B)" in panel


def test_the_chart_has_ours_and_what_was_published(report):
    bars = re.findall(r'<tr(.*?)><th scope="row">(.*?)</th>', show(report)["lead"])
    assert {"BeLLM (LLaMA2-7B), as published", "MiniLM"} < {name for _, name in bars}
    assert [name for style, name in bars if style] == ["BeLLM"]
    rows = report.summary["sts"]
    lead, tasks = show(report)["lead"], rows[0]["tasks"]
    rows[0]["tasks"] = {"STS99": tasks["STS-B"], **tasks}
    assert show(report)["lead"] == lead  # of the task that most have


@pytest.mark.parametrize("parts", [["sts"], ["ablation"], PARTS])
def test_a_part_that_was_not_measured_is_said_to_be_missing(report, parts):
    whole = set(show(report))
    report.summary.update((part, []) for part in parts)
    shown = show(report)
    html = "".join(str(getattr(value, "value", value)) for value in shown.values())
    assert html.count("Not measured yet") == len(parts)
    assert set(shown) == whole


def test_without_a_usable_report_there_is_one_sentence(tmp_path):
    (tmp_path / SentenceReport.NAME).write_text('{"command": 3}', encoding="utf-8")
    damaged = attempt(SentenceReport.find, tmp_path)
    for found, told in ((None, "symdemo sts"), (damaged, "is not a report")):
        shown = show(found)
        assert told in shown["recorded"]
        assert not shown["pictures"].visible
        assert shown["scores"] == ""
