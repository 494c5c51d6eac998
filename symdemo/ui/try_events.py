"""The tab “Try it”: which handler answers to what, and how its result is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr

from symdemo.ui import figures, panels
from symdemo.ui.examples import examples_of, group_titles
from symdemo.ui.store import ModelStore
from symdemo.ui.try_handlers import (
    MAX_NEIGHBOURS,
    Answer,
    Draft,
    Problem,
    attempt,
    check,
    fill_in,
    from_parts,
)

HEAVY: dict[str, Any] = {"concurrency_id": "model", "concurrency_limit": 2}
"""Shared by every event that runs a model: each event would have a limit of its own otherwise."""

SHOW_VERDICT = """() => {
  const box = document.getElementById("verdict").getBoundingClientRect();
  if (box.top < 0 || box.top > window.innerHeight * 0.7)
    window.scrollBy({top: box.top - 16, behavior: "smooth"});
}"""


@dataclass(frozen=True)
class Widgets:
    """The components that the events of this tab read and write."""

    sentence: gr.Textbox
    hypothesis: gr.Textbox
    swapped_from: gr.State
    check: gr.Button
    swap_again: gr.Button
    problem: gr.HTML
    parts: tuple[gr.Textbox, gr.Textbox, gr.Textbox]
    use_parts: gr.Button
    k: gr.Slider
    verdict: gr.HTML
    taught: gr.Dataset
    fresh: gr.Dataset
    model: gr.Dropdown
    about: gr.HTML
    neighbours: gr.HTML
    rotation: gr.Plot
    rotation_caption: gr.HTML
    map: gr.Plot
    map_caption: gr.HTML

    @property
    def boxes(self) -> list[Any]:
        """What filling in writes."""
        return [self.sentence, self.hypothesis, self.swapped_from, self.problem]

    @property
    def results(self) -> list[Any]:
        """What an answer writes; a problem leaves them as they are."""
        return [
            self.verdict,
            self.neighbours,
            self.rotation,
            self.rotation_caption,
            self.map,
            self.map_caption,
            self.taught,
            self.fresh,
        ]

    @property
    def question(self) -> list[Any]:
        """What an answer reads."""
        return [self.sentence, self.hypothesis, self.swapped_from, self.model, self.k]


def show_draft(draft: Draft) -> list[Any]:
    """Values for `Widgets.boxes`."""
    return [draft.sentence, draft.hypothesis, draft.swapped_from, _problem(draft.problem)]


def show_answer(found: Answer | Problem) -> list[Any]:
    """Values for `Widgets.results`: all of them, or none where there is a problem."""
    if isinstance(found, Problem):
        return [gr.skip()] * 8
    titles = group_titles(pair.relation for pair in found.model.classifier.index.pairs)
    return [
        panels.verdict_panel(found),
        panels.neighbours_table(found),
        figures.plot_data(figures.draw_rotation(found.prediction)),
        figures.rotation_caption(found.prediction),
        figures.plot_data(figures.draw_map(found)),
        figures.map_caption(found),
        *(gr.update(label=title) for title in titles),
    ]


def _problem(problem: Problem | None) -> str:
    return panels.problem_panel(problem)


def _checker(store: ModelStore) -> Callable[..., list[Any]]:
    def run(sentence, hypothesis, swapped_from, model, k):
        draft, found = check(store, sentence, hypothesis, swapped_from, model, k)
        shown = attempt(show_answer, found)
        problem = next((p for p in (found, shown) if isinstance(p, Problem)), None)
        # Written only where it changed: more may have been typed while this was worked out.
        filled = gr.skip() if draft.hypothesis == hypothesis else draft.hypothesis
        boxes = [gr.skip(), filled, draft.swapped_from, _problem(problem)]
        return boxes + (shown if isinstance(shown, list) else show_answer(shown))

    return run


def _filler(store: ModelStore) -> Callable[..., list[Any]]:
    run = _checker(store)

    def show_both(draft: Draft, model, k) -> list[Any]:
        """Write both boxes, whatever stood there, and answer."""
        shown = run(draft.sentence, draft.hypothesis, draft.swapped_from, model, k)
        return [draft.sentence, draft.hypothesis, *shown[2:]]

    return show_both


def connect(widgets: Widgets, store: ModelStore, demo: gr.Blocks) -> None:
    """Connect every component to its handler."""
    _connect_boxes(widgets, store)
    _connect_choices(widgets, store, demo)


def _connect_boxes(w: Widgets, store: ModelStore) -> None:
    run, show_both = _checker(store), _filler(store)

    def fill(sentence, hypothesis, swapped_from):
        draft = fill_in(sentence, hypothesis, swapped_from)
        if draft.swapped_from == swapped_from and draft.hypothesis == hypothesis:
            return [gr.skip()] * 4
        return [gr.skip(), *show_draft(draft)[1:]]

    def use_parts(subject, relation, object, model, k):
        draft = attempt(from_parts, subject, relation, object)
        if isinstance(draft, Problem):
            return [*[gr.skip()] * 3, _problem(draft), *show_answer(draft)]
        return show_both(draft, model, k)

    three = [w.sentence, w.hypothesis, w.swapped_from]
    w.sentence.blur(
        fill, three, w.boxes, queue=False, show_progress="hidden", api_visibility="private"
    )
    w.swap_again.click(
        lambda sentence: fill(sentence, "", ""),
        [w.sentence],
        w.boxes,
        queue=False,
        api_visibility="private",
    )
    asking = {**HEAVY, "api_visibility": "private", "show_progress_on": w.verdict}
    outputs = w.boxes + w.results
    gr.on(
        [w.check.click, w.sentence.submit, w.hypothesis.submit, w.k.release],
        run,
        w.question,
        outputs,
        **asking,
    ).then(None, js=SHOW_VERDICT)
    gr.on(
        [w.use_parts.click, *(part.submit for part in w.parts)],
        use_parts,
        [*w.parts, w.model, w.k],
        outputs,
        **asking,
    ).then(None, js=SHOW_VERDICT)


def _connect_choices(w: Widgets, store: ModelStore, demo: gr.Blocks) -> None:
    run, show_both = _checker(store), _filler(store)
    asking = {**HEAVY, "api_visibility": "private", "show_progress_on": w.verdict}
    outputs = w.boxes + w.results

    def pick(taught: bool):
        examples = examples_of(taught)

        def picked(place, model, k):
            example = examples[place]
            swapped_from = example.sentence if example.hypothesis else ""
            draft = fill_in(example.sentence, example.hypothesis, swapped_from)
            return show_both(draft, model, k)

        return picked

    for dataset, taught in ((w.taught, True), (w.fresh, False)):
        dataset.click(pick(taught), [dataset, w.model, w.k], outputs, **asking).then(
            None, js=SHOW_VERDICT
        )

    def change_model(sentence, hypothesis, swapped_from, model):
        cards = attempt(store.cards)
        card = None if isinstance(cards, Problem) else cards.get(model)
        k = min(card.k, MAX_NEIGHBOURS) if card else None
        shown = run(sentence, hypothesis, swapped_from, model, k)
        return [
            panels.model_panel(card) if card else gr.skip(),
            gr.skip() if k is None else k,
            *shown,
        ]

    w.model.input(change_model, [*w.boxes[:3], w.model], [w.about, w.k, *outputs], **asking)
    demo.load(run, w.question, outputs, **asking)
