"""Rivals that know no language: the commonest label, and logistic regression over word n-grams.

They read the premise alone: the hypothesis has the same words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symdemo.errors import InputError
from symdemo.evaluation.baselines.leak_check import phrasing_key, refuse_known
from symdemo.evaluation.baselines.skeleton import masked, tokens
from symdemo.pairs import LABELS, Pair, labels_of

STRENGTHS = (0.1, 1.0, 10.0)
"""Of the regularisation, C; chosen by accuracy in cross-validation over the taught groups alone."""

INNER_FOLDS = 3
_NGRAMS = (1, 3)


def words_in(text: str) -> str:
    """All words of a phrasing, with entities masked: their names only hide what is said of them."""
    return " ".join(tokens(text))


def majority_shares(taught: Sequence[Pair], asked: int) -> np.ndarray:
    """Shares (asked, 3): how often each label is taught, whatever is asked."""
    counts = Counter(labels_of(taught))
    return np.tile([counts[label] / len(taught) for label in LABELS], (asked, 1))


@dataclass(frozen=True)
class NgramBaseline:
    """Logistic regression over 1-to-3-grams of what it reads of a premise with its ends masked.

    Attributes:
        read: what it is shown.
        vocabulary: scikit-learn's vectoriser.
        model: scikit-learn's classifier.
        strength: the C that was chosen.
        known: keys of the taught phrasings.
    """

    read: Callable[[str], str]
    vocabulary: Any
    model: Any
    strength: float
    known: frozenset[str]

    def shares(self, pairs: Sequence[Pair]) -> np.ndarray:
        """Shares (n, 3) of pairs whose phrasings were not taught.

        Raises:
            InputError: one was: a measurement would be of memory.
        """
        refuse_known(self.known, pairs)
        return self.shares_of_phrasings([masked(pair) for pair in pairs])

    def shares_of_phrasings(self, phrasings: Sequence[str]) -> np.ndarray:
        """Shares (n, 3) of phrasings with their places, whether they were taught or not."""
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
    """Teach the rival; C is chosen by cross-validation over `groups`, where there is a choice.

    Args:
        taught: labelled pairs that name head and tail.
        groups: what the inner folds keep on one side, for each pair.
        read: what is read of a phrasing with its places: `words_in` or `skeleton`.
        strengths: to choose from.

    Raises:
        InputError: another number of groups than of pairs, too few groups, a pair without label,
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
        ngram_range=_NGRAMS, binary=True, lowercase=False, token_pattern=r"\S+", dtype=np.float32
    )
    rows, labels = vocabulary.fit_transform(read(masked(p)) for p in taught), labels_of(taught)
    model = LogisticRegression(C=strengths[0], max_iter=1_000)
    if len(strengths) > 1:
        folds = StratifiedGroupKFold(INNER_FOLDS)
        search = GridSearchCV(model, {"C": list(strengths)}, scoring="accuracy", cv=folds)
        model = search.fit(rows, labels, groups=groups).best_estimator_
    else:
        model.fit(rows, labels)
    known = frozenset(map(phrasing_key, taught))
    return NgramBaseline(read, vocabulary, model, float(model.C), known)
