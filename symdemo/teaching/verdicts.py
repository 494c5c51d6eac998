"""A model's verdicts on pairs, as if it had been taught nothing of the same two entities.

That is what makes figures honest without training again: a pair that a person taught must not be
its own neighbour, nor its reverse, nor the same two entities in another relation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from symdemo.classifier import SymmetryClassifier
from symdemo.index import LabelIndex, Neighbour, unit_rows, vote
from symdemo.pairs import Pair

_ROWS = 256  # queries at a time: the similarities of so many are in memory at once


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

    def to_json(self) -> dict:
        """The verdict as JSON values."""
        return asdict(self) | {"neighbours": list(self.neighbours)}


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
    near = others_nearest(model.index, pairs, embeddings, model.card.k)
    if model.readout is None and model.card.temperature is None:
        answers = [vote(own) if own else None for own in near]
    else:
        labels, shares = _shares(model, pairs, embeddings)
        answers = [
            (labels[int(row.argmax())], dict(zip(labels, map(float, row), strict=True)))
            if own or model.readout
            else None
            for row, own in zip(shares, near, strict=True)
        ]
    return [
        Verdict(answer[0], answer[1], tuple(one.to_json() for one in own)) if answer else None
        for answer, own in zip(answers, near, strict=True)
    ]


def _shares(
    model: SymmetryClassifier, pairs: Sequence[Pair], embeddings: np.ndarray
) -> tuple[Sequence[str], np.ndarray]:
    """Labels and their shares (n, labels), of a readout or of all taught pairs of other entities.

    Where a pair has no such neighbour its row says nothing; the caller knows which they are.
    """
    if model.readout:
        return model.readout.labels, model.readout.probabilities(embeddings)
    silent = _same_entities(model.index, pairs)
    silent[silent.all(axis=1)] = False
    temperature = model.card.temperature
    return model.index.labels, model.index.kernel_vote(embeddings, temperature, silent)


def _same_entities(index: LabelIndex, pairs: Sequence[Pair]) -> np.ndarray:
    """(n, number of taught pairs): True where both are about the same two entities."""
    names: dict[tuple[str, str], int] = {}
    taught = np.array([names.setdefault(p.entity_pair, len(names)) for p in index.pairs])
    asked = np.array([names.setdefault(pair.entity_pair, len(names)) for pair in pairs])
    return asked[:, None] == taught[None, :]


def others_nearest(
    index: LabelIndex, pairs: Sequence[Pair], embeddings: np.ndarray, k: int
) -> list[list[Neighbour]]:
    """The k nearest taught pairs of other entities for each pair, nearest first."""
    same = _same_entities(index, pairs)
    found = []
    for start in range(0, len(pairs), _ROWS):
        rows = slice(start, start + _ROWS)
        similarity = unit_rows(embeddings[rows]) @ index.embeddings.T
        similarity[same[rows]] = -np.inf
        for own in similarity:
            order = np.argsort(-own, kind="stable")[:k]
            found.append(
                [
                    Neighbour(index.pairs[row], float(np.clip(1 - own[row], 0, 2)), int(row))
                    for row in order
                    if np.isfinite(own[row])
                ]
            )
    return found


def share_right(pairs: Sequence[Pair], verdicts: Sequence[Verdict | None]) -> float | None:
    """Accuracy in [0, 1]; None where there are no pairs, or no verdicts at all."""
    if not any(verdicts):
        return None
    right = [
        verdict is not None and verdict.label == pair.label
        for pair, verdict in zip(pairs, verdicts, strict=True)
    ]
    return sum(right) / len(right)
