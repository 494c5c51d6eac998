"""The fields of a row, the column of a table that holds each of them, and words for labels.

`guess_mapping` finds field → column by the columns' names (or by their places), `check_mapping`
refuses a mapping that makes no rows, and `label_of_word` reads “Yes.” as entailment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from symdemo.errors import InputError
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL
from symdemo.text import shorten

PARTS = ("subject", "relation", "object")
SENTENCES = ("premise", "hypothesis")
FIELDS = (*PARTS, *SENTENCES, "label")

FIELDS_BY_PLACE = {
    1: ("premise",),
    2: ("premise", "label"),
    3: ("premise", "hypothesis", "label"),
    4: (*PARTS, "label"),
}
"""Number of columns → their fields, for tables without a header."""

_LABEL_WORDS = {
    ENTAILMENT: "entailment entails yes holds symmetric true",
    CONTRADICTION: "contradiction contradicts no antisymmetric asymmetric false",
    NEUTRAL: "neutral unknown maybe neither open",
}
LABEL_OF_WORD = {word: label for label, words in _LABEL_WORDS.items() for word in words.split()}
"""Word for a label, in lower case → the label."""

MAX_NAME = 100
"""Characters in the name of a column."""

_PLAIN_PHRASING = re.compile(r"\[X\] ([^\[\]]+) \[Y\]\.?")

_NAMES = {
    "subject": "subject subj head x from source entity1 arg1 first",
    "relation": "relation rel relationship predicate property verb phrase wording pid",
    "object": "object obj tail y to target entity2 arg2 second",
    "premise": "premise sentence sentence1 firstsentence text statement",
    "hypothesis": "hypothesis swapped swappedsentence sentence2 secondsentence swap reverse "
    "reversed",
    "label": "label labels goldlabel class verdict answer judgement judgment",
    "construction": "construction constructions kind",
}


def guess_mapping(
    columns: Sequence[str], headed: bool = True, fields: Sequence[str] = FIELDS
) -> dict[str, str]:
    """Return field → column that probably holds it, without the fields that no column fits.

    Args:
        columns: names of the columns.
        headed: False if the names are mere numbers; the columns' places then decide.
        fields: those to find.
    """
    if not headed:
        return dict(zip(FIELDS_BY_PLACE.get(len(columns), ()), columns, strict=False))
    by_name: dict[str, str] = {}
    for column in columns:
        by_name.setdefault(re.sub(r"[\W_]+", "", column.casefold()), column)
    found = {}
    for field in fields:
        known = [by_name[name] for name in _NAMES[field].split() if name in by_name]
        if known:
            found[field] = known[0]
    return found


def names_sentences(fields: Iterable[str]) -> bool:
    """True if these fields are enough to make a sentence."""
    return "premise" in fields or set(PARTS) <= set(fields)


def label_of_word(text: str) -> str:
    """Return the label that a word means, “Yes.” → entailment; any other word is its own label."""
    return LABEL_OF_WORD.get(text.casefold().strip(".!\"'“”"), text)


def plain_relation(relation: str) -> str:
    """Return the relation without [X] and [Y] if these are its two ends, else as it is."""
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
        columns: names of the table's columns.
        fields: those that a row may have.
        labelled: whether a row needs a label.
    """
    seen = shorten(", ".join(columns), 120) or "nothing"
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


def seems_headed(names: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """True if the first row of a table probably names its columns.

    It does if it names the fields of a row. It does not if it holds a label such as yes, a number,
    a whole sentence, the same text twice, or a text that is in its column again.
    """
    mapping = guess_mapping(names)
    if names_sentences(mapping) and "label" in mapping:
        return True
    given = [name for name in names if name]
    return not (
        len(set(given)) < len(given)
        or any(map(_is_data, given))
        or any(
            name and place < len(cells) and " ".join(cells[place].split()) == name
            for cells in below
            for place, name in enumerate(names)
        )
    )


def _is_data(text: str) -> bool:
    """True if a text is a label, a number or a sentence, and so not the name of a column."""
    is_number = text.replace(".", "").replace(",", "").lstrip("-").isdigit()
    is_sentence = text[-1] in ".!?" and " " in text
    return text.casefold() in LABEL_OF_WORD or is_number or is_sentence or len(text) > MAX_NAME
