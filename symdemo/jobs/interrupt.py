"""Ctrl-C as a wish: what is in hand is finished first; pressed again, it ends at once."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from typing import Any


class StopAsked:
    """True, when called, once Ctrl-C was pressed.

    Args:
        in_hand: what is finished before it stops, as a word for the user.
    """

    def __init__(self, in_hand: str):
        self._in_hand, self._asked = in_hand, False
        with suppress(ValueError):  # not in the main thread: then nobody can press Ctrl-C either
            signal.signal(signal.SIGINT, self._ask)

    def _ask(self, number: int, frame: Any) -> None:
        self._asked = True
        sys.stderr.write(f"stopping after this {self._in_hand}; press again to stop at once\n")
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def __call__(self) -> bool:
        """Whether it is to stop after what is in hand."""
        return self._asked
