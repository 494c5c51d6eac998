"""The tab “Benchmark” without a browser: what is read, drawn and given out of a report."""

import copy
import csv
import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("gradio")

from bench_fakes import ABSENT, FIRST, LOST, PLAN, SECOND, make_report
from ui_fakes import NASTY, make_store

from symdemo.errors import InputError
from symdemo.methods import METHODS
from symdemo.paths import PACKAGE
from symdemo.reproduction.plan import ABLATIONS
from symdemo.ui import bench_panels, bench_tab, bench_tables
from symdemo.ui.app import build_app
from symdemo.ui.bench_figures import LOOKS, PAPER_ROW, draw_accuracy
from symdemo.ui.bench_forgetting import draw_forgetting
from symdemo.ui.bench_report import (
    REPORT,
    VERSIONS,
    Exports,
    Report,
    find_report,
    to_csv,
    way_to_make,
)
from symdemo.ui.bench_words import METHOD_NAMES, plain, spread_words
from symdemo.ui.try_handlers import Problem

EMPTY = replace(
    PLAN, encoders=(FIRST,), search=False, ablation_seeds=(), nli_seeds=(), new_label_seeds=()
)


@pytest.fixture(scope="module")
def values():
    return make_report()


@pytest.fixture
def report(values):
    return Report("stamp", copy.deepcopy(values))


def write(folder, values) -> None:
    (folder / REPORT).write_text(json.dumps(values), encoding="utf-8")


class Cells(HTMLParser):
    """The rows of all tables, each cell as its text up to the small type."""

    def __init__(self, html):
        super().__init__()
        self.rows, self.small = [], 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")
        self.small += tag == "small"

    def handle_endtag(self, tag):
        self.small -= tag == "small"

    def handle_data(self, data):
        if self.rows and self.rows[-1] and not self.small:
            self.rows[-1][-1] += data


def cells_of(html) -> dict[str, list[str]]:
    return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in Cells(html).rows if row}


# Reading


def test_a_report_is_read_again_only_when_it_changed(tmp_path, values):
    assert find_report(tmp_path) is None
    write(tmp_path, values)
    first = find_report(tmp_path)
    assert find_report(tmp_path) is first
    write(tmp_path, values | {"command": "symdemo reproduce --seeds 5"})
    assert find_report(tmp_path).stamp != first.stamp


@pytest.mark.parametrize("text", ["", "[]", "{", "{}", '{"summary": 3}'])
def test_what_is_no_report_is_said_to_be_none(tmp_path, text):
    (tmp_path / REPORT).write_text(text)
    with pytest.raises(InputError, match="is not a report"):
        find_report(tmp_path)


def test_encoders_are_those_that_were_measured(report):
    assert report.encoders == [FIRST, SECOND]
    assert report.encoder(SECOND) == SECOND
    assert report.encoder("../secret") == FIRST


def test_the_command_writes_where_the_tab_looks_but_never_into_the_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert way_to_make(tmp_path / "results") == ("symdemo reproduce --out results", "")
    monkeypatch.chdir(PACKAGE.parent)
    for folder in (PACKAGE / "data" / "results", tmp_path):
        command, then = way_to_make(folder)
        assert (command, "SYMDEMO_RESULTS=" in then) == ("symdemo reproduce", True)


# The tables


@pytest.mark.parametrize("encoder", [FIRST, SECOND])
def test_the_table_says_what_the_report_says(report, encoder):
    shown = cells_of(bench_tables.numbers_panel(report, encoder))
    for row in report.rows("methods", encoder):
        cells = shown[METHOD_NAMES[row["method"]]]
        kept = row["forgetting"]["with retention"]["sts_loss"]["median"]
        assert cells[1] == f"{100 * row['lexicalized']['median']:.1f}%"
        assert cells[3] == f"{100 * row['delexicalized']['median']:.1f}%"
        assert cells[4] == str(row["samples"])
        assert cells[5] == str(row["paper"]["samples"])
        assert cells[6] == f"{row['smallest_perfect']['spread']['median']:.0f}"
        assert cells[7] == f"{row['paper']['forgetting']:g}"
        assert cells[9] == plain(kept, 2)
    probe = report.rows("probes", encoder)[0]
    assert shown[bench_tables.UNTOUCHED][1] == f"{100 * probe['lexicalized']['median']:.1f}%"
    assert shown[bench_tables.LOOK_UP][1] == shown[bench_tables.LOOK_UP][3] == "100%"
    assert shown[bench_tables.CROSS_ENCODER][0] == "51.2%"


