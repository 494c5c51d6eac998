"""The tab “Benchmark” without a browser: tables and files of a report."""

import csv
import json
from dataclasses import replace

import pytest

pytest.importorskip("gradio")

from bench_fakes import ABSENT, FIRST, PLAN, SECOND, cells_of, make_report

from experiments.reproduce import ABLATIONS
from symdemo.evaluation.results import VERSIONS, PaperReport
from symdemo.training.methods import PAPER_METHODS
from symdemo.ui.benchmark.export import to_csv
from symdemo.ui.benchmark.panels import (
    READING_NOTHING,
    UNTOUCHED,
    ablation_panel,
    lead_panel,
    made_by_panel,
    numbers_panel,
)
from symdemo.ui.benchmark.words import METHOD_NAMES
from symdemo.ui.shared.html import plain


def write(folder, values) -> None:
    (folder / PaperReport.NAME).write_text(json.dumps(values), encoding="utf-8")


# Reading


def test_a_report_is_read_again_only_when_it_changed(tmp_path, values):
    assert PaperReport.find(tmp_path) is None
    write(tmp_path, values)
    first = PaperReport.find(tmp_path)
    assert PaperReport.find(tmp_path) is first
    write(tmp_path, values | {"command": "symdemo reproduce --seeds 5"})
    assert PaperReport.find(tmp_path).stamp != first.stamp


# The tables


def ours(report, encoder):
    """The cells of the table of our own figures, without the paper's below it."""
    return cells_of(numbers_panel(report, encoder).split("<details>")[0])


@pytest.mark.parametrize("encoder", [FIRST, SECOND])
def test_the_table_says_what_the_report_says(report, encoder):
    shown = ours(report, encoder)
    for row in report.rows("methods", encoder):
        cells = shown[METHOD_NAMES[row["method"]]]
        kept = row["forgetting"]["with retention"]["sts_loss"]["median"]
        assert cells[1] == f"{100 * row['lexicalized']['median']:.1f}%"
        assert cells[3] == f"{100 * row['delexicalized']['median']:.1f}%"
        assert cells[4] == str(row["samples"])
        assert cells[5] == f"{row['smallest_perfect']['spread']['median']:.0f}"
        assert cells[8] == plain(kept, 2)
        if nli := row["nli"]:
            assert cells[7].startswith(plain(nli["loss"]["with"]["median"], 1))
    probe = report.rows("probes", encoder)[0]
    assert shown[UNTOUCHED][1] == f"{100 * probe['lexicalized']['median']:.1f}%"
    for row in report.summary["reading_nothing"]:
        if row["samples"] == 28:
            share = f"{100 * row['accuracy']['median']:.1f}%"
            cells = shown[READING_NOTHING[row["answer"]]]
            assert (cells[1], cells[3], cells[4]) == (share, share, "28")


def test_a_search_that_never_got_there_says_so(report):
    row = report.rows("methods", FIRST)[0]
    row["smallest_perfect"] = {"by_seed": [None, None], "reached": 0, "spread": None}
    shown = ours(report, FIRST)
    assert shown[METHOD_NAMES[row["method"]]][5] == "not reached"
    row["smallest_perfect"] = {
        "by_seed": [42, None],
        "reached": 1,
        "spread": {"median": 42, "least": 42, "most": 42, "n": 1},
    }
    assert "1 of 2 seeds" in numbers_panel(report, FIRST)


def test_ablations_mark_the_setting_used_elsewhere_once_in_each_group(report):
    html = ablation_panel(report)
    groups = html.split("<tbody>")[1:]
    assert len(groups) == len(ABLATIONS) + 1, "and one for the number of neighbours"
    marked = [group.count(">used<") for group in groups]
    assert marked == [1] * (len(groups) - 3) + [0, 0, 0], "not where retention is off"
    assert html.count("instead of retention") == 2
    assert "conjugate" in groups[0].split(">used<")[0].rpartition("<tr>")[2]


def test_the_paper_s_figures_of_the_same_encoder_are_beside_ours(report):
    ours, theirs = numbers_panel(report, FIRST).split("<details>")
    assert "RoBERTa" not in ours
    told = cells_of(theirs)
    needed = [told[METHOD_NAMES[method]][2:] for method in PAPER_METHODS]
    assert needed == [["48", "5.8"], ["64", "7.7"], ["400", "21.5"], ["336", "11.2"]]
    for row in report.rows("methods", FIRST):
        row["paper"] = None
    assert "has no accuracies for this encoder" in numbers_panel(report, FIRST)


def test_the_lead_says_what_was_measured_and_what_is_missing(report):
    html = lead_panel(report, FIRST)
    ours = [row[v]["median"] for row in report.rows("methods", FIRST) for v in VERSIONS]
    assert f"<b>{plain(100 * min(ours), 1)} to 100%</b> here" in html
    assert "<b>99.8 to 100%</b> in the paper" in html
    assert "scores 100% too" in html
    assert all(words in html for words in ("4 methods", "5 seeds", ABSENT, "default"))
    report.values["finished"] = False
    report.summary["plan"]["settings"] = {FIRST: {"knn": {"learning_rate": 3e-4}}}
    html = lead_panel(report, FIRST)
    assert "is not finished" in html
    assert "chosen on other facts" in html


def test_the_seeds_are_those_of_the_encoder_shown():
    plan = replace(PLAN, encoders=(FIRST, SECOND), other_seeds=(0,))
    report = PaperReport("stamp", make_report(plan))
    assert (report.seeds(FIRST), report.seeds(SECOND)) == ([0, 1, 2, 3, 4], [0])
    first, second = (lead_panel(report, name) for name in (FIRST, SECOND))
    assert "medians over 5 seeds" in first
    assert "one training each," in second
    assert "5 seeds" not in second
    first, second = (numbers_panel(report, name) for name in (FIRST, SECOND))
    assert "Ours: the median of 5 seeds" in first
    assert "STS-B without retention 2 seeds, NLI 2 seeds, NLI without retention 1 seed." in first
    assert "Ours: one seed, so the spread is unknown." in second
    made_by = made_by_panel("", report)
    assert f"{FIRST}: 0, 1, 2, 3, 4; {SECOND}: 0<" in made_by


# Files to download


def test_the_csv_holds_the_numbers_of_the_report(report):
    rows = list(csv.DictReader(to_csv(report).splitlines()))
    assert len(rows) == 2 * (1 + len(PAPER_METHODS))
    ours = {(row["encoder"], row["method"]): row for row in report.summary["methods"]}
    for row in rows:
        if (row["encoder"], row["method"]) in ours:
            found = ours[row["encoder"], row["method"]]
            assert float(row["lexicalized_median"]) == found["lexicalized"]["median"]
            assert (
                float(row["sts_loss_without_most"])
                == (found["forgetting"]["without"]["sts_loss"]["most"])
            )
            assert "roberta" not in " ".join(row)


def test_no_cell_of_the_csv_is_a_formula(report):
    for row in report.summary["methods"]:
        row["encoder"] = "=HYPERLINK(1)"
        row["forgetting"]["without"]["sts_loss"]["median"] = -0.25
    rows = list(csv.DictReader(to_csv(report).splitlines()))
    assert rows[-1]["encoder"] == "'=HYPERLINK(1)"
    assert rows[-1]["sts_loss_without_median"] == "-0.25"
