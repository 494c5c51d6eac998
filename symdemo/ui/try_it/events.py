"""The tab “Try it”: which handler answers to what, and how its result is shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import gradio as gr

from symdemo.ui.shared.about import honest_line, model_panel
from symdemo.ui.shared.answers import MAX_NEIGHBOURS, Answer, answer, check
from symdemo.ui.shared.events import (
    MODEL_EVENT,
    QUICK_EVENT,
    Problem,
    Updates,
    attempt,
    by_component,
    guarded,
    problem_panel,
)
from symdemo.ui.shared.figures import plot_data
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.store import Models, VisitorModels
from symdemo.ui.shared.visitor import AddRow, Visitor
from symdemo.ui.try_it.figures import draw_map, draw_rotation, map_caption, rotation_caption
from symdemo.ui.try_it.questions import Asked, Correction, about, read
from symdemo.ui.try_it.verdict import (
    compared_panel,
    taught_panel,
    verdict_in_words,
    verdict_panel,
    words_panel,
)
from symdemo.ui.try_it.why import why_panel
from symdemo.ui.try_it.widgets import Widgets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from symdemo.classifier.card import ModelCard

NO_ANSWER = "No answer came: the connection is broken, or too many are asking. Press again."
NONE = "–"
"""No second model."""

PURPOSES = {
    "general": "Any sentence",
    "wikidata14": "Only the 14 relations of the paper",
}
"""What the shipped models are for."""


class Shown(NamedTuple):
    """What an answer writes, by the names of the components in `Widgets`."""

    problem: str = ""
    verdict: str = ""
    taught: str = ""
    why: str = ""
    words: Any = gr.skip()
    another: Any = gr.skip()
    answer: str = ""


def shared_choices(cards: Mapping[str, ModelCard]) -> list[tuple[str, str]]:
    """What to call each shared model, and its name."""
    titles = {name: PURPOSES.get(name) or card.summary for name, card in cards.items()}
    return [(f"{title} ({name})" if title else name, name) for name, title in titles.items()]


def show_answer(found: Answer | Problem, asked: Asked, second: Answer | None) -> Shown:
    """What to write for an answer, or for a problem: then no verdict is left standing."""
    if isinstance(found, Problem):
        return Shown(
            problem=problem_panel(found),
            words=words_panel(asked.sentence, None) if asked.sentence.strip() else gr.skip(),
            another=gr.Accordion(open=True) if found.guess else gr.skip(),
            answer=json.dumps(about(found, asked, "")),
        )
    parts = found.question.swap
    verdict = verdict_panel(found)
    if second:
        verdict += compared_panel([found, second], [found.model.title, second.model.title])
    return Shown(
        verdict=verdict,
        why=why_panel(found) if found.in_scope else "",
        words=words_panel(found.prediction.pair.premise, parts and (parts.subject, parts.object)),
        answer=json.dumps(about(found, asked, verdict_in_words(found))),
    )


def respond(
    sessions: Sessions, text: Any, model: str | None, other: str, k: int | None, project: Any
) -> Shown:
    """One question of the page, from its JSON to everything that an answer writes."""
    asked = attempt(Asked.from_json, text)
    if isinstance(asked, Problem):
        return show_answer(asked, Asked(0), None)
    store = sessions.models(project)

    def find() -> tuple[Answer, Answer | None]:
        store.get(model)  # and the parser, before there is something to read
        question = read(asked)
        both = bool(other) and other not in (NONE, model)
        return answer(store, question, model, k), answer(store, question, other) if both else None

    found = attempt(find)
    if isinstance(found, Problem):
        return show_answer(found, asked, None)
    shown = attempt(show_answer, found[0], asked, found[1])
    return show_answer(shown, asked, None) if isinstance(shown, Problem) else shown


def draw_pictures(
    sessions: Sessions, answered: str, model: str | None, k: int | None, project: Any
) -> dict[str, Any]:
    """The rotation and the map of what was answered last, by the names of their components.

    Nothing where nothing was answered.

    Raises:
        InputError: the answer cannot be had again.
    """
    if "premise" not in (answered or ""):
        return {}
    values = json.loads(answered)
    question = read(Asked(0, values["premise"], values["hypothesis"]))
    found = answer(sessions.models(project), question, model, k)
    rotation = draw_rotation(found)
    return {
        "rotation_box": gr.Column(visible=rotation is not None),
        "rotation": plot_data(rotation) if rotation else None,
        "rotation_caption": rotation_caption(found) if rotation else "",
        "map": plot_data(draw_map(found)),
        "map_caption": map_caption(found),
    }


def warm_up(models: Models, sentence: str) -> None:
    """Load the first model and the parser, so that the first visitor need not wait for them."""
    attempt(show_answer, attempt(check, models, sentence), Asked(0, sentence), None)


def connect(widgets: Widgets, visitor: Visitor, demo: gr.Blocks, add_row: AddRow) -> None:
    """Connect every component to its handler."""
    _connect_asking(widgets)
    _connect_answering(widgets, visitor.sessions)
    _connect_correction(widgets, visitor, add_row)
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


def _connect_answering(w: Widgets, sessions: Sessions) -> None:
    def answered(_visit, *question) -> Updates:
        return by_component(w, respond(sessions, *question)._asdict())

    # One event for all questions, and one at a time: a press while an answer is on its way is
    # answered after it, so the last answer is always the one to the last question.
    answering = w.question.input(
        guarded(None, answered),
        [w.question, w.model, w.other, w.k, w.project],
        [getattr(w, name) for name in Shown._fields],
        trigger_mode="always_last",
        show_progress="hidden",
        **MODEL_EVENT,
    )
    # No answer came at all: the connection broke, or too many are asking.
    refused = json.dumps(problem_panel(Problem(NO_ANSWER)))
    for failed in (answering.failure, w.question.clear):
        failed(
            None,
            None,
            [w.problem, w.verdict],
            js=f"() => window.symdemo.failed({refused})",
            api_visibility="private",
        )
    boxes = [w.sentence, w.hypothesis, *w.parts]  # the page's own script fills them in
    answering.then(
        None,
        [w.answer, *boxes],
        boxes,
        js="(...values) => window.symdemo.settle(...values)",
        api_visibility="private",
    )


def _connect_correction(w: Widgets, visitor: Visitor, add_row: AddRow) -> None:
    """“Wrong? Teach it”: one press puts the pair among the visitor's rows, with the right label."""

    def corrected(visit, text, project) -> Updates:
        pair = Correction.from_json(text)
        added = add_row(
            visitor.sessions, project, pair.premise, pair.hypothesis, pair.label, visit=visit
        )
        return {
            w.project: added.project,
            visitor.offered: added.stamp,
            w.taught: taught_panel(added.message),
        }

    w.correction.input(
        guarded(w.taught, corrected),
        [w.correction, w.project],
        [w.project, visitor.offered, w.taught],
        api_visibility="private",
        show_progress="hidden",
    )


