"""Inside an encoder: scores by depth, and how tokens relate to the pivot (BeLLM, arXiv 2311.05296).

Degradation (section 3.1, Figure 4) is the STS score of the first n layers for each n. Dependencies
(sections 2 and 5.5) are, for each sentence, Spearman's correlations over the d coordinates of the
pivot's state with every other token's state, averaged. The pivot of a decoder is the last token,
the only one that sees all others; that of BERT is the first. Prompt tokens count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from symdemo.encoders import Encoder
from symdemo.encoders.states import layer_embeddings, reads_forward, token_states
from symdemo.errors import InputError
from symdemo.evaluation.intervals import rank_correlation
from symdemo.evaluation.sentences.sts import SimilarityData

Pivot = Literal["first", "last"]


@dataclass(frozen=True, slots=True)
class Degradation:
    """Spearman's correlation times 100 with the first n layers.

    Attributes:
        layers: each n, from 1 to all.
        spearman: the score of each.
        turning_point: see the function of this name.
    """

    layers: tuple[int, ...]
    spearman: tuple[float, ...]
    turning_point: int


def degradation(encoder: Encoder, data: SimilarityData) -> Degradation:
    """Score the first n layers for every n, in one pass over the distinct sentences."""
    sentences = data.sentences
    place = {text: number for number, text in enumerate(sentences)}
    first, second = ([place[text] for text in side] for side in (data.first, data.second))
    scores = tuple(
        100 * rank_correlation((rows[first] * rows[second]).sum(-1), data.scores)
        for rows in layer_embeddings(encoder, sentences)
    )
    layers = tuple(range(1, len(scores) + 1))
    return Degradation(layers, scores, turning_point(layers, scores))


def turning_point(layers: Sequence[int], scores: Sequence[float]) -> int:
    """Return the largest n with the best score.

    Every further layer scores lower: the paper's "consistent performance drop" past that point. It
    is the number of all layers if the last one still helps.
    """
    best = max(scores)
    return max(number for number, score in zip(layers, scores, strict=True) if score == best)


@dataclass(frozen=True, slots=True)
class Dependencies:
    """A box plot of the sentences' correlations, each in [−1, 1].

    Attributes:
        pivot: which token the others are compared with.
        mean: over all sentences.
        quartiles: the first quartile, the median, the third quartile.
        whiskers: the extremes within 1.5 interquartile ranges of the quartiles (Tukey).
        n: number of sentences.
    """

    pivot: Pivot
    mean: float
    quartiles: tuple[float, float, float]
    whiskers: tuple[float, float]
    n: int


def dependencies(encoder: Encoder, sentences: Sequence[str]) -> Dependencies:
    """Measure an encoder's dependencies over sentences; sentences of one token are skipped.

    Raises:
        InputError: not a sentence-transformers model, or no sentence of two tokens.
    """
    pivot: Pivot = "last" if reads_forward(encoder) else "first"
    values = np.array([
        pivot_correlation(sentence.states, pivot)
        for sentence in token_states(encoder, sorted(sentences, key=len))
        if len(sentence.tokens) > 1
    ])  # fmt: skip
    if not len(values):
        raise InputError("No sentence has two tokens; sentences to compare tokens in are expected.")
    low, middle, high = (float(q) for q in np.quantile(values, (0.25, 0.5, 0.75)))
    reach = 1.5 * (high - low)
    inside = values[(values >= low - reach) & (values <= high + reach)]
    whiskers = float(inside.min()), float(inside.max())
    return Dependencies(pivot, float(values.mean()), (low, middle, high), whiskers, len(values))


def pivot_correlation(states: np.ndarray, pivot: Pivot) -> float:
    """Return the mean Spearman correlation of the pivot's state with the others, states (t, d)."""
    from scipy.stats import rankdata

    ranks = rankdata(states, axis=1)
    ranks -= ranks.mean(1, keepdims=True)
    ranks /= np.linalg.norm(ranks, axis=1, keepdims=True)
    place = 0 if pivot == "first" else len(states) - 1
    return float(np.delete(ranks @ ranks[place], place).mean())


def token_similarities(encoder: Encoder, sentence: str) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the t tokens of a sentence and the cosines of their states, (t, t).

    Raises:
        InputError: not a sentence-transformers model.
    """
    (read,) = token_states(encoder, [sentence])
    unit = read.states / np.linalg.norm(read.states, axis=1, keepdims=True)
    return read.tokens, unit @ unit.T
