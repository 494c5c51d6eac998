"""What simple rules answer on the same rows, so that nobody takes them for understanding."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import pandas as pd

from symdemo.pairs import Pair

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

COMMONEST = "commonest_label"
LOOKUP = "relation_lookup"
WORDS = "words"
RULES = (COMMONEST, LOOKUP, WORDS)


def commonest_label(labels: pd.Series) -> list[str]:
    """For each of n rows the most frequent of their labels; of equals the first by name."""
    return [labels.mode().iloc[0]] * len(labels)


def relation_lookup(labels: pd.Series, relations: pd.Series) -> list[str | None]:
    """For each of n rows the most frequent label of its relation; None where none is named.

    It reads no sentence. Where it is always right, the rows cannot tell understanding a sentence
    from recognising its relation.
    """
    of_relation = {name: own.mode().iloc[0] for name, own in labels.groupby(relations, dropna=True)}
    return [of_relation.get(relation) for relation in relations]


def word_answers(taught: Sequence[Pair], premises: Sequence[str]) -> list[str]:
    """Answers of a logistic regression over words, pairs and triples of words of the premise.

    Args:
        taught: what the model was taught, all labelled: the rule learns from the same.
        premises: n sentences.

    Returns:
        n labels; always the same one where only that was taught.
    """
    labels = [pair.label or "" for pair in taught]
    if len(set(labels)) == 1:
        return labels[:1] * len(premises)
    model = _learn(tuple(pair.premise for pair in taught), tuple(labels))
    return [str(label) for label in model.predict(list(premises))]


@lru_cache(maxsize=4)
def _learn(premises: tuple[str, ...], labels: tuple[str, ...]) -> Pipeline:
    """The rule, learnt once for what several runs and models share: it takes seconds."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    words = CountVectorizer(ngram_range=(1, 3), binary=True, token_pattern=r"[^\s.,]+")
    return make_pipeline(words, LogisticRegression(max_iter=1_000)).fit(premises, labels)


def right_by_rule(rows: pd.DataFrame, words: pd.Series | None = None) -> pd.DataFrame:
    """Which of n labelled rows each rule gets right.

    Args:
        rows: with the columns `label` and `relation`.
        words: (n,) answers of the words rule; it is left out if None.

    Returns:
        (n, 3), columns `RULES`, with the index of `rows`: 1.0, 0.0, or NaN where the rule has no
        answer.
    """
    answers: dict[str, Sequence[str | None] | pd.Series] = {
        COMMONEST: commonest_label(rows.label),
        LOOKUP: relation_lookup(rows.label, rows.relation),
        WORDS: [None] * len(rows) if words is None else words,
    }
    return pd.DataFrame(
        {
            name: [
                float("nan") if answer is None else float(answer == label)
                for answer, label in zip(own, rows.label, strict=True)
            ]
            for name, own in answers.items()
        },
        index=rows.index,
    )