def test_every_row_has_a_cell_for_every_column(report):
    rows = Cells(bench_tables.numbers_panel(report, FIRST)).rows
    assert {len(row) for row in rows[2:]} == {13}
    assert len(rows[1]) == 12


def test_a_search_that_never_got_there_says_so(report):
    row = report.rows("methods", FIRST)[0]
    row["smallest_perfect"] = {"by_seed": [None, None], "reached": 0, "spread": None}
    shown = cells_of(bench_tables.numbers_panel(report, FIRST))
    assert shown[METHOD_NAMES[row["method"]]][6] == "not reached"
    row["smallest_perfect"] = {
        "by_seed": [42, None],
        "reached": 1,
        "spread": {"median": 42, "least": 42, "most": 42, "n": 1},
    }
    assert "1 of 2 seeds" in bench_tables.numbers_panel(report, FIRST)


def test_ablations_mark_the_setting_used_elsewhere_once_in_each_group(report):
    html = bench_tables.ablation_panel(report)
    groups = html.split("<tbody>")[1:]
    assert len(groups) == len(ABLATIONS) + 1, "and one for the number of neighbours"
    marked = [group.count(">used<") for group in groups]
    assert marked == [1] * (len(groups) - 3) + [0, 0, 0], "not where retention is off"
    assert html.count("in place of the retention term") == 2
    assert "conjugate" in groups[0].split(">used<")[0].rpartition("<tr>")[2]


def test_the_third_label(report):
    shown = cells_of(bench_tables.new_label_panel(report))
    for row in report.summary["new_label"]:
        assert shown[str(row["examples"])][0] == f"{100 * row['neutral']['median']:.1f}%"


def test_the_numbers_of_the_first_picture_are_there_as_a_table(report):
    rows = Cells(bench_tables.curve_table(report, FIRST, "lexicalized")).rows[1:]
    assert len(rows) == len(report.rows("accuracy_by_samples", FIRST))


def test_lead_says_what_was_measured_and_what_is_missing(report):
    html = bench_panels.lead_panel(report, FIRST)
    assert "4 methods" in html
    assert "28 labelled pairs" in html
    assert "5 seeds" in html
    assert ABSENT in html
    assert "stopped" not in html
    report.values["finished"] = False
    assert "stopped before its end" in bench_panels.lead_panel(report, FIRST)


def test_made_by_names_commit_machine_and_seeds(report):
    html = bench_panels.made_by_panel(report)
    for words in ("abcdef012345", "Made-up processor, 2 threads", "torch 2.13.0", "0, 1, 2, 3, 4"):
        assert words in html


# The pictures


@pytest.mark.parametrize("version", VERSIONS)
def test_curves_join_only_sizes_that_every_seed_was_measured_at(report, version):
    figure = draw_accuracy(report, FIRST, version)
    for method in METHODS:
        rows = report.curve(FIRST, method)
        traces = [t for t in figure["data"] if t["name"] == METHOD_NAMES[method]]
        line = next(t for t in traces if t["mode"] == "lines+markers")
        whole = [row for row in rows if row[version]["n"] == 5]
        assert line["x"] == [row["samples"] for row in whole]
        assert line["y"] == [round(100 * row[version]["median"], 3) for row in whole]
        band = next(t for t in traces if t.get("fill"))
        assert max(band["y"]) == round(100 * max(row[version]["most"] for row in whole), 3)
        hollow = [t for t in traces if t["mode"] == "markers"]
        assert sum(len(t["x"]) for t in hollow) == len(rows) - len(whole)
        assert all(t["marker"]["symbol"].endswith("-open") for t in hollow)


