"""A verdict on a pair with its grounds, many verdicts as columns, and how they are reached.

A model answers by its readout if it has one, by a vote of all taught pairs if its card has a
temperature, else by a majority of the k nearest. Where a readout answers, pairs taught later vote
beside it, the more the nearer they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from symdemo import geometry
from symdemo.classifier.card import ModelCard
from symdemo.classifier.index import LabelIndex, Neighbour, majority
from symdemo.pairs import ENTAILMENT, NEUTRAL, Pair
from symdemo.swapping.changes import cannot_follow
from symdemo.training.methods import Readout, RolesReadout, find_method

if TYPE_CHECKING:
    import pandas as pd

Silent = Callable[[slice], np.ndarray]
"""Rows of the queried pairs → (rows, taught pairs), True for taught pairs to leave out."""

NOT_JUDGED = "not judged"
"""The label of a pair of a kind that the model was not taught to judge."""

MARGIN = 0.4
"""The lead of the first label over the second below which a backend's verdict is asked again.

Measured with `general` on 20,000 swaps that were never taught: phrasings of the bank, half with
other entities of the bank, half with names from Wikidata. In 8-bit integers 0.39% of the verdicts
differ from torch's, the surest of them with a lead of 0.407. At 0.4 one does and 3.8% are asked
again, at 0.3 three and 2.8%, at 0.5 none and 5.0%. With `pairs` on 3,000 of them 0.8% differ, with
a lead of at most 0.34; at 0.4 none does and 6.9% are asked again.
"""

SLACK = 0.02
"""The same for the distance of the nearest taught pair from the card's `familiar_within`: of those
20,000 pairs 19,998 are called familiar, or not, as by torch; in 8-bit integers alone 19,954.
"""

SAY = 0.01
"""The same for the vote share of later pairs, which jumps from 0 to 1 within a short distance."""

_DISTANCES = 2**24  # distances in memory at the same time: 64 MiB


@dataclass(frozen=True, repr=False)
class Prediction:
    """A verdict with its grounds.

    Attributes:
        pair: the queried pair.
        label: the verdict, or `NOT_JUDGED`.
        probabilities: label → share; they sum to 1, and the verdict's is the largest. They mean
            nothing for a pair that is not judged.
        neighbours: the nearest taught pairs, nearest first.
        label_embedding: l = h ⊘ p, (d,).
        familiar: True if a taught pair is near; None if the model cannot tell.
        rotation: True if the label embedding is a rotation (Eq. 6). It is not if premise and
            hypothesis are read together; its phases then mean nothing.
        judged: False if the two sentences are not of a kind that the model judges, such as two that
            are not about the same two things; there is no verdict then.
    """

    pair: Pair
    label: str
    probabilities: dict[str, float]
    neighbours: tuple[Neighbour, ...]
    label_embedding: np.ndarray = field(compare=False)
    familiar: bool | None = None
    rotation: bool = True
    judged: bool = True

    def __repr__(self) -> str:
        share = f" {self.probabilities[self.label]:.1%}" if self.judged else ""
        texts = f"{self.pair.premise!r}, {self.pair.hypothesis!r}"
        return f"Prediction({self.label}{share}: {texts})"

    def to_json(self) -> dict:
        """Return the verdict and its grounds as JSON values, without the label embedding."""
        return {
            "premise": self.pair.premise,
            "hypothesis": self.pair.hypothesis,
            "label": self.label,
            "probabilities": self.probabilities,
            "judged": self.judged,
            "familiar": self.familiar,
            "symmetry": self.symmetry if self.rotation else None,
            "neighbours": [neighbour.to_json() for neighbour in self.neighbours],
        }

    @cached_property
    def symmetry(self) -> float:
        """Closeness of the label embedding to its own conjugate, in [0, 1].

        It says whether the encoder answers alike in both directions, and nothing about the verdict:
        training shows pairs of every label in both directions, so that the label embeddings of all
        labels become real and differ in their amplitudes.
        """
        return float(geometry.symmetry_score(torch.from_numpy(self.label_embedding)))

    @cached_property
    def phases(self) -> np.ndarray:
        """The angle of each complex coordinate, (d/2,), in (−π, π]."""
        return geometry.to_complex(torch.from_numpy(self.label_embedding)).angle().numpy()

    @cached_property
    def amplitudes(self) -> np.ndarray:
        """The modulus of each complex coordinate, (d/2,)."""
        return geometry.to_complex(torch.from_numpy(self.label_embedding)).abs().numpy()


@dataclass(frozen=True, eq=False, repr=False)
class Predictions(Sequence[Prediction]):
    """The verdicts on n pairs as columns; indexing makes a `Prediction`.

    As a numpy array, which is what scikit-learn reads, it is the n labels.

    Attributes:
        pairs: the queried pairs, in order.
        labels: the model's L labels.
        probabilities: (n, L) float64, rows summing to 1; all 0 without a verdict, which happens
            only if all neighbours were left out.
        verdicts: (n,) numbers of the labels with the largest share; −1 without a verdict.
        rows: (n, k) rows of the nearest pairs in `taught`, nearest first; −1 for none.
        distances: (n, k) float32, their cosine distances, in [0, 2].
        label_embeddings: (n, d) float32.
        taught: the index of taught pairs.
        familiar_within: the card's; None if the model cannot tell.
        rotation: as in `Prediction`.
        judged: (n,) bool, as in `Prediction`.
    """

    pairs: Sequence[Pair]
    labels: tuple[str, ...]
    probabilities: np.ndarray
    verdicts: np.ndarray
    rows: np.ndarray
    distances: np.ndarray
    label_embeddings: np.ndarray
    taught: LabelIndex
    familiar_within: float | None
    rotation: bool
    judged: np.ndarray

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        counts = Counter(self.verdict_labels).most_common()
        return f"Predictions({len(self)} pairs: {', '.join(f'{n} {label}' for label, n in counts)})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.verdict_labels, dtype)

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each pair: sentences, label, and the probability of each label."""
        import pandas as pd

        columns = {
            "premise": [pair.premise for pair in self.pairs],
            "hypothesis": [pair.hypothesis for pair in self.pairs],
            "label": self.verdict_labels,
        }
        shares = {f"p({label})": self.probabilities[:, n] for n, label in enumerate(self.labels)}
        return pd.DataFrame(columns | shares | {"judged": self.judged, "familiar": self.familiar})

    def __getitem__(self, number):
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        label, judged = self.verdicts[number], bool(self.judged[number])
        if label < 0 and judged:
            raise LookupError(f"Pair {number} has no verdict: no neighbour remained.")
        shares = map(float, self.probabilities[number])
        return Prediction(
            self.pairs[number],
            self.labels[label] if judged else NOT_JUDGED,
            dict(zip(self.labels, shares, strict=True)),
            self.neighbours(number),
            self.label_embeddings[number],
            None if self.familiar is None else bool(self.familiar[number]),
            self.rotation,
            judged,
        )

    def __iter__(self) -> Iterator[Prediction]:
        return (self[number] for number in range(len(self)))

    def neighbours(self, number: int) -> tuple[Neighbour, ...]:
        """Return the nearest taught pairs of one pair, nearest first."""
        return self.taught.neighbours(self.rows[number], self.distances[number])

    @cached_property
    def familiar(self) -> np.ndarray | None:
        """(n,) bool, True if a taught pair is near; None if the model cannot tell."""
        if self.familiar_within is None:
            return None
        return self.distances[:, 0].astype(np.float64) <= self.familiar_within

    def replace(self, rows: np.ndarray, others: Predictions) -> None:
        """Overwrite the verdicts in some rows with others on the same pairs."""
        for name in ("probabilities", "verdicts", "rows", "distances", "judged"):
            getattr(self, name)[rows] = getattr(others, name)
        self.label_embeddings[rows] = others.label_embeddings

    @property
    def verdict_labels(self) -> list[str | None]:
        """The label of each verdict; `NOT_JUDGED`, or None if no neighbour remained."""
        return [
            self.labels[number] if number >= 0 else None if judged else NOT_JUDGED
            for number, judged in zip(self.verdicts, self.judged, strict=True)
        ]


