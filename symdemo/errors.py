"""Errors that symdemo raises on purpose.

Each message is one sentence to act on: what was seen and what is expected. The command line prints
it and exits with 2; the app shows it and keeps its state.
"""


class SymdemoError(Exception):
    """Base class; the text is safe to show to anyone."""


class InputError(SymdemoError, ValueError):
    """A sentence, file or argument cannot be used."""


class NoPairFound(InputError):  # noqa: N818
    """The two phrases of a sentence that could change places were not found.

    `guess` is the best guess at (subject, relation, object), any of them possibly empty.
    """

    def __init__(self, message: str, guess: tuple[str, str, str] = ("", "", "")) -> None:
        super().__init__(message)
        self.guess = guess


class DiskError(SymdemoError):
    """The disk is full, nearly full or read-only; kept data is unchanged."""


class ModelError(SymdemoError):
    """A model or encoder is missing, damaged, or lacks a dependency."""
