"""Pairs of premise and hypothesis, the data type that all parts of symdemo exchange."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from symdemo.errors import InputError
from symdemo.text import shorten, tidy_text

ENTAILMENT = "entailment"
CONTRADICTION = "contradiction"
NEUTRAL = "neutral"
LABELS = (ENTAILMENT, CONTRADICTION, NEUTRAL)
NOT_ENTAILMENT = "not_entailment"
"""The label of two-class sets, which do not tell contradiction from neutral."""

MAX_CHARACTERS = 2_000
"""Characters of the longest sentence; an encoder has its own limit in tokens."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A premise, a hypothesis, and what is known about them.

    `relation` names the relation (a Wikidata property id or any text), `head` and `tail` the two
    entities as the sentences spell them. An encoder sees only the two sentences.
    """

    premise: str
    hypothesis: str
    label: str | None = None
    relation: str | None = None
    head: str | None = None
    tail: str | None = None

    @property
    def entity_pair(self) -> tuple[str, str]:
        """Unordered pair of entities, which a split must keep on one side.

        Without head and tail it is the two sentences, so that a pair and its reverse agree.
        """
        ends = (
            (self.head, self.tail) if self.head and self.tail else (self.premise, self.hypothesis)
        )
        first, second = sorted(end.casefold() for end in ends)
        return first, second

    def reversed(self) -> Pair:
        """Return the pair with premise and hypothesis exchanged, and head and tail too."""
        return Pair(self.hypothesis, self.premise, self.label, self.relation, self.tail, self.head)


def is_right(label: str, verdict: str | None) -> bool:
    """True if a verdict fits a label: for not_entailment, contradiction and neutral both do."""
    return label == verdict or (label == NOT_ENTAILMENT and verdict in (CONTRADICTION, NEUTRAL))


def labels_of(pairs: Iterable[Pair]) -> list[str]:
    """Return the labels of labelled pairs, or raise `InputError` for a pair without one."""
    labels = []
    for pair in pairs:
        if not pair.label:
            raise InputError(f"The pair “{pair.premise}” has no label; one is expected.")
        labels.append(pair.label)
    return labels


def check_sentence(text: object, name: str = "sentence") -> str:
    """Return `text` with single spaces.

    Raises:
        InputError: not text, empty, one word, control characters, or over `MAX_CHARACTERS`.
    """
    tidy = tidy_text(name, text, MAX_CHARACTERS, "a sentence as text")
    if not tidy:
        raise InputError(f"The {name} is empty; a sentence of at least two words is expected.")
    if len(tidy.split()) == 1 or not any(c.isalpha() for c in tidy):
        raise InputError(
            f"The {name} is “{shorten(tidy)}”; a sentence of at least two words is expected."
        )
    return tidy


def check_script(text: str, name: str = "sentence", script: str = "LATIN") -> None:
    """Raise `InputError` if most letters of `text` are of another script."""
    if script == "LATIN" and text.isascii():
        return
    letters = [c for c in text if c.isalpha()]
    others = [c for c in letters if not unicodedata.name(c, "").startswith(script)]
    if len(others) * 2 > len(letters):
        seen = unicodedata.name(others[0], "unknown").split()[0].capitalize()
        raise InputError(
            f"The {name} is written in {seen} letters; this encoder was made for English text in "
            f"{script.capitalize()} letters."
        )


def sentence_key(text: str) -> str:
    """Return a text without case, extra spaces and the final full stop, to compare sentences."""
    return " ".join(text.split()).rstrip(" .!…").casefold()


def check_pair(pair: Pair) -> Pair:
    """Return `pair` with both sentences checked, or raise `InputError`."""
    premise = check_sentence(pair.premise, "premise")
    hypothesis = check_sentence(pair.hypothesis, "hypothesis")
    return Pair(premise, hypothesis, pair.label, pair.relation, pair.head, pair.tail)


def hash_pairs(pairs: Iterable[Pair]) -> str:
    """Return the SHA-256 of sentences and labels in order, to identify a training set."""
    digest = hashlib.sha256()
    for pair in pairs:
        digest.update(f"{pair.premise}\t{pair.hypothesis}\t{pair.label}\n".encode())
    return digest.hexdigest()
