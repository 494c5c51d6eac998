"""Questions and corrections as the page's script sends them, and what it receives."""

from __future__ import annotations

import re
from typing import Any, TypeVar

from pydantic import BaseModel, field_validator

from symdemo.classifier import asking
from symdemo.classifier.asking import Question, find_swap
from symdemo.errors import InputError
from symdemo.pairs import check_sentence
from symdemo.ui.shared.answers import LoadedAnswer
from symdemo.ui.shared.events import Problem, attempt
from symdemo.ui.shared.html import wording

MAX_SENT = 20_000  # characters of a question's JSON; the longest sentence is a tenth of that

Sent = TypeVar("Sent", bound=BaseModel)
Span = tuple[int, int]  # words of a sentence, as a half-open range of their numbers


class PageQuestion(BaseModel):
    """A question as the page sends it."""

    number: int  # counts the questions of one page, so that the page knows the latest answer
    sentence: str = ""
    hypothesis: str = ""  # the second sentence, if the visitor wrote or chose it
    one: Span | None = None  # the words tapped for each argument
    two: Span | None = None
    parts: tuple[str, str, str] | None = None  # subject, relation and object, if typed apart
    fill: bool = False  # put the sentence into its box, and a second one that is no swap
    first: bool = False  # the page asks by itself, as it opens
    again: bool = False  # the last question again, by another model

    @field_validator("sentence", "hypothesis", mode="before")
    @classmethod
    def _no_null(cls, value: Any) -> Any:
        return value or ""

    @property
    def tapped(self) -> bool:
        """True if words were tapped, for one argument at least."""
        return "one" in self.model_fields_set


class Correction(BaseModel):
    """A pair with the label that a visitor says it has, or the wish to undo the last one."""

    premise: str
    hypothesis: str
    label: str
    undo: bool = False


def from_json(kind: type[Sent], text: Any) -> Sent:
    """Parse what a page's script sent; `InputError` for what it cannot have sent."""
    try:
        if not isinstance(text, str) or len(text) > MAX_SENT:
            raise ValueError
        return kind.model_validate_json(text)
    except ValueError as error:
        raise InputError("The question could not be read; reload the page.") from error


def read(asked: PageQuestion) -> Question:
    """Return the pair that a question is about, swapped if need be; errors as in `asking.read`."""
    if asked.parts:
        return _from_parts(*asked.parts)
    if asked.tapped:
        if asked.one is None or asked.two is None:
            raise InputError("Tap the words of the subject first, then the words of the object.")
        from symdemo.swapping import swap_at

        sentence = check_sentence(asked.sentence)
        return asking.of_swap(sentence, swap_at(sentence, asked.one, asked.two))
    return asking.read(asked.sentence, asked.hypothesis)


def _from_parts(subject: str, relation: str, object: str) -> Question:
    """Build both sentences from three boxes.

    The parser's swap is used only where it exchanges the very parts that were given: it adapts
    grammar that plain joining does not ("My parents are …" to "Ann is …").
    """
    from symdemo.swapping import Swap, join

    sentence = check_sentence(join(subject, relation, object))
    swapped = attempt(find_swap, sentence)
    one, two = (" ".join(part.split()) for part in (subject, object))
    if isinstance(swapped, Problem) or (one, two) != (swapped.subject, swapped.object):
        template = relation if "[X]" in relation else f"[X] {relation} [Y]"
        swapped = Swap(sentence, join(object, relation, subject), one, two, template)
    return asking.of_swap(sentence, swapped)


def about(found: LoadedAnswer | Problem, asked: PageQuestion, message: str) -> dict[str, Any]:
    """Return what the page's script needs to know of an answer, as JSON values."""
    values: dict[str, Any] = {"number": asked.number, "said": message, "first": asked.first}
    if isinstance(found, Problem):
        sentence = " ".join(asked.sentence.split())
        return values | {"error": True, "sentence": sentence, "guess": found.guess}
    swap, pair, label = found.question.swap, found.prediction.pair, found.prediction.label
    parts = ["", "", ""]
    if swap is not None and swap.subject:
        plain = re.fullmatch(r"\[X\] (.+) \[Y\][.!]?", swap.relation)
        parts = [swap.subject, plain[1] if plain else swap.relation, swap.object]
    return values | {
        "sentence": found.question.sentence,
        "premise": pair.premise,
        "hypothesis": pair.hypothesis,
        "second": "" if found.question.is_swap else pair.hypothesis,
        "own": bool(asked.hypothesis or asked.tapped or asked.parts),
        "fill": asked.fill or asked.tapped or bool(asked.parts),
        "label": label,
        "style": wording(label).style if found.in_scope else "none",
        "sign": wording(label).sign if found.in_scope else "≠",
        "share": round(found.share, 4),
        "sure": found.sure,
        "in_scope": found.in_scope,
        "which": swap is not None and not swap.sure,
        "guess": parts,
        "model": found.chosen.name,
        "title": found.model.title,
    }
