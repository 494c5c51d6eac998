"""The fields of a row of sentences, and which column of a table holds which of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from symdemo.errors import InputError
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL
from symdemo.text import shorten

PARTS = ("subject", "relation", "object")
SENTENCES = ("premise", "hypothesis")
FIELDS = (*PARTS, *SENTENCES, "label")

_LABEL_WORDS = {
    ENTAILMENT: "entailment entails yes holds symmetric true",
    CONTRADICTION: "contradiction contradicts no antisymmetric asymmetric false",
    NEUTRAL: "neutral unknown maybe neither open",
}
LABEL_OF_WORD = {word: label for label, words in _LABEL_WORDS.items() for word in words.split()}
"""A person's word for a label, in lower case → the label."""

_PLAIN_PHRASING = re.compile(r"\[X\] ([^\[\]]+) \[Y\]\.?")

_NAMES = {
    "subject": "subject subj head x from source entity1 arg1 first",
    "relation": "relation rel relationship predicate property verb phrase wording pid",
    "object": "object obj tail y to target entity2 arg2 second",
    "premise": "premise sentence sentence1 text statement",
    "hypothesis": "hypothesis swapped swappedsentence sentence2 swap reverse reversed",
    "label": "label labels goldlabel class verdict answer judgement judgment",
}


def guess_mapping(columns: Sequence[str]) -> dict[str, str]:
    """Which column probably holds which field of a row; a field with no likely column is absent."""
    by_name: dict[str, str] = {}
    for column in columns:
        by_name.setdefault(re.sub(r"[\W_]+", "", column.casefold()), column)
    found = {}
    for field, names in _NAMES.items():
        known = [by_name[name] for name in names.split() if name in by_name]
        if known:
            found[field] = known[0]
    return found


def names_sentences(fields: Iterable[str]) -> bool:
    """Whether these fields are enough to make a sentence."""
    return "premise" in fields or set(PARTS) <= set(fields)


def label_of_word(text: str) -> str:
    """The label that a person's word means: "Yes." is entailment; another word is its own label."""
    return LABEL_OF_WORD.get(text.casefold().strip(".!\"'“”"), text)


def plain_relation(relation: str) -> str:
    """The relation without [X] and [Y] where these stand at its two ends, else as it is."""
    plain = _PLAIN_PHRASING.fullmatch(relation)
    return plain[1] if plain else relation


def check_mapping(
    mapping: Mapping[str, str],
    columns: Sequence[str],
    fields: Sequence[str] = FIELDS,
    labelled: bool = True,
) -> None:
    """Raise `InputError` unless the mapping makes rows from these columns.

    Args:
        mapping: field → column.
        columns: those that there are.
        fields: those that a row may have.
        labelled: whether a row needs a label.
    """
    seen = shorten(", ".join(columns), 120)
    for field, column in mapping.items():
        if field not in fields:
            raise InputError(
                f"A row has no field “{shorten(str(field), 30)}”; expected: {', '.join(fields)}."
            )
        if column not in columns:
            raise InputError(f"There is no column “{shorten(str(column), 30)}”; seen: {seen}.")
    if not names_sentences(mapping) or (labelled and "label" not in mapping):
        raise InputError(
            "Columns for subject, relation, object and label are needed, or for premise and "
            f"label; seen: {seen}."
            if labelled
            else "A column for the premise is needed, or columns for subject, relation and object; "
            f"seen: {seen}."
        )
