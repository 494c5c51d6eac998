"""The fields of a row, the column of a table that holds each of them, and words for labels.

What some words mean depends on their column: `label_meanings` tells if “n” is neutral or no, and
which label 0 is.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from symdemo.errors import InputError
from symdemo.files.paths import ASSETS
from symdemo.pairs import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL, NOT_ENTAILMENT
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

ORDERS = (
    "entailment,neutral,contradiction", "contradiction,neutral,entailment",
    "contradiction,entailment,neutral", "entailment,not_entailment", "not_entailment,entailment",
)  # fmt: skip
"""Usual meanings of 0, 1 and 2, as `label_names` reads them."""

LEVY_HOLT = "hypothesis,premise"
"""The only column “known” of a table of Levy/Holt: hypothesis, premise, True or False."""

_KNOWN = tomllib.loads((ASSETS / "columns.toml").read_text(encoding="utf-8"))
LABEL_OF_WORD: dict[str, str] = {
    word: label for label, words in _KNOWN["labels"].items() for word in words.split()
}
"""Word for a label, in lower case → the label; "" for no label."""

_SPELLINGS = (*LABELS, NOT_ENTAILMENT, "entails", "contradicts")
_NUMBERS = frozenset("012")
_LETTERS = ({"e": ENTAILMENT, "n": NEUTRAL, "c": CONTRADICTION}, {"y": "yes", "n": "no"})
USUAL_ORDER = (ENTAILMENT, NEUTRAL, CONTRADICTION)
"""Meaning of 0, 1 and 2 in SNLI, MNLI, XNLI, ANLI and SICK on the hub."""

MAX_NAME = 100  # characters in the name of a column
_PLAIN_PHRASING = re.compile(r"\[X\] ([^\[\]]+) \[Y\]\.?")
HEADINGS = sorted({name for names in _KNOWN["names"].values() for name in names.split()})
"""Names of columns that are known, in lower case without signs."""


class UnknownOrderError(InputError):
    """Labels are 0 and 1, or 0, 1 and 2, and it is not known what they mean."""


def guess_mapping(columns: Sequence[str], fields: Sequence[str] = FIELDS) -> dict[str, str]:
    """Return field → column that probably holds it, without the fields that no column fits."""
    by_name = {_plain(column): column for column in reversed(columns)}  # the first of two alike
    found = {}
    for field in fields:
        if names := [name for name in _KNOWN["names"][field].split() if name in by_name]:
            found[field] = by_name[names[0]]
    return found


def fields_by_place(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the fields of a table without a header, by the cells of its first rows."""
    n = len(rows[0]) if rows else 0
    if n >= 3:
        places = [i for i in range(n) if all(_is_label(row[i]) for row in rows if len(row) > i)]
        if is_levy_holt(rows):
            return ("hypothesis", "premise", "label")
        if places[:1] == [0]:
            return ("label", *SENTENCES)
        if places[:1] == [2]:
            return (*SENTENCES, "label")
    return FIELDS_BY_PLACE.get(n, ())


def is_levy_holt(rows: Sequence[Sequence[str]]) -> bool:
    """True if rows are as in Levy/Holt: “aspirin, cures, headache” twice, then True or False."""
    return bool(rows) and all(
        len(row) >= 3 and row[0].count(",") == row[1].count(",") == 2 and _is_label(row[2])
        for row in rows
    )


def _plain(column: str) -> str:
    return re.sub(r"[\W_]+", "", column.casefold())


def _is_label(cell: str) -> bool:
    word = _word(cell)
    return not word or word in LABEL_OF_WORD or word in _NUMBERS or word in ("e", "c", "n", "y")


def names_sentences(fields: Iterable[str]) -> bool:
    """True if these fields are enough to make a sentence."""
    return "premise" in fields or set(PARTS) <= set(fields)


def _word(text: str) -> str:
    """Return a word for a label in lower case, without quotation marks or a final full stop."""
    word = text.casefold().strip(" .!\"'“”")
    return word[:-2] if re.fullmatch(r"-?\d\.0", word) else word  # numbers beside empty cells


def label_of_word(text: str, named: Mapping[str, str] | None = None) -> str:
    """Return the label that a word means (“Yes.” → entailment), in `named` first; else the text."""
    word = _word(text)
    return (named or {}).get(word) or LABEL_OF_WORD.get(word, text)


def read_label(text: str, meanings: Mapping[str, str] | None = None) -> str | None:
    """Return the label that the text of a cell means; None for “-” and others that mean none.

    `meanings` are those of this column, from `label_meanings`; they go before the general ones,
    such as “Yes.” → entailment. Any other word is its own label. `InputError` for one that is
    probably mistyped.
    """
    word = _word(text)
    if meanings and word in meanings:
        return meanings[word] or None
    label = LABEL_OF_WORD.get(word, text)
    if word not in LABEL_OF_WORD:
        near = get_close_matches(word, _SPELLINGS, n=1, cutoff=0.8)
        if near and len(word) > 4:
            raise InputError(f"The label is “{shorten(text, 40)}”; did you mean {near[0]}?")
    return label or None


