"""Scores of one model beside simple baselines, over groups of rows, and of two models compared."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from symdemo.classifier.prediction import NOT_JUDGED
from symdemo.evaluation.intervals import wilson
from symdemo.pairs import LABELS, Pair
from symdemo.swapping.changes import SWAPPED

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

COMMONEST = "commonest_label"
LOOKUP = "relation_lookup"
WORDS = "words"
RULES = {
    COMMONEST: "Always the commonest label",
    LOOKUP: "The relation’s name alone",
    WORDS: "Words without their meaning",
}
"""Baseline → its name for people."""
GROUPS = {
    "by_label": "By true label",
    "by_change": "By what the second sentence changes",
    "by_relation": "By relation, the weakest first",
    "by_construction": "By construction",
    "by_words": "By length of the first sentence, in words",
    "by_distance": "By distance to the nearest example",
    "by_familiar": "By whether the model calls the pair familiar",
}
"""Table of groups in an `Overview` → its title."""
NO_VERDICT = "(no verdict)"
NO_RELATION = "(none named)"
NO_VALUE = "(empty)"
FAMILIAR = {True: "like something taught", False: "unlike anything taught"}
WORD_BANDS = (5, 8, 12, 20)
"""Upper bounds of the bands of premise lengths, in words; the last band is open."""
DISTANCE_BANDS = (0.03, 0.1, 0.2, 0.3)
"""Upper bounds of the bands of cosine distances to the nearest taught pair."""

BINS = 10  # bins of probabilities, of equal width
COSTS = (2, 5, 10, 20, 50)  # costs of trusting a wrong verdict; checking one by hand costs 1


class Share(NamedTuple):
    """`right` of `n` as a fraction, with its 95% Wilson interval, which is [0, 1] for n = 0."""

    right: int
    n: int
    share: float
    low: float
    high: float

    @classmethod
    def of(cls, right: Sequence[bool] | pd.Series) -> Share:
        """Return the share of True; NaN for no values."""
        hits, n = int(sum(right)), len(right)
        return cls(hits, n, hits / n if n else float("nan"), *wilson(hits, n))


@dataclass(frozen=True, eq=False)
class Overview:
    """Scores of one model; all shares are fractions.

    Each table of groups is indexed by group, with the columns n, right, accuracy, low and high (its
    95% interval), and the accuracy of each baseline on the same rows: commonest_label,
    relation_lookup (NaN where a row names no relation) and words (NaN unless asked for). A table is
    empty where the grouping is unknown.

    Attributes:
        model: Name in the analysis.
        n: Number of pairs.
        accuracy: Over the labelled pairs.
        not_judged: Labelled pairs that the model does not judge; they count as wrong.
        rules: Baseline → its share over the labelled pairs, if it answers all of them.
        macro_f1: Mean F1 of the labels that occur as label or verdict; NaN without labelled pairs.
        labels: A row per label: n, said (number of verdicts), precision, recall, f1.
        confusion: Numbers of pairs; rows are true labels, columns are verdicts.
        calibration: Ten bins: low, high (probabilities), n, probability (mean), accuracy; n is 0 in
            all of them if the model gives no probability.
        calibration_error: Σ (n_b / n) · |accuracy_b − probability_b|; NaN without labelled pairs or
            probabilities.
        swaps: True if every pair is known to be a swap.
        same_exchanged: Share of the judged swaps whose verdict stays when premise and hypothesis
            change places; None if those were not predicted, or no pair is known to be a swap.
        by_label, by_construction: Tables of groups.
        by_change: Grouped by what the hypothesis changes; empty if every pair is a swap.
        by_relation: The least accurate first.
        by_words: Grouped by length of the premise.
        by_distance: Grouped by distance to the nearest taught pair.
        by_familiar: Grouped by whether the model calls the pair familiar.
        by_column: “by COLUMN” → table, for each column to group by.
    """

    model: str
    n: int
    accuracy: Share
    not_judged: Share
    rules: dict[str, Share]
    macro_f1: float
    labels: pd.DataFrame
    confusion: pd.DataFrame
    calibration: pd.DataFrame
    calibration_error: float
    swaps: bool
    same_exchanged: Share | None
    by_label: pd.DataFrame
    by_change: pd.DataFrame
    by_relation: pd.DataFrame
    by_construction: pd.DataFrame
    by_words: pd.DataFrame
    by_distance: pd.DataFrame
    by_familiar: pd.DataFrame
    by_column: dict[str, pd.DataFrame]

    @property
    def tables(self) -> dict[str, tuple[str, pd.DataFrame]]:
        """Name → title and table, for the tables of groups that are not empty."""
        found = {name: getattr(self, name) for name in GROUPS} | self.by_column
        titled = {name: (GROUPS.get(name, f"B{name[1:]}"), table) for name, table in found.items()}
        return {name: (title, table) for name, (title, table) in titled.items() if len(table)}


def known_rules(table: pd.DataFrame) -> list[str]:
    """Return the baselines that answer in some group of a table."""
    return [rule for rule in RULES if table[rule].notna().any()]


def make_overview(
    model: str,
    rows: pd.DataFrame,
    words: pd.Series | None = None,
    changes: pd.Series | None = None,
    columns: Sequence[str] = (),
) -> Overview:
    """Return the scores of one model over its rows, as `Analysis.of` returns them.

    `words` are the answers of the words baseline, None to leave it out, and `changes` is what each
    hypothesis changes, None if unknown; both are indexed like `rows`. `columns` are more columns of
    `rows` to group by.
    """
    if changes is None:
        changes = pd.Series(None, rows.index, dtype=object)
    swaps = bool((changes == SWAPPED).all())
    known = rows[rows.label.notna()]
    right = known.right.astype(bool)
    seen = {*known.label, *known.verdict.dropna()} - {NOT_JUDGED}
    names = [*(label for label in LABELS if label in seen), *sorted(seen - {*LABELS})]
    confusion = _confusion(known, names)
    labels = _label_scores(confusion, names)
    calibration = _calibration(known.probability, right)
    gaps, n = (calibration.accuracy - calibration.probability).abs(), calibration.n.sum()
    rules = right_by_rule(known, None if words is None else words[known.index])
    complete = {str(rule): own for rule, own in rules.items() if len(own) and own.notna().all()}
    exchanged = rows[rows.exchanged.notna() & (changes == SWAPPED) & (rows.verdict != NOT_JUDGED)]
    same_exchanged = Share.of(exchanged.verdict == exchanged.exchanged)

    groups = partial(group_scores, right, rules)

    def by_value(keys: pd.Series) -> pd.DataFrame:
        return groups(keys, sorted(keys.unique(), key=_numbers_first))

    relations = known.relation
    if relations.notna().any():
        relations = relations.fillna(NO_RELATION)
    return Overview(
        model=model,
        n=len(rows),
        accuracy=Share.of(right),
        not_judged=Share.of(known.verdict == NOT_JUDGED),
        rules={rule: Share.of(own) for rule, own in complete.items()},
        macro_f1=float(labels.f1.mean()),
        labels=labels,
        confusion=confusion,
        calibration=calibration,
        calibration_error=float((gaps * calibration.n).sum() / n) if n else float("nan"),
        swaps=swaps,
        same_exchanged=None if exchanged.empty else same_exchanged,
        by_label=groups(known.label, names),
        by_change=groups(changes[known.index])[: 0 if swaps else None],
        by_relation=groups(relations).sort_values(["accuracy", "n"], ascending=[True, False]),
        by_construction=groups(known.construction),
        by_words=groups(*_bands(known.words, WORD_BANDS)),
        by_distance=groups(*_bands(known.distance, DISTANCE_BANDS)),
        by_familiar=groups(known.familiar.map(FAMILIAR), list(FAMILIAR.values())),
        by_column={name: by_value(known[name].fillna(NO_VALUE)) for name in columns},
    )


def _confusion(known: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    given = known.verdict.fillna(NO_VERDICT)
    given = given.mask(known.right.astype(bool), known.label)  # not_entailment has two right ones
    columns = [*names, *(none for none in (NOT_JUDGED, NO_VERDICT) if (given == none).any())]
    counts = pd.crosstab(known.label, given).reindex(index=names, columns=columns, fill_value=0)
    return counts.astype(int).rename_axis(index=None, columns=None)


def _label_scores(confusion: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    hits = np.diag(confusion[names]).astype(float)
    n, said = confusion.sum(axis=1).to_numpy(int), confusion[names].sum(axis=0).to_numpy(int)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: the score is undefined
        scores = {"precision": hits / said, "recall": hits / n, "f1": 2 * hits / (n + said)}
    return pd.DataFrame({"n": n, "said": said} | scores, index=names)


def place_in_bins(confidence: np.ndarray) -> np.ndarray:
    """Return the bin number (low, high] of each probability, from 0."""
    return np.clip(np.ceil(confidence * BINS).astype(int) - 1, 0, BINS - 1)


def _calibration(probability: pd.Series, right: pd.Series) -> pd.DataFrame:
    """Return the accuracy of verdicts by bin of their probability; NaN in an empty bin."""
    said = probability.notna()
    frame = pd.DataFrame({"probability": probability[said], "accuracy": right[said].astype(float)})
    groups = frame.groupby(place_in_bins(frame.probability.to_numpy(dtype=float)))
    means = groups.mean().reindex(range(BINS))
    edges = np.arange(BINS + 1) / BINS
    counts = groups.size().reindex(range(BINS), fill_value=0).astype(int)
    means = means.assign(low=edges[:-1], high=edges[1:], n=counts)
    return means[["low", "high", "n", "probability", "accuracy"]]


def cheapest_thresholds(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the confidence from which to believe verdicts, for each cost of an error.

    A verdict below the threshold is checked by hand, which costs 1; a wrong one that is believed
    costs `COSTS` times that, a right one nothing (Chow 1970). The threshold with the least total
    cost over these rows is optimistic for others. There is a row per cost: threshold (the least
    probability believed; NaN if none is), n believed, accuracy of these, and cost per verdict. The
    table is empty without labelled verdicts that have a probability.
    """
    known = rows[rows.label.notna() & rows.probability.notna()]
    known = known.sort_values("probability", ascending=False, kind="stable")
    p = known.probability.to_numpy(float)
    wrong = np.concatenate([[0], np.cumsum(~known.right.to_numpy(bool))])
    believed = np.arange(len(p) + 1)
    possible = np.concatenate([[True], p[1:] < p[:-1], [True]])  # ties stay together
    found = {}
    for cost in COSTS if len(p) else ():
        total = np.where(possible, cost * wrong + len(p) - believed, np.inf)
        n = len(p) - int(np.argmin(total[::-1]))  # of equally cheap thresholds, the lowest
        found[cost] = {
            "threshold": p[n - 1] if n else np.nan,
            "n": n,
            "accuracy": 1 - wrong[n] / n if n else np.nan,
            "cost": total[n] / len(p),
        }
    return pd.DataFrame.from_dict(found, orient="index")


