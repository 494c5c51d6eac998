"""What the tab “Try it” does, without Gradio: a question in, frozen dataclasses out."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from symdemo import asking
from symdemo.asking import Question, find_swap
from symdemo.errors import InputError, SymdemoError
from symdemo.pairs import check_sentence
from symdemo.ui.store import LoadedModel, ModelStore

if TYPE_CHECKING:
    from symdemo.prediction import Prediction
    from symdemo.swapping import Swap

logger = logging.getLogger(__name__)
Result = TypeVar("Result")
Span = tuple[int, int]
"""Words of a sentence, as a half-open range of their numbers."""

UNEXPECTED = "Something went wrong on our side, and it has been written down. Please try again."
MAX_NEIGHBOURS = 15
MAX_QUESTION = 20_000
"""Characters of a question as it comes from the page; the longest sentence is a tenth of that."""


@dataclass(frozen=True)
class Problem:
    """Why nothing was done, in one sentence for the person who asked.

    `guess` is the best guess for the three boxes where no two parties were found.
    """

    message: str
    guess: tuple[str, str, str] | None = None


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


@dataclass(frozen=True)
class Answer(asking.Answer):
    """A verdict, and the model that gave it."""

    model: LoadedModel

    @property
    def parts(self) -> Swap | None:
        """What changed places, if that is known."""
        return self.question.swap


def attempt(function: Callable[..., Result], *args: Any) -> Result | Problem:
    """What `function` gives, or the Problem to show instead: no traceback reaches a visitor."""
    try:
        return function(*args)
    except SymdemoError as error:
        return Problem(str(error), getattr(error, "guess", None))
    except Exception:
        logger.exception("Unexpected error in %s", function)
        return Problem(UNEXPECTED)


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


def answer(
    store: ModelStore, question: Question, model: str | None = None, k: int | None = None
) -> Answer:
    """The verdict on a question.

    Raises:
        InputError: the model cannot read a sentence, or k is out of range.
        ModelError: no such model, or it was taught nothing.
    """
    if k is not None and not 1 <= k <= MAX_NEIGHBOURS:
        raise InputError(f"{k} neighbours were asked for; between 1 and {MAX_NEIGHBOURS} work.")
    loaded = store.get(model)
    found = asking.ask(loaded.classifier, [question], k)[0]
    return Answer(found.question, found.prediction, loaded)


def check(
    store: ModelStore,
    sentence: str,
    hypothesis: str | None = None,
    model: str | None = None,
    k: int | None = None,
) -> Answer:
    """Read, swap and judge one sentence.

    Raises:
        InputError: a sentence that cannot be read, or in which no two parties were found.
        ModelError: no such model, or it was taught nothing.
    """
    return answer(store, asking.read(sentence, hypothesis), model, k)


def about(found: Answer | Problem, asked: Asked, said: str) -> Mapping[str, Any]:
    """What the page's script has to know of an answer: JSON values."""
    values: dict[str, Any] = {"number": asked.number, "said": said, "first": asked.first}
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


def warm_up(store: ModelStore, sentence: str) -> None:
    """Load the first model and the parser, so that the first visitor need not wait for them."""
    from symdemo.ui.try_events import show_answer

    found = attempt(check, store, sentence)
    attempt(show_answer, found, Asked(0, sentence), None)
