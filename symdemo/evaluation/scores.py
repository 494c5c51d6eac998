"""How often a classifier is right, by label and by relation, beside the baselines that matter.

Groups of a pandas frame: scikit-learn has no figures by relation, and its matrices need more words.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import pandas as pd

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.prediction import Predictions
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
    return score_predictions(pairs, predictions, time.perf_counter() - began)


def score_predictions(
    pairs: Sequence[Pair], predictions: Predictions, seconds: float = 0.0
) -> Evaluation:
    """Figures from a model's verdicts on labelled pairs, and how many it calls unfamiliar."""
    result = score(pairs, predictions.verdict_labels, seconds)
    if predictions.familiar is None:
        return result
    return replace(result, unfamiliar=1 - float(predictions.familiar.mean()))


def score(
    pairs: Sequence[Pair], verdicts: Sequence[str | None], seconds: float = 0.0
) -> Evaluation:
    """Figures from verdicts that are already there."""
    frame = pd.DataFrame(
        {
            "label": [pair.label or "" for pair in pairs],
            "relation": [pair.relation or "" for pair in pairs],
            "verdict": list(verdicts),
        }
    )
    right = frame.label == frame.verdict
    of_relation = frame.groupby(["relation", "label"]).size().groupby("relation").max()
    return Evaluation(
        n=len(frame),
        accuracy=float(right.mean()),
        by_label={label: float(own.mean()) for label, own in right.groupby(frame.label)},
        by_relation={
            name: (float(own.mean()), len(own)) for name, own in right.groupby(frame.relation)
        },
        confusion={
            label: {str(verdict): n for verdict, n in own.value_counts().items()}
            for label, own in frame.verdict.groupby(frame.label)
        },
        lookup_baseline=float(of_relation.sum() / len(frame)) if frame.relation.all() else None,
        majority_baseline=float(frame.label.value_counts().max() / len(frame)),
        seconds=seconds,
    )
