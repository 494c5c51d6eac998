"""Accuracy of a classifier by label and by relation, beside baselines."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import pandas as pd

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.prediction import NOT_JUDGED, Predictions
from symdemo.pairs import NOT_ENTAILMENT, Pair, is_right


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Figures over n labelled pairs; shares are in [0, 1].

    Attributes:
        n: number of pairs.
        accuracy: share of pairs whose verdict equals their label.
        not_judged: share of pairs that the model does not judge; they count as wrong.
        by_label: accuracy for each label.
        by_relation: accuracy and number of pairs for each relation.
        confusion: label → verdict → number of pairs.
        lookup_baseline: accuracy of answering by the relation's name alone; at 1.0 the data cannot
            tell understanding a sentence from recognising a relation. None if a pair has no name.
        majority_baseline: accuracy of always answering the most frequent label.
        seconds: for all pairs.
        unfamiliar: share that the model calls unlike anything it was taught; None if it cannot
            tell.
    """

    n: int
    accuracy: float
    not_judged: float
    by_label: dict[str, float]
    by_relation: dict[str, tuple[float, int]]
    confusion: dict[str, dict[str, int]]
    lookup_baseline: float | None
    majority_baseline: float
    seconds: float
    unfamiliar: float | None = None

    def to_json(self) -> dict:
        """Return the figures as JSON values."""
        return asdict(self)


def evaluate(classifier: SymmetryClassifier, pairs: Sequence[Pair]) -> Evaluation:
    """Compare a classifier's verdicts with the labels of pairs."""
    began = time.perf_counter()
    predictions = classifier.predict_checked(pairs)
    return score_predictions(pairs, predictions, time.perf_counter() - began)


def score_predictions(
    pairs: Sequence[Pair], predictions: Predictions, seconds: float = 0.0
) -> Evaluation:
    """Score a model's predictions on labelled pairs, with the share it calls unfamiliar."""
    result = score(pairs, predictions.verdict_labels, seconds)
    if predictions.familiar is None:
        return result
    return replace(result, unfamiliar=1 - float(predictions.familiar.mean()))


def score(
    pairs: Sequence[Pair], verdicts: Sequence[str | None], seconds: float = 0.0
) -> Evaluation:
    """Score verdicts (labels, `NOT_JUDGED`, or None for no verdict) on labelled pairs."""
    rows = zip(pairs, verdicts, strict=True)
    counts = Counter((pair.label or "", pair.relation or "", said) for pair, said in rows)
    return score_counts(counts, seconds)


def score_counts(
    counts: Mapping[tuple[str, str, str | None], int], seconds: float = 0.0
) -> Evaluation:
    """Score pairs that were counted: `counts` is (label, relation, verdict) → number of pairs.

    The relation is "" for pairs that name none; the verdict is as in `score`.
    """
    frame = pd.DataFrame(list(counts), columns=["label", "relation", "verdict"])
    frame["n"] = list(counts.values())
    right = pd.Series(map(is_right, frame.label, frame.verdict), frame.index, dtype=bool)
    frame["right"] = frame.n.where(right, 0)
    frame.loc[right & (frame.label == NOT_ENTAILMENT), "verdict"] = NOT_ENTAILMENT
    n, by_label, by_relation = frame.n.sum(), frame.groupby("label"), frame.groupby("relation")
    of_relation = frame.groupby(["relation", "label"]).n.sum().groupby("relation").max()
    shares = (by_relation.right.sum() / by_relation.n.sum()).items()
    confusion: dict[str, Counter[str]] = {str(label): Counter() for label, _ in by_label}
    for label, verdict, m in zip(frame.label, frame.verdict, frame.n.tolist(), strict=True):
        if isinstance(verdict, str):
            confusion[label][verdict] += m
    return Evaluation(
        n=int(n),
        accuracy=float(frame.right.sum() / n),
        not_judged=float(frame.n[frame.verdict == NOT_JUDGED].sum() / n),
        by_label={str(label): float(own.right.sum() / own.n.sum()) for label, own in by_label},
        by_relation={
            str(name): (float(share), int(of))
            for (name, share), of in zip(shares, by_relation.n.sum(), strict=True)
        },
        confusion={label: dict(own.most_common()) for label, own in confusion.items()},
        lookup_baseline=float(of_relation.sum() / n) if frame.relation.all() else None,
        majority_baseline=float(by_label.n.sum().max() / n),
        seconds=seconds,
    )
