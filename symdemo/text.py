"""Texts of users: check them, and show them in error messages."""

from __future__ import annotations

import unicodedata
from math import isnan
from numbers import Real
from typing import Any

from symdemo.errors import InputError

MIB = 1024**2

_UNPRINTABLE = ("Cc", "Cs", "Co", "Cn")
"""Unicode categories: control, surrogate, private-use and unassigned characters."""


def shorten(text: str, width: int = 60) -> str:
    """Cut `text` to `width` characters."""
    return text if len(text) <= width else text[: width - 1] + "…"


def one_line(text: str, instead: str = "?") -> str:
    """Return `text` on one line, with `instead` for characters that are not printable."""
    return "".join(c if c.isprintable() else instead for c in " ".join(text.split()))


def tidy_text(name: str, text: object, most: int, kind: str = "text") -> str:
    """Return `text` with single spaces; it may be empty.

    Args:
        name: the name of the text in errors.
        text: any value.
        most: characters that are allowed.
        kind: what is expected, for the error.

    Raises:
        InputError: not text, too long, or a character that is not plain text.
    """
    if not isinstance(text, str):
        raise InputError(f"The {name} is {type(text).__name__}; {kind} is expected.")
    if len(text) > most:
        raise InputError(
            f"The {name} “{shorten(one_line(text[:100]), 30)}” has {len(text):,} characters; at "
            f"most {most:,} are read."
        )
    tidy = " ".join(text.split())
    for character in "" if tidy.isprintable() else tidy:
        if unicodedata.category(character) in _UNPRINTABLE:
            raise InputError(
                f"The {name} contains the control character U+{ord(character):04X}; plain text is "
                "expected."
            )
    return tidy


def check_is_text(**values: object) -> None:
    """Raise `InputError` for the first value that is not text, by its name."""
    for name, value in values.items():
        if not isinstance(value, str):
            raise InputError(f"The {name} is {type(value).__name__}; text is expected.")


def is_number(value: Any) -> bool:
    """True if a value, such as a score in an archive, is a number other than NaN."""
    return isinstance(value, Real) and not isinstance(value, bool) and not isnan(value)


def count(number: int, noun: str) -> str:
    """Return “1 seed”, “2 seeds”."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def percent(share: Any, digits: int = 0) -> str:
    """Return a share as a percentage; a dash if nothing was measured."""
    return f"{share:.{digits}%}" if is_number(share) else "–"


def readable_size(number: int) -> str:
    """Return a number of bytes in words."""
    return f"{number / MIB:,.1f} MiB" if number >= MIB else f"{number:,} bytes"
