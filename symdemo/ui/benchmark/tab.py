"""The tab “Benchmark”: its components and their events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import gradio as gr

from symdemo.errors import InputError
from symdemo.evaluation.results import VERSIONS, PaperReport, UnseenReport
from symdemo.ui.benchmark import panels
from symdemo.ui.benchmark.export import write_files
from symdemo.ui.benchmark.figures import draw_accuracy, draw_forgetting
from symdemo.ui.benchmark.words import accuracy_words, forgetting_words, seeds_of
from symdemo.ui.shared import events
from symdemo.ui.shared.events import Problem, Updates, attempt, guarded, problem_panel
from symdemo.ui.shared.figures import draw_picture, in_words, picture_values
from symdemo.ui.shared.html import draw, draw_html
from symdemo.ui.shared.visitor import Visitor

PAPER = "The paper’s figures beside ours"
ACCURACY, FORGETTING = "bench-accuracy", "bench-forgetting"
TITLES = {ACCURACY: "Accuracy by number of labelled pairs", FORGETTING: "Forgetting vs. accuracy"}
CHOICES = [("Sentences with names", VERSIONS[0]), ("Sentences with ids", VERSIONS[1])]


def build_benchmark_tab(visitor: Visitor, demo: gr.Blocks) -> Callable[[gr.Tab], Any]:
    """Draw the tab; return a function that connects the event of opening it."""
    w = _draw()

    def opened(_visit, address, stamp, encoder, version) -> Updates:
        linked = dict(parse_qsl(address.removeprefix("?")))
        encoder, version = linked.get("encoder", encoder), linked.get("charts", version)
        unseen = attempt(lambda: show_unseen(UnseenReport.find()))
        values = show_unseen(unseen) if isinstance(unseen, Problem) else unseen
        report = attempt(PaperReport.find)
        if not isinstance(report, PaperReport) or report.stamp != stamp:
            shown = attempt(show, report, encoder, version)
            values |= show(shown, None, None) if isinstance(shown, Problem) else shown
        return {w[name]: value for name, value in values.items()}

    def chosen(_visit, encoder, version) -> Updates:
        report = PaperReport.find()
        if report is None:
            raise InputError("The report is no longer there. Reload the page.")
        return {w[name]: value for name, value in show_encoder(report, encoder, version).items()}

    inputs, outputs = [w["encoder"], w["version"]], list(w.values())
    choices = [w["encoder"].input, w["version"].input]
    gr.on(choices, guarded(None, chosen), inputs, outputs, **events.QUICK)
    kept = "(encoder, charts) => window.symdemo.remember({encoder, charts})"
    gr.on(choices, inputs=inputs, js=kept, **events.IN_PAGE)
    address = gr.Textbox(visible="hidden", show_label=False)  # what it chooses takes precedence
    return lambda tab: tab.select(
        guarded(None, opened), [address, w["stamp"], *inputs], outputs,
        js="(_, ...chosen) => [location.search, ...chosen]", **events.QUICK,
    )  # fmt: skip


def show_unseen(report: UnseenReport | Problem | None) -> dict[str, Any]:
    """Return the chart that the tab opens with and its source, or what is wrong with its file."""
    if isinstance(report, Problem):
        return {"unseen": problem_panel(report), "source": ""}
    source = panels.made_by_panel("Accuracy on unseen relations", report) if report else ""
    return {"unseen": panels.unseen_panel(report), "source": source}


def show(report: PaperReport | Problem | None, encoder: Any, version: Any) -> dict[str, Any]:
    """Return the components’ values by name: of a report, a problem, or no report."""
    if not isinstance(report, PaperReport):
        words = panels.nothing_panel() if report is None else problem_panel(report)
        return {"stamp": "", "found": gr.Column(visible=False), "lead": words}
    encoder = report.encoder(encoder)
    whole, table = write_files(report)
    several = len(report.encoders) > 1
    third = report.summary["new_label"]
    seeds = seeds_of(row["neutral"] for row in third)
    return {
        "stamp": report.stamp,
        "found": gr.Column(visible=True),
        "encoder": gr.Dropdown(report.encoders, value=encoder, visible=several),
        **show_encoder(report, encoder, version),
        "ablations": panels.ablation_panel(report),
        "new_label": draw("benchmark/new_label.html", rows=third, seeds=seeds),
        "command": str(report.values.get("command") or ""),
        "made_by": panels.made_by_panel(PAPER, report),
        "report_file": gr.DownloadButton(value=whole),
        "table_file": gr.DownloadButton(value=table),
    }


def show_encoder(report: PaperReport, encoder: Any, version: Any) -> dict[str, Any]:
    """Return the values of the components that change with encoder and version."""
    encoder = report.encoder(encoder)
    version = version if version in VERSIONS else VERSIONS[0]
    of_encoder = (report, encoder, version)
    caption = draw("benchmark/accuracy.html", several=len(report.seeds(encoder)) > 1)
    caption += in_words(ACCURACY, TITLES[ACCURACY], accuracy_words(*of_encoder))
    accuracy = caption + panels.curve_table(*of_encoder)
    forgetting = draw("benchmark/forgetting.html")
    forgetting += in_words(FORGETTING, TITLES[FORGETTING], forgetting_words(*of_encoder))
    return {
        "version": version,
        "lead": panels.lead_panel(report, encoder),
        "numbers": panels.numbers_panel(report, encoder),
        **picture_values("accuracy", draw_accuracy(*of_encoder), accuracy),
        **picture_values("forgetting", draw_forgetting(*of_encoder), forgetting),
    }


def _draw() -> dict[str, Any]:
    w: dict[str, Any] = {"stamp": gr.State("")}
    with gr.Column(elem_classes="card"):
        w["unseen"] = draw_html(elem_id="bench-unseen")
        w["lead"] = draw_html(elem_id="bench-lead")
    with gr.Column(visible=False) as w["found"]:
        with gr.Accordion(PAPER, open=False, elem_id="bench-paper"):
            with gr.Row():
                w["encoder"] = gr.Dropdown(
                    [], label="Encoder", filterable=False, visible=False, min_width=260,
                    elem_id="bench-encoder",
                )  # fmt: skip
                w["version"] = gr.Radio(
                    CHOICES, value=VERSIONS[0], label="Charts of", min_width=260,
                    info="“Nairobi is located in Kenya.” or “Q3870 is located in Q114.”",
                    elem_id="bench-version",
                )  # fmt: skip
            w["numbers"] = draw_html(elem_id="bench-numbers")
            with gr.Row(elem_classes="split"):
                for name, id in (("accuracy", ACCURACY), ("forgetting", FORGETTING)):
                    with gr.Column(min_width=300):
                        w[name], w[f"{name}_caption"] = draw_picture(id, TITLES[id])
        with gr.Accordion("One setting changed at a time", open=False):
            w["ablations"] = draw_html()
        with gr.Accordion("A third label, without retraining", open=False):
            w["new_label"] = draw_html()
        with gr.Accordion("Where these figures come from", open=False, elem_id="bench-source"):
            w["source"], w["made_by"] = draw_html(), draw_html()
            w["command"] = gr.Textbox(
                label="Command", interactive=False, buttons=["copy"], elem_id="bench-command"
            )
            with gr.Row():
                for name, kind in (("report_file", "JSON"), ("table_file", "CSV")):
                    w[name] = gr.DownloadButton(
                        f"Download {kind}", min_width=220, elem_id=f"bench-{kind.lower()}"
                    )
    return w
