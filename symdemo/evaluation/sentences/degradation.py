"""Layers taken away, from the last to the first: BeLLM, section 3.1 and Figure 4."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symdemo.encoders import Encoder
from symdemo.encoders.states import layer_embeddings
from symdemo.evaluation.intervals import rank_correlation
from symdemo.evaluation.sentences.sts import SimilarityData


@dataclass(frozen=True, slots=True)
class Degradation:
    """Spearman's correlation times 100 with the first n layers.

    Attributes:
        layers: each n, ascending from 1; the last is the whole encoder.
        spearman: the score of each.
        turning_point: see `turning_point`.
    """

    layers: tuple[int, ...]
    spearman: tuple[float, ...]
    turning_point: int


def degradation(
    encoder: Encoder,
    data: SimilarityData,
    progress: Callable[[int, int], None] | None = None,
) -> Degradation:
    """The scores of the first n layers, for each n, from one pass over the distinct sentences."""
    sentences = data.sentences
    place = {text: number for number, text in enumerate(sentences)}
    first = [place[text] for text in data.first]
    second = [place[text] for text in data.second]
    scores = tuple(
        100 * rank_correlation((own[first] * own[second]).sum(-1), data.scores)
        for own in layer_embeddings(encoder, sentences, progress=progress)
    )
    layers = tuple(range(1, len(scores) + 1))
    return Degradation(layers, scores, turning_point(layers, scores))


def turning_point(layers: Sequence[int], scores: Sequence[float]) -> int:
    """The number of layers past which the score is lower throughout.

    Of the numbers with the best score it is the largest. So every further layer leaves the score
    below it, as the paper has it: a “consistent performance drop” once layers exceed that point.
    It is the number of all layers where the last one still helps: then there is no such drop.
    """
    best = max(scores)
    return max(number for number, score in zip(layers, scores, strict=True) if score == best)
