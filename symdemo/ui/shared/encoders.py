"""Encoders that all visitors share: each is loaded on first use, once, and then stays."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from symdemo.encoders import load_encoder
from symdemo.encoders.encoder import Encoder
from symdemo.errors import ModelError

logger = logging.getLogger(__name__)


def _load(name: str) -> Encoder:
    return load_encoder(name, inference_only=True)


class SharedEncoders:
    """Gives encoders by name to any number of threads; nothing is loaded before it is asked for.

    The names come from the app's own code: a visitor cannot name a path or a hub id.

    Args:
        load: an encoder by name.
    """

    def __init__(self, load: Callable[[str], Encoder] = _load):
        self._load = load
        self._loaded: dict[str, Encoder] = {}
        self._gone: set[str] = set()
        self._loading = threading.Lock()

    def loaded(self, name: str) -> bool:
        """Whether an encoder is in memory already."""
        return name in self._loaded

    def gone(self, name: str) -> bool:
        """Whether an encoder could not be loaded when it was last asked for."""
        return name in self._gone

    def get(self, name: str) -> Encoder:
        """An encoder by its name; loaded if it is not in memory, one after the other.

        Raises:
            ModelError: it is not on this machine, or damaged. The next call tries again.
        """
        if name not in self._loaded:
            with self._loading:
                if name not in self._loaded:
                    logger.info("Loading the encoder %s.", name)
                    self._load_now(name)
        return self._loaded[name]

    def _load_now(self, name: str) -> None:
        try:
            self._loaded[name] = self._load(name)
        except ModelError:
            self._gone.add(name)
            raise
        self._gone.discard(name)
