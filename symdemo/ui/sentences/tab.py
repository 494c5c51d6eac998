"""The tab “Sentence lab”: what is drawn where, and how it answers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from symdemo.files.paths import ASSETS, RESULTS
from symdemo.ui.sentences.asking import Latest, Question, respond
from symdemo.ui.sentences.comparing import MAX_CHARACTERS
from symdemo.ui.sentences.lists import ListDesk, list_examples
from symdemo.ui.sentences.nearest import MAX_PASTED, MOST_LINES, read_list
from symdemo.ui.sentences.panels import EXAMPLES, example_buttons, how_panel, lead_panel
from symdemo.ui.sentences.results import Results
from symdemo.ui.sentences.words import AFTER, BEFORE
from symdemo.ui.shared.events import (
    QUICK_EVENT,
    TRANSFER_EVENT,
    Problem,
    Updates,
    attempt,
    by_component,
    guarded,
    problem_panel,
)
from symdemo.ui.shared.html import draw_html, draw_message
from symdemo.ui.shared.store import ModelStore
from symdemo.ui.shared.visitor import Visitor

SENTENCE_QUEUE: dict[str, Any] = {"concurrency_id": "sentences", "concurrency_limit": 2}
"""A queue of its own: nobody who asks on another tab waits for a language model to load."""

SENTENCE_EVENT = SENTENCE_QUEUE | {"api_visibility": "private", "show_progress": "hidden"}

WATCH_EVENT = SENTENCE_EVENT | {"concurrency_id": "lists", "concurrency_limit": 24}
"""For what only looks on while the job of a list is under way."""

NO_ANSWER = "No answer came: the connection is broken, or too many are asking. Press again."
_ASK = "(first, second, shown) => window.symdemo.compare({first, second, shown})"
_ASK_WORDS = "(first, second, shown) => window.symdemo.compare({first, second, shown, only: true})"
_FILL = """(question) => {
  const {first, second, shown} = JSON.parse(question);
  return [first, second, shown];
}"""


@dataclass(frozen=True)
class Asking:
    """The components about two sentences; `question` is hidden, and the one way in."""

    question: gr.HTML
    first: gr.Textbox
    second: gr.Textbox
    button: gr.Button
    shown: gr.Radio
    problem: gr.HTML
    answer: gr.HTML
    change: gr.HTML
    pictures: gr.Row
    before: gr.Plot
    before_title: gr.HTML
    before_caption: gr.HTML
    after: gr.Plot
    after_title: gr.HTML
    after_caption: gr.HTML

    def written(self) -> list[Any]:
        """What an answer may write."""
        left_alone = ("question", "first", "second", "button", "shown")
        return [part for name, part in vars(self).items() if name not in left_alone]


@dataclass(frozen=True)
class Lists:
    """The components about a list."""

    query: gr.Textbox
    pasted: gr.Textbox
    find: gr.Button
    stop: gr.Button
    upload: gr.UploadButton
    example: gr.Button
    problem: gr.HTML
    found: gr.HTML


def build_sentences_tab(
    store: ModelStore, demo: gr.Blocks, visitor: Visitor, folder: Path = RESULTS
) -> Callable[[gr.Tab], None]:
    """Draw the tab; what is returned connects its being opened, when the results are first read.

    Args:
        store: the shared models, of which this tab needs none.
        demo: the page.
        visitor: whose sessions have the encoders and the queue.
        folder: where the recorded results lie.
    """
    draw_html(lead_panel())
    asking = _draw_asking()
    lists = _draw_lists()
    results = Results.draw()
    with gr.Accordion("How this works", open=False, elem_id="lab-how"):
        draw_html(how_panel())
    _connect_asking(asking, visitor)
    _connect_lists(lists, visitor)
    return lambda tab: results.connect(tab, folder)


def _draw_asking() -> Asking:
    values: dict[str, Any] = {}
    script = (ASSETS / "sentences.js").read_text(encoding="utf-8")
    values["question"] = draw_html(
        html_template="", js_on_load=script, visible="hidden", elem_id="lab-question"
    )
    with gr.Column(elem_classes="card lab-ask"):
        with gr.Row():
            for name, label, value in (
                ("first", "First sentence", EXAMPLES[0].first),
                ("second", "Second sentence", EXAMPLES[0].second),
            ):
                values[name] = gr.Textbox(
                    value, label=label, lines=1, max_lines=4, max_length=MAX_CHARACTERS + 1,
                    min_width=260, elem_id=f"lab-{name}", elem_classes="sentence-box",
                )  # fmt: skip
        values["button"] = gr.Button("How near are they?", variant="primary", elem_id="lab-compare")
        draw_html(example_buttons(), elem_classes="examples")
    values["problem"] = draw_message("lab-problem")
    values["answer"] = draw_html(elem_id="lab-answer")
    with gr.Column(elem_classes="card lab-words"):
        draw_html(
            "<h2>Word by word</h2><p class='quiet'>How near each word is to each other word inside "
            "the language model, before and after it looks back.</p>"
        )
        values["shown"] = gr.Radio(
            [("First sentence", "first"), ("Second sentence", "second")],
            value="first", label="Words of", elem_id="lab-shown",
        )  # fmt: skip
        values["change"] = draw_html(
            "<p class='quiet'>Compare two sentences, and the pictures appear here.</p>",
            elem_id="lab-change",
        )
        with gr.Row(visible=False, elem_classes="split split--pictures") as values["pictures"]:
            for name, id in (("before", BEFORE), ("after", AFTER)):
                with gr.Column(min_width=300):
                    values[f"{name}_title"] = draw_html()
                    values[name] = gr.Plot(show_label=False, container=False, elem_id=id)
                    values[f"{name}_caption"] = draw_html(elem_classes="caption")
    return Asking(**values)


def _draw_lists() -> Lists:
    values: dict[str, Any] = {}
    with gr.Column(elem_classes="card lab-list"):
        draw_html(
            "<h2>The nearest in a list of yours</h2><p class='quiet'>Questions people sent you, "
            "titles, notes: find those that are nearest to one sentence.</p>"
        )
        with gr.Row():
            with gr.Column(scale=3, min_width=260):
                values["query"] = gr.Textbox(
                    label="Sentence to look for", placeholder="A child is playing by the water.",
                    lines=1, max_lines=3, max_length=MAX_CHARACTERS + 1, elem_id="lab-query",
                )  # fmt: skip
                values["find"] = gr.Button(
                    "Find the nearest", variant="primary", elem_id="lab-find"
                )
                values["stop"] = gr.Button("Stop", visible=False, elem_id="lab-stop")
            with gr.Column(scale=5, min_width=260):
                values["pasted"] = gr.Textbox(
                    label=f"List, one sentence a line (up to {MOST_LINES})", lines=6, max_lines=10,
                    max_length=MAX_PASTED + 1, elem_id="lab-pasted",
                )  # fmt: skip
                with gr.Row():
                    values["upload"] = gr.UploadButton(
                        "Upload a text file", file_types=[".txt"], min_width=140,
                        elem_id="lab-upload",
                    )  # fmt: skip
                    values["example"] = gr.Button(
                        "Use an example list", min_width=140, elem_id="lab-example-list"
                    )
        values["problem"] = draw_message("lab-list-problem")
        values["found"] = draw_html(elem_id="lab-found")
    return Lists(**values)


def _connect_asking(w: Asking, visitor: Visitor) -> None:
    encoders, latest = visitor.sessions.encoders, Latest()
    asks = [w.first, w.second, w.shown]
    gr.on(
        [w.button.click, w.first.submit, w.second.submit],
        None, asks, js=_ASK, api_visibility="private",
    )  # fmt: skip
    w.shown.input(None, asks, js=_ASK_WORDS, api_visibility="private")
    w.question.input(None, w.question, asks, js=_FILL, api_visibility="private")

    def noted(request: gr.Request, text: Any) -> None:
        question = attempt(Question.from_json, text)
        if not isinstance(question, Problem):  # else it is told where it is answered
            latest.note(getattr(request, "session_hash", None), question.number)

    def answered(request: gr.Request, text: Any) -> Iterator[Updates]:
        visit = getattr(request, "session_hash", None)
        for values in respond(encoders, latest, visit, text):
            yield by_component(w, values)

    w.question.input(noted, w.question, None, **QUICK_EVENT)
    # One at a time: a press while an answer is on its way makes that one end, and comes after it.
    answering = w.question.input(
        answered, w.question, w.written(), trigger_mode="always_last", **SENTENCE_EVENT
    )
    refused = json.dumps(problem_panel(Problem(NO_ANSWER)))
    answering.failure(None, None, w.problem, js=f"() => {refused}", api_visibility="private")


def _connect_lists(w: Lists, visitor: Visitor) -> None:
    desk = ListDesk(visitor.sessions)

    async def found(request: gr.Request, query: Any, pasted: Any) -> AsyncIterator[Updates]:
        visit = getattr(request, "session_hash", None) or ""
        async for values in desk.look_up(visit, query, pasted):
            yield by_component(w, values)

    gr.on(
        [w.find.click, w.query.submit],
        found, [w.query, w.pasted], [w.problem, w.found, w.stop],
        trigger_mode="multiple", **WATCH_EVENT,
    )  # fmt: skip
    w.stop.click(
        guarded(w.problem, lambda visit: desk.stop(visit or "")), None, w.problem, **QUICK_EVENT
    )
    w.upload.upload(
        guarded(w.problem, lambda _visit, path: {w.pasted: read_list(path)}),
        w.upload, [w.pasted, w.problem], **TRANSFER_EVENT,
    )  # fmt: skip

    def example(_visit, query) -> Updates:
        wanted, lines = list_examples()
        return {w.pasted: lines, w.query: query or wanted}

    w.example.click(
        guarded(w.problem, example), w.query, [w.query, w.pasted, w.problem], **QUICK_EVENT
    )
