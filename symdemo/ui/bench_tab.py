"""The tab “Benchmark”: what is drawn where, and how it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import gradio as gr

from symdemo.paths import RESULTS
from symdemo.ui import bench_panels as panels
from symdemo.ui import bench_settings
from symdemo.ui import bench_tables as tables
from symdemo.ui.bench_figures import draw_accuracy
from symdemo.ui.bench_forgetting import draw_forgetting
from symdemo.ui.bench_in_words import accuracy_words, forgetting_words
from symdemo.ui.bench_report import VERSIONS, Exports, Report, find_report
from symdemo.ui.described import in_words
from symdemo.ui.figures import plot_data
from symdemo.ui.panels import problem_panel
from symdemo.ui.store import ModelStore
from symdemo.ui.try_handlers import Problem, attempt

LIGHT: dict[str, Any] = {"queue": False, "api_visibility": "private", "show_progress": "hidden"}
ACCURACY, FORGETTING = "bench-accuracy", "bench-forgetting"
TITLES = {
    ACCURACY: "Accuracy by number of labelled pairs",
    FORGETTING: "What is forgotten, and what that buys",
}
CHOICES = [("Sentences with names", VERSIONS[0]), ("Sentences with ids", VERSIONS[1])]


@dataclass(frozen=True)
class Widgets:
    """The components that this tab writes, in the order of `show`."""

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

    @property
    def all(self) -> list[Any]:
        """Every component."""
        return [getattr(self, field.name) for field in fields(self)]

    @property
    def by_encoder(self) -> list[Any]:
        """What changes with the encoder and the version that were chosen."""
        return [
            self.lead,
            self.accuracy,
            self.accuracy_caption,
            self.forgetting,
            self.forgetting_caption,
            self.numbers,
        ]


def build_bench_tab(
    store: ModelStore, demo: gr.Blocks, folder: Path = RESULTS
) -> Callable[[gr.Tab], None]:
    """Draw the tab; what is returned connects its being opened, when the report is first read."""
    version, widgets = _draw()
    exports = Exports()

    def opened(stamp: str, encoder: Any, version: Any) -> list[Any]:
        report = attempt(find_report, folder)
        if isinstance(report, Report) and report.stamp == stamp:
            return [gr.skip()] * len(widgets.all)
        shown = attempt(show, report, encoder, version, exports)
        return show(shown, encoder, version, exports) if isinstance(shown, Problem) else shown

    def chosen(encoder: Any, version: Any) -> list[Any]:
        report = attempt(find_report, folder)
        shown = attempt(show_encoder, report, encoder, version)
        return [gr.skip()] * len(widgets.by_encoder) if isinstance(shown, Problem) else shown

    gr.on(
        [widgets.encoder.input, version.input],
        chosen,
        [widgets.encoder, version],
        widgets.by_encoder,
        **LIGHT,
    )
    inputs = [widgets.stamp, widgets.encoder, version]
    return lambda tab: tab.select(opened, inputs, widgets.all, **LIGHT)


def show(
    report: Report | Problem | None, encoder: Any, version: Any, exports: Exports
) -> list[Any]:
    """The values of all widgets: of a report, of what is wrong with it, or of its absence."""
    if not isinstance(report, Report):
        words = panels.nothing_panel() if report is None else problem_panel(report)
        kept = [gr.skip()] * (len(fields(Widgets)) - 3)
        return ["", gr.Column(visible=False), words, *kept]
    encoder = report.encoder(encoder)
    lead, *by_encoder = show_encoder(report, encoder, version)
    whole, table = exports.files(report)
    several = len(report.encoders) > 1
    return [
        report.stamp,
        gr.Column(visible=True),
        lead,
        gr.Dropdown(report.encoders, value=encoder, visible=several),
        *by_encoder,
        bench_settings.ablation_panel(report),
        bench_settings.new_label_panel(report),
        str(report.values.get("command") or ""),
        panels.made_by_panel(report),
        gr.DownloadButton(value=whole),
        gr.DownloadButton(value=table),
    ]


def show_encoder(report: Report, encoder: Any, version: Any) -> list[Any]:
    """The values of what changes with the encoder and the version."""
    encoder = report.encoder(encoder)
    version = version if version in VERSIONS else VERSIONS[0]
    return [
        panels.lead_panel(report, encoder),
        *_picture(
            draw_accuracy(report, encoder, version),
            panels.accuracy_caption(report, encoder)
            + in_words(ACCURACY, TITLES[ACCURACY], accuracy_words(report, encoder, version))
            + tables.curve_table(report, encoder, version),
        ),
        *_picture(
            draw_forgetting(report, encoder, version),
            panels.FORGETTING_CAPTION
            + in_words(FORGETTING, TITLES[FORGETTING], forgetting_words(report, encoder, version)),
        ),
        tables.numbers_panel(report, encoder),
    ]


def _picture(figure: dict[str, Any] | None, caption: str) -> list[Any]:
    if figure is None:
        return [gr.Plot(visible=False), "<p>This was not measured.</p>"]
    return [gr.Plot(plot_data(figure), visible=True), caption]


def _draw() -> tuple[gr.Radio, Widgets]:
    values: dict[str, Any] = {"stamp": gr.State("")}
    values["lead"] = _html(elem_id="bench-lead")
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
                    _html(f"<h2>{TITLES[id]}</h2>")
                    values[name] = gr.Plot(show_label=False, container=False, elem_id=id)
                    values[f"{name}_caption"] = _html(elem_classes="caption")
        values["numbers"] = _html(elem_id="bench-numbers")
        with gr.Row(elem_classes="split"):
            with gr.Column(scale=7, min_width=300):
                values["ablations"] = _html()
            with gr.Column(scale=4, min_width=300):
                values["new_label"] = _html()
        with gr.Column(elem_classes="card"):
            values["made_by"] = _html()
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
                values["report_file"] = gr.DownloadButton(
                    "Download the report (JSON)", min_width=220, elem_id="bench-json"
                )
                values["table_file"] = gr.DownloadButton(
                    "Download the table (CSV)", min_width=220, elem_id="bench-csv"
                )
    return version, Widgets(**values)


def _html(value: str = "", **options: Any) -> gr.HTML:
    """A panel whose looks are the style sheet's alone."""
    return gr.HTML(value, apply_default_css=False, **options)
