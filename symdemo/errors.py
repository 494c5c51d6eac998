"""The errors that symdemo raises on purpose.

Each message is one sentence a person can act on: what was seen, and what is expected. The command
line prints it and exits with 2; the app shows it and keeps its state.
"""


class SymdemoError(Exception):
    """Base of every error that symdemo raises on purpose; its text is safe to show to anyone."""


class InputError(SymdemoError, ValueError):
    """What was given (a sentence, a file, an argument) cannot be used as it is."""


class NoPairFound(InputError):  # noqa: N818  (it names what happened, as InputError does not)
    """A sentence was read, but not the two phrases in it that could change places.

    `guess` is the best guess at (subject, relation, object), any of them possibly empty.
    """

    def __init__(self, message: str, guess: tuple[str, str, str] = ("", "", "")) -> None:
        super().__init__(message)
        self.guess = guess


class DiskError(SymdemoError):
    """The disk is full, nearly full, or can only be read: what was kept stays as it was."""


class ModelError(SymdemoError):
    """A model or encoder cannot be found, is damaged, or needs something that is not here."""