def _numbers_first(text: str) -> tuple[float, str]:
    """Return a key that sorts numbers, and ranges that begin with one, before all other texts."""
    try:
        return float(text.split(maxsplit=1)[0]), text
    except (ValueError, IndexError):
        return np.inf, text


def _bands(values: pd.Series, edges: Sequence[float]) -> tuple[pd.Series, list[str]]:
    """Return the band of each value, None for NaN, and the names of all bands in order."""
    inner = [f"over {low} to {high}" for low, high in itertools.pairwise(edges)]
    names = [f"up to {edges[0]}", *inner, f"over {edges[-1]}"]
    return pd.cut(values, [-np.inf, *edges, np.inf], labels=names).astype(object), names


def group_scores(
    right: pd.Series, rules: pd.DataFrame, keys: pd.Series, order: Sequence[str] | None = None
) -> pd.DataFrame:
    """Return a row per group: n, right, accuracy, low, high, and a column per baseline.

    Rows with verdicts `right` (n,) and those of baselines, `rules` (n, baselines), are grouped by
    `keys` (n,), those without a key left out. Groups are sorted by `order`, by name if None.
    """
    groups = rules.assign(right=right.astype(int)).groupby(keys.map(str, "ignore"))
    n, beside = groups.size(), groups.mean().drop(columns="right")
    shares = pd.DataFrame({"n": n, "right": groups.right.sum()})
    shares["accuracy"] = shares.right / shares.n
    intervals = list(map(wilson, shares.right.tolist(), shares.n.tolist()))
    shares[["low", "high"]] = np.array(intervals, dtype=float).reshape(-1, 2)
    complete = groups.count()[beside.columns].eq(n, axis=0)
    table = shares.join(beside.where(complete)).rename_axis(None)
    return table.reindex([name for name in order or sorted(table.index) if name in table.index])


