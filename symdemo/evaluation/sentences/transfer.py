"""Transfer tasks: what a logistic regression learns from embeddings that stay as they are.

As SentEval (Conneau and Kiela 2018) does: MR, CR, SUBJ and MPQA by ten folds, in each of which the
regulariser is chosen on the other nine; TREC and MRPC learnt from the train part, with the
regulariser chosen by ten folds of it; SST2 with the regulariser chosen on the dev part. A pair of
MRPC is |u − v| beside u · v. Embeddings have unit length here and SentEval's usually have not, so
they are multiplied by √d: their coordinates are then of size one. It differs in two points more:
the regression is scikit-learn's, and the choice inside a fold takes three folds in place of ten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from symdemo.encoders import Encoder
from symdemo.evaluation.intervals import wilson
from symdemo.evaluation.sentences.transfer_data import TransferData

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegressionCV

STRENGTHS = (2.0**-10, 2.0**-8, 2.0**-6, 2.0**-4, 2.0**-2)
"""What the regulariser is chosen from: scikit-learn's C, small for a strong one."""

FOLDS, INNER_FOLDS, SEED = 10, 3, 1111
"""SentEval's own, but for the inner ones."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class TransferScore:
    """Accuracy in points, with its 95% interval (Wilson).

    Attributes:
        value: the accuracy.
        low, high: of the interval.
        n: sentences or pairs that were answered.
        f1: of the label 1, in points; of MRPC alone.
        learnt_from: sentences or pairs that a regression learns from, at least.
        note: what is not as SentEval has it.
    """

    value: float
    low: float
    high: float
    n: int
    f1: float | None
    learnt_from: int
    note: str


def transfer(
    encoder: Encoder, data: TransferData, progress: Progress | None = None
) -> TransferScore:
    """The accuracy of a logistic regression on an encoder's embeddings."""
    embeddings = encoder.encode([*data.first, *data.second], progress=progress)
    return score_features(features(embeddings, bool(data.second)), data)


def features(embeddings: np.ndarray, pairs: bool) -> np.ndarray:
    """What is learnt from: embeddings (n, d) times √d, or of n / 2 pairs |u − v| beside u · v."""
    scaled = embeddings * np.sqrt(embeddings.shape[1], dtype=embeddings.dtype)
    if not pairs:
        return scaled
    first, second = np.split(scaled, 2)
    return np.hstack([np.abs(first - second), first * second])


def bag_of_words(data: TransferData) -> TransferScore:
    """The same of counts of words, as a baseline; of a pair, of the shared and the other words."""
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer: Any = CountVectorizer(token_pattern=r"(?u)\b\w+\b", min_df=2, binary=True)
    if not data.second:
        return score_features(vectorizer.fit_transform(data.first).astype(np.float64), data)
    from scipy.sparse import hstack

    vectorizer.fit([*data.first, *data.second])
    first, second = (vectorizer.transform(side) for side in (data.first, data.second))
    both = first.multiply(second)
    return score_features(hstack([first + second - 2 * both, both]).tocsr().astype(float), data)


def majority(data: TransferData) -> TransferScore:
    """Always answering the label that is most frequent in what is learnt from, as a baseline."""
    learn, test = _learnt_and_tested(data)
    usual = np.bincount(data.labels[learn]).argmax()
    return _score(data, test, np.full(len(test), usual), len(learn))


def score_features(rows: Any, data: TransferData) -> TransferScore:
    """Learn from rows of features (n, any), dense or sparse, and answer as the task says."""
    from sklearn.model_selection import StratifiedKFold

    if not data.parts:
        answers = np.empty_like(data.labels)
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
        fewest = len(data.labels)
        for learn, test in folds.split(np.zeros(len(data.labels)), data.labels):
            model = _regression(_folds(INNER_FOLDS), rows[learn], data.labels[learn])
            answers[test] = model.predict(rows[test])
            fewest = min(fewest, len(learn))
        return _score(data, np.arange(len(answers)), answers, fewest)
    learn, test = _learnt_and_tested(data)
    if "train" in data.parts and "dev" in data.parts:
        model = _chosen_on_dev(rows, data)
    else:
        model = _regression(_folds(FOLDS), rows[learn], data.labels[learn])
    return _score(data, test, model.predict(rows[test]), len(learn))


def _learnt_and_tested(data: TransferData) -> tuple[np.ndarray, np.ndarray]:
    if not data.parts:
        everything = np.arange(len(data.labels))
        return everything, everything
    learnt = "train" if "train" in data.parts else "dev"
    return data.rows(learnt), data.rows("test")


def _folds(number: int) -> Any:
    from sklearn.model_selection import StratifiedKFold

    return StratifiedKFold(number, shuffle=True, random_state=SEED)


def _regression(folds: Any, rows: Any, labels: np.ndarray) -> LogisticRegressionCV:
    """A regression with the strength that is most often right over the folds."""
    from scipy.sparse import issparse
    from sklearn.linear_model import LogisticRegressionCV

    # liblinear takes a fifth of the time for counts of words, but knows two labels alone
    solver = "liblinear" if issparse(rows) and len(np.unique(labels)) == 2 else "lbfgs"

    model: Any = LogisticRegressionCV(
        Cs=list(STRENGTHS), cv=folds, scoring="accuracy", l1_ratios=(0.0,), max_iter=300,
        use_legacy_attributes=False, solver=solver, random_state=SEED,
    )  # fmt: skip
    return model.fit(rows, labels)


def _chosen_on_dev(rows: Any, data: TransferData) -> Any:
    """The regression learnt from train that is most often right on dev."""
    from sklearn.linear_model import LogisticRegression

    learn, dev = data.rows("train"), data.rows("dev")
    tried = [
        LogisticRegression(C=strength, max_iter=300).fit(rows[learn], data.labels[learn])
        for strength in STRENGTHS
    ]
    return max(tried, key=lambda model: model.score(rows[dev], data.labels[dev]))


def _score(
    data: TransferData, test: np.ndarray, answers: np.ndarray, learnt_from: int
) -> TransferScore:
    from sklearn.metrics import f1_score

    labels = data.labels[test]
    hits, n = int((answers == labels).sum()), len(labels)
    low, high = wilson(hits, n)
    f1 = 100 * float(f1_score(labels, answers, zero_division=0.0)) if data.second else None
    return TransferScore(100 * hits / n, 100 * low, 100 * high, n, f1, learnt_from, data.note)
