"""How near an encoder puts two sentences, and where that lies among pairs that never change.

A cosine says little by itself: an untouched language model gives a high one to any two sentences.
So each encoder has a ruler, made of its own cosines of 40 pairs that say the same in other words
and of 100 pairs that have nothing to do with each other, written for this project.
"""

from __future__ import annotations

import csv
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np

from symdemo.encoders.encoder import Encoder
from symdemo.errors import InputError, ModelError
from symdemo.files.paths import ASSETS
from symdemo.text import tidy_text
from symdemo.ui.sentences.readers import READERS, Reader, loading_seconds
from symdemo.ui.shared.encoders import SharedEncoders
from symdemo.ui.shared.events import UNEXPECTED, Problem

logger = logging.getLogger(__name__)

MAX_CHARACTERS = 500
UNRELATED = 100
BATCH = 16
"""Sentences per forward pass: small enough that others have their turn."""

Likeness = Literal["same", "unrelated", "between", "either"]


@dataclass(frozen=True, eq=False)
class Ruler:
    """The cosines that one encoder gives to the fixed pairs, each in ascending order.

    Attributes:
        same: (40,), of pairs that say the same in other words.
        unrelated: (100,), of pairs that have nothing to do with each other.
    """

    same: np.ndarray
    unrelated: np.ndarray

    @property
    def same_range(self) -> tuple[float, float]:
        """Where the middle 80% of the pairs that say the same lie."""
        return _middle(self.same)

    @property
    def unrelated_range(self) -> tuple[float, float]:
        """Where the middle 80% of the unrelated pairs lie."""
        return _middle(self.unrelated)

    def nearer_than(self, cosine: float) -> tuple[int, int]:
        """How many of the unrelated pairs, and of those that say the same, have a lower cosine."""
        unrelated, same = (int(np.searchsorted(a, cosine)) for a in (self.unrelated, self.same))
        return unrelated, same

    def likeness(self, cosine: float) -> Likeness:
        """Which kind of pair a cosine is like: within the range of one kind, of both, of none."""
        as_same = cosine >= self.same_range[0]
        as_unrelated = cosine <= self.unrelated_range[1]
        if as_same:
            return "either" if as_unrelated else "same"
        return "unrelated" if as_unrelated else "between"


@dataclass(frozen=True)
class Compared:
    """What one reader says of two sentences."""

    reader: Reader
    cosine: float
    ruler: Ruler


@dataclass(frozen=True)
class Awaited:
    """A reader that is about to answer; `seconds` is 0 where it need not be loaded first."""

    reader: Reader
    seconds: float


Answers = dict[str, Compared | Awaited | Problem | ModelError]
"""The name of a reader → its answer, that it is awaited, what was wrong, or that it is not here."""

_rulers: WeakKeyDictionary[Encoder, Ruler] = WeakKeyDictionary()
_measuring = threading.Lock()


def tidy_sentence(text: object, name: str) -> str:
    """A sentence, or a few words, with single spaces.

    Raises:
        InputError: not text, without a letter, too long, or with signs that do not show.
    """
    tidy = tidy_text(name, text, MAX_CHARACTERS, "a sentence as text")
    if not any(character.isalpha() for character in tidy):
        seen = f"is “{tidy}”" if tidy else "is empty"
        raise InputError(f"The {name} {seen}; a sentence in English words is expected.")
    return tidy


@cache
def fixed_pairs() -> tuple[tuple[str, str], ...]:
    """The pairs that say the same, as `assets/sentence_pairs.csv` has them."""
    with (ASSETS / "sentence_pairs.csv").open(encoding="utf-8", newline="") as file:
        return tuple((row["sentence"], row["same"]) for row in csv.DictReader(file))


def unrelated_places(n: int, count: int = UNRELATED) -> list[tuple[int, int]]:
    """`count` fixed pairs (i, j) of n, i and j apart: the first sentence of i, the second of j."""
    steps = (7, 13, 17, 23, 29)
    pairs = [(i, (i + step) % n) for step in steps for i in range(n)]
    return [(i, j) for i, j in pairs if i != j][:count]


def measure_ruler(encoder: Encoder) -> Ruler:
    """The ruler of an encoder: 80 sentences are encoded."""
    pairs = fixed_pairs()
    embedded = encoder.encode([text for pair in pairs for text in pair], batch_size=BATCH)
    first, second = embedded[0::2], embedded[1::2]
    i, j = np.array(unrelated_places(len(pairs))).T
    same, unrelated = (first * second).sum(axis=1), (first[i] * second[j]).sum(axis=1)
    return Ruler(np.sort(same), np.sort(unrelated))


def find_ruler(encoder: Encoder) -> Ruler:
    """The ruler of an encoder, measured once for each."""
    with _measuring:
        if encoder not in _rulers:
            _rulers[encoder] = measure_ruler(encoder)
        return _rulers[encoder]


def compare(encoders: SharedEncoders, reader: Reader, first: str, second: str) -> Compared:
    """What one reader says of two tidy sentences.

    Raises:
        InputError: a sentence that it cannot read.
        ModelError: it is not here.
    """
    encoder = encoders.get(reader.name)
    encoder.check(first, "first sentence")
    encoder.check(second, "second sentence")
    one, two = encoder.encode([first, second])
    return Compared(reader, float(one @ two), find_ruler(encoder))


def compare_all(encoders: SharedEncoders, first: object, second: object) -> Iterator[Answers]:
    """What the readers say so far: first that they are awaited, then whenever one has answered.

    Raises:
        InputError: a sentence that cannot be used.
    """
    one, two = tidy_sentence(first, "first sentence"), tidy_sentence(second, "second sentence")
    answers: Answers = {}
    for reader in READERS:
        if encoders.gone(reader.name):
            answers[reader.name] = ModelError(f"{reader.title} was not here when last asked.")
        else:
            answers[reader.name] = Awaited(reader, loading_seconds(reader, encoders))
    yield dict(answers)
    for reader in sorted(READERS, key=lambda reader: reader.seconds):
        answers[reader.name] = answer(encoders, reader, one, two)
        yield dict(answers)


def answer(
    encoders: SharedEncoders, reader: Reader, first: str, second: str
) -> Compared | Problem | ModelError:
    """What one reader says, that it is not here, or that it failed: the others still answer.

    Raises:
        InputError: a sentence that it cannot read.
    """
    try:
        return compare(encoders, reader, first, second)
    except ModelError as error:
        return error
    except InputError:
        raise
    except Exception:
        logger.exception("Unexpected error of %s", reader.name)
        return Problem(UNEXPECTED)


def _middle(values: np.ndarray) -> tuple[float, float]:
    low, high = np.quantile(values, (0.1, 0.9))
    return float(low), float(high)
