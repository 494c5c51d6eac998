"""How often a classifier is right, by label and by relation, beside the baselines that matter."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

from symdemo.classifier import SymmetryClassifier
from symdemo.pairs import Pair


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Figures over n labelled pairs; shares are in [0, 1].

    Attributes:
        n: pairs.
        accuracy: share whose verdict is their label.
        by_label: accuracy over the pairs of each label.
        by_relation: accuracy over the pairs of each relation, and how many they are.
        confusion: label → verdict → pairs.
        lookup_baseline: accuracy of answering by the relation's name alone; at 1.0 the data cannot
            tell understanding a sentence from recognising a relation.
        majority_baseline: accuracy of always answering the most frequent label.
        seconds: for all pairs.
        unfamiliar: share that the model calls unlike anything it was taught; None where it cannot
            tell.
    """

    n: int
    accuracy: float
    by_label: dict[str, float]
    by_relation: dict[str, tuple[float, int]]
    confusion: dict[str, dict[str, int]]
    lookup_baseline: float | None
    majority_baseline: float
    seconds: float
    unfamiliar: float | None = None

    def to_json(self) -> dict:
        """The figures as JSON values."""
        return asdict(self)


def evaluate(
    classifier: SymmetryClassifier,
    pairs: Sequence[Pair],
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Ask a classifier for its verdict on every pair and compare with the pair's label.

    Args:
        classifier: what to measure.
        pairs: labelled pairs, from `load_pairs` or made from facts.
        progress: called with (sentences encoded, sentences in all).
    """
    began = time.perf_counter()
    predictions = classifier.predict_embedded(pairs, classifier.embed(pairs, progress))
    seconds = time.perf_counter() - began
    result = score(pairs, predictions.verdict_labels, seconds)
    if classifier.card.familiar_within is None:
        return result
    return replace(result, unfamiliar=1 - float(predictions.familiar.mean()))


def score(pairs: Sequence[Pair], verdicts: Sequence[str], seconds: float = 0.0) -> Evaluation:
    """Figures from verdicts that are already there."""
    right = [pair.label == verdict for pair, verdict in zip(pairs, verdicts, strict=True)]
    confusion: dict[str, Counter] = defaultdict(Counter)
    by_label, by_relation = defaultdict(list), defaultdict(list)
    for pair, verdict, correct in zip(pairs, verdicts, right, strict=True):
        confusion[pair.label or ""][verdict] += 1
        by_label[pair.label or ""].append(correct)
        by_relation[pair.relation or ""].append(correct)
    named = all(pair.relation for pair in pairs)
    return Evaluation(
        n=len(pairs),
        accuracy=_share(right),
        by_label={label: _share(own) for label, own in sorted(by_label.items())},
        by_relation={
            relation: (_share(own), len(own)) for relation, own in sorted(by_relation.items())
        },
        confusion={label: dict(row) for label, row in sorted(confusion.items())},
        lookup_baseline=relation_lookup(pairs) if named else None,
        majority_baseline=max(map(len, by_label.values())) / len(pairs),
        seconds=seconds,
    )


def relation_lookup(pairs: Sequence[Pair]) -> float:
    """Accuracy of the most frequent label of each relation."""
    labels = defaultdict(Counter)
    for pair in pairs:
        labels[pair.relation][pair.label] += 1
    return sum(max(counts.values()) for counts in labels.values()) / len(pairs)


def _share(values: Sequence[bool]) -> float:
    return sum(values) / len(values)
