"""Why a verdict is what it is: who voted for it, what it resembles, and all that in a sentence.

Everything here is computed from a classifier and one of its predictions, by the numbers that gave
the verdict; nothing is estimated beside them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from weakref import WeakKeyDictionary

import numpy as np

from symdemo.classifier.index import Neighbour, unit_rows
from symdemo.classifier.prediction import Prediction
from symdemo.classifier.symmetry import SymmetryClassifier
from symdemo.data.bank import BankRelation, load_kinds, shipped_bank
from symdemo.data.bank_phrasings import fill, finish
from symdemo.data.relations import RELATION_BY_ID, load_facts
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair
from symdemo.training.methods import find_method

STEPS = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)

IN_WORDS = {
    ENTAILMENT: "as holding both ways",
    CONTRADICTION: "as something that cannot hold both ways",
    NEUTRAL: "as leaving the other way open",
}
"""What a pair “was taught …”; a label of one's own is named instead."""


@dataclass(frozen=True)
class VotePull:
    """How the labels' shares grow as more and more of what was taught has its say.

    Attributes:
        labels: the columns of `shares`.
        counts: how many of the nearest taught pairs have voted, rising, the last one all: (m,).
        shares: the labels' part of the weight of all pairs: (m, labels). The last row is the vote.
        distances: the cosine distance of the farthest that has voted: (m,).
        decided: so many of the nearest it takes until the winner leads and is not overtaken again.
    """

    labels: tuple[str, ...]
    counts: np.ndarray
    shares: np.ndarray
    distances: np.ndarray
    decided: int


def vote_pull(
    classifier: SymmetryClassifier, prediction: Prediction, steps: Sequence[int] = STEPS
) -> VotePull | None:
    """Who pulled a vote of all taught pairs where; None for a model that does not vote so.

    Args:
        classifier: who gave the prediction.
        prediction: with its label embedding.
        steps: numbers of nearest pairs to stop at; all of them come last in any case.
    """
    if classifier.card.temperature is None or classifier.readout:
        return None
    index, query = classifier.index, prediction.label_embedding[None]
    weights = index.vote_weights(query, classifier.card.temperature)[0].astype(np.float64)
    distances = index.distances(query)[0]
    order = np.argsort(distances, kind="stable")
    grown = np.cumsum(weights[order, None] * index.membership[order], axis=0)
    counts = sorted({step for step in steps if 0 < step < len(index)} | {len(index)})
    rows = np.array(counts) - 1
    others_lead = np.flatnonzero(grown.argmax(axis=1) != grown[-1].argmax())
    return VotePull(
        index.labels,
        np.array(counts),
        grown[rows],
        np.clip(distances[order][rows], 0, 2),
        int(others_lead[-1]) + 2 if len(others_lead) else 1,
    )


def outvoted(prediction: Prediction, pull: VotePull | None) -> str:
    """Says so where the nearest pairs that are shown speak for another label than the vote's."""
    shown = prediction.neighbours
    if pull is None or not shown:
        return ""
    label, votes = Counter(neighbour.label for neighbour in shown).most_common(1)[0]
    if label == prediction.label or 2 * votes <= len(shown) or pull.decided <= len(shown):
        return ""
    after = pull.decided - len(shown)
    whom = f"{votes} of the {len(shown)} nearest were" if votes < len(shown) else _nearest(votes)
    others = f"the {after:,} after them, further off but many, outvote them"
    if after == 1:
        others = "the next one tips the balance"
    return f"{whom} taught “{label}”; {others}."


def _nearest(count: int) -> str:
    return f"The {count} nearest were" if count > 1 else "The nearest was"


def has_rotation(classifier: SymmetryClassifier) -> bool:
    """Whether a label embedding of this model is a rotation: the two sentences are read apart."""
    card = classifier.card
    return find_method(card.method).has_rotation(card.quotient)


@dataclass(frozen=True)
class RotationLikeness:
    """How alike the rotation of a pair is to the mean one of each label.

    Attributes:
        means: label → the mean of the taught label embeddings, scaled to norm 1: (d,).
        cosines: label → cosine similarity of the prediction's label embedding to it.
    """

    means: dict[str, np.ndarray]
    cosines: dict[str, float]

    @property
    def closest(self) -> str:
        """The label whose mean is the most alike."""
        return max(self.cosines, key=self.cosines.__getitem__)

    def phases(self, label: str) -> np.ndarray:
        """The angle of each of the d/2 complex coordinates of a label's mean, in (−π, π]."""
        return np.angle(_complex(self.means[label]))

    def amplitudes(self, label: str) -> np.ndarray:
        """The modulus of each of the d/2 complex coordinates of a label's mean."""
        return np.abs(_complex(self.means[label]))


