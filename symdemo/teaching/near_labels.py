"""Labels that were probably mistyped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from symdemo.data.columns import LABEL_OF_WORD
from symdemo.pairs import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL
from symdemo.teaching.rows import TeachRow

_OTHER_WORDS = {
    ENTAILMENT: "y yep yeah yea ja oui si right correct entailed follows implies",
    CONTRADICTION: "n nope not nay non nein wrong incorrect contradicted contradictory",
    NEUTRAL: "perhaps possibly unsure unclear undecided undetermined",
}
_LABEL_OF_OTHER = {word: label for label, words in _OTHER_WORDS.items() for word in words.split()}
_MIN_LETTERS = 4  # nearly all shorter words look alike
_MIN_SIMILARITY = 0.8
_MAX_LABELS = 60  # each is compared with each


@dataclass(frozen=True, slots=True)
class NearLabel:
    """A label as typed, the one that was probably meant, and its rows (numbered from 1)."""

    typed: str
    meant: str
    rows: tuple[int, ...]


def near_labels(rows: Sequence[TeachRow], settled: Collection[str] = ()) -> list[NearLabel]:
    """Find labels, but for `settled` ones, that seem mistyped or mean yes, no or maybe."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows, start=1):
        if label := row.label.strip():
            numbers[label].append(number)
    if len(numbers) > _MAX_LABELS:
        return []
    found = []
    for typed, own in numbers.items():
        if typed not in settled and typed not in LABELS:
            more_used = [label for label in numbers if len(numbers[label]) > len(own)]
            if meant := _meant(typed, more_used):
                found.append(NearLabel(typed, meant, tuple(own)))
    return found


def _meant(typed: str, more_used: Sequence[str]) -> str | None:
    word = typed.casefold().strip(".!\"'“” ")
    if word in _LABEL_OF_OTHER:
        return _LABEL_OF_OTHER[word]
    if len(word) < _MIN_LETTERS:
        return None
    known = LABEL_OF_WORD | {label.casefold(): label for label in more_used}
    long = [name for name in known if len(name) >= _MIN_LETTERS]
    near = get_close_matches(word, long, n=1, cutoff=_MIN_SIMILARITY)
    return known[near[0]] if near else None
