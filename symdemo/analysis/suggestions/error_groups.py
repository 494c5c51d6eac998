"""Words, constructions and relations where a model errs more often."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from symdemo.analysis.suggestions.columns import ERROR_GROUPS, WRONGLY_TAUGHT, Answered, Suggestion
from symdemo.jobs.reporting import SILENT, Reporter
from symdemo.text import count

MOST = 10
FEWEST_ROWS = 5  # rows of the smallest group that is tested
FEWEST_ERRORS = 3
FALSE_DISCOVERIES = 0.05  # false discovery rate (Benjamini and Hochberg 1995)
LEAST_ODDS = 2.0  # smallest odds ratio of an error inside and outside of a group
CONSISTENT = 0.8
"""Share of a relation's wrong pairs with the same label and verdict that makes it consistent."""

_TOKEN = re.compile(r"\[[xy]\]|[^\W_]+(?:['’-][^\W_]+)*")


class Groups(NamedTuple):
    """G groups of n rows; `members` (n, G) is 1 where a row belongs to a group."""

    kinds: list[str]  # words, construction or relation
    names: list[str]
    members: sparse.csc_matrix

    def rows(self, group: int) -> np.ndarray:
        """Return the row numbers of one group."""
        return np.sort(self.members[:, group].indices)


def error_groups(
    answered: Answered, leave_out: Sequence[int] | np.ndarray = (), reports: Reporter = SILENT
) -> list[Suggestion]:
    """Return groups with more errors than elsewhere, those that explain the most errors first.

    Each phrase of one to three words of the premise (subject and object masked where known), each
    construction and each relation is tested against all other labelled rows with Fisher's exact
    test, one-sided, corrected for the number of tests. Then, greedily: the group with the most
    errors in excess of the usual share is chosen, and the rest is tested again among the rows
    outside of it, so that each group explains other errors. Rows in `leave_out`, which something
    else explains, are not counted. A suggestion lists the wrong rows of a group, the most confident
    verdicts first.
    """
    rows = np.setdiff1d(answered.labelled, leave_out)
    wrong = answered.wrong[rows]
    if wrong.sum() < FEWEST_ERRORS or wrong.all():
        return []
    groups = make_groups(answered.rows.iloc[rows])
    reports.check()
    found = []
    for group in choose(groups, wrong):
        inside = groups.rows(group)
        bad = rows[inside[wrong[inside]]]
        kind, name = groups.kinds[group], groups.names[group]
        what = f"Sentences with “{name}” are" if kind == "words" else f"The {kind} “{name}” is"
        errors, size = len(bad), len(inside)
        elsewhere = (int(wrong.sum()) - errors) / (len(wrong) - size)
        why = (
            f"{errors:,} of these {count(size, 'pair')} are wrong ({_percent(errors / size)}), "
            f"{_percent(elsewhere)} of all others. That is more than chance explains, although "
            f"{count(len(groups.names), 'group')} were tested."
        )
        title = f"{what} answered wrongly more often."
        found.append(Suggestion(ERROR_GROUPS, title, why, _surest_first(answered, bad)))
        reports.check()
    return found


def _surest_first(answered: Answered, rows: np.ndarray) -> np.ndarray:
    probabilities = answered.rows.probability.fillna(0).to_numpy(float)[rows]
    return rows[np.argsort(-probabilities, kind="stable")]


def _percent(share: float) -> str:
    """Return “4%”, or “0.4%” below 1%."""
    return f"{share:.1%}" if 0 < share < 0.0095 else f"{share:.0%}"


def choose(groups: Groups, wrong: np.ndarray) -> list[int]:
    """Return at most `MOST` group numbers, each of which explains other rows of `wrong` (n,)."""
    from scipy.stats import false_discovery_control

    if not groups.names:
        return []
    lengths = np.array([len(name) for name in groups.names])
    left = np.ones(len(lengths), bool)
    open_rows = np.ones(len(wrong), bool)
    chosen: list[int] = []
    while len(chosen) < MOST and left.any():
        errors, sizes = (
            groups.members.T @ some.astype(np.int64) for some in (wrong & open_rows, open_rows)
        )
        all_errors, n = int((wrong & open_rows).sum()), int(open_rows.sum())
        p = worse_than_elsewhere(errors, sizes, all_errors, n)
        if not chosen:
            left = false_discovery_control(p) <= FALSE_DISCOVERIES
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
    """Return one-sided p values (G,) of Fisher's exact test: at least this many errors in a group.

    Groups have `errors` (G,) in `sizes` (G,) rows, out of `all_errors` in n rows.
    """
    from scipy.stats import hypergeom

    # Most groups are small with few errors, so that few distinct tests are computed.
    asked, place = np.unique(np.stack([errors, sizes]), axis=1, return_inverse=True)
    p = hypergeom.sf(asked[0] - 1, n, all_errors, asked[1])
    return np.clip(p, 0, 1)[place.ravel()]