def _complex(row: np.ndarray) -> np.ndarray:
    real, imaginary = np.split(row, 2)  # the layout of symdemo.geometry
    return real + 1j * imaginary


_means: WeakKeyDictionary[SymmetryClassifier, dict[str, np.ndarray]] = WeakKeyDictionary()


def _mean_rotations(classifier: SymmetryClassifier) -> dict[str, np.ndarray]:
    """The mean label embedding of each label, of norm 1; remembered as long as the classifier."""
    if (known := _means.get(classifier)) is None:
        index = classifier.index
        sums = unit_rows(index.membership.T @ index.embeddings)
        known = _means[classifier] = dict(zip(index.labels, sums, strict=True))
    return known


def rotation_likeness(
    classifier: SymmetryClassifier, prediction: Prediction
) -> RotationLikeness | None:
    """What a prediction's rotation is like; None for models without one (`has_rotation`)."""
    if not has_rotation(classifier) or not len(classifier.index):
        return None
    means = _mean_rotations(classifier)
    query = unit_rows(prediction.label_embedding)
    return RotationLikeness(means, {label: float(mean @ query) for label, mean in means.items()})


def reason(prediction: Prediction, classifier: SymmetryClassifier) -> str:
    """Why, in a sentence: the nearest taught pair, and a word where it says something else.

    “Most like “Kenya borders Tanzania” (borders), which was taught as holding both ways.”
    """
    if not prediction.neighbours:
        return ""
    nearest = prediction.neighbours[0]
    sentence = shown_premise(nearest.pair).rstrip(".")
    named = f" ({relation_words(nearest.pair)})" if nearest.relation else ""
    taught = IN_WORDS.get(nearest.label, f"as “{nearest.label}”")
    text = f"Most like “{sentence}”{named}, which was taught {taught}"
    if nearest.label == prediction.label:
        return f"{text}."
    return f"{text}; but {_who_else(prediction.neighbours, prediction.label, classifier)}."


def _who_else(shown: Sequence[Neighbour], label: str, classifier: SymmetryClassifier) -> str:
    """Who is for the verdict where the nearest pair is not."""
    if classifier.readout:
        return "this model judges by what it learnt of each answer, not by single examples"
    if classifier.card.temperature is not None:
        return "all other examples together weigh more, and say otherwise"
    votes = sum(neighbour.label == label for neighbour in shown)
    return f"{votes} of the {len(shown)} nearest say otherwise"


def shown_premise(pair: Pair) -> str:
    """The sentence of a taught pair to show: of a fact that is taught turned round, the true one.

    A fact is taught in both directions, and “Kate Hudson is the mother of Goldie Hawn” is no less
    an example of what cannot hold both ways; but nobody should read it as a fact.
    """
    return pair.hypothesis if is_turned_round(pair) else pair.premise


def is_turned_round(pair: Pair) -> bool:
    """Whether the premise is a fact of the 14 relations with its two ends exchanged, so false."""
    fact = (pair.relation, pair.head, pair.tail)
    return pair.label != ENTAILMENT and fact not in _facts() and (fact[0], *fact[:0:-1]) in _facts()


@cache
def _facts() -> frozenset[tuple[str, str, str]]:
    return frozenset((f.relation.id, f.head.label, f.tail.label) for f in load_facts())


def relation_words(pair: Pair) -> str:
    """The relation of a taught pair as people write it; empty where none was named.

    The 14 relations have names, those of the bank ids of words ("waved-at"); one's own stays as it
    was written.
    """
    name = pair.relation or ""
    if name in RELATION_BY_ID:
        return RELATION_BY_ID[name].name
    return name.replace("-", " ") if is_invented(pair) else name


def is_invented(pair: Pair) -> bool:
    """Whether a taught pair is an example of the bank or its kinds, about names that chance chose.

    “Fiji borders Pakistan.” shows how a sentence is built, and is false. Facts of the 14 relations
    are true, and what a person taught is theirs: neither is a phrasing of the bank, under its id,
    filled with the pair's own entities.
    """
    relation = _bank_relations().get(pair.relation or "")
    if relation is None or not pair.head or not pair.tail:
        return False
    made = (finish(fill(phrasing, pair.head, pair.tail)) for phrasing in relation.phrasings)
    return pair.premise in made


@cache
def _bank_relations() -> dict[str, BankRelation]:
    bank = shipped_bank()
    relations = [*bank.relations, *(r for kind in load_kinds(bank=bank) for r in kind.relations())]
    return {relation.id: relation for relation in relations}
