"""What was recorded of BeLLM, drawn from its report once the tab is opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr
from markupsafe import Markup

from symdemo.evaluation.papers import BELLM, BELLM_TABLE_1, BELLM_TABLE_1_AVERAGE, SBERT, SIMCSE
from symdemo.evaluation.results import SentenceReport, origins_in_words
from symdemo.ui.sentences.plots import (
    LAYERS,
    SETTINGS,
    TITLES,
    TOKENS,
    draw_layers,
    draw_settings,
    draw_tokens,
    layers_words,
    settings_words,
    tokens_words,
)
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
from symdemo.ui.shared.html import draw, draw_html

PICTURES: dict[
    str, tuple[str, Callable[[SentenceReport], Any], Callable[[SentenceReport], list[str]]]
] = {
    "layers": (LAYERS, draw_layers, layers_words),
    "settings": (SETTINGS, draw_settings, settings_words),
    "tokens": (TOKENS, draw_tokens, tokens_words),
}
"""Name → the picture's id, what draws it, and what says it in words."""
SHOWN_OF_PAPER = (BELLM, SIMCSE, SBERT)
"""The paper's model, the same one that does not look back, and a smaller encoder."""


@dataclass(frozen=True)
class Results:
    """The components that show the report."""

    stamp: gr.State
    lead: gr.HTML
    scores: gr.HTML
    pictures: gr.Column
    layers: gr.Plot
    layers_caption: gr.HTML
    settings: gr.Plot
    settings_caption: gr.HTML
    tokens: gr.Plot
    tokens_caption: gr.HTML

    @classmethod
    def draw(cls) -> Results:
        """Make the components."""
        values: dict[str, Any] = {"stamp": gr.State("")}
        values["lead"] = draw_html(elem_id="lab-recorded")
        values["scores"] = draw_html(elem_id="lab-scores")
        with gr.Column(visible=False, elem_classes="lab-recorded") as values["pictures"]:
            with gr.Row(elem_classes="split split--pictures"):
                _draw_picture(values, "layers")
                _draw_picture(values, "tokens")
            _draw_picture(values, "settings")
        return cls(**values)

    def connect(self, tab: gr.Tab, folder: Path) -> None:
        """Show the report of a folder whenever the tab is opened and it has changed."""

        def opened(_visit, stamp) -> Updates:
            report = attempt(SentenceReport.find, folder)
            if isinstance(report, SentenceReport) and report.stamp == stamp:
                return {}
            shown = attempt(show, report)
            return by_component(self, show(shown) if isinstance(shown, Problem) else shown)

        tab.select(guarded(None, opened), self.stamp, list(vars(self).values()), **QUICK_EVENT)


def _draw_picture(values: dict[str, Any], name: str) -> None:
    id, *_ = PICTURES[name]
    with gr.Column(min_width=300, elem_classes="card"):
        draw_html(f"<h2>{TITLES[id]}</h2>")
        values[name] = gr.Plot(show_label=False, container=False, elem_id=id)
        values[f"{name}_caption"] = draw_html(elem_classes="caption")


def show(report: SentenceReport | Problem | None) -> dict[str, Any]:
    """What the components show, by their names: a report, what is wrong with it, its absence."""
    if not isinstance(report, SentenceReport):
        lead = draw("sentences/nothing.html") if report is None else problem_panel(report)
        return {"stamp": "", "lead": lead, "scores": "", "pictures": gr.Column(visible=False)}
    summary = report.summary
    found: dict[str, Any] = {
        "stamp": report.stamp,
        "lead": draw(
            "sentences/recorded.html",
            finished=report.values["finished"],
            missing=summary["missing"],
            made_by=report.values["made_by"],
            command=report.values["command"],
            origins=origins_in_words(report.values.get("rows_made_by") or ()),
        ),
        "scores": scores_panel(report),
        "pictures": gr.Column(visible=True),
    }
    for name in PICTURES:
        found |= dict(_picture(report, name))
    return found


def _picture(report: SentenceReport, name: str) -> Iterator[tuple[str, Any]]:
    id, make, words = PICTURES[name]
    figure = make(report)
    if figure is None:
        yield name, gr.Plot(visible=False)
        yield f"{name}_caption", Markup("<p>This was not measured yet.</p>")
        return
    yield name, gr.Plot(plot_data(figure), visible=True)
    yield (
        f"{name}_caption",
        draw(f"sentences/{name}.html") + in_words(id, TITLES[id], words(report)),
    )


def scores_panel(report: SentenceReport) -> Markup:
    """Table 1: the correlation on each task, the paper's models below."""
    rows = report.summary["sts"]
    tasks = list(dict.fromkeys(task for row in rows for task in row["tasks"]))
    return draw("sentences/scores.html", rows=rows, tasks=tasks, paper=paper_rows(tasks))


def paper_rows(tasks: list[str]) -> list[tuple[str, dict[str, float]]]:
    """The paper's numbers for these tasks, by model; its average beside all of them alone."""
    rows = []
    for name in SHOWN_OF_PAPER:
        scores = {task: BELLM_TABLE_1[name][task] for task in tasks if task in BELLM_TABLE_1[name]}
        if scores and len(scores) == len(BELLM_TABLE_1[name]) == len(tasks):
            scores["average"] = BELLM_TABLE_1_AVERAGE[name]
        if scores:
            rows.append((f"The paper: {name}", scores))
    return rows
