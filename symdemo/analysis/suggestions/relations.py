"""Relations as a whole: those whose verdicts contradict their labels, and those never taught."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from symdemo.analysis.suggestions.answered import Answered
from symdemo.analysis.suggestions.error_groups import FALSE_DISCOVERIES, worse_than_elsewhere
from symdemo.analysis.suggestions.suggestion import UNSEEN, WRONGLY_TAUGHT, Suggestion, many

FEWEST_WRONG = 3
"""Wrong pairs of a relation below which nothing is said of it."""
CONSISTENT = 0.8
"""Share of the wrong pairs that must have the same label and the same verdict."""
NAMED = 3
"""Names that a title lists at the most."""


def wrongly_taught_relations(answered: Answered) -> list[Suggestion]:
    """Relations most of whose verdicts contradict their label, all in the same way.

    More than half of a relation's labelled pairs must be wrong, at least 3, and most of these from
    the same label to the same verdict; and so many errors must be more than chance explains
    (Fisher's exact test against all other pairs, corrected for the number of relations).

    Returns:
        A suggestion a relation, most wrong pairs first; its rows are the wrong ones, the surest
        verdicts first, with their probabilities as scores.
    """
    wrong, sureness = answered.wrong, answered.sureness
    relations, verdicts = answered.column("relations"), answered.column("verdicts")
    rows_of: dict[str, list[int]] = defaultdict(list)
    for row in answered.labelled.tolist():
        if relations[row]:
            rows_of[str(relations[row])].append(row)
    if not rows_of:
        return []
    n, all_errors = len(answered.labelled), int(wrong.sum())
    sizes = np.array([len(own) for own in rows_of.values()])
    errors = np.array([int(wrong[own].sum()) for own in rows_of.values()])
    from scipy.stats import false_discovery_control

    p = false_discovery_control(worse_than_elsewhere(errors, sizes, all_errors, n))
    found = []
    for (relation, own), size, bad, chance in zip(rows_of.items(), sizes, errors, p, strict=True):
        if bad < FEWEST_WRONG or 2 * bad <= size or chance > FALSE_DISCOVERIES:
            continue
        rows = np.array([row for row in own if wrong[row]])
        ways = Counter((answered.labels[row], verdicts[row]) for row in rows.tolist())
        (label, verdict), times = ways.most_common(1)[0]
        if times < CONSISTENT * bad or verdict is None:
            continue
        rows = rows[np.argsort(-sureness[rows], kind="stable")]
        found.append(
            Suggestion(
                WRONGLY_TAUGHT,
                f"The relation “{relation}” is labelled {label}, and the model says {verdict}.",
                f"That is so in {times:,} of its {many(int(size), 'pair')}. Either the data label "
                "this relation wrongly, or the model was taught it wrongly.",
                rows,
                sureness[rows],
            )
        )
    return sorted(found, key=lambda suggestion: (-len(suggestion.rows), suggestion.rows.min()))


def unseen_relations(answered: Answered) -> list[Suggestion]:
    """Pairs whose relation was never taught, and where names do not tell, that look unfamiliar.

    Names tell where at least one relation of the data is among the taught ones: otherwise the data
    name their relations in another way, or not at all.

    Returns:
        Up to two suggestions; the rows come with the least sure verdict first, their scores are
        1 − the probability of the verdict.
    """
    names = [_plain(name) for name in answered.column("relations")]
    taught = {_plain(name) for name in answered.taught_relations}
    tells = not taught.isdisjoint(name for name in names if name)
    fresh = [row for row, name in enumerate(names) if tells and name and name not in taught]
    found = []
    if fresh:
        column = answered.column("relations")
        counts = Counter(str(column[row]) for row in fresh)
        found.append(
            _unseen(
                answered,
                fresh,
                f"{many(len(counts), 'relation was', 'relations were')} never taught: "
                f"{_first_names(counts)}.",
                f"The model answers {many(len(fresh), 'pair')} of relations that are not among "
                f"the {many(len(taught), 'relation')} it was taught.",
            )
        )
    known = answered.familiar if answered.familiar is not None else [None] * len(answered)
    strange = [
        row for row, familiar in enumerate(known)
        if familiar is not None and not familiar and not (tells and names[row])
    ]  # fmt: skip
    if strange:
        found.append(
            _unseen(
                answered,
                strange,
                f"{many(len(strange), 'pair is', 'pairs are')} like nothing that was taught.",
                "The names of the relations do not tell whether these were taught. The model calls "
                f"them unfamiliar: no pair that it was taught is near. So are {len(strange):,} of "
                f"{many(len(answered), 'pair')}.",
            )
        )
    return found


def _plain(name: str | None) -> str:
    return " ".join((name or "").casefold().replace("-", " ").replace("_", " ").split())


def _first_names(counts: Counter[str]) -> str:
    ordered = sorted(counts, key=lambda name: (-counts[name], name))
    shown = ", ".join(f"“{name}”" for name in ordered[:NAMED])
    rest = len(ordered) - NAMED
    return f"{shown} and {rest:,} more" if rest > 0 else shown


def _unseen(answered: Answered, rows: list[int], title: str, why: str) -> Suggestion:
    doubt = 1 - answered.sureness[rows]
    order = np.argsort(-doubt, kind="stable")
    return Suggestion(UNSEEN, title, why, np.array(rows)[order], doubt[order])
