"""The tab “Sentence lab”: its components and events."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import Any

import gradio as gr

from symdemo.ui.sentences import lists
from symdemo.ui.sentences.answers import EXAMPLES, respond
from symdemo.ui.sentences.comparing import LAB_ENCODERS, MAX_CHARACTERS, UNRELATED, fixed_pairs
from symdemo.ui.sentences.results import connect_results, draw_results, lead_panel
from symdemo.ui.sentences.words import AFTER, BEFORE
from symdemo.ui.shared import events
from symdemo.ui.shared.about import QUIET
from symdemo.ui.shared.events import NO_ANSWER, Problem, Updates, guarded, problem_panel
from symdemo.ui.shared.figures import draw_picture
from symdemo.ui.shared.html import draw, draw_html, draw_message
from symdemo.ui.shared.visitor import Visitor


def build_sentences_tab(visitor: Visitor, demo: gr.Blocks) -> Callable[[gr.Tab], None]:
    """Draw the tab and connect it; return a function that lets it read the results when opened."""
    results: dict[str, Any] = {
        "stamp": gr.State(""),
        "lead": draw_html(lead_panel(), elem_id="lab-lead"),
    }
    _connect_pair(_draw_pair(), visitor, demo)
    with gr.Accordion("Search your own list", open=False, elem_id="lab-list"):
        _connect_list(_draw_list(), visitor)
    with gr.Accordion("All measured results", open=False, elem_id="lab-results"):
        results |= draw_results()
    with gr.Accordion("How this works", open=False, elem_id="lab-how"):
        same = len(fixed_pairs())
        draw_html(draw("sentences/how.html", encoders=LAB_ENCODERS, same=same, unrelated=UNRELATED))
    return partial(connect_results, results)


def _draw_pair() -> dict[str, Any]:
    found: dict[str, Any] = {}
    with gr.Column(elem_classes="card lab-ask"):
        with gr.Row():
            for name, value in (("first", EXAMPLES[0][0]), ("second", EXAMPLES[0][1])):
                found[name] = gr.Textbox(
                    value, label=f"{name.capitalize()} sentence", lines=1, max_lines=4,
                    max_length=MAX_CHARACTERS + 1, min_width=260, elem_id=f"lab-{name}",
                    elem_classes="sentence-box",
                )  # fmt: skip
        found["button"] = gr.Button("Compare", variant="primary", elem_id="lab-compare")
        found["examples"] = gr.Dataset(
            components=[found["first"], found["second"]],
            samples=[[first, second] for first, second, _ in EXAMPLES],
            sample_labels=[shows for *_, shows in EXAMPLES],
            label="Or try an example",
        )  # fmt: skip
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
        found["change"] = draw_html(QUIET.format("Compare two sentences to see the pictures here."))
        with gr.Row(visible=False, elem_classes="split split--pictures") as found["pictures"]:
            for name, id in (("before", BEFORE), ("after", AFTER)):
                with gr.Column(min_width=300):
                    found[f"{name}_title"] = draw_html()
                    found[name], found[f"{name}_caption"] = draw_picture(id)
    return found


def _connect_pair(w: dict[str, Any], visitor: Visitor, demo: gr.Blocks) -> None:
    pair = [w["first"], w["second"]]
    boxes = [*pair, w["shown"]]
    written = [part for part in w.values() if part not in (*boxes, w["button"], w["examples"])]
    asked = partial(gr.on, [w["button"].click, *(box.submit for box in pair)])
    queries = gr.State([0])  # the number of queries of this page, in a list that its events share
    refused = json.dumps(problem_panel(Problem(NO_ANSWER)))

    def connect(event: Callable[..., Any], words_only: bool = False) -> None:
        """Count a query, so that the running answer ends, and answer it."""

        def count(queries: list[int]) -> None:
            queries[0] += 1

        def answer(queries: list[int], first: str, second: str, shown: str) -> Iterator[Updates]:
            encoders = visitor.sessions.encoders
            for found in respond(encoders, queries, first, second, shown, words_only):
                yield {w[name]: value for name, value in found.items()}

        answering = event(count, queries, None, trigger_mode="multiple", **events.QUICK).then(
            answer, [queries, *boxes], written, trigger_mode="always_last", **events.SENTENCES
        )
        answering.failure(outputs=w["problem"], js=f"() => {refused}", **events.IN_PAGE)

    connect(asked)
    connect(w["shown"].input, words_only=True)
    filled = w["examples"].click(
        lambda example: (*example, "first"), w["examples"], boxes, **events.QUICK
    )
    connect(filled.then)
    kept = "(first, second) => window.symdemo.remember({first, second})"
    for event in (asked, filled.then):
        event(inputs=pair, js=kept, **events.IN_PAGE)
    linked = "(...pair) => window.symdemo.compare(...pair)"
    demo.load(inputs=pair, outputs=pair, js=linked, **events.IN_PAGE)


def _draw_list() -> dict[str, Any]:
    found: dict[str, Any] = {}
    with gr.Column(elem_classes="lab-list"):
        draw_html(
            "<p class='quiet'>Questions people sent you, titles, notes: find those most similar to "
            "one sentence.</p>"
        )
        with gr.Row():
            with gr.Column(scale=3, min_width=260):
                found["sentence"] = gr.Textbox(
                    label="Sentence to search for", placeholder=lists.EXAMPLE_QUERY,
                    lines=1, max_lines=3, max_length=MAX_CHARACTERS + 1, elem_id="lab-query",
                )  # fmt: skip
                found["find"] = gr.Button("Search", variant="primary", elem_id="lab-find")
                found["stop"] = gr.Button("Stop", visible=False, elem_id="lab-stop")
            with gr.Column(scale=5, min_width=260):
                found["pasted"] = gr.Textbox(
                    label=f"List, one sentence a line (up to {lists.MOST_LINES})", lines=6,
                    max_lines=10, max_length=lists.MAX_PASTED + 1, elem_id="lab-pasted",
                )  # fmt: skip
                with gr.Row():
                    found["upload"] = gr.UploadButton(
                        "Upload a text file", file_types=[".txt"], min_width=140
                    )
                    found["example"] = gr.Button(
                        "Use an example list", min_width=140, elem_id="lab-example-list"
                    )
        found["problem"] = draw_message("lab-list-problem")
        found["found"] = draw_html(elem_id="lab-found")
    return found


def _connect_list(w: dict[str, Any], visitor: Visitor) -> None:
    sessions, sentence, pasted, problem = visitor.sessions, w["sentence"], w["pasted"], w["problem"]
    job = gr.State([])  # the id of the page's newest search, in a list that its events share

    async def searched(request: gr.Request, *values: Any) -> AsyncIterator[Updates]:
        visit = getattr(request, "session_hash", None) or ""
        async for found in lists.search(sessions, visit, *values):
            yield {w[name]: value for name, value in found.items()}

    gr.on(
        [w["find"].click, sentence.submit],
        searched, [job, sentence, pasted], [problem, w["found"], w["stop"]],
        trigger_mode="multiple", **events.WATCHING,
    )  # fmt: skip

    def stopped(visit, job) -> Updates:
        lists.stop(sessions, visit or "", job)
        return {}

    upload = guarded(problem, lambda _visit, path: {pasted: lists.read_list(path)})

    def example(_visit, wanted) -> Updates:
        example_sentence, lines = lists.example_list()
        return {pasted: lines, sentence: wanted or example_sentence}

    w["stop"].click(guarded(problem, stopped), job, problem, **events.QUICK)
    w["upload"].upload(upload, w["upload"], [pasted, problem], **events.TRANSFER)
    w["example"].click(
        guarded(problem, example), sentence, [sentence, pasted, problem], **events.QUICK
    )
