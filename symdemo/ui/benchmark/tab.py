"""The tab “Benchmark”: its components and their events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from symdemo.errors import InputError
from symdemo.evaluation.results import VERSIONS, PaperReport, UnseenReport
from symdemo.files.paths import RESULTS
from symdemo.ui.benchmark.export import Exports
from symdemo.ui.benchmark.figures import draw_accuracy, draw_forgetting
from symdemo.ui.benchmark.panels import (
    ablation_panel,
    accuracy_caption,
    curve_table,
    forgetting_caption,
    lead_panel,
    made_by_panel,
    new_label_panel,
    nothing_panel,
    numbers_panel,
    unseen_panel,
)
from symdemo.ui.benchmark.words import accuracy_words, forgetting_words
from symdemo.ui.shared.events import (
    QUICK_EVENT,
    Problem,
    Updates,
    attempt,
    by_component,
    guarded,
    problem_panel,
)
from symdemo.ui.shared.figures import in_words, plot_data
from symdemo.ui.shared.html import draw_html
from symdemo.ui.shared.store import ModelStore

ACCURACY, FORGETTING = "bench-accuracy", "bench-forgetting"
TITLES = {
    ACCURACY: "Accuracy by number of labelled pairs",
    FORGETTING: "Forgetting vs. accuracy",
}
CHOICES = [("Sentences with names", VERSIONS[0]), ("Sentences with ids", VERSIONS[1])]


BY_ENCODER = (
    "lead",
    "accuracy",
    "accuracy_caption",
    "forgetting",
    "forgetting_caption",
    "numbers",
)
"""Components that change with the chosen encoder and version."""


@dataclass(frozen=True)
class Widgets:
    """The components that the report fills."""

    stamp: gr.State
    found: gr.Column
    lead: gr.HTML
    encoder: gr.Dropdown
    accuracy: gr.Plot
    accuracy_caption: gr.HTML
    forgetting: gr.Plot
    forgetting_caption: gr.HTML
    numbers: gr.HTML
    ablations: gr.HTML
    new_label: gr.HTML
    command: gr.Code
    made_by: gr.HTML
    report_file: gr.DownloadButton
    table_file: gr.DownloadButton


def build_benchmark_tab(
    store: ModelStore, demo: gr.Blocks, folder: Path = RESULTS
) -> Callable[[gr.Tab], Any]:
    """Draw the tab; return a function that connects the event of opening it."""
    unseen = draw_html(elem_id="bench-unseen", elem_classes="may-be-empty")
    version, widgets = _draw()
    exports = Exports()

    def opened(_visit, stamp, encoder, version) -> Updates:
        lead = {unseen: show_unseen(attempt(UnseenReport.find, folder))}
        report = attempt(PaperReport.find, folder)
        if isinstance(report, PaperReport) and report.stamp == stamp:
            return lead
        shown = attempt(show, report, encoder, version, exports)
        shown = show(shown, encoder, version, exports) if isinstance(shown, Problem) else shown
        return lead | by_component(widgets, shown)

    def chosen(_visit, encoder, version) -> Updates:
        return by_component(widgets, show_encoder(_found(folder), encoder, version))

    inputs = [widgets.encoder, version]
    gr.on(
        [widgets.encoder.input, version.input],
        guarded(None, chosen),
        inputs,
        [getattr(widgets, name) for name in BY_ENCODER],
        **QUICK_EVENT,
    )
    return lambda tab: tab.select(
        guarded(None, opened),
        [widgets.stamp, *inputs],
        [unseen, *vars(widgets).values()],
        **QUICK_EVENT,
    )


def _found(folder: Path) -> PaperReport:
    """Return the report that the tab shows.

    Raises:
        InputError: it was removed since the tab was opened.
    """
    if report := PaperReport.find(folder):
        return report
    raise InputError("The report is no longer there. Reload the page.")


def show_unseen(report: UnseenReport | Problem | None) -> str:
    """Return the lead of the tab, or what is wrong with its file."""
    return problem_panel(report) if isinstance(report, Problem) else unseen_panel(report)


def show(
    report: PaperReport | Problem | None, encoder: Any, version: Any, exports: Exports
) -> dict[str, Any]:
    """Return the components’ values by name: of a report, a problem, or no report."""
    if not isinstance(report, PaperReport):
        words = nothing_panel() if report is None else problem_panel(report)
        return {"stamp": "", "found": gr.Column(visible=False), "lead": words}
    encoder = report.encoder(encoder)
    whole, table = exports.files(report)
    several = len(report.encoders) > 1
    return {
        "stamp": report.stamp,
        "found": gr.Column(visible=True),
        "encoder": gr.Dropdown(report.encoders, value=encoder, visible=several),
        **show_encoder(report, encoder, version),
        "ablations": ablation_panel(report),
        "new_label": new_label_panel(report),
        "command": str(report.values.get("command") or ""),
        "made_by": made_by_panel(report),
        "report_file": gr.DownloadButton(value=whole),
        "table_file": gr.DownloadButton(value=table),
    }


def show_encoder(report: PaperReport, encoder: Any, version: Any) -> dict[str, Any]:
    """Return the values of the components in `BY_ENCODER`."""
    encoder = report.encoder(encoder)
    version = version if version in VERSIONS else VERSIONS[0]
    accuracy = in_words(ACCURACY, TITLES[ACCURACY], accuracy_words(report, encoder, version))
    forgetting = in_words(
        FORGETTING, TITLES[FORGETTING], forgetting_words(report, encoder, version)
    )
    table = curve_table(report, encoder, version)
    return {
        "lead": lead_panel(report, encoder),
        "numbers": numbers_panel(report, encoder),
        **_picture(
            "accuracy",
            draw_accuracy(report, encoder, version),
            accuracy_caption(report, encoder) + accuracy + table,
        ),
        **_picture(
            "forgetting",
            draw_forgetting(report, encoder, version),
            forgetting_caption() + forgetting,
        ),
    }


def _picture(name: str, figure: dict[str, Any] | None, caption: str) -> dict[str, Any]:
    if figure is None:
        return {name: gr.Plot(visible=False), f"{name}_caption": "<p>This was not measured.</p>"}
    return {name: gr.Plot(plot_data(figure), visible=True), f"{name}_caption": caption}


def _draw() -> tuple[gr.Radio, Widgets]:
    values: dict[str, Any] = {"stamp": gr.State(""), "lead": draw_html(elem_id="bench-lead")}
    with gr.Column(visible=False, elem_classes="bench") as values["found"]:
        with gr.Row(elem_classes="bench-choices"):
            values["encoder"] = gr.Dropdown(
                [],
                label="Encoder",
                filterable=False,
                visible=False,
                min_width=260,
                elem_id="bench-encoder",
            )
            version = gr.Radio(
                CHOICES,
                value=VERSIONS[0],
                label="Pictures of",
                info="“Nairobi is located in Kenya.” or “Q3870 is located in Q114.”",
                min_width=260,
                elem_id="bench-version",
            )
        with gr.Row(elem_classes="split split--pictures"):
            for name, id in (("accuracy", ACCURACY), ("forgetting", FORGETTING)):
                with gr.Column(min_width=300, elem_classes="card"):
                    draw_html(f"<h2>{TITLES[id]}</h2>")
                    values[name] = gr.Plot(show_label=False, container=False, elem_id=id)
                    values[f"{name}_caption"] = draw_html(elem_classes="caption")
        values["numbers"] = draw_html(elem_id="bench-numbers")
        values["ablations"], values["new_label"] = draw_html(), draw_html()
        with gr.Column(elem_classes="card"):
            values["made_by"] = draw_html()
            values["command"] = gr.Code(
                language="shell",
                label="Command",
                interactive=False,
                lines=1,
                show_line_numbers=False,
                wrap_lines=True,
                buttons=["copy"],
                elem_id="bench-command",
            )
            with gr.Row():
                for name, kind in (("report_file", "JSON"), ("table_file", "CSV")):
                    values[name] = gr.DownloadButton(
                        f"Download {kind}", min_width=220, elem_id=f"bench-{kind.lower()}"
                    )
    return version, Widgets(**values)
