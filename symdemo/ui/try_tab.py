"""The tab “Try it”: what is drawn where."""

from __future__ import annotations

from typing import Any

import gradio as gr

from symdemo.pairs import MAX_CHARACTERS
from symdemo.ui import panels
from symdemo.ui.about_panel import model_panel
from symdemo.ui.examples import FIRST_SENTENCE, examples_of, group_titles
from symdemo.ui.store import ModelStore
from symdemo.ui.teach_widgets import Visitor
from symdemo.ui.try_events import connect, shared_choices
from symdemo.ui.try_handlers import MAX_NEIGHBOURS, Problem, attempt
from symdemo.ui.try_widgets import Widgets


def build_try_tab(store: ModelStore, demo: gr.Blocks, visitor: Visitor) -> None:
    """Draw the tab and connect it."""
    widgets = _draw(store, visitor)
    connect(widgets, visitor, demo)


def _draw(store: ModelStore, visitor: Visitor) -> Widgets:
    cards = attempt(store.cards)
    cards = {} if isinstance(cards, Problem) else cards
    first = next(iter(cards), None)
    with gr.Row(elem_classes="split split--first"):
        with gr.Column(scale=5, min_width=300):
            with gr.Column(elem_classes="ask"):
                ask = _draw_ask(cards[first].k if first else 3)
            with gr.Column(elem_classes="examples"):
                taught, fresh = _draw_examples()
        with gr.Column(scale=6, min_width=300):
            with gr.Column(elem_classes="answer"):
                verdict = _html(panels.WAITING, elem_id="verdict")
            with gr.Column(elem_classes="model"):
                model = gr.Dropdown(
                    shared_choices(cards),
                    value=first,
                    label="Model",
                    filterable=False,
                    elem_id="model",
                )
                about = _html(model_panel(cards.get(first)), elem_id="about")
    neighbours = _html(elem_id="neighbours")
    with gr.Row(elem_classes="split split--pictures"):
        with gr.Column(scale=5, min_width=300, elem_classes="card"):
            _html("<h2>The rotation</h2>")
            rotation = gr.Plot(show_label=False, container=False, elem_id="rotation")
            rotation_caption = _html(elem_classes="caption")
        with gr.Column(scale=6, min_width=300, elem_classes="card"):
            _html("<h2>Map of everything taught</h2>")
            map_plot = gr.Plot(show_label=False, container=False, elem_id="map")
            map_caption = _html(elem_classes="caption")
    return Widgets(
        **ask,
        project=visitor.project,
        verdict=verdict,
        taught=taught,
        fresh=fresh,
        model=model,
        about=about,
        neighbours=neighbours,
        rotation=rotation,
        rotation_caption=rotation_caption,
        map=map_plot,
        map_caption=map_caption,
    )


def _html(value: str = "", **options: Any) -> gr.HTML:
    """A panel whose looks are the style sheet's alone."""
    return gr.HTML(value, apply_default_css=False, **options)


def _draw_ask(k: int) -> dict[str, Any]:
    box: dict[str, Any] = {"lines": 1, "max_lines": 4, "max_length": MAX_CHARACTERS + 1}
    widgets: dict[str, Any] = {
        "sentence": gr.Textbox(
            FIRST_SENTENCE,
            label="Sentence",
            placeholder="An English sentence about two things",
            elem_id="sentence",
            elem_classes="sentence-box",
            **box,
        ),
        "hypothesis": gr.Textbox(
            label="Swapped sentence",
            placeholder="Filled in for you; change it if it reads wrong",
            elem_id="hypothesis",
            elem_classes="sentence-box",
            **box,
        ),
        "swapped_from": gr.State(""),
    }
    with gr.Row(elem_classes="buttons"):
        widgets["check"] = gr.Button("Does it still hold?", variant="primary", elem_id="check")
        widgets["swap_again"] = gr.Button("Swap again", elem_id="swap-again")
    widgets["problem"] = _html(elem_id="problem")
    with gr.Accordion("Type subject, relation and object apart", open=False):
        with gr.Row():
            widgets["parts"] = tuple(
                gr.Textbox(label=label, placeholder=hint, min_width=90, max_length=500)
                for label, hint in (
                    ("Subject", "Kenya"),
                    ("Relation", "borders"),
                    ("Object", "Uganda"),
                )
            )
        widgets["use_parts"] = gr.Button("Build the sentence and check it", size="md")
    with gr.Accordion("More", open=False):
        widgets["k"] = gr.Slider(
            1,
            MAX_NEIGHBOURS,
            value=k,
            step=1,
            label="Nearest examples",
            info="So many are listed; in a model that votes, these vote.",
            elem_id="k",
        )
    return widgets


def _draw_examples() -> list[gr.Dataset]:
    _html("<h2>Examples to click</h2>")
    return [
        gr.Dataset(
            label=title,
            components=["textbox"],
            samples=[[example.sentence] for example in examples_of(taught)],
            type="index",
            layout="gallery",
            samples_per_page=7,
        )
        for title, taught in zip(group_titles(()), (True, False), strict=True)
    ]
