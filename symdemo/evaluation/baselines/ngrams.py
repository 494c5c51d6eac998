"""Majority label and logistic regression over word n-grams of the premise.

The premise is enough: the hypothesis has the same words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symdemo.errors import InputError
from symdemo.evaluation.baselines.skeleton import masked, phrasing_key, refuse_leaks, tokens
from symdemo.pairs import LABELS, Pair, labels_of

STRENGTHS = (0.1, 1.0, 10.0)
"""Values of C to choose from, by accuracy in cross-validation over training groups."""

INNER_FOLDS = 3


def words_in(text: str) -> str:
    """Return the words of a phrasing with entities masked, joined by spaces."""
    return " ".join(tokens(text))


def majority_shares(taught: Sequence[Pair], asked: int) -> np.ndarray:
    """Return the label frequencies in training, repeated for each test pair: (asked, 3)."""
    counts = Counter(labels_of(taught))
    return np.tile([counts[label] / len(taught) for label in LABELS], (asked, 1))


@dataclass(frozen=True)
class NgramBaseline:
    """Logistic regression over 1-to-3-grams of a premise with masked entities.

    Attributes:
        read: maps a phrasing to the tokens it is trained on.
        vocabulary, model: scikit-learn's vectorizer and classifier.
        known: `phrasing_key` of the training phrasings.
    """

    read: Callable[[str], str]
    vocabulary: Any
    model: Any
    known: frozenset[str]

    @property
    def strength(self) -> float:
        """The chosen C."""
        return self.model.C

    def shares(self, pairs: Sequence[Pair]) -> np.ndarray:
        """Return probabilities (n, 3) for pairs whose phrasings are not in training.

        Raises:
            InputError: one is.
        """
        refuse_leaks(self.known, pairs)
        return self.shares_of_phrasings([masked(pair) for pair in pairs])

    def shares_of_phrasings(self, phrasings: Sequence[str]) -> np.ndarray:
        """Return probabilities (n, 3) for phrasings with `[X]` and `[Y]`, without a leak check."""
        found = np.zeros((len(phrasings), len(LABELS)))
        places = [LABELS.index(label) for label in self.model.classes_]
        rows = self.vocabulary.transform(map(self.read, phrasings))
        found[:, places] = self.model.predict_proba(rows)
        return found


def fit_ngrams(
    taught: Sequence[Pair],
    groups: Sequence[str],
    read: Callable[[str], str] = words_in,
    strengths: Sequence[float] = STRENGTHS,
) -> NgramBaseline:
    """Train the baseline; C is chosen by cross-validation over `groups`.

    Args:
        taught: labelled pairs that name head and tail.
        groups: the group of each pair; the inner folds do not split groups.
        read: `words_in` or `skeleton`.
        strengths: values of C to choose from.

    Raises:
        InputError: groups and pairs differ in number, too few groups, or a pair without label,
            head or tail.
    """
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold

    if len(taught) != len(groups):
        raise InputError(f"{len(taught)} pairs and {len(groups)} groups were given.")
    if len(set(groups)) < INNER_FOLDS:
        raise InputError(
            f"{len(set(groups))} groups were given; at least {INNER_FOLDS} are needed."
        )
    vocabulary = CountVectorizer(
        ngram_range=(1, 3), binary=True, lowercase=False, token_pattern=r"\S+", dtype=np.float32
    )
    rows, labels = vocabulary.fit_transform(read(masked(p)) for p in taught), labels_of(taught)
    folds = StratifiedGroupKFold(INNER_FOLDS)
    model = LogisticRegression(max_iter=1_000)
    search = GridSearchCV(model, {"C": list(strengths)}, scoring="accuracy", cv=folds)
    model = search.fit(rows, labels, groups=groups).best_estimator_
    return NgramBaseline(read, vocabulary, model, frozenset(map(phrasing_key, taught)))
