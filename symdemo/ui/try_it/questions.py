"""A question or correction as the page's script sends it, and what the script is told back."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from symdemo.classifier import asking
from symdemo.classifier.asking import Question, find_swap
from symdemo.errors import InputError
from symdemo.pairs import check_sentence
from symdemo.ui.shared.answers import Answer
from symdemo.ui.shared.events import Problem, attempt

Span = tuple[int, int]
"""Words of a sentence, as a half-open range of their numbers."""

MAX_QUESTION = 20_000
"""Characters of a question's JSON; the longest sentence is a tenth of that."""
_MALFORMED = (ValueError, TypeError, LookupError, RecursionError, OverflowError)


def _values(text: Any) -> dict[str, Any]:
    """Parse JSON from the page's script; raise `ValueError` where it cannot come from there."""
    if not isinstance(text, str) or len(text) > MAX_QUESTION:
        raise ValueError
    values = json.loads(text)
    if not isinstance(values, dict):
        raise ValueError
    return values


@dataclass(frozen=True)
class PageQuestion:
    """A question as the page sends it.

    Attributes:
        number: counts the questions of one page, so that the page knows the latest answer.
        sentence: as typed.
        hypothesis: the swapped sentence, where the visitor wrote or chose it.
        places: the words tapped for each argument; None for an argument without any.
        parts: subject, relation and object, where they were typed apart.
        fill: put the sentence into its box afterwards.
        first: the page asks by itself, as it opens.
    """

    number: int
    sentence: str = ""
    hypothesis: str = ""
    places: tuple[Span | None, Span | None] | None = None
    parts: tuple[str, str, str] | None = None
    fill: bool = False
    first: bool = False

    @classmethod
    def from_json(cls, text: Any) -> PageQuestion:
        """Parse what the page sent.

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
        except _MALFORMED as error:
            raise InputError("The question could not be read; reload the page.") from error


def correction_from_json(text: Any) -> tuple[str, str, str]:
    """Return premise, hypothesis and the label that a visitor says they have.

    Raises:
        InputError: it is not what the page sends.
    """
    try:
        values = _values(text)
        premise, hypothesis, label = (values[n] for n in ("premise", "hypothesis", "label"))
    except _MALFORMED as error:
        raise InputError("The pair could not be read; reload the page.") from error
    return str(premise), str(hypothesis), str(label)


def read(asked: PageQuestion) -> Question:
    """Return the pair that a question is about, swapped here with the same check as elsewhere.

    Raises:
        InputError: a sentence that cannot be read, or without subject and object.
    """
    if asked.parts:
        return _from_parts(*asked.parts)
    if asked.places:
        if None in asked.places:
            raise InputError("Tap the words of the subject first, then the words of the object.")
        from symdemo.swapping import swap_at

        sentence = check_sentence(asked.sentence)
        return asking.of_swap(sentence, swap_at(sentence, *asked.places))
    return asking.read(asked.sentence, asked.hypothesis)


def _from_parts(subject: str, relation: str, object: str) -> Question:
    """Build both sentences from three boxes.

    The parser's swap is used only where it exchanges the very parts that were given: it adapts
    grammar that plain joining does not ("My parents are …" to "Ann is …").
    """
    from symdemo.swapping import Swap, join

    sentence = check_sentence(join(subject, relation, object))
    swapped = attempt(find_swap, sentence)
    given = [" ".join(part.split()) for part in (subject, object)]
    if isinstance(swapped, Problem) or given != [swapped.subject, swapped.object]:
        template = relation if "[X]" in relation else f"[X] {relation} [Y]"
        swapped = Swap(sentence, join(object, relation, subject), *given, template)
    return asking.of_swap(sentence, swapped)


def about(found: Answer | Problem, asked: PageQuestion, message: str) -> dict[str, Any]:
    """Return what the page's script needs to know of an answer, as JSON values."""
    values: dict[str, Any] = {"number": asked.number, "said": message, "first": asked.first}
    if isinstance(found, Problem):
        sentence = " ".join(asked.sentence.split())
        guess = list(found.guess) if found.guess else None
        return values | {"error": True, "sentence": sentence, "guess": guess}
    swap, parts = found.question.swap, ["", "", ""]
    if swap is not None and swap.subject:
        plain = re.fullmatch(r"\[X\] (.+) \[Y\][.!]?", swap.relation)
        parts = [swap.subject, plain[1] if plain else swap.relation, swap.object]
    return values | {
        "sentence": found.question.sentence,
        "premise": found.prediction.pair.premise,
        "hypothesis": found.prediction.pair.hypothesis,
        "own": bool(asked.hypothesis or asked.places or asked.parts),
        "fill": asked.fill or bool(asked.parts),
        "label": found.prediction.label,
        "share": round(found.share, 4),
        "sure": found.sure,
        "in_scope": found.in_scope,
        "guess": parts,
        "model": found.model.name,
        "title": found.model.title,
    }
