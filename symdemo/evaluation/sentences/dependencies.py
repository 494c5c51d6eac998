"""How close the tokens of a sentence are to the one that stands for it: BeLLM, sections 2 and 5.5.

For each sentence, Spearman's correlation over the d coordinates of the pivot's state with the state
of each other token, averaged. The pivot of a decoder is the last token, which alone has seen all;
of BERT and its kin the first one. All tokens that are read count, those of a prompt as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.stats import rankdata

from symdemo.encoders import Encoder
from symdemo.encoders.states import reads_forward, token_states
from symdemo.errors import InputError

Pivot = Literal["first", "last"]


@dataclass(frozen=True, slots=True)
class Dependencies:
    """A box plot of sentences' correlations, which are in [−1, 1].

    Attributes:
        pivot: which token it was.
        mean: of all sentences.
        quartiles: the first, the median, the third.
        whiskers: the least and the most that is within 1.5 times the quartiles' distance of them.
        n: sentences.
    """

    pivot: Pivot
    mean: float
    quartiles: tuple[float, float, float]
    whiskers: tuple[float, float]
    n: int


def dependencies(
    encoder: Encoder,
    sentences: Sequence[str],
    progress: Callable[[int, int], None] | None = None,
) -> Dependencies:
    """The box plot of an encoder over sentences; one of a single token is left out.

    Raises:
        InputError: an encoder that cannot be looked into, or no sentence of two tokens.
    """
    pivot: Pivot = "last" if reads_forward(encoder) else "first"
    found = []
    ordered = sorted(sentences, key=len)
    for done, sentence in enumerate(token_states(encoder, ordered), start=1):
        if len(sentence.tokens) > 1:
            found.append(pivot_correlation(sentence.states, pivot))
        if progress and (done % 64 == 0 or done == len(ordered)):
            progress(done, len(ordered))
    if not found:
        raise InputError("No sentence has two tokens; sentences to compare tokens in are expected.")
    return box(np.array(found), pivot)


def pivot_correlation(states: np.ndarray, pivot: Pivot) -> float:
    """The mean of Spearman's correlations of the pivot's state with each other, from (t, d)."""
    ranks = rankdata(states, axis=1)
    ranks -= ranks.mean(1, keepdims=True)
    ranks /= np.linalg.norm(ranks, axis=1, keepdims=True)
    place = 0 if pivot == "first" else len(states) - 1
    return float(np.delete(ranks @ ranks[place], place).mean())


def box(values: np.ndarray, pivot: Pivot) -> Dependencies:
    """The figures of a box plot, as Tukey draws it."""
    low, middle, high = (float(q) for q in np.quantile(values, (0.25, 0.5, 0.75)))
    reach = 1.5 * (high - low)
    inside = values[(values >= low - reach) & (values <= high + reach)]
    whiskers = float(inside.min()), float(inside.max())
    return Dependencies(pivot, float(values.mean()), (low, middle, high), whiskers, len(values))


def token_similarities(encoder: Encoder, sentence: str) -> tuple[tuple[str, ...], np.ndarray]:
    """The tokens of a sentence, t of them, and the cosine (t, t) of the states of each two.

    Raises:
        InputError: an encoder that cannot be looked into.
    """
    (read,) = token_states(encoder, [sentence])
    unit = read.states / np.linalg.norm(read.states, axis=1, keepdims=True)
    return read.tokens, unit @ unit.T
