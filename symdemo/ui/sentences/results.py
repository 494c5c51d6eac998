"""The recorded results of BeLLM: read when the tab is opened, or written as one HTML page."""

from __future__ import annotations

from collections import Counter
from typing import Any

import gradio as gr
from markupsafe import Markup

from symdemo.evaluation import papers
from symdemo.evaluation.results import SentenceReport
from symdemo.ui.sentences.comparing import BELLM as OURS
from symdemo.ui.sentences.comparing import UNTOUCHED, model_name
from symdemo.ui.sentences.plots import PLOTS, Rows
from symdemo.ui.shared import events
from symdemo.ui.shared.events import Problem, Updates, attempt, guarded, problem_panel
from symdemo.ui.shared.figures import draw_picture, in_words, picture_values
from symdemo.ui.shared.html import Bar, draw, draw_html

SHOWN_OF_PAPER = (papers.BELLM, papers.SIMCSE, papers.SBERT)
"""The paper's model, the same one without looking back, and a smaller encoder."""


def draw_results() -> dict[str, Any]:
    """Draw the components of the report, except the chart at its top; return them by name."""
    found: dict[str, Any] = {
        name: draw_html(elem_id=f"lab-{name}") for name in ("recorded", "scores")
    }
    with gr.Column(visible=False, elem_classes="lab-recorded") as found["pictures"]:
        for names in (("layers", "tokens"), ("settings",)):
            with gr.Row(elem_classes="split split--pictures"):
                for name in names:
                    with gr.Column(min_width=300, elem_classes="card"):
                        own = PLOTS[name]
                        found[name], found[f"{name}_caption"] = draw_picture(own.id, own.title)
    return found


def connect_results(components: dict[str, Any], tab: gr.Tab) -> None:
    """Show the report when the tab is opened and the report has changed."""

    def opened(_visit, stamp) -> Updates:
        report = attempt(SentenceReport.find)
        if isinstance(report, SentenceReport) and report.stamp == stamp:
            return {}
        shown = attempt(show, report)
        values = show(shown) if isinstance(shown, Problem) else shown
        return {components[name]: value for name, value in values.items()}

    outputs = list(components.values())
    tab.select(guarded(None, opened), components["stamp"], outputs, **events.QUICK)


def show(report: SentenceReport | Problem | None) -> dict[str, Any]:
    """Return the values of the components for a report, a problem with it, or its absence."""
    if not isinstance(report, SentenceReport):
        why = draw("sentences/nothing.html") if report is None else problem_panel(report)
        lead, hidden = lead_panel(), gr.Column(visible=False)
        return {"stamp": "", "lead": lead, "recorded": why, "scores": "", "pictures": hidden}
    summary = report.summary
    found = {
        "stamp": report.stamp,
        "lead": lead_panel(summary["sts"]),
        "recorded": draw("sentences/recorded.html", report=report),
        "scores": scores_panel(summary["sts"]),
        "pictures": gr.Column(visible=True),
    }
    for name, plot in PLOTS.items():
        rows = summary[plot.part]
        words = in_words(plot.id, plot.title, plot.words(rows))
        figure = plot.draw(rows) if rows else None
        found |= picture_values(name, figure, draw(f"sentences/{name}.html") + words)
    return found


def lead_panel(rows: Rows = ()) -> Markup:
    """Draw the chart of the task most measured, with only the best untouched model and SGPT."""
    measured = Counter(task for row in rows for task in row["tasks"])
    task = max(measured, key=measured.__getitem__, default="")
    bars = [
        (row["encoder"], Bar(model_name(row), score["value"], score["low"], score["high"]))
        for row in rows
        if (score := row["tasks"].get(task))
    ]
    bars.sort(key=lambda one: -one[1].value)
    ours = next((bar._replace(style="own") for name, bar in bars if name == OURS), None)
    untouched = next((bar for name, bar in bars if name.startswith(UNTOUCHED)), None)
    rivals = [bar for name, bar in bars if name != OURS and not name.startswith(UNTOUCHED)]
    sgpt = next(iter(papers.OF_THIS_SIZE))
    published = {papers.BELLM: papers.BELLM_TABLE_1[papers.BELLM], sgpt: papers.OF_THIS_SIZE[sgpt]}
    others = [
        Bar(f"{name}, as published", scores[task])
        for name, scores in published.items()
        if task in scores
    ]
    shown = [bar for bar in (ours, untouched, *rivals, *others) if bar]
    return draw(
        "sentences/lead.html",
        task=task,
        bars=sorted(shown, key=lambda bar: -bar.value),
        ours=ours,
        untouched=untouched,
        best=next(iter(rivals), None),
    )


def scores_panel(rows: Rows) -> Markup:
    """Draw Table 1: the correlation on each task, with the paper's models below."""
    tasks = list(dict.fromkeys(task for row in rows for task in row["tasks"]))
    paper = []
    for name in SHOWN_OF_PAPER:
        table = papers.BELLM_TABLE_1[name]
        scores = {task: table[task] for task in tasks if task in table}
        if scores and len(scores) == len(table) == len(tasks):  # all tasks of the paper
            scores["average"] = papers.BELLM_TABLE_1_AVERAGE[name]
        if scores:
            paper.append((f"The paper: {name}", scores))
    return draw("sentences/scores.html", rows=rows, model_name=model_name, tasks=tasks, paper=paper)


def pictures_page(report: SentenceReport) -> str:
    """Write one HTML page with every picture of a report and its words; it needs no network."""
    from plotly.io import to_html

    summary = report.summary
    pictures: list[Any] = []
    for plot in PLOTS.values():
        if rows := summary[plot.part]:
            figure = plot.draw(rows)
            drawn = to_html(
                {"data": figure["data"], "layout": figure["layout"]},
                config=figure["config"],
                full_html=False,
                include_plotlyjs=not pictures,
                default_height="420px",
                div_id=plot.id,
            )
            pictures.append((plot.title, Markup(drawn), plot.words(rows)))  # Plotly's own HTML
    return draw("sentences/page.html", pictures=pictures, values=report.values)
