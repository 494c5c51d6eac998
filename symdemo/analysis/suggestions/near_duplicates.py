"""Groups of rows that say nearly the same and have different labels.

Candidates are exact, not sampled: two premises that differ in a word more, or in a letter, share
the text that remains when it is taken away, so equal hashes of such remains find them all without
comparing every row with every other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from symdemo.analysis.suggestions.answered import Answered
from symdemo.analysis.suggestions.same_saying import (
    Vocabulary,
    Words,
    candidate_keys,
    one_edit,
    words_of,
)
from symdemo.analysis.suggestions.suggestion import (
    NEAR_DUPLICATES,
    ShouldStop,
    Suggestion,
    go_on,
    many,
)

MOST_ALIKE = 100
"""Pairs of one premise, or of premises alike in one place, that are compared with each other."""

_STEP = 5_000  # rows between two questions whether to stop


def near_duplicates(
    answered: Answered, *, should_stop: ShouldStop | None = None
) -> Suggestion | None:
    """Rows that say nearly the same as another row with another label; None where none do.

    Two rows do if both their premises and their hypotheses do (see `same_saying`). Where both name
    their entities, these must be the same; and rows that name different relations may not differ in
    a word, since the data themselves say that the word matters.

    Args:
        answered: n rows, of which the labelled are compared.
        should_stop: asked between the steps.

    Returns:
        A suggestion with groups, the largest first, in each the rows with the rarer label first;
        its scores are the share of the group's other rows that have another label.

    Raises:
        Stopped: `should_stop` said so.
    """
    groups = find_groups(answered, should_stop=should_stop)
    if not groups:
        return None
    rows: list[int] = []
    scores: list[float] = []
    for group in groups:
        labels = [answered.labels[row] for row in group]
        shares = [sum(label != other for other in labels) / (len(labels) - 1) for label in labels]
        order = sorted(range(len(group)), key=lambda n: (-shares[n], group[n]))
        rows += [group[n] for n in order]
        scores += [shares[n] for n in order]
    few = len(groups) == 1
    return Suggestion(
        NEAR_DUPLICATES,
        f"{many(len(rows), 'pair')} say nearly the same as another one that has another label.",
        f"There {'is' if few else 'are'} {many(len(groups), 'such group')}. The pairs of a group "
        "differ in case, punctuation, one word more or one misspelt word, so at least one label in "
        "each is probably wrong.",
        np.array(rows),
        np.array(scores),
        np.repeat(np.arange(len(groups)), [len(group) for group in groups]),
    )


def find_groups(answered: Answered, *, should_stop: ShouldStop | None = None) -> list[list[int]]:
    """The groups of row numbers behind `near_duplicates`, the largest first."""
    rows_of: dict[tuple[Words, Words], list[int]] = defaultdict(list)
    labelled = answered.labelled.tolist()
    for n, row in enumerate(labelled):
        if n % _STEP == 0:
            go_on(should_stop)
        saying = words_of(answered.premises[row]), words_of(answered.hypotheses[row])
        rows_of[saying].append(row)
    vocabulary = Vocabulary.of(
        [(answered.premises[row], answered.hypotheses[row]) for row in labelled]
    )
    go_on(should_stop)
    sayings = list(rows_of)
    rows = list(rows_of.values())
    labels = [frozenset(str(answered.labels[row]) for row in own) for own in rows]
    parent = list(range(len(sayings)))
    for a, b in _candidates(sayings, labels, should_stop):
        if all(
            vocabulary.same(x, y) for x, y in zip(sayings[a], sayings[b], strict=True)
        ) and _compatible(answered, rows[a][0], rows[b][0]):
            parent[_root(parent, b)] = _root(parent, a)
    members: dict[int, list[int]] = defaultdict(list)
    for n, own in enumerate(rows):
        members[_root(parent, n)] += own
    groups = [
        sorted(own) for own in members.values() if len({answered.labels[row] for row in own}) > 1
    ]
    return sorted(groups, key=lambda own: (-len(own), own[0]))


def _root(parent: list[int], n: int) -> int:
    while parent[n] != n:
        parent[n] = parent[parent[n]]
        n = parent[n]
    return n


def _candidates(
    sayings: list[tuple[Words, Words]],
    labels: list[frozenset[str]],
    should_stop: ShouldStop | None,
) -> Iterator[tuple[int, int]]:
    """Pairs of numbers of sayings that may say nearly the same and do not have the same labels.

    Their order does not depend on the hashes, which differ from process to process.
    """
    sayings_of: dict[Words, list[int]] = defaultdict(list)
    for n, (premise, _) in enumerate(sayings):
        sayings_of[premise].append(n)
    premises = list(sayings_of)
    own = [frozenset().union(*(labels[n] for n in numbers)) for numbers in sayings_of.values()]
    number = {kind: n for n, kind in enumerate(dict.fromkeys(own))}
    kinds = np.array([number[kind] for kind in own], np.int32)
    alike = {(n, n) for n, kind in enumerate(own) if len(kind) > 1}
    alike.update(_alike(premises, kinds, should_stop))
    for first, second in sorted(alike):
        for a in sayings_of[premises[first]][:MOST_ALIKE]:
            for b in sayings_of[premises[second]][:MOST_ALIKE]:
                if (a < b or first != second) and labels[a] != labels[b]:
                    yield a, b


def _alike(
    premises: list[Words], kinds: np.ndarray, should_stop: ShouldStop | None
) -> Iterator[tuple[int, int]]:
    """Pairs (a < b) of premises of different kinds that share a candidate key."""
    whole, letters, words = [], [], []
    for n, premise in enumerate(premises):
        if n % _STEP == 0:
            go_on(should_stop)
        own = candidate_keys(premise)
        whole.append(own[0])
        letters.append(own[1])
        words.append(own[2])
    if not whole:
        return
    itself = np.array(whole, np.int64), np.arange(len(whole), dtype=np.int32)
    by_letter, by_word = _flat(letters), _flat(words)
    kept = np.isin(by_word[0], itself[0])
    by_word = by_word[0][kept], by_word[1][kept]
    for keys, owners in (by_letter, by_word):
        go_on(should_stop)
        yield from _sharing(
            np.concatenate([itself[0], keys]), np.concatenate([itself[1], owners]), kinds
        )


def _flat(keys: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    owners = np.repeat(np.arange(len(keys), dtype=np.int32), [len(own) for own in keys])
    return np.concatenate(keys), owners


def _sharing(keys: np.ndarray, owners: np.ndarray, kinds: np.ndarray) -> Iterator[tuple[int, int]]:
    """Pairs (a < b) of owners of one key, of different kinds."""
    order = np.lexsort((owners, keys))
    keys, owners = keys[order], owners[order]
    starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    ends = np.r_[starts[1:], len(keys)]
    least, most = (f.reduceat(kinds[owners], starts) for f in (np.minimum, np.maximum))
    mixed = least != most
    for start, end in zip(starts[mixed].tolist(), ends[mixed].tolist(), strict=True):
        group = owners[start:end][:MOST_ALIKE].tolist()
        for n, a in enumerate(group):
            for b in group[n + 1 :]:
                if kinds[a] != kinds[b]:
                    yield a, b


def _compatible(answered: Answered, a: int, b: int) -> bool:
    """Whether what two rows are known to be about allows that they say the same."""
    for name in ("heads", "tails"):
        column = answered.column(name)
        if column[a] and column[b] and not _spelt_alike(str(column[a]), str(column[b])):
            return False
    relations = answered.column("relations")
    if not relations[a] or not relations[b] or relations[a] == relations[b]:
        return True
    texts = (answered.premises, answered.hypotheses)
    return all(_spelt_alike(text[a], text[b]) for text in texts)


def _spelt_alike(a: str, b: str) -> bool:
    """Whether two texts have the same words, one of which may be spelt in another way."""
    edit = one_edit(words_of(a), words_of(b))
    return edit is not None and bool(edit[0]) == bool(edit[1])
