"""Explanations of a verdict: how the vote grew, what its rotation resembles, and both in words.

They are computed from the numbers that led to the verdict.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch

from symdemo.classifier.index import unit_rows
from symdemo.classifier.prediction import Prediction
from symdemo.classifier.symmetry import SymmetryClassifier
from symdemo.data.bank import BankRelation, load_kinds, shipped_bank
from symdemo.data.bank_phrasings import fill, finish
from symdemo.data.relations import RELATION_BY_ID, load_facts
from symdemo.geometry import to_complex
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair
from symdemo.training.methods import find_method

STEPS = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)

IN_WORDS = {
    ENTAILMENT: "true both ways",
    CONTRADICTION: "false when swapped",
    NEUTRAL: "the swap may or may not be true",
}
FREELY = {
    ENTAILMENT: "it follows",
    CONTRADICTION: "it is ruled out",
    NEUTRAL: "it may or may not be true",
}
"""Labels in words: of a swap, and of any other second sentence. Other labels are quoted instead."""


@dataclass(frozen=True)
class VotePull:
    """Cumulative vote share per label over the nearest taught pairs."""

    labels: tuple[str, ...]  # the L columns of `shares`
    counts: np.ndarray  # numbers of nearest pairs that have voted, ascending up to all, (m,)
    shares: np.ndarray  # the labels' shares of the total weight, (m, L); the last row is the vote
    distances: np.ndarray  # cosine distance of the farthest pair that has voted, (m,)
    decided: int  # number of nearest pairs from which on the winner leads


def vote_pull(classifier: SymmetryClassifier, prediction: Prediction) -> VotePull | None:
    """Return the cumulative vote of the 1, 3, 10, … nearest and of all taught pairs.

    None unless all taught pairs vote in this model.
    """
    if classifier.card.temperature is None or classifier.readout:
        return None
    index, query = classifier.index, prediction.label_embedding[None]
    weights = index.vote_weights(query, classifier.card.temperature)[0].astype(np.float64)
    distances = index.distances(query)[0]
    order = np.argsort(distances, kind="stable")
    grown = np.cumsum(weights[order, None] * index.membership[order], axis=0)
    counts = sorted({step for step in STEPS if step < len(index)} | {len(index)})
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
    """Return a sentence if the neighbours shown favour another label than the vote; else ""."""
    shown = prediction.neighbours
    if pull is None or not shown:
        return ""
    label, votes = Counter(neighbour.label for neighbour in shown).most_common(1)[0]
    if label == prediction.label or 2 * votes <= len(shown) or pull.decided <= len(shown):
        return ""
    after = pull.decided - len(shown)
    closest = f"{votes} of the {len(shown)} closest examples say"
    if votes == len(shown):
        closest = f"The {votes} closest examples say" if votes > 1 else "The closest example says"
    others = f"the next {after:,} outweigh them" if after > 1 else "the next one tips the balance"
    return f"{closest} “{label}”, but {others}."


@dataclass(frozen=True)
class RotationLikeness:
    """Similarity of a pair's rotation to each label's mean rotation."""

    means: dict[str, np.ndarray]  # of a label's taught embeddings, norm 1, complex, (d/2,)
    cosines: dict[str, float]  # of the prediction's label embedding with each mean

    @property
    def closest(self) -> str:
        """The label with the most similar mean."""
        return max(self.cosines, key=self.cosines.__getitem__)


def rotation_likeness(
    classifier: SymmetryClassifier, prediction: Prediction
) -> RotationLikeness | None:
    """Compare a prediction's rotation with each label's mean; None if the model has none."""
    card = classifier.card
    if not find_method(card.method).has_rotation(card.quotient) or not len(classifier.index):
        return None
    means = classifier.index.mean_embeddings
    query = unit_rows(prediction.label_embedding)
    return RotationLikeness(
        {label: to_complex(torch.from_numpy(mean)).numpy() for label, mean in means.items()},
        {label: float(mean @ query) for label, mean in means.items()},
    )


def reason(prediction: Prediction, classifier: SymmetryClassifier) -> str:
    """Return the closest example as a sentence, and why the verdict differs from it, if it does.

    Closest known example: “Kenya borders Tanzania” (borders) – true both ways.
    """
    if not prediction.neighbours:
        return ""
    nearest = prediction.neighbours[0]
    pair, words, sentences = nearest.pair, IN_WORDS, [shown_premise(nearest.pair)]
    if not is_swap(pair):
        words, sentences = FREELY, [pair.premise, pair.hypothesis]
    quoted = " → ".join(f"“{sentence.rstrip('.')}”" for sentence in sentences)
    named = f" ({relation_words(pair)})" if nearest.relation else ""
    taught = words.get(nearest.label, f"“{nearest.label}”")
    text = f"Closest known example: {quoted}{named} – {taught}."
    if nearest.label == prediction.label:
        return text
    if classifier.readout:
        return f"{text} But this model decides by what it learnt of each answer, not by examples."
    if classifier.card.temperature is not None:
        return f"{text} But all other examples together outweigh it."
    votes = sum(neighbour.label == prediction.label for neighbour in prediction.neighbours)
    return f"{text} But {votes} of the {len(prediction.neighbours)} closest say otherwise."


def shown_premise(pair: Pair) -> str:
    """Return the sentence of a taught pair to show: the premise, or the fact that it reverses.

    Facts are taught in both directions. “Kate Hudson is the mother of Goldie Hawn” is a good
    example, but nobody should read it as a fact.
    """
    return pair.hypothesis if is_turned_round(pair) else pair.premise


def is_turned_round(pair: Pair) -> bool:
    """True if the premise is false because it reverses a fact of the 14 relations."""
    fact = (pair.relation, pair.head, pair.tail)
    if pair.label == ENTAILMENT or fact in _facts() or (fact[0], *fact[:0:-1]) not in _facts():
        return False
    return is_swap(pair)


def is_swap(pair: Pair) -> bool:
    """True if the two sentences have the same words in another order."""
    one, two = (re.findall(r"\w+", text.casefold()) for text in (pair.premise, pair.hypothesis))
    return one != two and sorted(one) == sorted(two)


@cache
def _facts() -> frozenset[tuple[str, str, str]]:
    return frozenset((f.relation.id, f.head.label, f.tail.label) for f in load_facts())


def relation_words(pair: Pair) -> str:
    """Return the relation of a taught pair as people write it; empty if it has none.

    The 14 relations have names; bank relations have ids made of words ("waved-at").
    """
    name = pair.relation or ""
    if name in RELATION_BY_ID:
        return RELATION_BY_ID[name].name
    return name.replace("-", " ") if is_invented(pair) else name


def is_invented(pair: Pair) -> bool:
    """True if a taught pair is a phrasing of the bank filled with random names.

    “Fiji borders Pakistan.” shows how a sentence is built, and is false. Facts of the 14 relations
    and pairs that a person taught are not of this form.
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