def test_the_paper_stands_above_with_its_samples(report):
    figure = draw_accuracy(report, FIRST, "lexicalized")
    paper = next(trace for trace in figure["data"] if trace["name"] == "the paper")
    assert paper["x"] == [48, 64, 336, 400]
    assert set(paper["y"]) == {PAPER_ROW}
    assert any("untouched encoder" in note["text"] for note in figure["layout"]["annotations"])


def test_methods_differ_by_more_than_their_colour():
    assert len({look.symbol for look in LOOKS.values()}) == len(METHODS)
    assert len({look.dash for look in LOOKS.values()}) == len(METHODS)


def test_forgetting_has_every_measure_in_a_mark_of_its_own(report):
    figure = draw_forgetting(report, FIRST, "lexicalized")
    left = {trace["name"]: trace for trace in figure["data"] if trace["xaxis"] == "x"}
    assert len(left) == 5
    assert len({trace["marker"]["symbol"] for trace in left.values()}) == 5
    assert left["the paper, MNLI"]["x"] == [5.8, 7.7, 21.5, 11.2]
    rows = report.rows("methods", FIRST)
    for name, key in (("STS-B, with retention", "with retention"), ("STS-B, without", "without")):
        losses = [row["forgetting"][key]["sts_loss"]["median"] for row in rows]
        assert left[name]["x"] == [round(loss, 4) for loss in losses]
    right = [trace for trace in figure["data"] if trace["xaxis"] == "x2"]
    accuracies = [100 * row["lexicalized"]["median"] for row in rows]
    assert right[0]["x"] == [round(value, 4) for value in accuracies]


# What a study may lack


def drop(report, **parts):
    for row in report.summary["methods"]:
        row.update(copy.deepcopy(parts))


NOTHING_LOST = {"with retention": {"sts_loss": None}, "without": {"sts_loss": None}}


@pytest.mark.parametrize(
    "parts",
    [
        {"nli": None},
        {"nli": {"missing": f"no NLI data {NASTY}"}},
        {"smallest_perfect": None},
        {"forgetting": NOTHING_LOST},
        {"forgetting": NOTHING_LOST, "nli": None},
        {"forgetting": None, "paper": None},
        {"lexicalized": None, "delexicalized": None, "steps": None, "seconds": None},
        {"paper": {"accuracy": None, "samples": None, "forgetting": None}},
    ],
)
def test_missing_parts_are_shown_as_missing(report, parts):
    drop(report, **parts)
    shown = bench_tab.show(report, FIRST, "lexicalized", Exports())
    assert len(shown) == len(bench_tab.fields(bench_tab.Widgets))
    html = "".join(part for part in shown if isinstance(part, str))
    assert "None" not in html
    assert "<img" not in html
    rows = Cells(bench_tables.numbers_panel(report, FIRST)).rows
    assert {len(row) for row in rows[2:]} == {13}


def test_a_picture_without_measurements_is_left_out(report):
    drop(report, forgetting=NOTHING_LOST, nli=None)
    assert draw_forgetting(report, FIRST, "lexicalized") is None
    report.summary["accuracy_by_samples"] = []
    assert draw_accuracy(report, FIRST, "lexicalized") is None
    assert bench_tables.curve_table(report, FIRST, "lexicalized") == ""
    shown = bench_tab.show_encoder(report, FIRST, "lexicalized")
    assert "This was not measured" in "".join(part for part in shown if isinstance(part, str))


def test_a_quick_study_is_drawn_from_single_points():
    report = Report("stamp", make_report(EMPTY, finished=False))
    figure = draw_accuracy(report, FIRST, "delexicalized")
    lines = [trace for trace in figure["data"] if trace["mode"] == "lines+markers"]
    assert [trace["x"] for trace in lines] == [[28]] * 4
    for panel in (bench_tables.ablation_panel, bench_tables.new_label_panel):
        assert "Not part of this study" in panel(report)
    assert len(bench_tab.show(report, None, None, Exports())) == 15


