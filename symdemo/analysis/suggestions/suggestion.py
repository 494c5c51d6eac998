"""What is said to people: one `Suggestion`, and the words that titles share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LABEL_ERRORS = "label_errors"
NEAR_DUPLICATES = "near_duplicates"
WRONGLY_TAUGHT = "wrongly_taught_relations"
ERROR_GROUPS = "error_groups"
UNSEEN = "unseen_relations"
KINDS = (LABEL_ERRORS, NEAR_DUPLICATES, WRONGLY_TAUGHT, ERROR_GROUPS, UNSEEN)


@dataclass(frozen=True, eq=False)
class Suggestion:
    """Rows that somebody should look at, and why.

    Attributes:
        kind: one of `KINDS`.
        title: what was found, in a plain sentence.
        why: what speaks for it, in plain sentences with figures.
        rows: (m,) row numbers, the most suspicious first.
        scores: (m,) how suspicious each is, in [0, 1]; None where there is no such figure.
        groups: (m,) number of the group that each row belongs to, from 0 on, where the rows come
            in groups, one after the other; None otherwise.
    """

    kind: str
    title: str
    why: str
    rows: np.ndarray
    scores: np.ndarray | None = None
    groups: np.ndarray | None = None


def many(n: int, what: str, plural: str | None = None) -> str:
    """“1 pair”, “2,300 pairs”."""
    return f"{n:,} {what if n == 1 else plural or what + 's'}"


def percent(share: float) -> str:
    """“4%”, “0.4%”; a share of 1 as whole numbers, with a decimal below 1%."""
    return f"{share:.1%}" if 0 < share < 0.0095 else f"{share:.0%}"
