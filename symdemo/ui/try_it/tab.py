"""The tab “Try it”: its layout."""

from __future__ import annotations

from types import SimpleNamespace
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
from symdemo.ui.shared.figures import draw_picture
from symdemo.ui.shared.html import draw, draw_html
from symdemo.ui.shared.store import ModelStore
from symdemo.ui.shared.visitor import AddRow, Visitor
from symdemo.ui.try_it.events import NONE, connect, shared_choices
from symdemo.ui.try_it.many import build_many

_TEACH = """
window.symdemo ??= {};
window.symdemo.teach = (row) => {
  // The number makes a repeated correction another value.
  props.value = JSON.stringify({...JSON.parse(row), number: Date.now()});
  trigger("input");
};
"""


def build_try_tab(store: ModelStore, demo: gr.Blocks, visitor: Visitor, add_row: AddRow) -> None:
    """Draw the tab and connect it; `add_row` saves the corrections that visitors make."""
    w = SimpleNamespace(project=visitor.project)
    # Hidden: questions and corrections as the page's script writes them, and what it reads back.
    for name, script in (("question", _script("ask.js")), ("correction", _TEACH)):
        box = draw_html(html_template="", js_on_load=script, visible="hidden", elem_id=name)
        setattr(w, name, box)
    w.answer = gr.Textbox(visible="hidden", show_label=False, elem_id="answer")
    with gr.Row(elem_classes="split split--first"):
        with gr.Column(scale=5, min_width=300):
            with gr.Column(elem_classes="ask"):
                w.sentence = _sentence_box(
                    FIRST_SENTENCE,
                    label="Sentence",
                    placeholder="An English sentence about two things",
                    elem_id="sentence",
                )
                w.hypothesis = _sentence_box(
                    label="Second sentence – leave empty for the swap",
                    placeholder="Or the swap as you would write it",
                    elem_id="hypothesis",
                )
                w.check = gr.Button("Does it follow?", variant="primary", elem_id="check")
                w.problem = draw_html(elem_id="problem")
                w.linked = draw_html(elem_id="linked")
            with gr.Column(elem_classes="more"):
                _draw_another(w)
                _draw_model(w, store)
                draw_html(example_buttons(), elem_classes="examples")
                draw_html(convention_panel(), elem_id="answers-mean")
        with gr.Column(scale=6, min_width=300, elem_classes="answer"):
            w.verdict = draw_html(draw("try_it/waiting.html"), elem_id="verdict")
            w.taught = draw_html(elem_id="taught")
            w.why = draw_html(elem_id="why")
            draw_html(
                html_template='<section class="questions"></section>',
                js_on_load=_script("asked.js"),
                elem_id="asked-before",
            )
    with gr.Accordion("Pictures", open=False, elem_id="pictures") as w.pictures:
        _draw_pictures(w)
    with gr.Accordion("Check many at once", open=False, elem_id="many"):
        build_many(visitor, w.model)
    connect(w, visitor, demo, add_row)


def _script(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _sentence_box(value: str | None = None, **options: Any) -> gr.Textbox:
    options |= {"lines": 1, "max_lines": 4, "max_length": MAX_CHARACTERS + 1}
    return gr.Textbox(value, elem_classes="sentence-box", **options)


def _draw_another(w: SimpleNamespace) -> None:
    """Draw the other ways to give a swap: tapped words and three parts."""
    with gr.Accordion("Swap it another way", open=False, elem_id="another") as w.another:
        w.words = draw_html(elem_id="words")
        with gr.Row(elem_classes="parts"):
            examples = {"Subject": "Kenya", "Relation": "borders", "Object": "Uganda"}
            w.parts = [
                gr.Textbox(label=label, placeholder=example, min_width=90, max_length=500)
                for label, example in examples.items()
            ]
        w.use_parts = gr.Button("Build the sentence and check it", size="md", elem_id="use-parts")


def _draw_pictures(w: SimpleNamespace) -> None:
    with gr.Row(elem_classes="split split--pictures"):
        with gr.Column(scale=5, min_width=300, elem_classes="card") as w.rotation_box:
            draw_html("<h2>The rotation</h2>")
            w.rotation, w.rotation_caption = draw_picture("rotation")
        with gr.Column(scale=6, min_width=300, elem_classes="card"):
            draw_html("<h2>Map of the model’s examples</h2>")
            w.map, w.map_caption = draw_picture("map")


def _draw_model(w: SimpleNamespace, store: ModelStore) -> None:
    cards = attempt(store.cards)
    cards = {} if isinstance(cards, Problem) else cards
    first = next(iter(cards.values()), None)
    choices = shared_choices(cards)
    with gr.Column(elem_classes="model"):
        with gr.Row():
            w.model = gr.Dropdown(
                choices, value=first.name if first else None, label="Model", filterable=False,
                elem_id="model",
            )  # fmt: skip
            w.other = gr.Dropdown(
                [("None", NONE), *choices], value=NONE, label="Compare with", filterable=False,
                elem_id="other-model",
            )  # fmt: skip
        w.about_line = draw_html(honest_line(first), elem_id="about-line")
        with gr.Accordion("About this model", open=False, elem_id="about-box"):
            w.about = draw_html(model_panel(first), elem_id="about")
            w.k = gr.Slider(
                1, MAX_NEIGHBOURS, value=first.k if first else 3, step=1, label="Nearest examples",
                info="How many neighbours to show (and, for k-NN models, to vote).", elem_id="k",
            )  # fmt: skip