def commonest_label(labels: pd.Series) -> list[str]:
    """Return the most frequent of n labels, n times; the first by name on a tie."""
    return [labels.mode().iloc[0]] * len(labels)


def right_by_rule(rows: pd.DataFrame, words: pd.Series | None = None) -> pd.DataFrame:
    """Return which of n labelled rows each baseline gets right.

    The relation lookup answers the most frequent label of the row's relation. It reads no sentence:
    where it is always right, the rows cannot tell understanding a sentence from recognising its
    relation. Returns (n, 3), columns `RULES`, indexed like `rows`: 1.0, 0.0, or NaN for no answer.
    """
    if not len(rows):
        return pd.DataFrame(columns=list(RULES), index=rows.index, dtype=float)
    of_relation = {name: own.mode().iloc[0] for name, own in rows.label.groupby(rows.relation)}
    answers = {
        COMMONEST: commonest_label(rows.label),
        LOOKUP: [of_relation.get(relation) for relation in rows.relation],
        WORDS: [None] * len(rows) if words is None else words,
    }
    frame = pd.DataFrame(answers, index=rows.index, dtype=object)
    return frame.eq(rows.label, axis=0).astype(float).where(frame.notna())


def word_answers(taught: Sequence[Pair], premises: Sequence[str]) -> list[str]:
    """Predict n premises' labels by a logistic regression over 1- to 3-grams of the taught ones."""
    labels = [pair.label or "" for pair in taught]
    if len(set(labels)) == 1:
        return labels[:1] * len(premises)
    model = _fit_words(tuple(pair.premise for pair in taught), tuple(labels))
    return [str(label) for label in model.predict(list(premises))]


