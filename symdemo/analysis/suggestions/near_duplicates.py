"""Groups of rows that say nearly the same and have different labels.

Two texts say nearly the same if they differ only in case, punctuation, one word more, or one
misspelt word. Rows of a template differ in a word, too: “Ann is Bob's mother” and “Eve is Bob's
mother”. So one word in place of another counts only as a misspelling: one letter of at least four
is wrong, added, missing or exchanged with the next; and either the data name the same relation for
both rows, or almost no other row has the rarer spelling, which is always required of a name. No
digit may differ, no name may be added, and a negation changes everything.

Candidates are exact, not sampled: two premises that differ in a word more, or in a letter, share
the text that remains without it, so that equal hashes of these remainders find them all without
comparing every row with every other.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import DisjointSet

from symdemo.analysis.suggestions.columns import NEAR_DUPLICATES, Answered, Suggestion, many
from symdemo.jobs.reporting import SILENT, Reporter

Words = tuple[str, ...]

MOST_ALIKE = 100
"""Pairs of one premise, or of premises alike in one place, that are compared with each other."""
NEGATIONS = frozenset((
    "not", "no", "never", "neither", "nor", "none", "nobody", "nothing", "without", "hardly",
    "isnt", "arent", "wasnt", "werent", "doesnt", "dont", "didnt", "hasnt", "havent", "hadnt",
    "cannot", "cant", "wont",
))  # fmt: skip
SHORTEST_MISSPELT = 4
"""Letters of the shorter of two spellings of a word."""
SHORTEST_NEGATION = 6
"""The same where one of them is a negation: “ever” is no misspelt “never”."""
RARE = 2
"""Largest number of rows with the rarer spelling, where the relations do not tell."""
NAME_RATIO = 5
"""Smallest ratio of rows with the two spellings, where the word is a name."""

_APOSTROPHES = str.maketrans("", "", "'’‘`´")
_WORD = re.compile(r"[^\W_]+")
_STEP = 5_000  # rows between two checks for a stop


def near_duplicates(answered: Answered, reports: Reporter = SILENT) -> list[Suggestion]:
    """Return the rows that say nearly the same as a row with another label; [] if there are none.

    Both premises and hypotheses of labelled rows must say nearly the same. Subjects and objects
    must be the same where both rows name them, and rows that name different relations must have the
    same words, since the data themselves say that a word matters.

    Returns:
        At most one suggestion with groups, the largest first, in each the rows with the rarer label
        first; scores are the share of the group's other rows that have another label.
    """
    groups = find_groups(answered, reports)
    if not groups:
        return []
    rows: list[int] = []
    scores: list[float] = []
    for group in groups:
        labels = [answered.labels[row] for row in group]
        shares = [sum(label != other for other in labels) / (len(labels) - 1) for label in labels]
        order = sorted(range(len(group)), key=lambda n: (-shares[n], group[n]))
        rows += [group[n] for n in order]
        scores += [shares[n] for n in order]
    title = f"{many(len(rows), 'pair')} say nearly the same as one with another label."
    why = (
        f"There {'is' if len(groups) == 1 else 'are'} {many(len(groups), 'such group')}. The pairs "
        "of a group differ in case, punctuation, one word more or one misspelt word, so that at "
        "least one label in each is probably wrong."
    )
    numbers = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    return [Suggestion(NEAR_DUPLICATES, title, why, np.array(rows), np.array(scores), numbers)]


def find_groups(answered: Answered, reports: Reporter = SILENT) -> list[list[int]]:
    """Return the groups of row numbers behind `near_duplicates`, the largest first."""
    rows_of: dict[tuple[Words, Words], list[int]] = defaultdict(list)
    labelled = answered.labelled.tolist()
    premises, hypotheses, relations = (
        answered.columns[name] for name in ("premise", "hypothesis", "relation")
    )
    for n, row in enumerate(labelled):
        if n % _STEP == 0:
            reports.check()
        rows_of[words_of(premises[row]), words_of(hypotheses[row])].append(row)
    vocabulary = Vocabulary.of([(premises[row], hypotheses[row]) for row in labelled])
    reports.check()
    sayings, rows = list(rows_of), list(rows_of.values())

    def same(a: int, b: int) -> bool:
        one, other = rows[a][0], rows[b][0]
        known = bool(relations[one]) and relations[one] == relations[other]
        texts = zip(sayings[a], sayings[b], strict=True)
        return all(vocabulary.same(x, y, known) for x, y in texts) and _compatible(
            answered, one, other
        )

    labels = [frozenset(str(answered.labels[row]) for row in own) for own in rows]
    members = _grouped(sayings, labels, same, reports)
    groups = [sorted(row for n in own for row in rows[n]) for own in members]
    return sorted(groups, key=lambda own: (-len(own), own[0]))


def _compatible(answered: Answered, a: int, b: int) -> bool:
    """True if subjects, objects and relations allow two rows to say the same."""
    for name in ("head", "tail"):
        column = answered.columns[name]
        if column[a] and column[b] and not _spelt_alike(str(column[a]), str(column[b])):
            return False
    relations = answered.columns["relation"]
    if not relations[a] or not relations[b] or relations[a] == relations[b]:
        return True
    texts = (answered.columns[name] for name in ("premise", "hypothesis"))
    return all(_spelt_alike(text[a], text[b]) for text in texts)


def _spelt_alike(a: str, b: str) -> bool:
    """True if two texts have the same words, except for the spelling of one."""
    edit = one_edit(words_of(a), words_of(b))
    return edit is not None and bool(edit[0]) == bool(edit[1])


def words_of(text: str) -> Words:
    """Return the words of a text without case and punctuation; “Bob's” becomes “bobs”.

    >>> words_of("Ann is Bob's step-mother!")
    ('ann', 'is', 'bobs', 'step', 'mother')
    """
    return tuple(_WORD.findall(_without_apostrophes(text).casefold()))


def _without_apostrophes(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)


def one_edit(a: Words, b: Words) -> tuple[Words, Words] | None:
    """Return the difference of two texts: a word added, one replaced, or two written as one.

    Returns:
        The words of each that the other lacks, both empty for equal texts; None if more differs.
    """
    start = _alike_until(a, b)
    a, b = a[start:], b[start:]
    end = _alike_until(a[::-1], b[::-1])
    rest = a[: len(a) - end], b[: len(b) - end]
    if {len(part) for part in rest} <= {0, 1} or "".join(rest[0]) == "".join(rest[1]):
        return rest
    return None


def one_letter(a: str, b: str) -> bool:
    """True if `a` and `b` differ by a letter added or replaced, or two adjacent ones exchanged."""
    start = _alike_until(a, b)
    a, b = a[start:], b[start:]
    if a[1:] == b or a == b[1:] or a[1:] == b[1:]:
        return a != b
    return a[2:] == b[2:] and a[:2] == b[:2][::-1]


def _alike_until(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the length of the longest common beginning."""
    n = min(len(a), len(b))
    return next((place for place in range(n) if a[place] != b[place]), n)


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The words of a data set.

    Attributes:
        rows: Word → number of rows that have it.
        names: Words that are mostly capitalised inside of sentences.
    """

    rows: Counter[str]
    names: frozenset[str]

    @classmethod
    def of(cls, sayings: Sequence[tuple[str, str]]) -> Vocabulary:
        """Return the vocabulary of rows of premise and hypothesis."""
        rows: Counter[str] = Counter()
        inside: Counter[str] = Counter()
        capital: Counter[str] = Counter()
        for saying in sayings:
            seen: set[str] = set()
            for text in saying:
                found = _WORD.findall(_without_apostrophes(text))
                folded = [word.casefold() for word in found]
                seen.update(folded)
                inside.update(folded[1:])
                capital.update(word.casefold() for word in found[1:] if word[0].isupper())
            rows.update(seen)
        return cls(rows, frozenset(word for word, n in capital.items() if 2 * n > inside[word]))

    def same(self, a: Words, b: Words, same_relation: bool = False) -> bool:
        """True if two texts say nearly the same; see the module.

        `same_relation` is True if the data name the same relation for both.
        """
        edit = one_edit(a, b)
        if edit is None:
            return False
        if "".join(edit[0]) == "".join(edit[1]):
            return True
        if not edit[0] or not edit[1]:
            added = (edit[0] or edit[1])[0]
            return added.isalpha() and added not in NEGATIONS and added not in self.names
        return self._misspelt(edit[0][0], edit[1][0], same_relation)

    def _misspelt(self, a: str, b: str, same_relation: bool) -> bool:
        shortest = SHORTEST_NEGATION if {a, b} & NEGATIONS else SHORTEST_MISSPELT
        if not (a.isalpha() and b.isalpha()) or min(len(a), len(b)) < shortest:
            return False
        if not one_letter(a, b):
            return False
        rarer, commoner = sorted((self.rows[a], self.rows[b]))
        if a in self.names or b in self.names:
            return rarer <= RARE and commoner >= NAME_RATIO * rarer
        return same_relation or rarer <= RARE


def _grouped(
    sayings: list[tuple[Words, Words]],
    labels: list[frozenset[str]],
    same: Callable[[int, int], bool],
    reports: Reporter,
) -> list[list[int]]:
    """Return the numbers of the sayings of each group that has at least two labels."""
    numbers: dict[Words, list[int]] = defaultdict(list)
    for n, (premise, _) in enumerate(sayings):
        numbers[premise].append(n)
    alike = [[n] for n in range(len(numbers))] + _alike(list(numbers), reports)
    sayings_of = list(numbers.values())
    groups = DisjointSet(range(len(labels)))
    mixed = {n for n, own in enumerate(labels) if len(own) > 1}

    def candidates(wanted: Callable[[int, int], bool]) -> list[tuple[int, int]]:
        """Return pairs of sayings with premises alike, in an order that hashes do not change."""
        found: set[tuple[int, int]] = set()
        for premises in alike:
            members = [n for premise in premises for n in sayings_of[premise][:MOST_ALIKE]]
            found.update((a, b) for a, b in combinations(members, 2) if wanted(a, b))
        return sorted(found)

    for a, b in candidates(lambda a, b: labels[a] != labels[b]):
        if same(a, b):
            groups.merge(a, b)
            mixed |= {a, b}
    # Sayings of the same label come last: in most data almost no row has one of another label.
    for a, b in candidates(lambda a, b: a in mixed or b in mixed):
        if not groups.connected(a, b) and same(a, b):
            groups.merge(a, b)
    seen: set[int] = set()
    found = []
    for n in sorted(mixed):
        if n not in seen:
            own = groups.subset(n)
            seen |= own
            found.append(sorted(own))
    return found


def _alike(premises: list[Words], reports: Reporter) -> list[list[int]]:
    """Return groups of premises that may differ in one letter, or in one word more.

    Two texts that differ in a letter share the hash of what remains without it; a text with one
    word more shares the hash of what remains without it with the other text as a whole. Texts may
    share hashes and differ in more: `Vocabulary.same` decides.
    """
    if not premises:
        return []
    whole, letters, words = [], [], []
    for n, premise in enumerate(premises):
        if n % _STEP == 0:
            reports.check()
        text = " ".join(premise)
        whole.append(hash(text))
        letters.append(
            _hashes({text[:n] + text[n + 1 :] for n, sign in enumerate(text) if not sign.isdigit()})
        )
        words.append(
            _hashes({" ".join((*premise[:n], *premise[n + 1 :])) for n in range(len(premise))})
        )
    texts = pd.DataFrame({"key": whole, "owner": range(len(whole))}, dtype=np.int64)
    found: list[list[int]] = []
    for rests in (letters, words):
        reports.check()
        owners = np.repeat(np.arange(len(rests)), [len(own) for own in rests])
        others = pd.DataFrame({"key": np.concatenate(rests), "owner": owners})
        if rests is words:  # the same rest of both texts would be one word in place of another
            others = others[others.key.isin(texts.key)]
        both = pd.concat([texts, others]).sort_values("owner", kind="stable")
        shared = both[both.key.duplicated(keep=False)]
        found += [own[:MOST_ALIKE] for own in shared.groupby("key").owner.agg(list)]
    return found


def _hashes(texts: set[str]) -> np.ndarray:
    return np.fromiter(map(hash, texts), np.int64, len(texts))
