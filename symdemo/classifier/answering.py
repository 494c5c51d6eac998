"""The answering rule: who answers, a readout, all that was taught, or the k nearest.

Whatever the number of pairs, only so many rows are worked on at once that the distances to all
taught pairs stay within a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from symdemo.classifier.card import ModelCard
from symdemo.classifier.index import LabelIndex
from symdemo.classifier.prediction import Predictions
from symdemo.classifier.voting import majority
from symdemo.pairs import Pair
from symdemo.training.methods import Readout, find_method

Silent = Callable[[slice], np.ndarray]
"""Rows of the pairs asked → (rows, taught pairs), True where a taught pair is to have no say."""

_DISTANCES = 2**24
"""Distances in memory at once: 64 MiB of them, and a few times that while they are worked on."""


def answer(
    index: LabelIndex,
    card: ModelCard,
    readout: Readout | None,
    pairs: Sequence[Pair],
    label_embeddings: np.ndarray,
    k: int | None = None,
    silent: Silent | None = None,
) -> Predictions:
    """Verdicts on pairs whose label embeddings (n, d) are there already.

    Args:
        index: what was taught.
        card: says how it votes: `temperature` for all that was taught, else the nearest `k`.
        readout: answers instead, where there is one; neighbours are then only listed.
        pairs: what is asked.
        label_embeddings: of these.
        k: how many neighbours; the card's number if None.
        silent: which taught pairs are to have no say; all have if None.

    Raises:
        InputError: k is below 1.
        ModelError: nothing was taught.
    """
    k = card.k if k is None else k
    index.check_model(k)
    labels = readout.labels if readout else index.labels
    shares = np.zeros((len(pairs), len(labels)))
    verdicts = np.full(len(pairs), -1)
    rows = np.full((len(pairs), min(k, len(index))), -1)
    distances = np.full(rows.shape, np.inf, np.float32)
    for part in _parts(len(pairs), len(index)):
        vectors = label_embeddings[part]
        mask = silent(part) if silent else None
        rows[part], distances[part] = index.search_rows(vectors, k, mask)
        if readout:
            shares[part] = readout.probabilities(vectors)
        elif card.temperature is None:
            shares[part], verdicts[part] = _majorities(index, rows[part], distances[part])
            continue
        else:
            shares[part] = index.kernel_vote(vectors, card.temperature, mask)
        verdicts[part] = shares[part].argmax(axis=1)
    if not readout:
        alone = (rows < 0).all(axis=1)
        shares[alone], verdicts[alone] = 0, -1
    return Predictions(
        pairs=pairs,
        labels=labels,
        probabilities=shares,
        verdicts=verdicts,
        rows=rows,
        distances=distances,
        label_embeddings=label_embeddings,
        taught=index,
        familiar_within=card.familiar_within,
        rotation=find_method(card.method).has_rotation(card.quotient),
    )


def _parts(n: int, taught: int) -> Iterator[slice]:
    """Slices of n pairs, each of so many that their distances stay within the bound."""
    step = max(1, _DISTANCES // max(taught, 1))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def _majorities(
    index: LabelIndex, rows: np.ndarray, distances: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Each label's share of the neighbours' votes (n, L), and the winners (n,); −1 for none."""
    column = {label: number for number, label in enumerate(index.labels)}
    shares, winners = np.zeros((len(rows), len(column))), np.full(len(rows), -1)
    for number, near in enumerate(map(index.neighbours, rows, distances)):
        if near:
            winner, votes = majority(near)
            winners[number] = column[winner]
            for label, share in votes.items():
                shares[number, column[label]] = share
    return shares, winners