@lru_cache(maxsize=4)  # fitting takes seconds, and runs and models share what they were taught
def _fit_words(premises: tuple[str, ...], labels: tuple[str, ...]) -> Pipeline:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    words = CountVectorizer(ngram_range=(1, 3), binary=True, token_pattern=r"[^\s.,]+")
    return make_pipeline(words, LogisticRegression(max_iter=1_000)).fit(premises, labels)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two models over the same labelled pairs.

    Attributes:
        a: Name of the first model.
        b: Name of the second model.
        both: Number of pairs that both get right.
        neither: Number of pairs that neither gets right.
        only_a: Rows that only `a` gets right, with all columns of the analysis.
        only_b: Rows that only `b` gets right.
        p_value: McNemar's exact test, two-sided: the probability of a split this uneven if each
            model were equally likely to be the one that is right.
    """

    a: str
    b: str
    both: int
    neither: int
    only_a: pd.DataFrame
    only_b: pd.DataFrame
    p_value: float

    @property
    def n(self) -> int:
        """Number of labelled pairs."""
        return self.both + self.neither + len(self.only_a) + len(self.only_b)


def mcnemar(only_a: int, only_b: int) -> float:
    """Return the p value of McNemar's exact test; 1 without discordant pairs."""
    if not only_a + only_b:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(only_a, only_a + only_b, 0.5).pvalue)