def label_names(text: str) -> dict[str, str]:
    """Read the meanings of labels, as a user writes them for a command.

    The text lists the labels that 0, 1 and 2 mean, “entailment,neutral,contradiction”, or for each
    word its label, “ja=entailment,nein=contradiction”; “x=” means no label. `InputError` for a mix.
    """
    parts = [part.strip() for part in text.split(",")] if text else []
    if not any("=" in part for part in parts):
        return {str(n): label_of_word(part) for n, part in enumerate(parts)}
    if wrong := next((part for part in parts if "=" not in part), None):
        raise InputError(f"The labels have “{shorten(wrong, 30)}”; word=label is expected.")
    named = (part.split("=", 1) for part in parts)
    return {_word(word): label_of_word(label.strip()) for word, label in named}


def label_meanings(
    words: Iterable[str],
    columns: Sequence[str] = (),
    file: str = "",
    named: Mapping[str, str | None] | None = None,
) -> dict[str, str]:
    """Return the meanings, for `read_label`, of words for labels that depend on the table.

    The result is word in lower case → label, "" for no label. `words` are the different texts in
    the column of labels; the names of all `columns` and of the file tell some data sets; `named`
    are meanings that a user gave. `UnknownOrderError` for 0, 1 and 2 if none of these tells.
    """
    given = {_word(word): label or "" for word, label in (named or {}).items()}
    seen = {_word(word) for word in words}
    left = {word for word in seen if word and LABEL_OF_WORD.get(word) != ""} - given.keys()
    letters = next((own for own in _LETTERS if left <= own.keys() and len(left) > 1), {})
    found = {word: label_of_word(label) for word, label in letters.items()}
    known = _set_meanings(columns, file, left)
    found |= {word: label for word, label in known.items() if word in seen}
    numbers = sorted(left & _NUMBERS - found.keys())
    is_odd_row = 2 * len(numbers) < len(left)
    if numbers and not is_odd_row and {word for word in left if word.isdigit()} <= _NUMBERS:
        raise UnknownOrderError(
            f"The labels are {', '.join(numbers)}, and what they mean is not known: choose it, "
            "on the command line by --labels entailment,neutral,contradiction, or write words."
        )
    return found | given


def _set_meanings(columns: Sequence[str], file: str, words: set[str]) -> Mapping[str, str]:
    """Return what label words mean in the known data set that a table seems to be, if any."""
    names = set(re.split(r"[^a-z]+", Path(file).stem.lower()))
    plain = {_plain(column) for column in columns} | set(columns)
    for known in _KNOWN["set"]:
        needed = set(known["columns"].split())
        if "2" in known["means"] and "2" not in words:
            needed = set()  # 0 and 1 alone may be of any two-class set
        if names & set(known["files"].split()) or (needed and needed <= plain):
            return known["means"]
    return {}


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
    """Raise `InputError` unless field → column makes rows of `fields`, with label if `labelled`."""
    seen = shorten(", ".join(columns), 120) or "nothing"
    for field, column in mapping.items():
        if field not in fields:
            raise InputError(
                f"A row has no field “{shorten(str(field), 30)}”; expected: {', '.join(fields)}."
            )
        if column not in columns:
            raise InputError(f"There is no column “{shorten(str(column), 30)}”; seen: {seen}.")
    if not names_sentences(mapping) or (labelled and "label" not in mapping):
        needed = "A column for the premise is needed, or columns for subject, relation and object"
        if labelled:
            parts = "subject, relation, object and label"
            needed = f"Columns for {parts} are needed, or for premise and label"
        raise InputError(f"{needed}; seen: {seen}.")


def seems_headed(names: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """True if the first row of a table probably names its columns.

    It does if it names the fields of a row. It does not if it holds a label such as yes, a number,
    a whole sentence, the same text twice, or a text that is in its column again. Over a column of
    such labels it may hold any other text, as in “Does it hold?”.
    """
    mapping = guess_mapping(names)
    if names_sentences(mapping) and "label" in mapping:
        return True
    given, titles = [name for name in names if name], over_labels(names, below)
    return not (
        len(set(given)) < len(given)
        or any(_is_data(name) for name in given if name not in titles)
        or any(
            name and place < len(cells) and " ".join(cells[place].split()) == name
            for cells in below
            for place, name in enumerate(names)
        )
    )


def over_labels(names: Sequence[str], below: Sequence[Sequence[str]]) -> set[str]:
    """Return the cells of the first row that are not labels but have only labels below them."""
    return {
        name
        for place, name in enumerate(names)
        if not _is_label(name)
        and below
        and all(cells[place:] and _is_label(cells[place]) for cells in below)
    }


def _is_data(text: str) -> bool:
    """True if a text is a label, a number or a sentence, and so not the name of a column."""
    is_number = text.replace(".", "").replace(",", "").lstrip("-").isdigit()
    is_sentence = text[-1] in ".!?" and " " in text
    return text.casefold() in LABEL_OF_WORD or is_number or is_sentence or len(text) > MAX_NAME
