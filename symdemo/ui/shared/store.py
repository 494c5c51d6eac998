"""The models and encoders that the app can answer with: loaded by name, on first use."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from weakref import WeakKeyDictionary

from symdemo.analysis.projection import PrincipalAxes
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.card import ModelCard
from symdemo.classifier.checkpoints import list_models, shipped_first
from symdemo.classifier.symmetry import ModelCache
from symdemo.encoders import Encoder, load_encoder, pick_device
from symdemo.encoders.backends import TORCH, pick_backend
from symdemo.errors import ModelError
from symdemo.jobs.deadline import uncounted
from symdemo.swapping.parsing import pipeline
from symdemo.teaching.project import Project
from symdemo.text import shorten

logger = logging.getLogger(__name__)

VERSION_PREFIX = "mine/"
"""Starts the names of a visitor’s own versions; no folder in `models/` can have such a name."""


@dataclass(frozen=True)
class LoadedModel:
    """A classifier with its name and its map."""

    name: str
    classifier: SymmetryClassifier

    @property
    def title(self) -> str:
        """The name to show to a visitor."""
        return "your version" if self.name.startswith(VERSION_PREFIX) else self.name

    @property
    def plane(self) -> PrincipalAxes:
        """The plane of the map of taught pairs, fitted once for each classifier."""
        with _fitting:
            if self.classifier not in _planes:
                _planes[self.classifier] = PrincipalAxes.fit(self.classifier.index.embeddings)
            return _planes[self.classifier]


_fitting = threading.Lock()
_planes: WeakKeyDictionary[SymmetryClassifier, PrincipalAxes] = WeakKeyDictionary()


@contextmanager
def loading() -> Iterator[None]:
    """Load model and parser without charging the time to the request's deadline.

    Otherwise the first question after a start on a slow machine would run out of time.
    """
    with uncounted():
        with suppress(ModelError):  # a missing parser is reported where it is needed
            pipeline()
        yield


class ModelStore:
    """Load models by name, for any number of threads, and keep the last few in memory.

    Only names that `list_cards` gives are loaded: a visitor cannot name a path or a hub id.
    `load_trainable` loads a classifier that can be retrained, if `load` does not.
    """

    def __init__(
        self,
        list_cards: Callable[[], Sequence[ModelCard]],
        load: Callable[[str], SymmetryClassifier],
        load_trainable: Callable[[str], SymmetryClassifier] | None = None,
    ):
        self._list_cards = list_cards
        self._load = load
        self._load_trainable = load_trainable
        self._loaded = ModelCache(3)

    @classmethod
    def of_folder(cls) -> ModelStore:
        """Return a store of `models/`, run by the backend that SYMDEMO_BACKEND names.

        `InputError` if it is unknown, or its packages are not installed.
        """
        backend = os.environ.get("SYMDEMO_BACKEND") or TORCH
        load = SymmetryClassifier.from_pretrained
        if pick_backend(backend, pick_device()) == TORCH:
            return cls(list_models, load)
        return cls(list_models, partial(load, backend=backend), load_trainable=load)

    def cards(self) -> dict[str, ModelCard]:
        """Map each name to its card, the default model first."""
        return {card.name: card for card in shipped_first(self._list_cards())}

    @property
    def default(self) -> str | None:
        """The name of the default model; None if there is no model."""
        return next(iter(self.cards()), None)

    def card(self, name: str | None) -> ModelCard | None:
        """Return the card of a model; None if there is no such model."""
        return self.cards().get(name or "")

    def get(self, name: str | None = None) -> LoadedModel:
        """Return a model by its name, or the default one; `ModelError` if missing or damaged."""
        names = list(self.cards())
        if not names:
            raise ModelError("There is no model yet; put a model folder into models/.")
        if (name := name or names[0]) not in names:
            raise no_model(name, names)
        with loading():
            return LoadedModel(name, self._loaded.get(("", name), lambda: self._load(name)))

    def trainable(self, name: str) -> SymmetryClassifier:
        """Return a model that can be retrained; errors as `get`."""
        return self._load_trainable(name) if self._load_trainable else self.get(name).classifier


@dataclass(frozen=True)
class VisitorModels:
    """The shared models and the versions of one visitor's project."""

    shared: ModelStore
    project: Project

    def cards(self) -> dict[str, ModelCard]:
        """Return the cards of the shared models."""
        return self.shared.cards()

    def choices(self) -> list[tuple[str, str]]:
        """Return (title, name) of each own version, the newest first."""
        return [
            (f"{version.name} (yours)", VERSION_PREFIX + version.id)
            for version in reversed(self.project.versions())
        ]

    @property
    def default(self) -> str | None:
        """The version in use, or the base model."""
        chosen = self.project.selected
        return VERSION_PREFIX + chosen if chosen else self.project.base

    def card(self, name: str | None) -> ModelCard | None:
        """Return the card of a model; None if there is no such model."""
        if not name or not name.startswith(VERSION_PREFIX):
            return self.shared.card(name)
        version = self.project.version(name.removeprefix(VERSION_PREFIX))
        return self.project.model(version.id).card.with_(name=version.name)

    def get(self, name: str | None = None) -> LoadedModel:
        """Return a shared model by its name, or a version by its name, id or name in `choices`.

        `InputError` if the project has no such version, or several of that name; `ModelError` if
        there is no such shared model or version, or it is damaged.
        """
        shared = self.shared.cards()
        if not name or name in shared:
            return self.shared.get(name)
        id = name.removeprefix(VERSION_PREFIX)
        if id == name:
            if (version := self.project.find_version(name)) is None:
                raise no_model(name, [*shared, *(own.name for own in self.project.versions())])
            id = version.id
        with loading():
            return LoadedModel(VERSION_PREFIX + id, self.project.model(id))


Models = ModelStore | VisitorModels  # the models that a visitor can ask


def no_model(name: str, available: Sequence[str]) -> ModelError:
    """Return the error for a model that does not exist."""
    names = ", ".join(dict.fromkeys(available))
    return ModelError(f"There is no model “{shorten(name)}”; here are: {names}.")


class SharedEncoders:
    """Load encoders by name, for any number of threads, and keep them in memory.

    The names come from the app's own code: a visitor cannot name a path or a hub id. `load` is the
    registry's if None.
    """

    def __init__(self, load: Callable[[str], Encoder] | None = None):
        self._load = load or partial(load_encoder, inference_only=True)
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

        `ModelError` if it is not on this machine, or damaged; the next call tries again.
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
