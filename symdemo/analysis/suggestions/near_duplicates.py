"""Groups of rows that say nearly the same and have different labels.

Candidates are exact, not sampled: two premises that differ in a word more, or in a letter, share
the text that remains when it is taken away, so equal hashes of such remains find them all without
comparing every row with every other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations

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
    Suggestion,
    many,
)
from symdemo.analysis.watching import ShouldStop, go_on

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
    sayings, rows = list(rows_of), list(rows_of.values())

    relations = answered.column("relations")

    def same(a: int, b: int) -> bool:
        one, other = rows[a][0], rows[b][0]
        known = bool(relations[one]) and relations[one] == relations[other]
        texts = zip(sayings[a], sayings[b], strict=True)
        return all(vocabulary.same(x, y, known) for x, y in texts) and _compatible(
            answered, one, other
        )

    labels = [frozenset(str(answered.labels[row]) for row in own) for own in rows]
    members = _grouped(_Sayings(sayings, should_stop), labels, same)
    groups = [sorted(row for n in own for row in rows[n]) for own in members]
    return sorted(groups, key=lambda own: (-len(own), own[0]))


def _grouped(
    sayings: _Sayings, labels: list[frozenset[str]], same: Callable[[int, int], bool]
) -> list[list[int]]:
    """The numbers of the sayings of each group, in which there are at least two labels."""
    parent = list(range(len(labels)))

    def join(a: int, b: int) -> None:
        parent[_root(parent, b)] = _root(parent, a)

    mixed = {n for n, own in enumerate(labels) if len(own) > 1}
    for a, b in sayings.unlike(labels):
        if same(a, b):
            join(a, b)
            mixed |= {a, b}
    # Only now those of the same label: most rows of most data have nobody who says otherwise.
    for a, b in sayings.like(mixed):
        if _root(parent, a) != _root(parent, b) and same(a, b):
            join(a, b)
    groups: dict[int, list[int]] = defaultdict(list)
    for n in range(len(parent)):
        groups[_root(parent, n)].append(n)
    roots = {_root(parent, n) for n in mixed}
    return [own for root, own in groups.items() if root in roots]


def _root(parent: list[int], n: int) -> int:
    while parent[n] != n:
        parent[n] = parent[parent[n]]
        n = parent[n]
    return n


class _Sayings:
    """Sayings, by number, and which of them may say nearly the same.

    The order of what it gives does not depend on the hashes, which differ between processes.
    """

    def __init__(self, sayings: list[tuple[Words, Words]], should_stop: ShouldStop | None):
        self._of: dict[Words, list[int]] = defaultdict(list)
        for n, (premise, _) in enumerate(sayings):
            self._of[premise].append(n)
        self._numbers = list(self._of.values())
        self._blocks = [*_blocks(list(self._of), should_stop)]

    def unlike(self, labels: list[frozenset[str]]) -> Iterator[tuple[int, int]]:
        """Candidates that do not have the same labels."""
        own = [frozenset().union(*(labels[n] for n in numbers)) for numbers in self._numbers]
        number = {kind: n for n, kind in enumerate(dict.fromkeys(own))}
        kinds = np.array([number[kind] for kind in own], np.int32)
        found = {(n, n) for n, kind in enumerate(own) if len(kind) > 1}
        for block in self._blocks:
            least, most = (block.fold(fold, kinds) for fold in (np.minimum, np.maximum))
            for group in block.groups(least != most):
                found.update((a, b) for a, b in combinations(group, 2) if kinds[a] != kinds[b])
        return (pair for pair in self._all(found) if labels[pair[0]] != labels[pair[1]])

    def like(self, some: set[int]) -> Iterator[tuple[int, int]]:
        """Candidates of which at least one is among some sayings."""
        hot = np.array([any(n in some for n in numbers) for numbers in self._numbers], bool)
        found = {(n, n) for n in np.flatnonzero(hot).tolist()}
        for block in self._blocks:
            for group in block.groups(block.fold(np.logical_or, hot)):
                found.update((a, b) for a, b in combinations(group, 2) if hot[a] or hot[b])
        return (pair for pair in self._all(found) if not some.isdisjoint(pair))

    def _all(self, premises: set[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        for first, second in sorted(premises):
            for a in self._numbers[first][:MOST_ALIKE]:
                for b in self._numbers[second][:MOST_ALIKE]:
                    if a < b or first != second:
                        yield a, b


class _Block:
    """Numbers of premises, those that share a candidate key beside each other."""

    def __init__(self, keys: np.ndarray, owners: np.ndarray):
        order = np.lexsort((owners, keys))
        keys = keys[order]
        starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
        sizes = np.diff(np.r_[starts, len(keys)])
        self._owners = owners[order][np.repeat(sizes > 1, sizes)]
        sizes = sizes[sizes > 1]
        self._starts = np.cumsum(sizes) - sizes
        self._ends = self._starts + sizes

    def fold(self, fold: np.ufunc, values: np.ndarray) -> np.ndarray:
        """One value for each key from those of its premises."""
        if not len(self._starts):
            return np.zeros(0, values.dtype)
        return fold.reduceat(values[self._owners], self._starts)

    def groups(self, wanted: np.ndarray) -> Iterator[list[int]]:
        """The premises of each wanted key, in order, as many as are compared."""
        chosen = np.flatnonzero(wanted)
        ends = np.minimum(self._ends[chosen], self._starts[chosen] + MOST_ALIKE)
        for start, end in zip(self._starts[chosen].tolist(), ends.tolist(), strict=True):
            yield self._owners[start:end].tolist()


def _blocks(premises: list[Words], should_stop: ShouldStop | None) -> Iterator[_Block]:
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
        yield _Block(np.concatenate([itself[0], keys]), np.concatenate([itself[1], owners]))


def _flat(keys: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    owners = np.repeat(np.arange(len(keys), dtype=np.int32), [len(own) for own in keys])
    return np.concatenate(keys), owners


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
