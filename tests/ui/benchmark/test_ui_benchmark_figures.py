"""The tab “Benchmark” without a browser: its pictures, and what a study may lack."""

import copy
import json
from dataclasses import replace

import pytest

pytest.importorskip("gradio")

from bench_fakes import ABSENT, FIRST, PLAN, Cells, make_report
from ui_fakes import NASTY

from symdemo.evaluation.results import VERSIONS, PaperReport
from symdemo.training.methods import PAPER_METHODS
from symdemo.ui.benchmark.figures import draw_accuracy, draw_forgetting
from symdemo.ui.benchmark.panels import (
    ablation_panel,
    curve_table,
    made_by_panel,
    new_label_panel,
    numbers_panel,
)
from symdemo.ui.benchmark.tab import show, show_encoder
from symdemo.ui.benchmark.words import METHOD_NAMES, accuracy_words, forgetting_words
from symdemo.ui.shared.events import Problem
from symdemo.ui.shared.html import plain

EMPTY = replace(PLAN, encoders=(FIRST,), parts=())


# The pictures


@pytest.mark.parametrize("version", VERSIONS)
def test_curves_join_only_sizes_that_every_seed_was_measured_at(report, version):
    for row in report.curve(FIRST, "knn")[:2]:
        row[version]["n"] = 1  # a study that was stopped
    figure = draw_accuracy(report, FIRST, version)
    for method in PAPER_METHODS:
        rows = report.curve(FIRST, method)
        traces = [t for t in figure["data"] if t["name"] == METHOD_NAMES[method]]
        line = next(t for t in traces if t["mode"] == "lines+markers")
        whole = [row for row in rows if row[version]["n"] == 3]
        assert line["x"] == [row["samples"] for row in whole]
        assert line["y"] == [round(100 * row[version]["median"], 3) for row in whole]
        band = next(t for t in traces if t.get("fill"))
        assert max(band["y"]) == round(100 * max(row[version]["most"] for row in whole), 3)
        hollow = [t for t in traces if t["mode"] == "markers"]
        assert sum(len(t["x"]) for t in hollow) == len(rows) - len(whole) == 2 * (method == "knn")
        assert all(t["marker"]["symbol"].endswith("-open") for t in hollow)


def test_the_untouched_encoder_is_drawn_and_nothing_of_another_one(report):
    figure = draw_accuracy(report, FIRST, "lexicalized")
    assert {trace["name"] for trace in figure["data"]} == set(METHOD_NAMES.values())
    assert any("untouched encoder" in note["text"] for note in figure["layout"]["annotations"])
    for picture in (figure, draw_forgetting(report, FIRST, "lexicalized")):
        assert "paper" not in json.dumps(picture["data"])
        assert "RoBERTa" not in json.dumps(picture)


# What a study may lack


def drop(report, **parts):
    for row in report.summary["methods"]:
        row.update(copy.deepcopy(parts))


NOTHING = dict.fromkeys(("sts_loss", "drift", "neighbours_kept", "lexicalized", "delexicalized"))
NOTHING_LOST = {"with retention": NOTHING, "without": NOTHING}


@pytest.mark.parametrize(
    "parts",
    [
        {"nli": None},
        {"nli": {"missing": f"no NLI data {NASTY}"}},
        {"smallest_perfect": None},
        {"forgetting": NOTHING_LOST},
        {"forgetting": NOTHING_LOST, "nli": None},
        {"forgetting": NOTHING_LOST, "paper": None},
        {"lexicalized": None, "delexicalized": None, "steps": None, "seconds": None},
        {"paper": None, "without_names": None},
    ],
)
def test_missing_parts_are_shown_as_missing(report, parts):
    whole = set(show(report, FIRST, "lexicalized"))
    drop(report, **parts)
    shown = show(report, FIRST, "lexicalized")
    assert set(shown) == whole
    html = "".join(part for part in shown.values() if isinstance(part, str))
    assert "None" not in html
    assert "<img" not in html
    rows = Cells(numbers_panel(report, FIRST)).rows
    assert {len(row) for row in rows[2:] if len(row) != 5} == {12}


def test_a_picture_without_measurements_is_left_out(report):
    drop(report, forgetting=NOTHING_LOST, nli=None)
    assert draw_forgetting(report, FIRST, "lexicalized") is None
    report.summary["accuracy_by_samples"] = []
    assert draw_accuracy(report, FIRST, "lexicalized") is None
    assert curve_table(report, FIRST, "lexicalized") == ""
    shown = show_encoder(report, FIRST, "lexicalized")
    assert "This was not measured" in "".join(
        part for part in shown.values() if isinstance(part, str)
    )


def test_a_quick_study_is_drawn_from_single_points():
    report = PaperReport("stamp", make_report(EMPTY, finished=False))
    figure = draw_accuracy(report, FIRST, "delexicalized")
    lines = [trace for trace in figure["data"] if trace["mode"] == "lines+markers"]
    assert [trace["x"] for trace in lines] == [[28]] * 4
    for panel in (ablation_panel, new_label_panel):
        assert "Not part of this study" in panel(report)
    assert len(show(report, None, None)) == 15


@pytest.mark.parametrize(
    ("found", "words"), [(None, "symdemo reproduce"), (Problem("Why."), "Why.")]
)
def test_without_a_report_there_is_one_sentence(found, words):
    shown = show(found, None, None)
    assert (shown.pop("stamp"), shown.pop("found").visible) == ("", False)
    assert words in shown.pop("lead")
    assert not shown


def test_everything_in_a_report_is_escaped(report):
    text = json.dumps(report.values)
    for word in (FIRST, *PAPER_METHODS, "conjugate", "Made-up processor", "MNLI, matched"):
        text = text.replace(json.dumps(word), json.dumps(NASTY + word))
    nasty = PaperReport(
        NASTY, json.loads(text.replace(ABSENT, NASTY).replace('"quotient"', f'"{NASTY}"'))
    )
    encoder = nasty.encoders[0]
    assert "<img" in encoder
    drawn = [
        *(v for v in show_encoder(nasty, encoder, "lexicalized").values() if isinstance(v, str)),
        ablation_panel(nasty),
        new_label_panel(nasty),
        made_by_panel("", nasty),
        json.dumps(draw_accuracy(nasty, encoder, "lexicalized")),
        json.dumps(draw_forgetting(nasty, encoder, "lexicalized")),
    ]
    assert "&lt;img" in "".join(drawn)
    assert not [html for html in drawn if "<img" in html]


# In words


@pytest.mark.parametrize("version", VERSIONS)
def test_the_words_of_a_picture_hold_its_figures(report, version):
    words = " ".join(accuracy_words(report, FIRST, version))
    for method in PAPER_METHODS:
        told = words.split(f"{METHOD_NAMES[method]}: ")[1].split(". ")[0]
        for row in report.curve(FIRST, method):
            assert f"{100 * row[version]['median']:.1f}%" in told
    assert f"{100 * report.rows('probes', FIRST)[0][version]['median']:.1f}%" in words
    words = " ".join(forgetting_words(report, FIRST, version))
    for row in report.rows("methods", FIRST):
        kept, lost = (row["forgetting"][name] for name in ("with retention", "without"))
        assert f"STS-B lost {plain(kept['sts_loss']['median'], 2)}" in words
        assert f"{plain(lost['sts_loss']['median'], 2)}" in words
