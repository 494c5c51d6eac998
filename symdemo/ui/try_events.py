"""The tab “Try it”: which handler answers to what, and how its result is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import gradio as gr

from symdemo.ui import figures, panels
from symdemo.ui.about_panel import model_panel
from symdemo.ui.examples import examples_of, group_titles
from symdemo.ui.store import OwnModels
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

if TYPE_CHECKING:
    from collections.abc import Mapping

    from symdemo.cards import ModelCard
    from symdemo.ui.teach_sessions import TeachSessions
    from symdemo.ui.teach_widgets import Visitor
    from symdemo.ui.try_widgets import Widgets

HEAVY: dict[str, Any] = {"concurrency_id": "model", "concurrency_limit": 2}
"""Shared by every event that runs a model: each event would have a limit of its own otherwise."""

SHOW_VERDICT = """() => {
  const box = document.getElementById("verdict").getBoundingClientRect();
  if (box.top < 0 || box.top > window.innerHeight * 0.7)
    window.scrollBy({top: box.top - 16, behavior: "smooth"});
}"""


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


def shared_choices(cards: Mapping[str, ModelCard]) -> list[tuple[str, str]]:
    """What to call each shared model, and its name."""
    return [
        (f"{name}: {card.summary}" if card.summary else name, name) for name, card in cards.items()
    ]


def _checker(sessions: TeachSessions) -> Callable[..., list[Any]]:
    def run(sentence, hypothesis, swapped_from, model, k, project):
        store = sessions.models(project)
        draft, found = check(store, sentence, hypothesis, swapped_from, model, k)
        shown = attempt(show_answer, found)
        problem = next((p for p in (found, shown) if isinstance(p, Problem)), None)
        # Written only where it changed: more may have been typed while this was worked out.
        filled = gr.skip() if draft.hypothesis == hypothesis else draft.hypothesis
        boxes = [gr.skip(), filled, draft.swapped_from, _problem(problem)]
        return boxes + (shown if isinstance(shown, list) else show_answer(shown))

    return run


def _filler(sessions: TeachSessions) -> Callable[..., list[Any]]:
    run = _checker(sessions)

    def show_both(draft: Draft, model, k, project) -> list[Any]:
        """Write both boxes, whatever stood there, and answer."""
        shown = run(draft.sentence, draft.hypothesis, draft.swapped_from, model, k, project)
        return [draft.sentence, draft.hypothesis, *shown[2:]]

    return show_both


def connect(widgets: Widgets, visitor: Visitor, demo: gr.Blocks) -> None:
    """Connect every component to its handler."""
    _connect_boxes(widgets, visitor.sessions)
    _connect_examples(widgets, visitor.sessions)
    _connect_models(widgets, visitor, demo)


def _connect_boxes(w: Widgets, sessions: TeachSessions) -> None:
    run, show_both = _checker(sessions), _filler(sessions)

    def fill(sentence, hypothesis, swapped_from):
        draft = fill_in(sentence, hypothesis, swapped_from)
        if draft.swapped_from == swapped_from and draft.hypothesis == hypothesis:
            return [gr.skip()] * 4
        return [gr.skip(), *show_draft(draft)[1:]]

    def use_parts(subject, relation, object, model, k, project):
        draft = attempt(from_parts, subject, relation, object)
        if isinstance(draft, Problem):
            return [*[gr.skip()] * 3, _problem(draft), *show_answer(draft)]
        return show_both(draft, model, k, project)

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
        [*w.parts, w.model, w.k, w.project],
        outputs,
        **asking,
    ).then(None, js=SHOW_VERDICT)


def _connect_examples(w: Widgets, sessions: TeachSessions) -> None:
    show_both = _filler(sessions)
    asking = {**HEAVY, "api_visibility": "private", "show_progress_on": w.verdict}

    def pick(taught: bool):
        examples = examples_of(taught)

        def picked(place, model, k, project):
            example = examples[place]
            swapped_from = example.sentence if example.hypothesis else ""
            draft = fill_in(example.sentence, example.hypothesis, swapped_from)
            return show_both(draft, model, k, project)

        return picked

    for dataset, taught in ((w.taught, True), (w.fresh, False)):
        inputs = [dataset, w.model, w.k, w.project]
        dataset.click(pick(taught), inputs, w.boxes + w.results, **asking).then(
            None, js=SHOW_VERDICT
        )


def _connect_models(w: Widgets, visitor: Visitor, demo: gr.Blocks) -> None:
    run, sessions = _checker(visitor.sessions), visitor.sessions
    asking = {**HEAVY, "api_visibility": "private", "show_progress_on": w.verdict}
    outputs = w.boxes + w.results

    def change_model(sentence, hypothesis, swapped_from, model, project):
        card = attempt(sessions.models(project).card, model)
        card = None if isinstance(card, Problem) else card
        k = min(card.k, MAX_NEIGHBOURS) if card else None
        shown = run(sentence, hypothesis, swapped_from, model, k, project)
        return [
            model_panel(card) if card else gr.skip(),
            gr.skip() if k is None else k,
            *shown,
        ]

    def offer(project):
        """The versions of the visitor's own above the shared models, the one in use chosen."""
        models = sessions.models(project)
        own = models.choices() if isinstance(models, OwnModels) else []
        return gr.Dropdown([*own, *shared_choices(models.cards())], value=models.default)

    def offered(project):
        choices = attempt(offer, project)
        return gr.skip() if isinstance(choices, Problem) else choices

    light = {"queue": False, "api_visibility": "private", "show_progress": "hidden"}
    change = [*w.boxes[:3], w.model, w.project]
    changed = [w.about, w.k, *outputs]
    w.model.input(change_model, change, changed, **asking)
    demo.load(offered, w.project, w.model, **light).then(change_model, change, changed, **asking)
    visitor.chosen.change(offered, w.project, w.model, **light).then(
        change_model, change, changed, **asking
    )
