"""What the page asks about two sentences, and all that an answer writes, step by step."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import gradio as gr
from markupsafe import Markup

from symdemo.errors import InputError, ModelError
from symdemo.ui.sentences.comparing import compare_all
from symdemo.ui.sentences.panels import answer_panel
from symdemo.ui.sentences.readers import BELLM, BY_NAME, UNTOUCHED, loading_seconds, missing_words
from symdemo.ui.sentences.words import captions, change_panel, draw_words, read_words, titles
from symdemo.ui.shared.encoders import SharedEncoders
from symdemo.ui.shared.events import Problem, attempt, problem_panel
from symdemo.ui.shared.figures import plot_data
from symdemo.ui.shared.html import draw

PARTS = ("first", "second")
_REMEMBERED = 2_000
_END = object()

Values = dict[str, Any]
"""The name of a component → what it is to show."""


@dataclass(frozen=True)
class Question:
    """Two sentences as the page sends them.

    Attributes:
        number: higher than that of the page's questions before.
        shown: which of the two the pictures are of.
        words_only: whether nothing but the pictures is to change.
    """

    number: int
    first: str
    second: str
    shown: str
    words_only: bool

    @classmethod
    def from_json(cls, text: Any) -> Question:
        """What the page's script wrote.

        Raises:
            InputError: it is something else.
        """
        try:
            values = json.loads(text)
            return cls(
                int(values["number"]),
                str(values["first"]),
                str(values["second"]),
                values.get("shown") if values.get("shown") in PARTS else "first",
                bool(values.get("only")),
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise InputError("The question could not be read; open the page again.") from None


class Latest:
    """The newest thing that each page asked, so that an older answer gives way to it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: OrderedDict[str, Any] = OrderedDict()

    def note(self, visit: str | None, asked: Any) -> None:
        """A page asked this now."""
        with self._lock:
            self._newest[visit or ""] = asked
            self._newest.move_to_end(visit or "")
            while len(self._newest) > _REMEMBERED:
                self._newest.popitem(last=False)

    def get(self, visit: str | None) -> Any:
        """What a page asked last; None where that is not known."""
        with self._lock:
            return self._newest.get(visit or "")


def respond(
    encoders: SharedEncoders, latest: Latest, visit: str | None, text: Any
) -> Iterator[Values]:
    """All that is to be written about a question, as it becomes known.

    It ends early once the page has asked something newer. A problem is told in its place, and then
    no answer is left standing.
    """
    question = attempt(Question.from_json, text)
    if isinstance(question, Problem):
        yield {"problem": problem_panel(question)}
        return
    steps = _steps(encoders, question)
    while not _overtaken(latest, visit, question):
        found = attempt(next, steps, _END)
        if found is _END or _overtaken(latest, visit, question):
            return
        if isinstance(found, Problem):
            cleared = {} if question.words_only else {"answer": ""}
            yield {"problem": problem_panel(found), **cleared, **no_words("")}
            return
        yield {"problem": "", **found}


def _overtaken(latest: Latest, visit: str | None, question: Question) -> bool:
    newest = latest.get(visit)
    return newest is not None and newest > question.number


def _steps(encoders: SharedEncoders, question: Question) -> Iterator[Values]:
    if not question.words_only:
        for answers in compare_all(encoders, question.first, question.second):
            yield {"answer": answer_panel(answers, question.first, question.second)}
    sentence = question.first if question.shown == "first" else question.second
    seconds = sum(loading_seconds(BY_NAME[name], encoders) for name in (UNTOUCHED, BELLM))
    if seconds:
        yield {"change": draw("sentences/loading.html", seconds=seconds)}
    try:
        words = read_words(encoders, sentence)
    except ModelError:
        yield no_words(missing_words([BY_NAME[UNTOUCHED]]))
        return
    except InputError as error:
        yield no_words(str(error))
        return
    left, right = (plot_data(draw_words(words, after)) for after in (False, True))
    names = [Markup("<h3>{}</h3>").format(title) for title in titles(words)]
    notes = captions(words)
    yield {
        "change": change_panel(words), "pictures": gr.Row(visible=True),
        "before": left, "before_title": names[0], "before_caption": notes[0],
        "after": right, "after_title": names[1], "after_caption": notes[1],
    }  # fmt: skip


def no_words(why: str) -> Values:
    """No pictures of words, and a sentence that says why."""
    told = Markup('<p class="quiet">{}</p>').format(why) if why else ""
    return {"change": told, "pictures": gr.Row(visible=False)}
