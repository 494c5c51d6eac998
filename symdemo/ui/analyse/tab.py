"""The tab “Analyse”: its components and events."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Any

import gradio as gr

from symdemo.analysis.built_in import EXAMPLE, EXAMPLE_MODELS, load_built_in
from symdemo.errors import InputError, SymdemoError
from symdemo.ui.analyse.explorer import MOST_TAUGHT, Explorer
from symdemo.ui.analyse.inputs import chosen_data, chosen_others, connect_data, draw_data
from symdemo.ui.analyse.service import AnalyseService
from symdemo.ui.analyse.view import PARTS
from symdemo.ui.shared import events
from symdemo.ui.shared.events import Updates, guarded
from symdemo.ui.shared.html import draw, draw_html, draw_message, draw_sender, read_script
from symdemo.ui.shared.sessions import allowed_encoders
from symdemo.ui.shared.store import VisitorModels
from symdemo.ui.shared.visitor import Visitor, add_row


def build_analyse_tab(visitor: Visitor, demo: gr.Blocks) -> Any:
    """Draw the tab and connect it; returns a function that connects the opening of the tab."""
    service, store = AnalyseService(visitor.sessions), visitor.sessions.store
    draw_html(draw("analyse/lead.html"))
    example = gr.Button("Open a worked example", size="md", elem_id="analyse-example")
    with gr.Accordion("Data and models", open=True, elem_id="analyse-setup") as setup:
        inputs, panels = draw_data()
        inputs |= _draw_models(list(store.cards()))
        start = gr.Button("Analyse", variant="primary", elem_id="analyse-start")
    problem = draw_message("analyse-problem")
    explorer = _draw_explorer(service)
    connect_data(inputs, panels, problem)
    _connect_teach(visitor)

    def opened(workspace_id: str, versus: str = "") -> Updates:
        value = {"analysis": workspace_id, "seen": {"part": "overview", "versus": versus}}
        value["number"] = secrets.token_hex(4)  # opening the same analysis again is a change too
        return {explorer: json.dumps(value), setup: gr.Accordion(open=False)}

    def run(_visit, project, *values) -> Updates:
        given = dict(zip(inputs, values, strict=True))
        others = chosen_others(given["others"])
        load, rows = chosen_data(given)
        models, exchanged = given["models"] or (), bool(given["exchanged"])
        return opened(service.start(load, models, project, exchanged, rows, others).id)

    def run_example(_visit) -> Updates:
        here = [name for name in EXAMPLE_MODELS if store.card(name)]
        workspace = service.start(lambda reports: load_built_in(EXAMPLE), here)
        return opened(workspace.id, versus=here[-1] if len(here) > 1 else "")

    def offer_models(_visit, project, chosen) -> Updates:
        """List the shared models and the visitor's versions."""
        offered = [(name, name) for name in store.cards()]
        models = visitor.sessions.models(project)
        if isinstance(models, VisitorModels):
            offered += models.choices()
        names = [name for _, name in offered]
        kept = [name for name in chosen or () if name in names]
        return {inputs["models"]: gr.CheckboxGroup(offered, value=kept or names[:1])}

    outputs = [explorer, setup, problem]
    sent = [visitor.project, *inputs.values()]
    start.click(guarded(problem, run), sent, outputs, **events.TRANSFER)
    example.click(guarded(problem, run_example), None, outputs, **events.TRANSFER)
    return lambda tab: tab.select(
        guarded(None, offer_models), [visitor.project, inputs["models"]], inputs["models"],
        **events.QUICK,
    )  # fmt: skip


def _draw_models(names: list[str]) -> dict[str, Any]:
    return {
        "models": gr.CheckboxGroup(
            names, value=names[:1], label="Models", elem_id="analyse-models",
            info="Versions that you taught are listed too.",
        ),
        "others": gr.Textbox(
            label="NLI models of others, to compare with", lines=2, max_lines=6,
            visible=allowed_encoders() is None, elem_id="analyse-others",
            placeholder="FacebookAI/roberta-large-mnli", info="A folder or hub id a line.",
        ),
        "exchanged": gr.Checkbox(
            True, label="Also test the reverse pair (twice as long)", elem_id="analyse-exchanged",
            info="Shows whether a model contradicts itself.",
        ),
    }  # fmt: skip


def _draw_explorer(service: AnalyseService) -> gr.HTML:
    import plotly

    script = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    gr.set_static_paths([script])
    return draw_html(
        html_template=draw("analyse/explorer.html", parts=PARTS),
        js_on_load="\n".join(map(read_script, ("analyse.js", "analyse_map.js"))),
        server_functions=Explorer(service).functions(),
        elem_id="analyse-explorer",
        plotly=str(script),
    )


def _connect_teach(visitor: Visitor) -> None:
    """Let the page's script send rows to the tab “Teach”, and report the result."""
    rows = draw_sender("teachMany", "analyse-teach")
    message = draw_message("analyse-taught")

    def send(visit, sent, project) -> Updates:
        try:
            given = [
                (str(row["premise"]), str(row["hypothesis"]), str(row["label"]))
                for row in json.loads(sent)["rows"][:MOST_TAUGHT]
            ]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise InputError("The rows could not be read; open the page again.") from None
        said, refused = "", []
        for row in given:
            try:
                own, said = add_row(visitor.sessions, project, *row, visit=visit)
                project = own.id
            except SymdemoError as error:
                refused.append(str(error))
        n = len(given) - len(refused)
        found: Updates = {message: draw("analyse/taught.html", n=n, said=said, refused=refused)}
        if n:
            found |= {visitor.project: project, visitor.offered: secrets.token_urlsafe(6)}
        return found

    rows.input(
        guarded(message, send), [rows, visitor.project],
        [message, visitor.project, visitor.offered], **events.QUICK,
    )  # fmt: skip
