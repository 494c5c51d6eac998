"""The tab “Try it”: what answers to which event, and how the result is shown."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

import gradio as gr

from symdemo.classifier import asking
from symdemo.classifier.card import ModelCard
from symdemo.errors import InputError
from symdemo.teaching.instant import teach_project_instantly
from symdemo.teaching.project_files import RowTable
from symdemo.ui.shared import events
from symdemo.ui.shared.about import FIRST_SENTENCE, model_panel
from symdemo.ui.shared.answers import MAX_NEIGHBOURS, LoadedAnswer, answer, check
from symdemo.ui.shared.events import NO_ANSWER, Problem, Updates, attempt, guarded, problem_panel
from symdemo.ui.shared.figures import plot_data
from symdemo.ui.shared.gradio_hooks import fill_page
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.store import Models, VisitorModels
from symdemo.ui.shared.visitor import Visitor, add_row
from symdemo.ui.try_it import figures, verdict
from symdemo.ui.try_it.questions import Correction, PageQuestion, about, from_json, read

NONE = "–"  # no second model
PURPOSES = {
    "general": "Any sentence",
    "pairs": "Any second sentence",
    "wikidata14": "Only the 14 relations of the paper",
}
NO_PICTURE = "There is no verdict to draw."


class Shown(NamedTuple):
    """New values of the components that an answer changes, by name."""

    problem: str = ""
    verdict: str = ""
    taught: Any = ""
    why: str = ""
    words: Any = ""
    answer: str = ""
    about_line: Any = gr.skip()


def shared_choices(cards: Mapping[str, ModelCard]) -> list[tuple[str, str]]:
    """Return title and name of each shared model."""
    titles = {name: PURPOSES.get(name) or card.summary for name, card in cards.items()}
    return [(f"{title} ({name})" if title else name, name) for name, title in titles.items()]


def show_answer(
    found: LoadedAnswer | Problem, asked: PageQuestion, second: LoadedAnswer | None = None
) -> Shown:
    """Render an answer, or a problem; a problem clears the last verdict."""
    if isinstance(found, Problem):
        return Shown(
            problem=problem_panel(found),
            words=verdict.words_panel(asked.sentence, None, True),
            answer=json.dumps(about(found, asked, "")),
            about_line="",  # no model answered
        )
    swap, premise = found.question.swap, found.prediction.pair.premise
    parts = (swap.subject, swap.object) if swap else None
    if swap and not swap.sure:
        title = "Which two change places?" if swap.others else "Is this the swap?"
        return Shown(
            verdict=draw("try_it/which.html", question=found.question, title=title),
            words=verdict.words_panel(premise, parts, True),
            answer=json.dumps(about(found, asked, title)),
            about_line=verdict.honest_line(found.model.classifier.card),
        )
    beside = verdict.compared_panel([found, second]) if second else ""
    return Shown(
        verdict=verdict.verdict_panel(found) + beside,
        taught=gr.skip() if asked.again else "",
        why=verdict.why_panel(found) if found.in_scope and found.prediction.neighbours else "",
        words=verdict.words_panel(premise, parts),
        answer=json.dumps(about(found, asked, verdict.verdict_in_words(found))),
        about_line=verdict.honest_line(found.model.classifier.card, found),
    )


def respond(
    sessions: Sessions, text: Any, model: str | None, other: str, k: int | None, project: Any
) -> Shown:
    """Answer one question of the page, given as JSON."""
    asked = attempt(from_json, PageQuestion, text)
    if isinstance(asked, Problem):
        return show_answer(asked, PageQuestion(number=0))

    def shown() -> Shown:
        store = sessions.models(project)
        store.get(model)  # loads the parser too, before there is something to read
        question = read(asked)
        second = answer(store, question, other) if other not in ("", NONE, model) else None
        return show_answer(answer(store, question, model, k), asked, second)

    found = attempt(shown)
    return show_answer(found, asked) if isinstance(found, Problem) else found


def draw_pictures(
    sessions: Sessions, answered: str, model: str | None, k: int | None, project: Any
) -> dict[str, Any]:
    """Return component name → rotation, map or caption of the last answer; {} if there is none."""
    if "premise" not in (answered or ""):
        return {}
    pair = json.loads(answered)
    question = asking.read(pair["premise"], pair["hypothesis"])
    if not pair.get("in_scope") or question.changes_nothing:
        return {"rotation_box": gr.Column(visible=False), "map": None, "map_caption": NO_PICTURE}
    found = answer(sessions.models(project), question, model, k)
    rotation, caption = figures.draw_rotation(found) or (None, "")
    return {
        "rotation_box": gr.Column(visible=rotation is not None),
        "rotation": plot_data(rotation) if rotation else None,
        "rotation_caption": caption,
        "map": plot_data(figures.draw_map(found)),
        "map_caption": figures.map_caption(found),
    }


def warm_up(models: Models, demo: gr.Blocks) -> None:
    """Load the first model and the parser, and let the page open with the first answer."""
    asked = PageQuestion(number=0, sentence=FIRST_SENTENCE, first=True)
    found = attempt(check, models, FIRST_SENTENCE)
    shown = attempt(show_answer, found, asked)
    if isinstance(found, LoadedAnswer) and isinstance(shown, Shown):
        fill_page(demo, {name.replace("_", "-"): html for name, html in shown._asdict().items()})


def connect(w: SimpleNamespace, visitor: Visitor, demo: gr.Blocks) -> None:
    """Connect every component to its handler."""
    _connect_questions(w, visitor.sessions, demo)
    _connect_correction(w, visitor)
    _connect_models(w, visitor, demo)

    def drawn(_visit, *inputs) -> Updates:
        values = draw_pictures(visitor.sessions, *inputs)
        return {getattr(w, name): value for name, value in values.items()}

    gr.on(
        [w.pictures.expand, w.question.select],
        guarded(None, drawn),
        [w.answer, w.model, w.k, w.project],
        [w.rotation_box, w.rotation, w.rotation_caption, w.map, w.map_caption],
        trigger_mode="always_last",
        **events.MODEL,
    )


def _connect_questions(w: SimpleNamespace, sessions: Sessions, demo: gr.Blocks) -> None:
    """Let the page's script write a hidden question, and answer that."""
    for triggers, inputs, script in (
        ([w.check.click, w.sentence.submit, w.hypothesis.submit], [w.sentence, w.hypothesis],
         "(sentence, hypothesis) => window.symdemo.check(sentence, hypothesis)"),
        ([w.use_parts.click, *(part.submit for part in w.parts)], w.parts,
         "(...parts) => window.symdemo.ask({parts})"),
        # The same pair again, by another model or with more neighbours.
        ([w.model.input, w.other.input, w.k.release], [w.model],
         "(model) => window.symdemo.again(model)"),
    ):  # fmt: skip
        gr.on(triggers, inputs=inputs, js=script, **events.IN_PAGE)

    def answered(_visit, *question) -> Updates:
        values = respond(sessions, *question)._asdict()
        return {getattr(w, name): value for name, value in values.items()}

    # One event for all questions, one at a time: a press while an answer is on its way is answered
    # after it, so the last answer is always the one to the last question.
    answering = w.question.input(
        guarded(None, answered),
        [w.question, w.model, w.other, w.k, w.project],
        [getattr(w, name) for name in Shown._fields],
        trigger_mode="always_last",
        show_progress="hidden",
        **events.MODEL,
    )
    refused = f"() => window.symdemo.failed({json.dumps(problem_panel(Problem(NO_ANSWER)))})"
    for failed in (answering.failure, w.question.clear):  # the connection broke, or no turn came
        shown = [w.problem, w.verdict, w.taught, w.why, w.words, w.about_line]
        failed(outputs=shown, js=refused, **events.IN_PAGE)
    boxes = [w.sentence, w.hypothesis, *w.parts]  # the page's own script fills them in
    for event, name in ((answering.then, "settle"), (demo.load, "start")):
        script = f"(...values) => window.symdemo.{name}(...values)"
        event(inputs=[w.answer, *boxes], outputs=boxes, js=script, **events.IN_PAGE)


