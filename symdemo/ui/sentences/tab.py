"""The tab “Sentence lab”: its components and events."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import gradio as gr

from symdemo.files.paths import ASSETS, RESULTS
from symdemo.ui.sentences.answers import EXAMPLES, LatestByPage, PairQuery, respond
from symdemo.ui.sentences.comparing import LAB_ENCODERS, MAX_CHARACTERS, UNRELATED, fixed_pairs
from symdemo.ui.sentences.lists import (
    EXAMPLE_QUERY,
    MAX_PASTED,
    MOST_LINES,
    ListService,
    example_list,
    read_list,
)
from symdemo.ui.sentences.results import connect_results, draw_lead, draw_results
from symdemo.ui.sentences.words import AFTER, BEFORE
from symdemo.ui.shared.events import (
    NO_ANSWER,
    QUICK_EVENT,
    TRANSFER_EVENT,
    Problem,
    Updates,
    attempt,
    from_json,
    guarded,
    problem_panel,
)
from symdemo.ui.shared.figures import draw_picture
from symdemo.ui.shared.html import draw, draw_html, draw_message
from symdemo.ui.shared.store import ModelStore
from symdemo.ui.shared.visitor import Visitor

SENTENCE_QUEUE: dict[str, Any] = {"concurrency_id": "sentences", "concurrency_limit": 2}
"""A separate queue, so that other tabs do not wait for a language model to load."""

SENTENCE_EVENT = SENTENCE_QUEUE | {"api_visibility": "private", "show_progress": "hidden"}

WATCH_EVENT = SENTENCE_EVENT | {"concurrency_id": "lists", "concurrency_limit": 24}
"""For events that only watch the job of a list."""

_ASK = "(first, second, shown) => window.symdemo.compare({first, second, shown})"
_ASK_WORDS = "(first, second, shown) => window.symdemo.compare({first, second, shown, only: true})"
_FILL = """(question) => {
  const {first, second, shown} = JSON.parse(question);
  return [first, second, shown];
}"""
_UNWRITTEN = ("query", "first", "second", "button", "shown")
"""Components that an answer does not change."""

Components = dict[str, Any]
"""Name → component."""


def build_sentences_tab(
    store: ModelStore, demo: gr.Blocks, visitor: Visitor, folder: Path = RESULTS
) -> Callable[[gr.Tab], None]:
    """Draw the tab and connect it.

    Returns:
        A function that connects the opening of the tab, when the results of `folder` are read.
    """
    results = draw_lead()
    _connect_pair(_draw_pair(), visitor)
    with gr.Accordion("Search your own list", open=False, elem_id="lab-list"):
        _connect_list(_draw_list(), visitor)
    with gr.Accordion("All measured results", open=False, elem_id="lab-results"):
        results |= draw_results()
    with gr.Accordion("How this works", open=False, elem_id="lab-how"):
        same = len(fixed_pairs())
        draw_html(draw("sentences/how.html", encoders=LAB_ENCODERS, same=same, unrelated=UNRELATED))
    return lambda tab: connect_results(results, tab, folder)


def _draw_pair() -> Components:
    """Draw the part about two sentences; “query” is hidden and takes every query."""
    found: Components = {}
    script = (ASSETS / "sentences.js").read_text(encoding="utf-8")
    found["query"] = draw_html(
        html_template="", js_on_load=script, visible="hidden", elem_id="lab-question"
    )
    with gr.Column(elem_classes="card lab-ask"):
        with gr.Row():
            for name, value in (("first", EXAMPLES[0][0]), ("second", EXAMPLES[0][1])):
                found[name] = gr.Textbox(
                    value, label=f"{name.capitalize()} sentence", lines=1, max_lines=4,
                    max_length=MAX_CHARACTERS + 1, min_width=260, elem_id=f"lab-{name}",
                    elem_classes="sentence-box",
                )  # fmt: skip
        found["button"] = gr.Button("Compare", variant="primary", elem_id="lab-compare")
        draw_html(draw("sentences/examples.html", examples=EXAMPLES), elem_classes="examples")
    found["problem"] = draw_message("lab-problem")
    found["answer"] = draw_html(elem_id="lab-answer")
    with gr.Accordion("Word by word", open=False, elem_id="lab-words"):
        draw_html(
            "<p class='quiet'>How similar each word is to every other word inside the language "
            "model, before and after it looks back.</p>"
        )
        found["shown"] = gr.Radio(
            [("First sentence", "first"), ("Second sentence", "second")],
            value="first", label="Words of", elem_id="lab-shown",
        )  # fmt: skip
        found["change"] = draw_html(
            "<p class='quiet'>Compare two sentences to see the pictures here.</p>",
            elem_id="lab-change",
        )
        with gr.Row(visible=False, elem_classes="split split--pictures") as found["pictures"]:
            for name, id in (("before", BEFORE), ("after", AFTER)):
                with gr.Column(min_width=300):
                    found[f"{name}_title"] = draw_html()
                    found[name], found[f"{name}_caption"] = draw_picture(id)
    return found


def _connect_pair(w: Components, visitor: Visitor) -> None:
    encoders, latest = visitor.sessions.encoders, LatestByPage()
    query, inputs = w["query"], [w["first"], w["second"], w["shown"]]
    presses = [w["button"].click, w["first"].submit, w["second"].submit]
    gr.on(presses, None, inputs, js=_ASK, api_visibility="private")
    w["shown"].input(None, inputs, js=_ASK_WORDS, api_visibility="private")
    query.input(None, query, inputs, js=_FILL, api_visibility="private")

    def note(request: gr.Request, text: Any) -> None:
        sent = attempt(from_json, PairQuery, text)
        if not isinstance(sent, Problem):  # `answer` reports it
            latest.note(getattr(request, "session_hash", None), sent.number)

    def answer(request: gr.Request, text: Any) -> Iterator[Updates]:
        visit = getattr(request, "session_hash", None)
        for values in respond(encoders, latest, visit, text):
            yield {w[name]: value for name, value in values.items()}

    query.input(note, query, None, **QUICK_EVENT)
    # One at a time: a newer query makes the running one end, and then has its turn.
    written = [component for name, component in w.items() if name not in _UNWRITTEN]
    answering = query.input(answer, query, written, trigger_mode="always_last", **SENTENCE_EVENT)
    refused = json.dumps(problem_panel(Problem(NO_ANSWER)))
    answering.failure(None, None, w["problem"], js=f"() => {refused}", api_visibility="private")


def _draw_list() -> Components:
    found: Components = {}
    with gr.Column(elem_classes="lab-list"):
        draw_html(
            "<p class='quiet'>Questions people sent you, titles, notes: find those most similar to "
            "one sentence.</p>"
        )
        with gr.Row():
            with gr.Column(scale=3, min_width=260):
                found["sentence"] = gr.Textbox(
                    label="Sentence to search for", placeholder=EXAMPLE_QUERY,
                    lines=1, max_lines=3, max_length=MAX_CHARACTERS + 1, elem_id="lab-query",
                )  # fmt: skip
                found["find"] = gr.Button("Search", variant="primary", elem_id="lab-find")
                found["stop"] = gr.Button("Stop", visible=False, elem_id="lab-stop")
            with gr.Column(scale=5, min_width=260):
                found["pasted"] = gr.Textbox(
                    label=f"List, one sentence a line (up to {MOST_LINES})", lines=6, max_lines=10,
                    max_length=MAX_PASTED + 1, elem_id="lab-pasted",
                )  # fmt: skip
                with gr.Row():
                    found["upload"] = gr.UploadButton(
                        "Upload a text file", file_types=[".txt"], min_width=140,
                        elem_id="lab-upload",
                    )  # fmt: skip
                    found["example"] = gr.Button(
                        "Use an example list", min_width=140, elem_id="lab-example-list"
                    )
        found["problem"] = draw_message("lab-list-problem")
        found["found"] = draw_html(elem_id="lab-found")
    return found


def _connect_list(w: Components, visitor: Visitor) -> None:
    service = ListService(visitor.sessions)
    sentence, pasted, problem = w["sentence"], w["pasted"], w["problem"]

    async def search(request: gr.Request, wanted: Any, lines: Any) -> AsyncIterator[Updates]:
        visit = getattr(request, "session_hash", None) or ""
        async for values in service.search(visit, wanted, lines):
            yield {w[name]: value for name, value in values.items()}

    gr.on(
        [w["find"].click, sentence.submit],
        search, [sentence, pasted], [problem, w["found"], w["stop"]],
        trigger_mode="multiple", **WATCH_EVENT,
    )  # fmt: skip

    def upload(_visit, path) -> Updates:
        return {pasted: read_list(path)}

    def example(_visit, wanted) -> Updates:
        example_sentence, lines = example_list()
        return {pasted: lines, sentence: wanted or example_sentence}

    w["stop"].click(
        guarded(problem, lambda visit: service.stop(visit or "")), None, problem, **QUICK_EVENT
    )
    w["upload"].upload(guarded(problem, upload), w["upload"], [pasted, problem], **TRANSFER_EVENT)
    w["example"].click(
        guarded(problem, example), sentence, [sentence, pasted, problem], **QUICK_EVENT
    )
