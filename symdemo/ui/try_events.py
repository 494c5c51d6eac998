"""The tab “Try it”: which handler answers to what, and how its result is shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import gradio as gr

from symdemo.ui import figures, panels
from symdemo.ui.about_panel import honest_line, model_panel
from symdemo.ui.store import OwnModels
from symdemo.ui.teach_receive import Received, add_row
from symdemo.ui.try_handlers import (
    MAX_NEIGHBOURS,
    Answer,
    Asked,
    Correction,
    Problem,
    about,
    answer,
    attempt,
    read,
)
from symdemo.ui.verdict_panel import (
    compared_panel,
    in_words,
    taught_panel,
    verdict_panel,
    words_panel,
)
from symdemo.ui.why_panel import why_panel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from symdemo.cards import ModelCard
    from symdemo.ui.teach_sessions import TeachSessions
    from symdemo.ui.teach_widgets import Visitor
    from symdemo.ui.try_widgets import Widgets

HEAVY: dict[str, Any] = {"concurrency_id": "model", "concurrency_limit": 2}
"""Shared by every event that runs a model: each event would have a limit of its own otherwise."""

NO_ANSWER = "No answer came: the connection is broken, or too many are asking. Press again."
NONE = "–"
"""No second model."""

PURPOSES = {
    "general": "Any sentence",
    "wikidata14": "Only the 14 relations of the paper",
}
"""What the shipped models are for."""


class Shown(NamedTuple):
    """What an answer writes, in the order of `Widgets.shown`."""

    problem: str
    verdict: str
    taught: str
    why: str
    words: Any
    another: Any
    answer: str


def shared_choices(cards: Mapping[str, ModelCard]) -> list[tuple[str, str]]:
    """What to call each shared model, and its name."""
    titles = {name: PURPOSES.get(name) or card.summary for name, card in cards.items()}
    return [(f"{title} ({name})" if title else name, name) for name, title in titles.items()]


def show_answer(found: Answer | Problem, asked: Asked, second: Answer | None) -> Shown:
    """What to write for an answer, or for a problem: then no verdict is left standing."""
    if isinstance(found, Problem):
        return Shown(
            panels.problem_panel(found),
            "",
            "",
            "",
            words_panel(asked.sentence, None) if asked.sentence.strip() else gr.skip(),
            gr.Accordion(open=True) if found.guess else gr.skip(),
            json.dumps(about(found, asked, "")),
        )
    parts = found.parts
    verdict = verdict_panel(found)
    if second:
        verdict += compared_panel([found, second], [found.model.title, second.model.title])
    return Shown(
        "",
        verdict,
        "",
        why_panel(found) if found.in_scope else "",
        words_panel(found.prediction.pair.premise, parts and (parts.subject, parts.object)),
        gr.skip(),
        json.dumps(about(found, asked, in_words(found))),
    )


def respond(
    sessions: TeachSessions, text: Any, model: str | None, other: str, k: int | None, project: Any
) -> Shown:
    """One question of the page, from its JSON to everything that an answer writes."""
    asked = attempt(Asked.from_json, text)
    if isinstance(asked, Problem):
        return show_answer(asked, Asked(0), None)
    store = sessions.models(project)

    def find() -> tuple[Answer, Answer | None]:
        question = read(asked)
        both = bool(other) and other not in (NONE, model)
        return answer(store, question, model, k), answer(store, question, other) if both else None

    found = attempt(find)
    if isinstance(found, Problem):
        return show_answer(found, asked, None)
    shown = attempt(show_answer, found[0], asked, found[1])
    return show_answer(shown, asked, None) if isinstance(shown, Problem) else shown


def draw_pictures(
    sessions: TeachSessions, answered: str, model: str | None, k: int | None, project: Any
) -> list[Any]:
    """The rotation and the map of what was answered last; nothing where nothing was."""

    def draw() -> list[Any]:
        values = json.loads(answered or "{}")
        question = read(Asked(0, values["premise"], values["hypothesis"]))
        found = answer(sessions.models(project), question, model, k)
        rotation = figures.draw_rotation(found)
        return [
            gr.Column(visible=rotation is not None),
            figures.plot_data(rotation) if rotation else None,
            figures.rotation_caption(found) if rotation else "",
            figures.plot_data(figures.draw_map(found)),
            figures.map_caption(found),
        ]

    if "premise" not in (answered or ""):
        return [gr.skip()] * 5
    drawn = attempt(draw)
    return [gr.skip()] * 5 if isinstance(drawn, Problem) else drawn


def connect(widgets: Widgets, visitor: Visitor, demo: gr.Blocks) -> None:
    """Connect every component to its handler."""
    _connect_asking(widgets)
    _connect_answering(widgets, visitor.sessions)
    _connect_teaching(widgets, visitor)
    _connect_pictures(widgets, visitor.sessions)
    _connect_models(widgets, visitor, demo)


def _connect_asking(w: Widgets) -> None:
    """Whatever asks writes the hidden question, in the page itself: no request is sent for it."""
    gr.on(
        [w.check.click, w.sentence.submit],
        None,
        w.sentence,
        js="(sentence) => window.symdemo.ask({sentence})",
        api_visibility="private",
    )
    gr.on(
        [w.check_pair.click, w.hypothesis.submit],
        None,
        [w.sentence, w.hypothesis],
        js="(sentence, hypothesis) => window.symdemo.ask({sentence, hypothesis})",
        api_visibility="private",
    )
    gr.on(
        [w.use_parts.click, *(part.submit for part in w.parts)],
        None,
        list(w.parts),
        js="(...parts) => window.symdemo.ask({parts})",
        api_visibility="private",
    )
    # The same pair again, by another model or with more neighbours.
    gr.on(
        [w.model.input, w.other.input, w.k.release],
        None,
        w.model,
        js="(model) => window.symdemo.again(model)",
        api_visibility="private",
    )


def _connect_answering(w: Widgets, sessions: TeachSessions) -> None:
    def run(question, model, other, k, project):
        return respond(sessions, question, model, other, k, project)

    # One event for all questions, and one at a time: a press while an answer is on its way is
    # answered after it, so the last answer is always the one to the last question.
    answered = w.question.input(
        run,
        w.asked,
        w.shown,
        trigger_mode="always_last",
        api_visibility="private",
        show_progress="hidden",
        **HEAVY,
    )
    # No answer came at all: the connection broke, or too many are asking.
    refused = json.dumps(panels.problem_panel(Problem(NO_ANSWER)))
    for failed in (answered.failure, w.question.clear):
        failed(
            None,
            None,
            [w.problem, w.verdict],
            js=f"() => window.symdemo.failed({refused})",
            api_visibility="private",
        )
    answered.then(
        None,
        [w.answer, *w.boxes],
        w.boxes,
        js="(...values) => window.symdemo.settle(...values)",
        api_visibility="private",
    )


def _connect_teaching(w: Widgets, visitor: Visitor) -> None:
    """“Wrong? Teach it”: one press puts the pair among the visitor's rows, with the right label."""

    def put_row(correction, project, request: gr.Request):
        found = attempt(_add_row, visitor.sessions, correction, project, request.session_hash)
        if isinstance(found, Problem):
            return gr.skip(), gr.skip(), panels.problem_panel(found)
        return found.project, found.stamp, taught_panel(found.said)

    w.correction.input(
        put_row,
        [w.correction, w.project],
        [w.project, visitor.offered, w.taught],
        api_visibility="private",
        show_progress="hidden",
    )


