"""Labels that are probably meant for others: slips of the pen, and words for yes and no.

Nothing is changed here: a person is asked, for a label of their own may look like a known one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from symdemo.data.columns import LABEL_OF_WORD
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL
from symdemo.teaching.rows.row import Row

_OTHER_WORDS = {
    ENTAILMENT: "y yep yeah yea ja oui si right correct entailed follows implies",
    CONTRADICTION: "n nope not nay non nein wrong incorrect contradicted contradictory",
    NEUTRAL: "perhaps possibly unsure unclear undecided undetermined",
}
_LABEL_OF_OTHER = {word: label for label, words in _OTHER_WORDS.items() for word in words.split()}

_LONG_ENOUGH = 4
"""Letters of a word that a slip is looked for in; in shorter ones nearly all would be one."""

_NEAR = 0.8
"""Share of the letters that two words have in common, in the same order; 1 is the same word."""

_MOST = 60
"""Different labels in a table, beyond which nobody is asked: they cannot be taught anyway, and each
is compared with each."""


@dataclass(frozen=True, slots=True)
class NearLabel:
    """A label as it was typed, the one that is probably meant, and the rows (numbers from 1)."""

    typed: str
    meant: str
    rows: tuple[int, ...]


def near_labels(rows: Sequence[Row], settled: Collection[str] = ()) -> list[NearLabel]:
    """The labels to ask about, in the order of their first rows.

    Args:
        rows: the table.
        settled: labels that the person was asked about and wants as they are.
    """
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows, start=1):
        if label := row.label.strip():
            numbers[label].append(number)
    if len(numbers) > _MOST:
        return []
    found = []
    for typed, own in numbers.items():
        if typed in settled or typed in (ENTAILMENT, CONTRADICTION, NEUTRAL):
            continue
        more_used = [label for label in numbers if len(numbers[label]) > len(own)]
        if meant := _meant(typed, more_used):
            found.append(NearLabel(typed, meant, tuple(own)))
    return found


def _meant(typed: str, more_used: Sequence[str]) -> str | None:
    """The label that `typed` is probably meant for, among the known ones and those used more."""
    word = typed.casefold().strip(".!\"'“” ")
    if word in _LABEL_OF_OTHER:
        return _LABEL_OF_OTHER[word]
    if len(word) < _LONG_ENOUGH:
        return None
    known = {name: label for name, label in LABEL_OF_WORD.items() if len(name) >= _LONG_ENOUGH}
    known |= {label.casefold(): label for label in more_used if len(label) >= _LONG_ENOUGH}
    likeness = {name: SequenceMatcher(None, word, name).ratio() for name in known}
    best = max(likeness, key=likeness.__getitem__)
    return known[best] if likeness[best] >= _NEAR else None
