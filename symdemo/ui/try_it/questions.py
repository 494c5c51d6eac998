"""What the tab “Try it” does, without Gradio: a question in, frozen dataclasses out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symdemo.classifier import asking
from symdemo.classifier.asking import Question, find_swap
from symdemo.errors import InputError
from symdemo.pairs import check_sentence
from symdemo.ui.shared.answers import Answer
from symdemo.ui.shared.events import Problem, attempt

if TYPE_CHECKING:
    from symdemo.classifier.prediction import Prediction
    from symdemo.swapping import Swap

Span = tuple[int, int]
"""Words of a sentence, as a half-open range of their numbers."""

MAX_QUESTION = 20_000
"""Characters of a question as it comes from the page; the longest sentence is a tenth of that."""


def _values(text: Any) -> dict[str, Any]:
    """What the page's script wrote as JSON; `ValueError` where it cannot be its."""
    if not isinstance(text, str) or len(text) > MAX_QUESTION:
        raise ValueError
    values = json.loads(text)
    if not isinstance(values, dict):
        raise ValueError
    return values


@dataclass(frozen=True)
class Asked:
    """A question as the page sends it.

    Attributes:
        number: counts the questions of one page, so that the page knows which answer is the latest.
        sentence: what was typed.
        hypothesis: the swapped sentence, where the visitor wrote or chose it.
        places: the words that the visitor tapped for each party; None for a party without any.
        parts: subject, relation and object, where they were typed apart.
        fill: whether the sentence is to stand in its box afterwards.
        first: whether the page asks by itself, as it opens.
    """

    number: int
    sentence: str = ""
    hypothesis: str = ""
    places: tuple[Span | None, Span | None] | None = None
    parts: tuple[str, str, str] | None = None
    fill: bool = False
    first: bool = False

    @classmethod
    def from_json(cls, text: Any) -> Asked:
        """Read what the page sent.

        Raises:
            InputError: it is not what the page sends.
        """
        try:
            values = _values(text)
            places = [values.get(side) for side in ("one", "two")] if "one" in values else None
            return cls(
                number=int(values["number"]),
                sentence=str(values.get("sentence") or ""),
                hypothesis=str(values.get("hypothesis") or ""),
                places=places and tuple(span and (int(span[0]), int(span[1])) for span in places),
                parts=tuple(map(str, values["parts"])) if values.get("parts") else None,
                fill=bool(values.get("fill")),
                first=bool(values.get("first")),
            )
        except (ValueError, TypeError, LookupError, RecursionError, OverflowError) as error:
            raise InputError("The question could not be read; open the page again.") from error


@dataclass(frozen=True)
class Correction:
    """A pair with the label that a visitor says it has, as the page sends it."""

    premise: str
    hypothesis: str
    label: str

    @classmethod
    def from_json(cls, text: Any) -> Correction:
        """Read what the page sent.

        Raises:
            InputError: it is not what the page sends.
        """
        try:
            values = _values(text)
            return cls(*(str(values[name]) for name in ("premise", "hypothesis", "label")))
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise InputError("The pair could not be read; open the page again.") from error


def read(asked: Asked) -> Question:
    """The pair that a question is about; the swap is made here, with the check itself.

    Raises:
        InputError: a sentence that cannot be read, or in which no two parties were found.
    """
    if asked.parts:
        return _from_parts(*asked.parts)
    if asked.places:
        if None in asked.places:
            raise InputError("Tap the words of both parties: first those of one, then the other’s.")
        from symdemo.swapping import swap_at

        sentence = check_sentence(asked.sentence)
        return asking.of_swap(sentence, swap_at(sentence, *asked.places))
    return asking.read(asked.sentence, asked.hypothesis)


def _from_parts(subject: str, relation: str, object: str) -> Question:
    """Build both sentences from three boxes.

    The swap that the parser makes is kept only where it moved the very parts that were given: it
    mends grammar that plain joining does not ("My parents are …" to "Ann is …").
    """
    from symdemo import join
    from symdemo.swapping import Swap

    sentence = check_sentence(join(subject, relation, object))
    swapped = attempt(find_swap, sentence)
    given = [" ".join(part.split()) for part in (subject, object)]
    if isinstance(swapped, Problem) or given != [swapped.subject, swapped.object]:
        template = relation if "[X]" in relation else f"[X] {relation} [Y]"
        swapped = Swap(sentence, join(object, relation, subject), *given, template)
    return asking.of_swap(sentence, swapped)


def about(found: Answer | Problem, asked: Asked, message: str) -> Mapping[str, Any]:
    """What the page's script has to know of an answer: JSON values."""
    values: dict[str, Any] = {"number": asked.number, "said": message, "first": asked.first}
    if isinstance(found, Problem):
        guess = list(found.guess) if found.guess else None
        return values | {"error": True, "sentence": _tidy(asked.sentence), "guess": guess}
    prediction: Prediction = found.prediction
    return values | {
        "sentence": found.question.sentence,
        "premise": prediction.pair.premise,
        "hypothesis": prediction.pair.hypothesis,
        "own": bool(asked.hypothesis or asked.places or asked.parts),
        "fill": asked.fill or bool(asked.parts),
        "label": prediction.label,
        "share": round(found.share, 4),
        "sure": found.sure,
        "in_scope": found.in_scope,
        "guess": _parts_of(found.question.swap),
        "model": found.model.name,
        "title": found.model.title,
    }


def _parts_of(swap: Swap | None) -> list[str]:
    """Subject, relation and object as the three boxes hold them and `symdemo.join` reads them."""
    if swap is None or not swap.subject:
        return ["", "", ""]
    plain = re.fullmatch(r"\[X\] (.+) \[Y\][.!]?", swap.relation)
    return [swap.subject, plain[1] if plain else swap.relation, swap.object]


def _tidy(sentence: str) -> str:
    return " ".join(sentence.split())
