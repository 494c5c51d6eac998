"""The tab “Try it”: what is drawn where."""

from __future__ import annotations

from typing import Any

import gradio as gr

from symdemo.files.paths import ASSETS
from symdemo.pairs import MAX_CHARACTERS
from symdemo.ui.shared.about import (
    FIRST_SENTENCE,
    convention_panel,
    example_buttons,
    honest_line,
    model_panel,
)
from symdemo.ui.shared.answers import MAX_NEIGHBOURS
from symdemo.ui.shared.events import Problem, attempt
from symdemo.ui.shared.html import draw, draw_html
from symdemo.ui.shared.store import ModelStore
from symdemo.ui.shared.visitor import AddRow, Visitor
from symdemo.ui.try_it.events import NONE, connect, shared_choices
from symdemo.ui.try_it.many import build_many
from symdemo.ui.try_it.widgets import Widgets


def build_try_tab(store: ModelStore, demo: gr.Blocks, visitor: Visitor, add_row: AddRow) -> None:
    """Draw the tab and connect it; `add_row` takes the corrections that visitors make."""
    widgets = _draw(store, visitor)
    connect(widgets, visitor, demo, add_row)


def _draw(store: ModelStore, visitor: Visitor) -> Widgets:
    values: dict[str, Any] = {"project": visitor.project}
    _draw_hidden(values)
    with gr.Row(elem_classes="split split--first"):
        with gr.Column(scale=5, min_width=300):
            with gr.Column(elem_classes="ask"):
                _draw_ask(values)
            with gr.Column(elem_classes="more"):
                _draw_another(values)
                _draw_model(values, store)
                draw_html(example_buttons(), elem_classes="examples")
                draw_html(convention_panel(), elem_id="answers-mean")
        with gr.Column(scale=6, min_width=300, elem_classes="answer"):
            values["verdict"] = draw_html(draw("try_it/waiting.html"), elem_id="verdict")
            values["taught"] = draw_html(elem_id="taught")
            values["why"] = draw_html(elem_id="why")
            # What was asked so far, kept by the page alone.
            draw_html(
                html_template='<section class="questions"></section>',
                js_on_load=_script("asked.js"),
                elem_id="asked-before",
            )
    with gr.Accordion("Pictures", open=False, elem_id="pictures") as values["pictures"]:
        _draw_pictures(values)
    with gr.Accordion("Ask many at once", open=False, elem_id="many"):
        build_many(visitor, values["model"])
    return Widgets(**values)


def _script(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


_TEACH = """
window.symdemo ??= {};
window.symdemo.teach = (row) => {
  // A number makes the same correction, pressed once more, another value.
  props.value = JSON.stringify({...JSON.parse(row), number: Date.now()});
  trigger("input");
};
"""


def _draw_hidden(values: dict[str, Any]) -> None:
    """Draw the ways in for questions and corrections, and what the script is told of an answer."""
    for name, script in (("question", _script("ask.js")), ("correction", _TEACH)):
        values[name] = draw_html(
            html_template="", js_on_load=script, visible="hidden", elem_id=name
        )
    values["answer"] = gr.Textbox(visible="hidden", show_label=False, elem_id="answer")


def _sentence_box(value: str | None = None, **options: Any) -> gr.Textbox:
    return gr.Textbox(
        value,
        elem_classes="sentence-box",
        lines=1,
        max_lines=4,
        max_length=MAX_CHARACTERS + 1,
        **options,
    )


def _draw_ask(values: dict[str, Any]) -> None:
    values["sentence"] = _sentence_box(
        FIRST_SENTENCE,
        label="Sentence",
        placeholder="An English sentence about two things",
        elem_id="sentence",
    )
    values["check"] = gr.Button("Does it still hold?", variant="primary", elem_id="check")
    values["problem"] = draw_html(elem_id="problem")


def _draw_another(values: dict[str, Any]) -> None:
    """Draw the other ways to say what changes places: by tapped words, a whole sentence, parts."""
    with gr.Accordion("Swap it another way", open=False, elem_id="another") as values["another"]:
        values["words"] = draw_html(elem_id="words")
        values["hypothesis"] = _sentence_box(
            label="Swapped sentence", placeholder="As you would write it", elem_id="hypothesis"
        )
        values["check_pair"] = gr.Button(
            "Check these two sentences", size="md", elem_id="check-pair"
        )
        with gr.Row(elem_classes="parts"):
            values["parts"] = tuple(
                gr.Textbox(label=label, placeholder=hint, min_width=90, max_length=500)
                for label, hint in (
                    ("Subject", "Kenya"),
                    ("Relation", "borders"),
                    ("Object", "Uganda"),
                )
            )
        values["use_parts"] = gr.Button(
            "Build the sentence and check it", size="md", elem_id="use-parts"
        )


def _draw_pictures(values: dict[str, Any]) -> None:
    with gr.Row(elem_classes="split split--pictures"):
        with gr.Column(scale=5, min_width=300, elem_classes="card") as values["rotation_box"]:
            draw_html("<h2>The rotation</h2>")
            values["rotation"] = gr.Plot(show_label=False, container=False, elem_id="rotation")
            values["rotation_caption"] = draw_html(elem_classes="caption")
        with gr.Column(scale=6, min_width=300, elem_classes="card"):
            draw_html("<h2>Map of what the model remembers</h2>")
            values["map"] = gr.Plot(show_label=False, container=False, elem_id="map")
            values["map_caption"] = draw_html(elem_classes="caption")


def _draw_model(values: dict[str, Any], store: ModelStore) -> None:
    cards = attempt(store.cards)
    cards = {} if isinstance(cards, Problem) else cards
    first = next(iter(cards.values()), None)
    choices = shared_choices(cards)
    with gr.Column(elem_classes="model"):
        with gr.Row():
            values["model"] = gr.Dropdown(
                choices,
                value=first.name if first else None,
                label="Model",
                filterable=False,
                elem_id="model",
            )
            values["other"] = gr.Dropdown(
                [("None", NONE), *choices],
                value=NONE,
                label="Compare with",
                filterable=False,
                elem_id="other-model",
            )
        values["about_line"] = draw_html(honest_line(first), elem_id="about-line")
        with gr.Accordion("About this model", open=False, elem_id="about-box"):
            values["about"] = draw_html(model_panel(first), elem_id="about")
            values["k"] = gr.Slider(
                1,
                MAX_NEIGHBOURS,
                value=first.k if first else 3,
                step=1,
                label="Nearest examples",
                info="So many are listed; in a model that votes, these vote.",
                elem_id="k",
            )
