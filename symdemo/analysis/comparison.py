"""Two models on the same rows: what each gets right that the other does not."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two models over the labelled pairs.

    Attributes:
        a: name of the one model.
        b: name of the other.
        both: pairs that both get right.
        neither: pairs that neither gets right.
        only_a: the rows that `a` alone gets right, with all columns of the analysis.
        only_b: the rows that `b` alone gets right.
        p_value: of McNemar's exact test, two-sided: how probable so uneven a split of the pairs
            that one alone gets right would be, were each as likely to be the right one; 1 without
            such a pair.
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
        """Labelled pairs."""
        return self.both + self.neither + len(self.only_a) + len(self.only_b)


def mcnemar(only_a: int, only_b: int) -> float:
    """The p value of McNemar's exact test for so many pairs that one alone gets right."""
    if not only_a + only_b:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(only_a, only_a + only_b, 0.5).pvalue)


def make_comparison(
    rows: pd.DataFrame, a: str, b: str, right_a: pd.Series, right_b: pd.Series
) -> Comparison:
    """Compare over the n labelled `rows`, of which `right_a` and `right_b` (n, bool) are right."""
    only_a, only_b = rows[right_a & ~right_b], rows[right_b & ~right_a]
    return Comparison(
        a=a,
        b=b,
        both=int((right_a & right_b).sum()),
        neither=int((~right_a & ~right_b).sum()),
        only_a=only_a,
        only_b=only_b,
        p_value=mcnemar(len(only_a), len(only_b)),
    )
