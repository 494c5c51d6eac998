"""The tab “Try it”: its layout."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import gradio as gr

from symdemo.classifier.card import ModelCard
from symdemo.pairs import MAX_CHARACTERS
from symdemo.ui.shared.about import FIRST_SENTENCE, convention_panel, load_examples, model_panel
from symdemo.ui.shared.answers import MAX_NEIGHBOURS
from symdemo.ui.shared.figures import draw_picture
from symdemo.ui.shared.html import draw, draw_hidden, draw_html, draw_sender, read_script
from symdemo.ui.shared.visitor import Visitor
from symdemo.ui.try_it.events import NONE, connect, shared_choices
from symdemo.ui.try_it.many import build_many
from symdemo.ui.try_it.verdict import honest_line

_SENTENCE: dict[str, Any] = {"lines": 1, "max_lines": 4, "max_length": MAX_CHARACTERS + 1}


def build_try_tab(visitor: Visitor, demo: gr.Blocks) -> None:
    """Draw the tab and connect it."""
    w = SimpleNamespace(project=visitor.project, before=gr.State(None))
    # Hidden: questions and corrections as the page's script writes them, and what it reads back.
    w.question = draw_hidden(read_script("ask.js"), "question")
    w.correction = draw_sender("teach", "correction")
    w.answer = gr.Textbox(visible="hidden", show_label=False, elem_id="answer")
    with gr.Column(elem_classes="try"):
        with gr.Row(elem_classes="ask"):
            w.sentence = gr.Textbox(
                FIRST_SENTENCE, label="Sentence", show_label=False, container=False,
                placeholder="An English sentence about two things",
                elem_id="sentence", elem_classes="sentence-box", **_SENTENCE,
            )  # fmt: skip
            w.check = gr.Button("Does it follow?", variant="primary", scale=0, elem_id="check")
        examples = draw("shared/examples.html", examples=load_examples())
        draw_html(examples, elem_id="examples", elem_classes="examples")
        w.problem = draw_html(elem_id="problem")
        w.linked = draw_html(elem_id="linked")
        w.verdict = draw_html(draw("try_it/waiting.html"), elem_id="verdict")
        w.taught = draw_html(elem_id="taught")
        w.words = draw_html(elem_id="words")
        w.why = draw_html(elem_id="why")
        cards = visitor.sessions.store.cards()
        first = next(iter(cards.values()), None)
        w.about_line = draw_html(honest_line(first), elem_id="about-line")
        with gr.Accordion("More ways to ask, models, pictures", open=False, elem_id="more"):
            _draw_sentences(w)
            _draw_models(w, shared_choices(cards), first)
            with gr.Accordion("Pictures", open=False, elem_id="pictures") as w.pictures:
                with gr.Column(elem_classes="card") as w.rotation_box:
                    w.rotation, w.rotation_caption = draw_picture("rotation", "The rotation")
                with gr.Column(elem_classes="card"):
                    w.map, w.map_caption = draw_picture("map", "Map of the model’s examples")
            with gr.Accordion("Check many at once", open=False, elem_id="many"):
                build_many(visitor, w.model)
            draw_html(convention_panel(), elem_id="answers-mean")
        draw_html(
            html_template='<section class="questions"></section>',
            js_on_load=read_script("asked.js"),
            elem_id="asked-before",
        )
    connect(w, visitor, demo)


def _draw_sentences(w: SimpleNamespace) -> None:
    """Draw two other ways to ask: with a second sentence, or with three parts of a sentence."""
    w.hypothesis = gr.Textbox(
        label="Second sentence – leave empty for the swap",
        placeholder="Or the swap as you would write it",
        elem_id="hypothesis", elem_classes="sentence-box", **_SENTENCE,
    )  # fmt: skip
    with gr.Accordion("Build a sentence from parts", open=False, elem_id="another"):
        with gr.Row(elem_classes="parts"):
            w.parts = [
                gr.Textbox(label=label, min_width=90, max_length=500)
                for label in ("Subject", "Relation", "Object")
            ]
        w.use_parts = gr.Button("Build the sentence and check it", size="md", elem_id="use-parts")


def _draw_models(
    w: SimpleNamespace, choices: list[tuple[str, str]], first: ModelCard | None
) -> None:
    with gr.Row():
        w.model = gr.Dropdown(
            choices, value=first.name if first else None, label="Model", filterable=False,
            elem_id="model",
        )  # fmt: skip
        w.other = gr.Dropdown(
            [("None", NONE), *choices], value=NONE, label="Compare with", filterable=False,
            elem_id="other-model",
        )  # fmt: skip
    with gr.Accordion("About this model", open=False, elem_id="about-box"):
        w.about = draw_html(model_panel(first), elem_id="about")
        w.k = gr.Slider(
            1, MAX_NEIGHBOURS, value=first.k if first else 3, step=1, label="Closest examples",
            info="How many examples to show (and, for k-NN models, to vote).", elem_id="k",
        )  # fmt: skip
