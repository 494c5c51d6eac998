"""Which column of a table holds what, where a person at the command line says so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symdemo.data.columns import FIELDS, guess_mapping, names_sentences
from symdemo.errors import InputError
from symdemo.text import shorten

EXAMPLE = "--columns premise=Satz,label=Urteil"


def choose_columns(columns: Sequence[str], chosen: Sequence[str]) -> dict[str, str]:
    """Field of a row → column of the file: as chosen, and for the other fields as guessed.

    Args:
        columns: the names of the file's columns.
        chosen: “field=column” each, or several with commas between; “field=” leaves a field out.

    Raises:
        InputError: no such field or column, or no sentence and label come of it.
    """
    named = dict(pair for text in chosen for pair in _parts(text, columns))
    for field, column in named.items():
        if field not in FIELDS:
            expected = ", ".join(FIELDS)
            raise InputError(
                f"--columns names the field “{shorten(field, 30)}”; expected: {expected}."
            )
        if column and column not in columns:
            seen = shorten(", ".join(columns), 120)
            raise InputError(f"There is no column “{shorten(column, 30)}”; seen: {seen}.")
    taken = {*named.values()}
    guessed = {
        field: column for field, column in guess_mapping(columns).items() if column not in taken
    }
    mapping = {field: column for field, column in (guessed | named).items() if column}
    if not names_sentences(mapping) or "label" not in mapping:
        raise InputError(
            "No columns are known for a label and for a premise (or subject, relation and object); "
            f"seen: {shorten(', '.join(columns), 120)}; name them, such as {EXAMPLE}."
        )
    return {field: mapping[field] for field in FIELDS if field in mapping}


def _parts(text: str, columns: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The fields and columns of one option; the name of a column may have a comma in it."""
    whole = text.partition("=")[2].strip()
    for part in [text] if whole in columns else text.split(","):
        field, sign, column = part.partition("=")
        if not sign:
            raise InputError(f"--columns has “{shorten(part, 30)}”; expected: {EXAMPLE}.")
        yield field.strip(), column.strip()
