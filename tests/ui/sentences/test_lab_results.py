"""The recorded results of BeLLM: plots, their words, and what a report may lack."""

import json
import re

import pytest
from lab_fakes import TASKS, make_lab_report, make_lab_values
from ui_fakes import NASTY

from symdemo.evaluation.papers import BELLM_TABLE_1
from symdemo.evaluation.results import SentenceReport
from symdemo.ui.sentences.plots import PLOTS, setting_name
from symdemo.ui.sentences.results import paper_rows, pictures_page, scores_panel, show
from symdemo.ui.shared.events import attempt

PARTS = ("sts", "degradation", "dependencies", "ablation")


@pytest.fixture(scope="module")
def report():
    return make_lab_report()


def traces(name, report):
    return PLOTS[name].draw(report)["data"]


def html_of(shown):
    return "".join(str(getattr(value, "value", value)) for value in shown.values())


def test_one_page_holds_every_picture_and_its_words(report):
    page = pictures_page(report)
    for plot in PLOTS.values():
        assert f'id="{plot.id}"' in page
        assert f"<h2>{plot.title}</h2>" in page
        assert f"<li>{plot.words(report)[0]}</li>" in page
    assert page.count("Plotly.newPlot(") >= 3
    assert 'src="http' not in page  # it needs no network
    nothing = make_lab_report(degradation=[], dependencies=[], ablation=[])
    assert "nothing to plot yet" in pictures_page(nothing)


def test_a_curve_has_every_layer_and_a_ring_at_its_turning_point(report):
    found = traces("layers", report)
    lines = [trace for trace in found if trace["mode"] == "lines+markers"]
    rings = [trace for trace in found if trace["mode"] == "markers"]
    for row, line, ring in zip(report.summary["degradation"], lines, rings, strict=True):
        assert (line["x"], line["y"]) == (row["layers"], row["spearman"])
        assert (ring["x"], ring["y"]) == ([29], [row["spearman"][28]])
    assert len({trace["line"]["dash"] for trace in lines}) == len(lines)
    words = PLOTS["layers"].words(report)
    assert words[0] == "SmolLM2: 31.0 with 1 layer and 52.0 with 30 layers; best with 29: 59.0."


def test_settings_are_ranked_with_their_range(report):
    seeds, means = traces("settings", report)
    assert means["x"] == [74.0, 73.0, 70.0, 60.0]
    assert means["error_x"]["array"] == means["error_x"]["arrayminus"] == [0.5] * 4
    assert len(seeds["x"]) == 8
    assert PLOTS["settings"].words(report)[0] == (
        "last layer looking back (in place), mean pooling, no prompt: 74.00 on average, "
        "73.50 to 74.50 over 2 seeds."
    )
    names = [setting_name(row) for row in report.summary["ablation"]]
    assert len(set(names)) == 4
    assert names[2] == "last layer looking back (added), mean pooling, prompt"
    rows = make_lab_values()["summary"]["ablation"][:1]
    rows[0]["runs"] = rows[0]["runs"][:1]
    words = PLOTS["settings"].words(make_lab_report(ablation=rows))
    assert words[0].endswith("70.00, one seed.")


def test_a_box_has_the_figures_of_its_row(report):
    for box, row in zip(traces("tokens", report), report.summary["dependencies"], strict=True):
        assert [*box["q1"], *box["median"], *box["q3"]] == row["quartiles"]
        assert [*box["lowerfence"], *box["upperfence"]] == row["whiskers"]
        assert box["mean"] == [row["mean"]]
    words = PLOTS["tokens"].words(report)
    assert words[1].startswith("BeLLM: 0.40 on average over 500 sentences")


def test_the_table_has_a_dash_for_what_was_not_measured(report):
    panel = " ".join(scores_panel(report).split())
    assert panel.count("<tr") == 1 + 4 + 3
    assert "60.0<small>58.5 to 61.5</small>" in panel
    last = panel.split("Shared words")[1].split("</tr>")[0]
    assert last.count("–") == 2
    assert "79.4" in panel
    assert "LLaMA2-7B" in panel


def test_the_papers_average_is_shown_only_for_all_seven_tasks():
    whole = paper_rows(list(next(iter(BELLM_TABLE_1.values()))))
    for _, scores in whole:
        average = scores.pop("average")
        assert average == pytest.approx(sum(scores.values()) / 7, abs=0.05)  # as printed
    assert len(whole) == 3
    assert "average" not in paper_rows(list(TASKS))[0][1]
    assert paper_rows(["another"]) == []


def test_the_chart_has_ours_the_untouched_model_the_best_and_what_was_published(report):
    lead = show(report)["lead"]
    assert "BeLLM 60.0, SmolLM2 untouched 50.0, Shared words 80.0" in lead
    bars = re.findall(r'<tr(.*?)><th scope="row">(.*?)</th>', lead)
    assert [name for _, name in bars] == [
        "Shared words", "BeLLM (LLaMA2-7B), as published", "MiniLM", "BeLLM", "SmolLM2",
    ]  # fmt: skip
    assert [name for style, name in bars if style] == ["BeLLM"]
    rows = report.summary["sts"]
    first = rows[0] | {"tasks": {"STS99": rows[0]["tasks"]["STS12"], **rows[0]["tasks"]}}
    assert show(make_lab_report(sts=[first, *rows[1:]]))["lead"] == lead  # of what most have
    only = [row | {"tasks": {"STS-B": row["tasks"]["STS-B"]}} for row in rows]
    assert "SGPT-125M, weighted mean, as published" in show(make_lab_report(sts=only))["lead"]


@pytest.mark.parametrize("parts", [["sts"], ["ablation"], PARTS])
def test_a_part_that_was_not_measured_is_said_to_be_missing(report, parts):
    shown = show(make_lab_report(**{part: [] for part in parts}))
    assert html_of(shown).count("Not measured yet") == len(parts)
    assert set(shown) == set(show(report))


def test_without_a_usable_report_there_is_one_sentence(tmp_path):
    (tmp_path / SentenceReport.NAME).write_text('{"command": 3}', encoding="utf-8")
    damaged = attempt(SentenceReport.find, tmp_path)
    for found, told in ((None, "symdemo sts"), (damaged, "is not a report")):
        shown = show(found)
        assert told in shown["recorded"]
        assert not shown["pictures"].visible
        assert shown["scores"] == ""


def test_everything_in_a_report_is_escaped():
    text = json.dumps(make_lab_values())
    for word in ("SmolLM2", "STS-B", "mean", "representative-word", "symdemo sts", "abcdef"):
        text = text.replace(json.dumps(word), json.dumps(NASTY + word))
    text = text.replace(json.dumps(NASTY + "mean") + ": ", '"mean": ')
    values = json.loads(text)
    values["summary"]["missing"] = {NASTY: NASTY}
    values["made_by"]["commit"] = NASTY
    nasty = SentenceReport.from_json(values, "stamp")
    html = html_of(show(nasty))
    assert "&lt;img" in html
    assert "<img" not in html
    for name in PLOTS:
        assert "<img" not in json.dumps(traces(name, nasty))