def _connect_pictures(w: Widgets, sessions: Sessions) -> None:
    def drawn(_visit, *answered) -> Updates:
        return by_component(w, draw_pictures(sessions, *answered))

    gr.on(
        [w.pictures.expand, w.question.select],
        guarded(None, drawn),
        [w.answer, w.model, w.k, w.project],
        [w.rotation_box, w.rotation, w.rotation_caption, w.map, w.map_caption],
        trigger_mode="always_last",
        **MODEL_EVENT,
    )


def _connect_models(w: Widgets, visitor: Visitor, demo: gr.Blocks) -> None:
    sessions = visitor.sessions

    def described(_visit, model, project) -> Updates:
        card = sessions.models(project).card(model)
        if card is None:
            return {}
        return {
            w.about_line: honest_line(card),
            w.about: model_panel(card),
            w.k: min(card.k, MAX_NEIGHBOURS),
        }

    def offered(_visit, project) -> Updates:
        """The visitor's own versions above the shared models, the one in use chosen."""
        models = sessions.models(project)
        own = models.choices() if isinstance(models, VisitorModels) else []
        choices = [*own, *shared_choices(models.cards())]
        return {
            w.model: gr.Dropdown(choices, value=models.default),
            w.other: gr.Dropdown([("None", NONE), *choices]),
        }

    w.model.change(
        guarded(None, described), [w.model, w.project], [w.about_line, w.about, w.k], **QUICK_EVENT
    )
    demo.load(
        None,
        [w.sentence],
        [w.sentence],
        js="(sentence) => window.symdemo.start(sentence)",
        api_visibility="private",
    )
    for arrives in (demo.load, visitor.chosen.change):
        arrives(guarded(None, offered), w.project, [w.model, w.other], **QUICK_EVENT).then(
            None,
            w.model,
            w.model,
            js="(model) => window.symdemo.offered(model)",
            api_visibility="private",
        )