def make_groups(frame: pd.DataFrame) -> Groups:
    """Return all groups that contain at least `FEWEST_ROWS` rows and leave out as many."""
    masked = [mask(*own) for own in zip(frame.premise, frame["head"], frame["tail"], strict=True)]
    parts = {
        kind: _shared(frame[kind], analyzer=lambda name: [name] if name else [])
        for kind in ("construction", "relation")
    }
    parts["words"] = _shared(
        masked, ngram_range=(1, 3), tokenizer=_TOKEN.findall, token_pattern=None
    )
    named = [(kind, name) for kind, (own, _) in parts.items() for name in own]
    members = sparse.hstack([own for _, own in parts.values()], format="csc", dtype=np.int64)
    kept = [
        n
        for n, ((_, name), size) in enumerate(zip(named, np.diff(members.indptr), strict=True))
        if size <= len(frame) - FEWEST_ROWS and re.sub(r"\[[xy]\]", "", name).strip()
    ]
    shown = [named[n][1].replace("[x]", "[X]").replace("[y]", "[Y]") for n in kept]
    return Groups([named[n][0] for n in kept], shown, members[:, kept])


def _shared(texts: Iterable[str | None], **options: Any) -> tuple[list[str], sparse.csc_matrix]:
    """Return the features of at least `FEWEST_ROWS` of n texts, and (n, features) of 0 and 1."""
    from sklearn.feature_extraction.text import CountVectorizer

    counting = CountVectorizer(binary=True, min_df=FEWEST_ROWS, dtype=np.int32, **options)
    texts = list(texts)
    try:
        members = counting.fit_transform(texts).tocsc()
    except ValueError:  # no feature is frequent enough
        return [], sparse.csc_matrix((len(texts), 0), dtype=np.int32)
    return counting.get_feature_names_out().tolist(), members


def mask(premise: str, head: str | None, tail: str | None) -> str:
    """Return the premise with [X] for its head and [Y] for its tail, where they are whole words.

    >>> mask("The nurse met Bob.", "the nurse", "Bob")
    '[X] met [Y].'
    """
    for name, sign in sorted(((head, "[X]"), (tail, "[Y]")), key=lambda end: -len(end[0] or "")):
        start = 0
        # Not a regular expression: compiling one per row takes most of the time.
        while name and (start := premise.lower().find(name.lower(), start)) >= 0:
            end = start + len(name)
            if premise[:start][-1:].isalnum() or premise[end:][:1].isalnum():
                start = end
            else:
                premise = premise[:start] + sign + premise[end:]
                start += len(sign)
    return premise


def wrongly_taught_relations(answered: Answered) -> list[Suggestion]:
    """Return relations most of whose verdicts contradict their label in the same way.

    More than half of a relation's labelled pairs must be wrong, at least 3, most of them with the
    same label and verdict, and Fisher's exact test against all other pairs, corrected for the
    number of relations, must reject chance. Only swaps are looked at, as the label of another pair
    does not depend on its relation alone. Relations with the most wrong pairs come first; a
    suggestion lists the wrong rows of one, the most confident verdicts first.
    """
    from scipy.stats import false_discovery_control

    frame = answered.rows[["relation", "label", "verdict"]].reset_index(drop=True)
    frame = frame.assign(wrong=answered.wrong)
    frame = frame[frame.label.notna() & answered.judged & answered.swaps]
    named = frame[frame.relation.astype(bool)].groupby("relation")
    if not len(named):
        return []
    sizes, errors = named.size().to_numpy(int), named.wrong.sum().to_numpy(int)
    chances = worse_than_elsewhere(errors, sizes, int(frame.wrong.sum()), len(frame))
    found = []
    for (relation, own), chance in zip(named, false_discovery_control(chances), strict=True):
        bad = own[own.wrong]
        if len(bad) < FEWEST_ERRORS or 2 * len(bad) <= len(own) or chance > FALSE_DISCOVERIES:
            continue
        ways = bad[["label", "verdict"]].value_counts(dropna=False)
        (label, verdict), times = ways.index[0], int(ways.iloc[0])
        if times < CONSISTENT * len(bad) or pd.isna(verdict):
            continue
        title = f"The relation “{relation}” is labelled {label}, and the model says {verdict}."
        why = (
            f"That is so in {times:,} of its {count(len(own), 'pair')}. Either the data label this "
            "relation wrongly, or the model was taught it wrongly."
        )
        rows = _surest_first(answered, bad.index.to_numpy())
        found.append(Suggestion(WRONGLY_TAUGHT, title, why, rows))
    return sorted(found, key=lambda suggestion: (-len(suggestion.rows), suggestion.rows.min()))