def _connect_correction(w: SimpleNamespace, visitor: Visitor) -> None:
    """“Correct it”: save the pair among the visitor's rows and teach it, or undo both."""
    sessions = visitor.sessions

    def changed(message: str, problem: str = "", undo: Any = None) -> Updates:
        """Tell the other tabs; the page asks again, as another model is in use."""
        stamp = secrets.token_urlsafe(6)
        said = draw("try_it/taught.html", message=message, problem=problem, undo=undo)
        return {visitor.offered: stamp, visitor.chosen: stamp, w.taught: said, w.before: undo}

    def corrected(visit, text, key, before) -> Updates:
        asked = from_json(Correction, text)
        if asked.undo:
            return undone(before)
        project = sessions.find_own(key)
        was = (project.table, project.selected) if project else (RowTable(), None)
        sentences = asked.premise, asked.hypothesis
        project, message = add_row(sessions, key, *sentences, asked.label, visit=visit)
        with sessions.teaching(project.id):
            taught = attempt(teach_project_instantly, project)
        problem = taught.message if isinstance(taught, Problem) else ""
        before = (project.id, project.table.revision, *was)
        return {w.project: project.id} | changed(message, problem, before)

    def undone(before) -> Updates:
        if not before:
            return {}
        id, revision, table, selected = before
        project = sessions.require(id)
        if project.table.revision != revision:
            raise InputError("Your rows have changed since. Change this one in “Teach”.")
        project.change_table(lambda _: table)
        project.select(selected)
        return changed("Undone: the row is gone, and the model is the one from before.")

    w.correction.input(
        guarded(w.taught, corrected, long=True),
        [w.correction, w.project, w.before],
        [w.project, visitor.offered, visitor.chosen, w.taught, w.before],
        show_progress="hidden",
        **events.TEACH,
    ).then(
        inputs=w.taught, js="(said) => said.includes('problem') && symdemo.rest()", **events.IN_PAGE
    )


