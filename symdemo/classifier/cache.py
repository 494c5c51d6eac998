"""The few models that stay in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symdemo.classifier.symmetry import SymmetryClassifier

Key = tuple[str, str]
"""(project, version), or ("", name) for a base model."""


class ModelCache:
    """Gives models to any number of threads; the least recently used one goes first.

    Args:
        capacity: how many stay in memory.
    """

    def __init__(self, capacity: int = 4):
        self._capacity = capacity
        self._models: OrderedDict[Key, SymmetryClassifier] = OrderedDict()
        self._guard = threading.Lock()
        self._loading = threading.Lock()

    def get(self, key: Key, load: Callable[[], SymmetryClassifier]) -> SymmetryClassifier:
        """The model of `key`; `load` is called where it is not in memory, one at a time."""
        model = self._find(key)
        if model is not None:
            return model
        with self._loading:
            model = self._find(key)
            if model is None:
                model = load()
                with self._guard:
                    self._models[key] = model
                    while len(self._models) > self._capacity:
                        self._models.popitem(last=False)
        return model

    def _find(self, key: Key) -> SymmetryClassifier | None:
        with self._guard:
            if key in self._models:
                self._models.move_to_end(key)
            return self._models.get(key)

    def drop(self, project: str, version: str | None = None) -> None:
        """Forget the versions of a project, or one of them."""
        with self._guard:
            for key in list(self._models):
                if key[0] == project and version in (None, key[1]):
                    del self._models[key]
