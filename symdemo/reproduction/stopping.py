"""Ctrl-C while a study runs."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress


class Stop:
    """Ctrl-C ends a study after the measurement in hand; a second one ends it at once."""

    def __init__(self):
        self.asked = False
        with suppress(ValueError):  # not in the main thread: then nobody can press Ctrl-C either
            signal.signal(signal.SIGINT, self._ask)

    def _ask(self, number, frame) -> None:
        self.asked = True
        sys.stderr.write("stopping after this measurement; press again to stop at once\n")
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def __call__(self) -> bool:
        """Whether it was asked for."""
        return self.asked