def _add_row(sessions: TeachSessions, text: Any, project: Any, visit: str | None) -> Received:
    row = Correction.from_json(text)
    return add_row(sessions, project, row.premise, row.hypothesis, row.label, visit=visit)


def _connect_pictures(w: Widgets, sessions: TeachSessions) -> None:
    def draw(answered, model, k, project):
        return draw_pictures(sessions, answered, model, k, project)

    seen = [w.answer, w.model, w.k, w.project]
    drawing = {"api_visibility": "private", "trigger_mode": "always_last", **HEAVY}
    gr.on([w.pictures.expand, w.question.select], draw, seen, w.drawn, **drawing)


def _connect_models(w: Widgets, visitor: Visitor, demo: gr.Blocks) -> None:
    sessions = visitor.sessions

    def describe(model, project):
        card = attempt(sessions.models(project).card, model)
        if card is None or isinstance(card, Problem):
            return [gr.skip()] * 3
        return honest_line(card), model_panel(card), min(card.k, MAX_NEIGHBOURS)

    def offer(project):
        """The versions of the visitor's own above the shared models, the one in use chosen."""
        models = sessions.models(project)
        own = models.choices() if isinstance(models, OwnModels) else []
        choices = [*own, *shared_choices(models.cards())]
        second = [("None", NONE), *choices]
        return gr.Dropdown(choices, value=models.default), gr.Dropdown(second)

    def offered(project):
        choices = attempt(offer, project)
        return [gr.skip()] * 2 if isinstance(choices, Problem) else choices

    light = {"queue": False, "api_visibility": "private", "show_progress": "hidden"}
    w.model.change(describe, [w.model, w.project], [w.about_line, w.about, w.k], **light)
    demo.load(
        None,
        [w.sentence],
        [w.sentence],
        js="(sentence) => window.symdemo.start(sentence)",
        api_visibility="private",
    )
    for arrives in (demo.load, visitor.chosen.change):
        arrives(offered, w.project, [w.model, w.other], **light).then(
            None,
            w.model,
            w.model,
            js="(model) => window.symdemo.offered(model)",
            api_visibility="private",
        )