def answer(
    index: LabelIndex,
    card: ModelCard,
    readout: Readout | None,
    pairs: Sequence[Pair],
    label_embeddings: np.ndarray,
    k: int | None = None,
    silent: Silent | None = None,
) -> Predictions:
    """Predict pairs from their label embeddings (n, d), a bounded number of distances at a time.

    Args:
        index: what was taught.
        card: says how taught pairs vote: all of them by `temperature`, else the nearest `k`.
        readout: answers instead of neighbours, which are then only listed.
        pairs, label_embeddings: the queried pairs.
        k: number of neighbours; the card's if None.
        silent: taught pairs to leave out.

    Raises:
        InputError: k is not an integer of at least 1.
        ModelError: nothing was taught.
    """
    k = card.k if k is None else k
    index.check_query(k)
    labels = index.labels
    if readout:
        labels = tuple(dict.fromkeys((*readout.labels, *index.later_labels)))
    shares = np.zeros((len(pairs), len(labels)))
    verdicts = np.full(len(pairs), -1)
    rows = np.full((len(pairs), min(k, len(index))), -1)
    distances = np.full(rows.shape, np.inf, np.float32)
    step = max(1, _DISTANCES // max(len(index), 1))
    for start in range(0, len(pairs), step):
        part = slice(start, min(start + step, len(pairs)))
        vectors = label_embeddings[part]
        mask = silent(part) if silent else None
        rows[part], distances[part] = index.search_rows(vectors, k, mask)
        if readout:
            said = readout.probabilities(vectors)
            if isinstance(readout, RolesReadout):
                _rule_out(said, readout.labels, pairs[part], vectors)
            shares[part] = _mix(said, index, card, vectors, labels, mask)
        elif card.temperature is None:
            shares[part], verdicts[part] = _majorities(index, rows[part], distances[part])
            continue
        else:
            shares[part] = index.kernel_vote(vectors, card.temperature, mask)
        verdicts[part] = shares[part].argmax(axis=1)
    if not readout:
        alone = (rows < 0).all(axis=1)
        shares[alone], verdicts[alone] = 0, -1
    judged: np.ndarray = np.ones(len(pairs), bool)
    if isinstance(readout, RolesReadout):
        judged = (label_embeddings != 0).any(axis=1)
        verdicts[~judged] = -1
    rotation = find_method(card.method).has_rotation(card.quotient)
    return Predictions(
        pairs, labels, shares, verdicts, rows, distances, label_embeddings, index,
        card.familiar_within, rotation, judged,
    )  # fmt: skip


def close_calls(found: Predictions, card: ModelCard, readout: Readout | None) -> np.ndarray:
    """Return the rows of answers that the rounding of a backend could change.

    A majority of k neighbours is safe if 3k agree. Pairs taught later gain or lose the vote within
    a short distance, so any answer that they share with the others counts as close.
    """
    index, few = found.taught, readout is None and card.temperature is None
    if few:
        found = answer(index, card, None, found.pairs, found.label_embeddings, 3 * card.k)
    ordered = np.sort(found.probabilities, axis=1)
    lead = ordered[:, -1] - ordered[:, :-1].max(axis=1, initial=0)
    close = lead < (1 if few else MARGIN)
    if card.familiar_within is not None:
        close |= np.abs(found.distances[:, 0] - card.familiar_within) < SLACK
    if index.later and card.temperature is not None:
        weights = index.vote_weights(found.label_embeddings, card.temperature)
        say = weights[:, -index.later :].sum(axis=1)
        close |= (say > SAY) & (say < 1 - SAY)
    return np.flatnonzero(close & found.judged)


def _rule_out(
    shares: np.ndarray, labels: Sequence[str], pairs: Sequence[Pair], vectors: np.ndarray
) -> None:
    """Move the share of entailment to neutral where a pair's words rule out that verdict, in place.

    `shares` is (n, L), `vectors` (n, d); pairs with a zero vector are not judged and stay.
    """
    if not {ENTAILMENT, NEUTRAL} <= {*labels}:
        return
    column, open_ = labels.index(ENTAILMENT), labels.index(NEUTRAL)
    entailed = np.flatnonzero((shares.argmax(axis=1) == column) & (vectors != 0).any(axis=1))
    rows = entailed[cannot_follow([pairs[int(row)] for row in entailed])]
    shares[rows, open_] += shares[rows, column]
    shares[rows, column] = 0


def _mix(
    said: np.ndarray,
    index: LabelIndex,
    card: ModelCard,
    vectors: np.ndarray,
    labels: Sequence[str],
    silent: np.ndarray | None,
) -> np.ndarray:
    """Return (n, L): a readout's probabilities `said`, mixed with the votes of pairs taught later.

    The readout knows only the first of the L labels. `silent` (n, m) marks pairs without a vote.
    """
    shares = np.zeros((len(vectors), len(labels)))
    shares[:, : said.shape[1]] = said
    if not index.later or card.temperature is None:
        return shares
    weights = index.vote_weights(vectors, card.temperature, silent)[:, -index.later :]
    columns = [list(labels).index(str(pair.label)) for pair in index.pairs[-index.later :]]
    votes = np.zeros_like(shares)
    np.add.at(votes.T, columns, weights.T)
    return (1 - weights.sum(axis=1, keepdims=True)) * shares + votes


def _majorities(
    index: LabelIndex, rows: np.ndarray, distances: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return each label's share of the neighbours' votes (n, L), and the winners (n,) or −1."""
    column = {label: number for number, label in enumerate(index.labels)}
    shares, winners = np.zeros((len(rows), len(column))), np.full(len(rows), -1)
    for number, near in enumerate(map(index.neighbours, rows, distances)):
        if near:
            winner, votes = majority(near)
            winners[number] = column[winner]
            for label, share in votes.items():
                shares[number, column[label]] = share
    return shares, winners
