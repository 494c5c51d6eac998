"""The form of settings for a retraining: its numbers, and what is made of what stands in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symdemo.errors import InputError
from symdemo.pairs import shorten
from symdemo.teaching.settings import TeachSettings

NUMBERS = {
    "epochs": "Rounds over all rows",
    "samples": "Rows to learn from",
    "learning_rate": "Learning rate",
    "retention": "Hold on to other sentences",
    "replay": "Known examples mixed in",
    "seed": "Seed",
}
"""The settings that are numbers, and what they are called on the page."""


def read_settings(form: Mapping[str, Any]) -> TeachSettings:
    """The settings of the form; an empty field is the usual value.

    Raises:
        InputError: a value that is not allowed.
    """
    numbers = {name: _number(name, form.get(name)) for name in NUMBERS}
    given = {name: number for name, number in numbers.items() if number is not None}
    base = form.get("base")
    return TeachSettings(
        method=str(form["method"]) if form.get("method") else None,
        base=str(base) if base else None,
        **given,
    )


def _number(name: str, text: Any) -> int | float | None:
    tidy = " ".join(str("" if text is None else text).split()).replace(",", ".")
    if not tidy:
        return None
    try:
        return float(tidy) if name in ("learning_rate", "retention") else int(tidy)
    except ValueError:
        raise InputError(
            f"“{NUMBERS[name]}” is “{shorten(tidy, 20)}”; a number is expected, or nothing."
        ) from None
