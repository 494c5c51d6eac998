"""Encoders that all visitors share: each is loaded on first use and stays in memory."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from symdemo.encoders import load_encoder
from symdemo.encoders.encoder import Encoder
from symdemo.errors import ModelError
from symdemo.jobs.deadline import uncounted

logger = logging.getLogger(__name__)


class SharedEncoders:
    """Give encoders by name to any number of threads.

    The names come from the app's own code: a visitor cannot name a path or a hub id.

    Args:
        load: loads an encoder by name; the registry's if None.
    """

    def __init__(self, load: Callable[[str], Encoder] | None = None):
        self._load = load or (lambda name: load_encoder(name, inference_only=True))
        self._loaded: dict[str, Encoder] = {}
        self._missing: set[str] = set()
        self._loading = threading.Lock()

    def loaded(self, name: str) -> bool:
        """True if an encoder is in memory."""
        return name in self._loaded

    def gone(self, name: str) -> bool:
        """True if the last attempt to load an encoder failed."""
        return name in self._missing

    def get(self, name: str) -> Encoder:
        """Return an encoder by its name, loading it if needed; one is loaded at a time.

        Raises:
            ModelError: it is not on this machine, or damaged. The next call tries again.
        """
        if name not in self._loaded:
            with uncounted(), self._loading:  # the first visitor's time is not spent on loading
                if name not in self._loaded:
                    logger.info("Loading the encoder %s.", name)
                    try:
                        self._loaded[name] = self._load(name)
                    except ModelError:
                        self._missing.add(name)
                        raise
                    self._missing.discard(name)
        return self._loaded[name]
