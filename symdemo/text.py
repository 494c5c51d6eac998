"""Text of strangers: what is refused, and how it is shown in an error message."""

from __future__ import annotations

import unicodedata

from symdemo.errors import InputError

MIB = 1024**2

_UNPRINTABLE = ("Cc", "Cs", "Co", "Cn")
"""Unicode categories: control characters, half characters, and what has no meaning to all."""


def shorten(text: str, width: int = 60) -> str:
    """`text` cut to `width` characters for an error message."""
    return text if len(text) <= width else text[: width - 1] + "…"


def one_line(text: str, instead: str = "?") -> str:
    """`text` for an error message: on one line, with `instead` for signs that do not show."""
    return "".join(c if c.isprintable() else instead for c in " ".join(text.split()))


def tidy_text(name: str, text: object, most: int, kind: str = "text") -> str:
    """`text` with single spaces; it may be empty.

    Args:
        name: what an error calls it.
        text: anything.
        most: characters that are allowed.
        kind: what is expected, for people.

    Raises:
        InputError: not text, longer than that, or with a character that is not plain text.
    """
    if not isinstance(text, str):
        raise InputError(f"The {name} is {type(text).__name__}; {kind} is expected.")
    if len(text) > most:
        raise InputError(
            f"The {name} “{shorten(one_line(text[:100]), 30)}” has {len(text):,} characters; at "
            f"most {most:,} are read."
        )
    tidy = " ".join(text.split())
    for character in tidy:
        if unicodedata.category(character) in _UNPRINTABLE:
            raise InputError(
                f"The {name} contains the control character U+{ord(character):04X}; plain text is "
                "expected."
            )
    return tidy


def check_is_text(**values: object) -> None:
    """Raise `InputError` for the first value that is no text, by its name."""
    for name, value in values.items():
        if not isinstance(value, str):
            raise InputError(f"The {name} is {type(value).__name__}; text is expected.")


def readable_size(number: int) -> str:
    """A number of bytes to be read by people."""
    return f"{number / MIB:,.1f} MiB" if number >= MIB else f"{number:,} bytes"
