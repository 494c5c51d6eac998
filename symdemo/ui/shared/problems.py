"""Errors as one sentence for the person who asked: no traceback reaches a visitor."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from symdemo.errors import SymdemoError

logger = logging.getLogger(__name__)
Result = TypeVar("Result")

UNEXPECTED = "Something went wrong on our side, and it has been written down. Please try again."


@dataclass(frozen=True)
class Problem:
    """Why nothing was done.

    `guess` is the best guess for the three boxes where no two parties were found.
    """

    message: str
    guess: tuple[str, str, str] | None = None


def attempt(function: Callable[..., Result], *args: Any) -> Result | Problem:
    """What `function` gives, or the Problem to show instead."""
    try:
        return function(*args)
    except SymdemoError as error:
        return Problem(str(error), getattr(error, "guess", None))
    except Exception:
        logger.exception("Unexpected error in %s", function)
        return Problem(UNEXPECTED)