def test_a_report_of_nothing_at_all():
    shown = bench_tab.show(Report("stamp", {"summary": {}}), None, None, Exports())
    assert len(shown) == 15


@pytest.mark.parametrize(
    ("found", "words"), [(None, "symdemo reproduce"), (Problem("Why."), "Why.")]
)
def test_without_a_report_there_is_one_sentence(found, words):
    stamp, column, lead, *rest = bench_tab.show(found, None, None, Exports())
    assert (stamp, column.visible) == ("", False)
    assert words in lead
    assert all(value == bench_tab.gr.skip() for value in rest)


def test_everything_in_a_report_is_escaped(report):
    text = json.dumps(report.values)
    for word in (FIRST, *METHODS, "conjugate", "Made-up processor", "MNLI, matched"):
        text = text.replace(json.dumps(word), json.dumps(NASTY + word))
    nasty = Report(
        NASTY, json.loads(text.replace(ABSENT, NASTY).replace('"quotient"', f'"{NASTY}"'))
    )
    encoder = nasty.encoders[0]
    assert "<img" in encoder
    drawn = [
        *(v for v in bench_tab.show_encoder(nasty, encoder, "lexicalized") if isinstance(v, str)),
        bench_tables.ablation_panel(nasty),
        bench_tables.new_label_panel(nasty),
        bench_panels.made_by_panel(nasty),
        json.dumps(draw_accuracy(nasty, encoder, "lexicalized")),
        json.dumps(draw_forgetting(nasty, encoder, "lexicalized")),
    ]
    assert "&lt;img" in "".join(drawn)
    assert not [html for html in drawn if "<img" in html]


# Numbers as words


def test_numbers_as_words():
    assert plain(-0.04, 1) == "0.0"
    assert plain(-1.25, 2) == "−1.25"
    assert spread_words(None, 1) == "not measured"
    assert spread_words({"median": 0.5, "least": 0.4, "most": 0.6}, 0, 100, "%") == "50% (40 to 60)"
    assert spread_words({"median": 1, "least": 1, "most": 1}, 1) == "1.0"


# Files to take home


def test_the_csv_holds_the_numbers_of_the_report(report):
    rows = list(csv.DictReader(to_csv(report).splitlines()))
    assert len(rows) == 2 * (1 + len(METHODS))
    ours = {(row["encoder"], row["method"]): row for row in report.summary["methods"]}
    for row in rows:
        if (row["encoder"], row["method"]) in ours:
            found = ours[row["encoder"], row["method"]]
            assert float(row["lexicalized_median"]) == found["lexicalized"]["median"]
            assert (
                float(row["sts_loss_without_most"])
                == (found["forgetting"]["without"]["sts_loss"]["most"])
            )
            assert int(row["paper_samples"]) == found["paper"]["samples"]


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t"])
def test_no_cell_of_the_csv_is_a_formula(report, sign):
    for row in report.summary["methods"]:
        row["encoder"] = f"{sign}HYPERLINK(1)"
        row["forgetting"]["without"]["sts_loss"]["median"] = -0.25
    rows = list(csv.DictReader(to_csv(report).splitlines()))
    assert rows[-1]["encoder"] == f"'{sign}HYPERLINK(1)"
    assert rows[-1]["sts_loss_without_median"] == "-0.25"


def test_files_are_written_once_for_each_report(report):
    exports = Exports()
    whole, table = exports.files(report)
    assert exports.files(report) == (whole, table)
    assert json.loads(Path(whole).read_text(encoding="utf-8")) == report.values
    assert Path(table).read_text(encoding="utf-8") == to_csv(report)
    assert exports.files(replace(report, stamp="other")) != (whole, table)


# The tab in the app


def test_building_the_app_reads_no_report(monkeypatch):
    def fail(*_):
        raise AssertionError("read while the app was built")

    monkeypatch.setattr(bench_tab, "find_report", fail)
    demo = build_app(make_store())
    assert any(getattr(block, "label", None) == "Benchmark" for block in demo.blocks.values())


def test_made_up_figures_lose_more_without_retention():
    assert all(kept < lost for kept, lost in LOST.values())
