"""A model's verdicts on pairs, as if it had been taught nothing of the same two entities.

That is what makes figures honest without training again: a pair that a person taught must not be
its own neighbour, nor its reverse, nor the same two entities in another relation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symdemo.classifier import Prediction, SymmetryClassifier
from symdemo.classifier.answering import Silent
from symdemo.classifier.index import LabelIndex
from symdemo.pairs import Pair


@dataclass(frozen=True, slots=True)
class Verdict:
    """A label with its grounds, as plain values.

    Attributes:
        label: the verdict.
        probabilities: label → share; they sum to 1.
        neighbours: the nearest taught pairs, nearest first: `premise`, `hypothesis`, `label`,
            `relation`, `distance`.
    """

    label: str
    probabilities: dict[str, float]
    neighbours: tuple[dict, ...]

    @classmethod
    def of(cls, prediction: Prediction) -> Verdict:
        """What a prediction says, without its vectors."""
        near = tuple(neighbour.to_json() for neighbour in prediction.neighbours)
        return cls(prediction.label, prediction.probabilities, near)


def judge(
    model: SymmetryClassifier, pairs: Sequence[Pair], embeddings: np.ndarray | None = None
) -> list[Verdict | None]:
    """Verdicts on pairs, by neighbours of other entities only; None where there are none.

    Args:
        model: an answering model; one that was taught nothing gives None throughout.
        pairs: what to judge; labels they carry are not looked at.
        embeddings: their label embeddings (n, d) by this model, where these are there already.
    """
    if not pairs or not len(model.index):
        return [None] * len(pairs)
    embeddings = model.embed(pairs) if embeddings is None else embeddings
    found = model.predict_embedded(pairs, embeddings, silent=_same_entities(model.index, pairs))
    return [
        Verdict.of(found[number]) if label >= 0 else None
        for number, label in enumerate(found.verdicts)
    ]


def _same_entities(index: LabelIndex, pairs: Sequence[Pair]) -> Silent:
    """Which taught pairs are about the same two entities as those of some rows of `pairs`."""
    names: dict[tuple[str, str], int] = {}
    taught = np.array([names.setdefault(p.entity_pair, len(names)) for p in index.pairs])
    asked = np.array([names.setdefault(pair.entity_pair, len(names)) for pair in pairs])
    return lambda rows: asked[rows, None] == taught[None, :]


def nearest_distances(
    index: LabelIndex, pairs: Sequence[Pair], embeddings: np.ndarray
) -> np.ndarray:
    """How far the nearest taught pair of other entities is, of the pairs that have one."""
    silent = _same_entities(index, pairs)(slice(None))
    _, distances = index.search_rows(embeddings, 1, silent)
    return distances[np.isfinite(distances)].astype(np.float64)


def accuracy_of(pairs: Sequence[Pair], verdicts: Sequence[Verdict | None]) -> float | None:
    """Accuracy in [0, 1]; None where there are no pairs, or no verdicts at all."""
    if not any(verdicts):
        return None
    right = [
        verdict is not None and verdict.label == pair.label
        for pair, verdict in zip(pairs, verdicts, strict=True)
    ]
    return sum(right) / len(right)