def _connect_models(w: SimpleNamespace, visitor: Visitor, demo: gr.Blocks) -> None:
    sessions = visitor.sessions

    def described(_visit, model, project) -> Updates:
        card = sessions.models(project).card(model)
        if card is None:
            return {}
        line, k = verdict.honest_line(card), min(card.k, MAX_NEIGHBOURS)
        return {w.about_line: line, w.about: model_panel(card), w.k: k, w.linked: ""}

    def offered(_visit, project, wanted) -> Updates:
        """List the visitor's versions above the shared models, and choose one.

        It is the one that the link names, or else the one in use. A link may name a version of
        somebody else, or a deleted one.
        """
        models = sessions.models(project)
        own = models.choices() if isinstance(models, VisitorModels) else []
        choices = [*own, *shared_choices(models.cards())]
        lost = bool(wanted) and wanted not in [name for _, name in choices]
        chosen = sessions.store.default if lost else wanted or models.default
        return described(_visit, chosen, project) | {
            w.model: gr.Dropdown(choices, value=chosen),
            w.other: gr.Dropdown([("None", NONE), *choices]),
            w.linked: draw("try_it/linked.html") if lost else "",
        }

    about = [w.about_line, w.about, w.k, w.linked]
    w.model.input(guarded(None, described), [w.model, w.project], about, **events.QUICK)
    # Only a page with a project, or a link to a model, has something to ask for as it opens.
    needed, stamps = "(project) => window.symdemo.knows(project)", [visitor.chosen, visitor.opened]
    demo.load(inputs=w.project, outputs=stamps, js=needed, **events.IN_PAGE)
    visitor.chosen.change(
        guarded(None, offered),
        [w.project, w.answer],  # the page's script puts the link's model in place of the answer
        [w.model, w.other, *about],
        js="(project) => [project, window.symdemo.wanted()]",
        **events.QUICK,
    ).then(
        inputs=w.model, outputs=w.model, js="(model) => symdemo.offered(model)", **events.IN_PAGE
    )
