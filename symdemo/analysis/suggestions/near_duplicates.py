"""Groups of rows that say nearly the same and have different labels.

Two texts say nearly the same if they differ only in case, punctuation, hyphens, or one extra word.
That word must not be a name or a negation, which changes everything, nor contain a digit.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain, combinations
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import DisjointSet

from symdemo.analysis.suggestions.columns import NEAR_DUPLICATES, Answered, Suggestion
from symdemo.jobs.reporting import SILENT, Reporter
from symdemo.swapping.lexicon import word_set
from symdemo.text import count

Words = tuple[str, ...]
MOST_ALIKE = 100  # pairs with the same premise that are compared with each other
NEGATIONS = word_set(
    "not no never neither nor none nobody nothing without hardly isnt arent wasnt werent doesnt "
    "dont didnt hasnt havent hadnt cannot cant wont"
)

_APOSTROPHES = str.maketrans("", "", "'’‘`´")
_WORD = re.compile(r"[^\W_]+")
_STEP = 5_000  # rows between two checks for a stop


def near_duplicates(answered: Answered, reports: Reporter = SILENT) -> list[Suggestion]:
    """Return the rows that say nearly the same as a row with another label; [] if there are none.

    Both premises and hypotheses of labelled rows must say nearly the same. Subjects and objects
    must be the same where both rows name them, and rows that name different relations must have the
    same words, since the data themselves say that a word matters. At most one suggestion: the rows
    of the largest group first, in each the rarer label first.
    """
    groups = find_groups(answered, reports)
    if not groups:
        return []
    rows: list[int] = []
    labels = answered.rows.label.tolist()
    for group in groups:
        times = Counter(labels[row] for row in group)
        rows += sorted(group, key=lambda row: (times[labels[row]], row))
    title = f"{count(len(rows), 'pair')} say nearly the same as one with another label."
    why = (
        f"There {'is' if len(groups) == 1 else 'are'} {count(len(groups), 'such group')}. The "
        "pairs of a group differ in case, punctuation or one word more, so that at least one label "
        "in each is probably wrong."
    )
    return [Suggestion(NEAR_DUPLICATES, title, why, np.array(rows))]


def find_groups(answered: Answered, reports: Reporter = SILENT) -> list[list[int]]:
    """Return the groups of row numbers behind `near_duplicates`, the largest first."""
    rows_of: dict[tuple[Words, Words], list[int]] = defaultdict(list)
    inside: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    columns = ["premise", "hypothesis", "label", "relation", "head", "tail"]
    told = list(answered.rows[columns].itertuples(index=False))
    for n, row in enumerate(answered.labelled.tolist()):
        if n % _STEP == 0:
            reports.check()
        premise, hypothesis = texts = told[row].premise, told[row].hypothesis
        rows_of[words_of(premise), words_of(hypothesis)].append(row)
        for text in texts:
            after_first = _WORD.findall(_without_apostrophes(text))[1:]
            inside.update(word.casefold() for word in after_first)
            capital.update(word.casefold() for word in after_first if word[0].isupper())
    names = {word for word, n in capital.items() if 2 * n > inside[word]}
    sayings, rows = list(rows_of), list(rows_of.values())
    groups = DisjointSet(range(len(rows)))
    for a, b in _candidates([premise for premise, _ in sayings], reports):
        if (
            not groups.connected(a, b)
            and _nearly_same(sayings[a][0], sayings[b][0], names)
            and _nearly_same(sayings[a][1], sayings[b][1], names)
            and _compatible(told[rows[a][0]], told[rows[b][0]])
        ):
            groups.merge(a, b)
    found = [sorted(chain.from_iterable(rows[n] for n in own)) for own in groups.subsets()]
    mixed = [own for own in found if len({told[row].label for row in own}) > 1]
    return sorted(mixed, key=lambda own: (-len(own), own[0]))


def _candidates(premises: list[Words], reports: Reporter) -> Iterator[tuple[int, int]]:
    """Yield pairs of premise numbers that are equal without spaces, or except for one word."""
    whole: dict[str, list[int]] = defaultdict(list)
    for n, premise in enumerate(premises):
        whole["".join(premise)].append(n)
    for n, premise in enumerate(premises):
        if n % _STEP == 0:
            reports.check()
        for place in range(len(premise)):
            rest = "".join((*premise[:place], *premise[place + 1 :]))
            yield from ((other, n) for other in whole.get(rest, ())[:MOST_ALIKE])
    for numbers in whole.values():
        yield from combinations(numbers[:MOST_ALIKE], 2)


def words_of(text: str) -> Words:
    """Return the words of a text without case and punctuation; “Bob's” becomes “bobs”.

    >>> words_of("Ann is Bob's step-mother!")
    ('ann', 'is', 'bobs', 'step', 'mother')
    """
    return tuple(_WORD.findall(_without_apostrophes(text).casefold()))


def _without_apostrophes(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)


def _nearly_same(a: Words, b: Words, names: set[str]) -> bool:
    """True if two texts have the same words, or one has one extra word that changes little."""
    if "".join(a) == "".join(b):
        return True
    short, long = sorted((a, b), key=len)
    if len(long) != len(short) + 1:
        return False
    at = next((n for n, word in enumerate(short) if word != long[n]), len(short))
    more = long[at]
    is_more = short == long[:at] + long[at + 1 :]
    return is_more and more.isalpha() and more not in NEGATIONS and more not in names


def _compatible(a: Any, b: Any) -> bool:
    """True if subjects, objects and relations allow two rows to say the same."""
    names = ["head", "tail"]
    if a.relation and b.relation and a.relation != b.relation:
        names += ["premise", "hypothesis"]
    both = ((getattr(a, name), getattr(b, name)) for name in names)
    return all("".join(words_of(x)) == "".join(words_of(y)) for x, y in both if x and y)
