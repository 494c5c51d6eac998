"""Words, constructions and relations among which a model errs more often than elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.stats import false_discovery_control, hypergeom

from symdemo.analysis.suggestions.answered import Answered, Texts
from symdemo.analysis.suggestions.suggestion import (
    ERROR_GROUPS,
    Suggestion,
    many,
    percent,
)
from symdemo.analysis.watching import ShouldStop, go_on

MOST = 10
FEWEST_ROWS = 5
"""Rows of the smallest group that is looked at."""
FEWEST_ERRORS = 3
FALSE_DISCOVERIES = 0.05
"""Share of the groups found that may be chance (Benjamini and Hochberg 1995)."""
LEAST_ODDS = 2.0
"""Least odds of an error in a group, as a multiple of those elsewhere."""
HEAD, TAIL = "[X]", "[Y]"

_TOKEN = re.compile(r"\[[xy]\]|[^\W_]+(?:['’-][^\W_]+)*")
_WORDS, _CONSTRUCTION, _RELATION = "words", "construction", "relation"


@dataclass(frozen=True, eq=False)
class Groups:
    """G groups of n rows.

    Attributes:
        kinds: for each group “words”, “construction” or “relation”.
        names: what the rows of each group have in common.
        members: (n, G) 1 where a row belongs to a group.
    """

    kinds: Sequence[str]
    names: Sequence[str]
    members: sparse.csc_matrix

    def errors(self, wrong: np.ndarray) -> np.ndarray:
        """(G,) how many of the rows in `wrong` (n, bool) are in each group."""
        return np.asarray(self.members.T @ wrong.astype(np.int64)).ravel()

    def rows(self, group: int) -> np.ndarray:
        """The numbers of the rows of one group."""
        low, high = self.members.indptr[group : group + 2]
        return np.sort(self.members.indices[low:high])


def error_groups(
    answered: Answered,
    *,
    leave_out: np.ndarray | None = None,
    most: int = MOST,
    should_stop: ShouldStop | None = None,
) -> list[Suggestion]:
    """Groups with more errors than elsewhere, those that explain the most errors first.

    Every phrase of one to three words of the premise (head and tail masked where they are known),
    construction and relation is tested against all other rows by Fisher's exact test, one-sided,
    corrected for how many were looked at. From those that remain the one with the most errors
    beyond the usual share is taken; then the same again among the rows outside it, as long as a
    group is still worse there than chance would have it: so that each says something new.

    Args:
        answered: n rows, of which the labelled count.
        leave_out: row numbers that something else already explains.
        most: groups to return at the most.
        should_stop: asked between the steps.

    Returns:
        A suggestion a group: its wrong rows, the surest verdicts first, with their probabilities as
        scores.

    Raises:
        Stopped: `should_stop` said so.
    """
    rows = answered.labelled
    if leave_out is not None:
        rows = rows[~np.isin(rows, leave_out)]
    wrong = answered.wrong[rows]
    if wrong.sum() < FEWEST_ERRORS or wrong.all():
        return []
    groups = make_groups(answered, rows)
    go_on(should_stop)
    found = []
    for group in choose(groups, wrong, most):
        inside = groups.rows(group)
        bad = rows[inside[wrong[inside]]]
        sureness = answered.sureness[bad]
        order = np.argsort(-sureness, kind="stable")
        found.append(
            Suggestion(
                ERROR_GROUPS,
                _title(groups.kinds[group], groups.names[group]),
                _why(wrong, inside, len(groups.names)),
                bad[order],
                sureness[order],
            )
        )
        go_on(should_stop)
    return found


def choose(groups: Groups, wrong: np.ndarray, most: int = MOST) -> list[int]:
    """The numbers of at most `most` groups, each of which explains errors that no other does.

    Args:
        groups: G groups of n rows.
        wrong: (n,) bool.
        most: how many at the most.
    """
    sizes = groups.errors(np.ones(len(wrong), bool))
    if not len(sizes):
        return []
    p = worse_than_elsewhere(groups.errors(wrong), sizes, int(wrong.sum()), len(wrong))
    left = false_discovery_control(p) <= FALSE_DISCOVERIES
    lengths = np.array([len(name) for name in groups.names])
    open_rows = np.ones(len(wrong), bool)
    chosen: list[int] = []
    while len(chosen) < most and left.any():
        errors, sizes = groups.errors(wrong & open_rows), groups.errors(open_rows)
        all_errors, n = int((wrong & open_rows).sum()), int(open_rows.sum())
        p = worse_than_elsewhere(errors, sizes, all_errors, n)
        others = np.maximum(n - sizes, 1)
        beyond = errors - sizes * (all_errors - errors) / others
        odds = (errors + 0.5) * (others - (all_errors - errors) + 0.5)
        odds = odds / ((sizes - errors + 0.5) * (all_errors - errors + 0.5))
        left &= (p <= FALSE_DISCOVERIES) & (errors >= FEWEST_ERRORS) & (odds >= LEAST_ODDS)
        if not left.any():
            break
        # Of phrases in the same rows the longest says most.
        best = int(np.lexsort((lengths, -p, np.where(left, beyond, -np.inf)))[-1])
        chosen.append(best)
        left[best] = False
        open_rows[groups.rows(best)] = False
    return chosen


def worse_than_elsewhere(
    errors: np.ndarray, sizes: np.ndarray, all_errors: int, n: int
) -> np.ndarray:
    """p values (G,) of Fisher's exact test, one-sided: so many errors or more in a group.

    Args:
        errors: (G,) in each group.
        sizes: (G,) rows of each group.
        all_errors: in all n rows.
        n: rows.
    """
    # Most groups are small and have few errors: the same few questions, each asked once.
    asked, place = np.unique(np.stack([errors, sizes]), axis=1, return_inverse=True)
    p = hypergeom.sf(asked[0] - 1, n, all_errors, asked[1])
    return np.clip(p, 0, 1)[place.ravel()]


def make_groups(answered: Answered, rows: np.ndarray) -> Groups:
    """All groups of at least `FEWEST_ROWS` of some rows, and at most all but as many."""
    kinds: list[str] = []
    names: list[str] = []
    parts = []
    for kind, column in (
        (_CONSTRUCTION, answered.column("constructions")),
        (_RELATION, answered.column("relations")),
    ):
        own, members = _named([column[row] for row in rows])
        kinds += [kind] * len(own)
        names += own
        parts.append(members)
    heads, tails = answered.column("heads"), answered.column("tails")
    own, members = _phrases([mask(answered.premises[n], heads[n], tails[n]) for n in rows])
    kinds += [_WORDS] * len(own)
    names += own
    parts.append(members)
    members = sparse.hstack(parts, format="csc", dtype=np.int64)
    sizes = np.diff(members.indptr)
    kept = np.flatnonzero((sizes >= FEWEST_ROWS) & (sizes <= len(rows) - FEWEST_ROWS))
    return Groups([kinds[n] for n in kept], [names[n] for n in kept], members[:, kept])


def _named(column: Texts) -> tuple[list[str], sparse.csc_matrix]:
    """One group for each name that occurs in a column of n names or None."""
    known = [(row, name) for row, name in enumerate(column) if name]
    names = sorted({name for _, name in known})
    number = {name: n for n, name in enumerate(names)}
    places = ([row for row, _ in known], [number[name] for _, name in known])
    shape = (len(column), len(names))
    return names, sparse.csc_matrix((np.ones(len(known), np.int64), places), shape=shape)


def _phrases(texts: list[str]) -> tuple[list[str], sparse.csc_matrix]:
    """One group for each phrase of one to three words that says something."""
    from sklearn.feature_extraction.text import CountVectorizer

    counting = CountVectorizer(
        ngram_range=(1, 3), binary=True, min_df=FEWEST_ROWS, tokenizer=_TOKEN.findall,
        token_pattern=None, dtype=np.int32,
    )  # fmt: skip
    try:
        members = counting.fit_transform(texts).tocsc()
    except ValueError:  # no phrase occurs so often
        return [], sparse.csc_matrix((len(texts), 0), dtype=np.int64)
    names = counting.get_feature_names_out()
    kept = [n for n, name in enumerate(names) if name.replace("[x]", "").replace("[y]", "").strip()]
    shown = [str(names[n]).replace("[x]", HEAD).replace("[y]", TAIL) for n in kept]
    return shown, members[:, kept]


def mask(premise: str, head: str | None, tail: str | None) -> str:
    """The premise with [X] for its head and [Y] for its tail, where they stand in it as words.

    >>> mask("The nurse met Bob.", "the nurse", "Bob")
    '[X] met [Y].'
    """
    for name, sign in sorted(((head, HEAD), (tail, TAIL)), key=lambda end: -len(end[0] or "")):
        start = premise.lower().find(name.lower()) if name else -1
        while name and start >= 0:
            end = start + len(name)
            whole = not (premise[:start][-1:].isalnum() or premise[end:][:1].isalnum())
            if whole:
                premise = premise[:start] + sign + premise[end:]
            # by hand, since compiling an expression for every row takes most of the time
            start = premise.lower().find(name.lower(), start + len(sign) if whole else end)
    return premise


def _title(kind: str, name: str) -> str:
    if kind == _WORDS:
        return f"Sentences with “{name}” are answered wrongly more often."
    return f"The {kind} “{name}” is answered wrongly more often."


def _why(wrong: np.ndarray, inside: np.ndarray, looked_at: int) -> str:
    errors, size = int(wrong[inside].sum()), len(inside)
    elsewhere = (int(wrong.sum()) - errors) / (len(wrong) - size)
    return (
        f"Of these {many(size, 'pair')} {errors:,} are wrong ({percent(errors / size)}), of all "
        f"others {percent(elsewhere)}. That is more than chance explains, although "
        f"{many(looked_at, 'group')} were looked at."
    )
