"""The models that the app can answer with: listed by name, loaded on first use."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.cache import ModelCache
from symdemo.classifier.card import ModelCard
from symdemo.classifier.checkpoints import list_models, shipped_first
from symdemo.errors import ModelError
from symdemo.jobs.deadline import uncounted
from symdemo.swapping.parsing import pipeline
from symdemo.teaching.lessons.start import find_version
from symdemo.text import shorten
from symdemo.ui.shared.projection import Projection

if TYPE_CHECKING:
    from symdemo.teaching.projects.project import Project

logger = logging.getLogger(__name__)

VERSION_PREFIX = "mine/"
"""Begins the names of a visitor’s own versions; no folder in `models/` can have such a name."""


@dataclass(frozen=True)
class LoadedModel:
    """A classifier under its name, with what the pictures need."""

    name: str
    classifier: SymmetryClassifier

    @property
    def title(self) -> str:
        """What a visitor calls it."""
        return "your version" if self.name.startswith(VERSION_PREFIX) else self.name

    @property
    def projection(self) -> Projection:
        """The two axes of the map of everything taught, fitted once for each classifier."""
        with _projecting:
            found = _projections.get(self.classifier)
            if found is None:
                found = Projection.fit(self.classifier.index.embeddings)
                _projections[self.classifier] = found
            return found


@contextmanager
def loading() -> Iterator[None]:
    """Where a model is had, and the parser that reads for it: loading them is nobody's time.

    Who asks first after a start would else be told, on a slow machine, that one sentence is too
    much.
    """
    with uncounted():
        with suppress(ModelError):  # without a parser, who needs it is told so when they need it
            pipeline()
        yield


_projecting = threading.Lock()
_projections: WeakKeyDictionary[SymmetryClassifier, Projection] = WeakKeyDictionary()


class ModelStore:
    """Gives models by name to any number of threads and keeps the last few in memory.

    Only names that `list_cards` gives are ever loaded: a visitor cannot name a path or a hub id.

    Args:
        list_cards: the cards of what is here, their names being the keys.
        load: a classifier by name.
        capacity: how many stay in memory; the least recently used one goes first.
    """

    def __init__(
        self,
        list_cards: Callable[[], Sequence[ModelCard]],
        load: Callable[[str], SymmetryClassifier],
        capacity: int = 3,
    ):
        self._list_cards = list_cards
        self._load = load
        self._loaded = ModelCache(capacity)

    @classmethod
    def of_folder(cls) -> ModelStore:
        """The models in `models/`."""
        return cls(list_models, SymmetryClassifier.from_pretrained)

    def cards(self) -> dict[str, ModelCard]:
        """Name → card, the one to start with first."""
        return {card.name: card for card in shipped_first(self._list_cards())}

    @property
    def default(self) -> str | None:
        """The name of the model to start with; None where there is no model."""
        return next(iter(self.cards()), None)

    def card(self, name: str | None) -> ModelCard | None:
        """The card of a model by its name; None where there is none."""
        return self.cards().get(name or "")

    def get(self, name: str | None = None) -> LoadedModel:
        """A model by its name, or the one to start with; loaded if it is not in memory.

        Raises:
            ModelError: there is no model of that name, or it is damaged.
        """
        names = list(self.cards())
        if not names:
            raise ModelError("No model is here yet; put a model folder into models/.")
        name = name or names[0]
        if name not in names:
            raise ModelError(f"There is no model “{shorten(name)}”; here are: {', '.join(names)}.")
        with loading():
            return LoadedModel(name, self._loaded.get(("", name), lambda: self._load_now(name)))

    def _load_now(self, name: str) -> SymmetryClassifier:
        logger.info("Loading the model %s.", name)
        return self._load(name)


@dataclass(frozen=True)
class VisitorModels:
    """What one visitor can ask: the shared models, and the versions of their own project."""

    shared: ModelStore
    project: Project

    def cards(self) -> dict[str, ModelCard]:
        """The cards of the shared models."""
        return self.shared.cards()

    def choices(self) -> list[tuple[str, str]]:
        """What to call each own version, and its name here; the newest first."""
        return [
            (f"{version.name} (yours)", VERSION_PREFIX + version.id)
            for version in reversed(self.project.versions())
        ]

    @property
    def default(self) -> str | None:
        """The version in use; where that is the base model, that one."""
        chosen = self.project.selected
        return VERSION_PREFIX + chosen if chosen else self.project.base

    def card(self, name: str | None) -> ModelCard | None:
        """The card of a model by its name; None where there is none."""
        if not (name or "").startswith(VERSION_PREFIX):
            return self.shared.card(name)
        version = self.project.version(name.removeprefix(VERSION_PREFIX))
        return self.project.model(version.id).card.with_(name=version.name)

    def get(self, name: str | None = None) -> LoadedModel:
        """A shared model by its name, or else an own version by what `choices` says, name or id.

        Raises:
            InputError: this project has no such version, or several of that name.
            ModelError: there is no such shared model or version, or it is damaged.
        """
        shared = self.shared.cards()
        if not name or name in shared:
            return self.shared.get(name)
        if name.startswith(VERSION_PREFIX):
            return self._load(name.removeprefix(VERSION_PREFIX))
        version = find_version(self.project, name)
        if version is None:
            here = [*shared, *(version.name for version in self.project.versions())]
            raise ModelError(
                f"There is no model “{shorten(name)}”; here are: {', '.join(dict.fromkeys(here))}."
            )
        return self._load(version.id)

    def _load(self, version: str) -> LoadedModel:
        with loading():
            return LoadedModel(VERSION_PREFIX + version, self.project.model(version))


Models = ModelStore | VisitorModels
"""What can be asked: shared models alone, or a visitor's own versions too."""
