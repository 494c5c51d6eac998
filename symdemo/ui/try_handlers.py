"""What the tab “Try it” does, without Gradio: inputs in, frozen dataclasses out."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from symdemo.errors import InputError, SymdemoError
from symdemo.pairs import Pair, check_sentence
from symdemo.ui.store import LoadedModel, ModelStore

if TYPE_CHECKING:
    from symdemo.prediction import Prediction
    from symdemo.swapping import Swap

logger = logging.getLogger(__name__)
Result = TypeVar("Result")

UNEXPECTED = "Something went wrong on our side, and it has been written down. Please try again."
MAX_NEIGHBOURS = 15


@dataclass(frozen=True)
class Problem:
    """Why nothing was done, in one sentence for the person who asked."""

    message: str


@dataclass(frozen=True)
class Draft:
    """The two boxes after the swapped sentence was filled in, or left as it was.

    `swapped_from` is the sentence that filling in was last tried for: while it stays the same, the
    swapped sentence belongs to the person who may have edited it.
    """

    sentence: str
    hypothesis: str
    swapped_from: str
    problem: Problem | None = None


@dataclass(frozen=True)
class Answer:
    """A verdict, and the model that gave it; `parts` says what changed places, if that is known."""

    prediction: Prediction
    model: LoadedModel
    parts: Swap | None = None


@lru_cache(maxsize=512)
def find_swap(sentence: str) -> Swap:
    """`symdemo.swap`, remembered: filling in, marking and answering ask for the same sentence."""
    from symdemo import swap

    return swap(sentence)


def attempt(function: Callable[..., Result], *args: Any) -> Result | Problem:
    """What `function` gives, or the Problem to show instead: no traceback reaches a visitor."""
    try:
        return function(*args)
    except SymdemoError as error:
        return Problem(str(error))
    except Exception:
        logger.exception("Unexpected error in %s", function)
        return Problem(UNEXPECTED)


def fill_in(sentence: Any, hypothesis: Any, swapped_from: str) -> Draft:
    """Fill in the swapped sentence if the sentence is another one than before, or it is empty.

    Where a sentence cannot be swapped, the box is emptied (what stood there belonged to another
    sentence) and whatever is typed into it next is kept.
    """
    hypothesis = hypothesis if isinstance(hypothesis, str) else ""
    tidy = " ".join(sentence.split()) if isinstance(sentence, str) else ""
    if not tidy:
        return Draft("", hypothesis, swapped_from)
    if tidy == swapped_from and hypothesis.strip():
        return Draft(sentence, hypothesis, swapped_from)
    swapped = attempt(lambda: find_swap(check_sentence(sentence)).hypothesis)
    if isinstance(swapped, Problem):
        return Draft(sentence, "", tidy, swapped)
    return Draft(sentence, swapped, tidy)


def from_parts(subject: str, relation: str, object: str) -> Draft:
    """Build both sentences from three boxes.

    The sentence that the parser makes is kept only where it moved the very parts that were given:
    it mends grammar that plain joining does not ("My parents are …" to "Ann is …").

    Raises:
        InputError: a box is empty, or the sentence cannot be read.
    """
    from symdemo import join

    sentence = check_sentence(join(subject, relation, object))
    hypothesis = join(object, relation, subject)
    swapped = attempt(find_swap, sentence)
    if not isinstance(swapped, Problem):
        asked = [" ".join(part.split()).casefold() for part in (subject, object)]
        if [swapped.subject.casefold(), swapped.object.casefold()] == asked:
            hypothesis = swapped.hypothesis
    return Draft(sentence, hypothesis, " ".join(sentence.split()))


def answer(
    store: ModelStore, sentence: str, hypothesis: str, model: str | None, k: int | None = None
) -> Answer:
    """The verdict on a pair of sentences.

    Raises:
        InputError: a sentence cannot be read, or k is out of range.
        ModelError: no such model, or it was taught nothing.
    """
    if k is not None and not 1 <= k <= MAX_NEIGHBOURS:
        raise InputError(f"{k} neighbours were asked for; between 1 and {MAX_NEIGHBOURS} work.")
    pair = Pair(
        check_sentence(sentence, "sentence"), check_sentence(hypothesis, "swapped sentence")
    )
    loaded = store.get(model)
    prediction = loaded.classifier.predict([pair], k=k)[0]
    parts = attempt(find_swap, prediction.pair.premise)
    return Answer(prediction, loaded, None if isinstance(parts, Problem) else parts)


def check(
    store: ModelStore,
    sentence: str,
    hypothesis: str,
    swapped_from: str,
    model: str | None,
    k: int | None = None,
) -> tuple[Draft, Answer | Problem]:
    """Fill in what is missing, then answer: what the button does."""
    draft = fill_in(sentence, hypothesis, swapped_from)
    if draft.problem:
        return draft, draft.problem
    return draft, attempt(answer, store, sentence, draft.hypothesis, model, k)


def warm_up(store: ModelStore, sentence: str) -> None:
    """Load the first model and the parser, so that the first visitor need not wait for them."""
    from symdemo.ui.figures import draw_map, draw_rotation

    _, first = check(store, sentence, "", "", None)
    if isinstance(first, Answer):
        draw_rotation(first.prediction)
        draw_map(first)
