"""The figures of one model over the labelled rows, each accuracy beside those of simple rules."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from symdemo.analysis.baselines import RULES, right_by_rule
from symdemo.classifier.calibration import BINS, place_in_bins
from symdemo.evaluation.intervals import wilson
from symdemo.pairs import LABELS

NO_VERDICT = "(no verdict)"
NO_RELATION = "(none named)"
FAMILIAR = {True: "like something taught", False: "unlike anything taught"}

WORD_BANDS = (5, 8, 12, 20)
"""Most words of a premise in each band but the last."""
DISTANCE_BANDS = (0.03, 0.1, 0.2, 0.3)
"""Largest cosine distance from the nearest taught pair in each band but the last."""


class Share(NamedTuple):
    """`right` of `n` as a part of 1, with its 95% interval (Wilson), all of it for n = 0."""

    right: int
    n: int
    share: float
    low: float
    high: float

    @classmethod
    def of(cls, right: Sequence[bool] | pd.Series) -> Share:
        """The share of True; NaN of none."""
        hits, n = int(sum(right)), len(right)
        return cls(hits, n, hits / n if n else float("nan"), *wilson(hits, n))


@dataclass(frozen=True, eq=False)
class Overview:
    """How often one model is right; all shares are parts of 1.

    Every table of groups is indexed by the group and has the columns n, right, accuracy, low and
    high (its 95% interval), and for the same rows the accuracy of simple rules that are made on all
    labelled rows: commonest_label, relation_lookup (NaN where a row names no relation) and words
    (NaN unless asked for). A table is empty where nothing is known to group by.

    Attributes:
        model: its name in the analysis.
        n: pairs that were asked.
        accuracy: over the labelled pairs.
        rules: rule → its share over the same pairs; a rule that cannot answer all is not in it.
        macro_f1: mean F1 of the labels that occur as label or verdict; NaN without labelled pairs.
        labels: one row a label: n, said (how often it was the verdict), precision (NaN where it
            was never said), recall (NaN where no pair has it), f1.
        confusion: rows are true labels, columns are verdicts, cells are numbers of pairs.
        calibration: ten rows: low, high (probabilities), n, probability (mean), accuracy; n is 0 in
            all of them where the model gives no probability.
        calibration_error: Σ (n_b / n) · |accuracy_b − probability_b|; NaN without labelled pairs
            or probabilities.
        same_exchanged: how often the verdict stays when premise and hypothesis change places, over
            all pairs; None where that was not asked.
        by_label: groups of equal label.
        by_relation: groups of equal relation, the least accurate first.
        by_construction: groups of equal construction, where constructions were given.
        by_words: bands of the premise's length in words.
        by_distance: bands of the distance from the nearest taught pair.
        by_familiar: by whether the model calls a pair like anything it was taught.
    """

    model: str
    n: int
    accuracy: Share
    rules: dict[str, Share]
    macro_f1: float
    labels: pd.DataFrame
    confusion: pd.DataFrame
    calibration: pd.DataFrame
    calibration_error: float
    same_exchanged: Share | None
    by_label: pd.DataFrame
    by_relation: pd.DataFrame
    by_construction: pd.DataFrame
    by_words: pd.DataFrame
    by_distance: pd.DataFrame
    by_familiar: pd.DataFrame


def make_overview(model: str, rows: pd.DataFrame, words: pd.Series | None = None) -> Overview:
    """The figures of one model.

    Args:
        model: its name.
        rows: its columns and those of the pairs, as `Analysis.of` gives them.
        words: (n,), what the words rule answers, with the index of `rows`; it is left out if None.
    """
    known = rows[rows.label.notna()]
    known = known.assign(right=known.right.astype(bool))
    names = _ordered({*known.label, *known.verdict.dropna()})
    confusion = count_verdicts(known.label, known.verdict, names)
    labels = label_figures(confusion, names)
    calibration = calibrate(known.probability, known.right)
    rules = _rules(known, None if words is None else words[known.index])
    groups = Groups(known.right, rules)
    relations = known.relation.fillna(NO_RELATION) if known.relation.notna().any() else None
    by_relation = groups.table(relations)
    return Overview(
        model=model,
        n=len(rows),
        accuracy=Share.of(known.right),
        rules={rule: Share.of(rules[rule]) for rule in RULES if rules[rule].notna().all()}
        if len(known)
        else {},
        macro_f1=float(labels.f1.mean()),
        labels=labels,
        confusion=confusion,
        calibration=calibration,
        calibration_error=expected_error(calibration),
        same_exchanged=_same_exchanged(rows),
        by_label=groups.table(known.label, names),
        by_relation=by_relation.sort_values(["accuracy", "n"], ascending=[True, False]),
        by_construction=groups.table(known.construction),
        by_words=groups.table(*bands(known.words, WORD_BANDS, "up to {}", "over {}")),
        by_distance=groups.table(*bands(known.distance, DISTANCE_BANDS, "up to {}", "over {}")),
        by_familiar=groups.table(known.familiar.map(FAMILIAR), list(FAMILIAR.values())),
    )


def _rules(known: pd.DataFrame, words: pd.Series | None) -> pd.DataFrame:
    if not len(known):
        return pd.DataFrame(columns=list(RULES), index=known.index, dtype=float)
    return right_by_rule(known, words)


def _ordered(labels: set[str]) -> list[str]:
    """The three usual labels first, then others by name."""
    return [*(label for label in LABELS if label in labels), *sorted(labels - {*LABELS})]


def count_verdicts(labels: pd.Series, verdicts: pd.Series, names: list[str]) -> pd.DataFrame:
    """Numbers of pairs: rows are labels, columns verdicts; `NO_VERDICT` is the last if it occurs.

    Args:
        labels: (n,).
        verdicts: (n,), None without one.
        names: L labels, in the order of rows and columns.
    """
    given = verdicts.fillna(NO_VERDICT)
    columns = [*names, NO_VERDICT] if (given == NO_VERDICT).any() else names
    counts = np.zeros((len(names), len(columns)), dtype=int)
    places = (
        pd.Index(names).get_indexer(pd.Index(labels)),
        pd.Index(columns).get_indexer(pd.Index(given)),
    )
    np.add.at(counts, places, 1)
    return pd.DataFrame(counts, index=names, columns=columns)


def label_figures(confusion: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """n, said, precision, recall and f1 of each label, from numbers as `count_verdicts` gives."""
    hits = np.array([confusion.loc[name, name] for name in names], dtype=float)
    n = confusion.sum(axis=1).to_numpy(dtype=int)
    said = confusion[names].sum(axis=0).to_numpy(dtype=int)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: there is nothing to say
        figures = {
            "n": n, "said": said, "precision": hits / said, "recall": hits / n,
            "f1": 2 * hits / (n + said),
        }  # fmt: skip
    return pd.DataFrame(figures, index=names)


def calibrate(probability: pd.Series, right: pd.Series, bins: int = BINS) -> pd.DataFrame:
    """How often verdicts of about the same probability are right.

    Args:
        probability: (n,), of the verdict; NaN without one, and the row is then left out.
        right: (n,) bool.
        bins: of equal width.

    Returns:
        One row a bin: low, high, n, probability (mean) and accuracy, both NaN in an empty bin.
    """
    said = probability.notna()
    frame = pd.DataFrame({"probability": probability[said], "accuracy": right[said].astype(float)})
    groups = frame.groupby(place_in_bins(frame.probability.to_numpy(dtype=float), bins))
    means, n = groups.mean().reindex(range(bins)), groups.size().reindex(range(bins), fill_value=0)
    edges = np.arange(bins + 1) / bins
    return means.assign(low=edges[:-1], high=edges[1:], n=n.astype(int))[
        ["low", "high", "n", "probability", "accuracy"]
    ]


def expected_error(calibration: pd.DataFrame) -> float:
    """The mean gap between probability and accuracy over the bins, weighted by their pairs."""
    if not calibration.n.sum():
        return float("nan")
    gaps = (calibration.accuracy - calibration.probability).abs()
    return float((gaps * calibration.n).sum() / calibration.n.sum())


def _same_exchanged(rows: pd.DataFrame) -> Share | None:
    asked = rows[rows.exchanged.notna()]
    return Share.of(asked.verdict == asked.exchanged) if len(asked) else None


def bands(
    values: pd.Series, edges: Sequence[float], first: str, last: str
) -> tuple[pd.Series, list[str]]:
    """The band of each value, and the names of all bands in order; none for NaN.

    Args:
        values: (n,) numbers.
        edges: the largest value of each band but the last, rising.
        first: names the first band, with {} for its edge; the others are “a to b”.
        last: names the last band.
    """
    inner = [f"over {low} to {high}" for low, high in itertools.pairwise(edges)]
    names = [first.format(edges[0]), *inner, last.format(edges[-1])]
    cut = pd.cut(values, [-np.inf, *edges, np.inf], labels=names)
    return cut.astype(object), names


@dataclass(frozen=True, eq=False)
class Groups:
    """What is needed to say of any group of rows how often a model and simple rules are right.

    Attributes:
        right: (n,) bool.
        rules: (n, rules), as `right_by_rule` gives them.
    """

    right: pd.Series
    rules: pd.DataFrame

    def table(self, keys: pd.Series | None, order: list[str] | None = None) -> pd.DataFrame:
        """One row a group: n, right, accuracy, low, high, and one column a rule.

        Args:
            keys: (n,), the group of each row; a row with none is left out.
            order: of the groups; by their names if None.
        """
        keys = self.right[:0] if keys is None else keys
        groups = self.rules.assign(right=self.right.astype(int)).groupby(keys.map(str, "ignore"))
        n, beside = groups.size(), groups.mean().drop(columns="right")
        shares = pd.DataFrame({"n": n, "right": groups.right.sum()})
        shares["accuracy"] = shares.right / shares.n
        intervals = list(map(wilson, shares.right.tolist(), shares.n.tolist()))
        shares[["low", "high"]] = np.array(intervals, dtype=float).reshape(-1, 2)
        told = groups.count()[beside.columns].eq(n, axis=0)  # a rule answers all of them or none
        table = shares.join(beside.where(told)).rename_axis(None)
        return table.reindex([name for name in order or sorted(table.index) if name in table.index])
