"""The models that the app can answer with: listed by name, loaded on first use."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from symdemo.errors import ModelError
from symdemo.pairs import shorten
from symdemo.teaching.start import find_version
from symdemo.ui.projection import Projection

if TYPE_CHECKING:
    from symdemo.cards import ModelCard
    from symdemo.classifier import SymmetryClassifier
    from symdemo.teaching.project import Project

logger = logging.getLogger(__name__)

OWN = "mine/"
"""Begins the names of a visitor’s own versions; no folder in `models/` can have such a name."""

PREFERRED = ("general", "wikidata14")
"""The models to start with, best first; without them it is the first by name."""


@dataclass(frozen=True)
class LoadedModel:
    """A classifier under its name, with what the pictures need and is worked out only once."""

    name: str
    classifier: SymmetryClassifier

    @property
    def title(self) -> str:
        """What a visitor calls it."""
        return "your version" if self.name.startswith(OWN) else self.name

    @cached_property
    def projection(self) -> Projection:
        """The two axes of the map of everything taught."""
        with _projecting:
            found = _projections.get(self.classifier)
            if found is None:
                found = Projection.fit(self.classifier.index.embeddings)
                _projections[self.classifier] = found
            return found


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
        self._capacity = capacity
        self._loaded: OrderedDict[str, LoadedModel] = OrderedDict()
        self._lock = threading.Lock()
        self._loading = threading.Lock()

    @classmethod
    def of_folder(cls) -> ModelStore:
        """The models in `models/`."""
        from symdemo.checkpoints import list_models, load_model

        return cls(list_models, load_model)

    def cards(self) -> dict[str, ModelCard]:
        """Name → card, the one to start with first."""
        cards = {card.name: card for card in self._list_cards()}
        first = [name for name in PREFERRED if name in cards]
        return {name: cards[name] for name in [*first, *(n for n in cards if n not in first)]}

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
        return self._find(name) or self._load_once(name)

    def _find(self, name: str) -> LoadedModel | None:
        with self._lock:
            if name in self._loaded:
                self._loaded.move_to_end(name)
            return self._loaded.get(name)

    def _load_once(self, name: str) -> LoadedModel:
        with self._loading:
            if (found := self._find(name)) is not None:
                return found
            logger.info("Loading the model %s.", name)
            model = LoadedModel(name, self._load(name))
            with self._lock:
                self._loaded[name] = model
                while len(self._loaded) > self._capacity:
                    self._loaded.popitem(last=False)
            return model


@dataclass(frozen=True)
class OwnModels:
    """What one visitor can ask: the shared models, and the versions of their own project."""

    shared: ModelStore
    project: Project

    def cards(self) -> dict[str, ModelCard]:
        """The cards of the shared models."""
        return self.shared.cards()

    def choices(self) -> list[tuple[str, str]]:
        """What to call each own version, and its name here; the newest first."""
        return [
            (f"{version.name} (yours)", OWN + version.id)
            for version in reversed(self.project.versions())
        ]

    @property
    def default(self) -> str | None:
        """The version in use; where that is the base model, that one."""
        chosen = self.project.selected
        return OWN + chosen if chosen else self.project.base

    def card(self, name: str | None) -> ModelCard | None:
        """The card of a model by its name; None where there is none."""
        if not (name or "").startswith(OWN):
            return self.shared.card(name)
        version = self.project.version(name.removeprefix(OWN))
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
        if name.startswith(OWN):
            return LoadedModel(name, self.project.model(name.removeprefix(OWN)))
        version = find_version(self.project, name)
        if version is None:
            here = [*shared, *(version.name for version in self.project.versions())]
            raise ModelError(
                f"There is no model “{shorten(name)}”; here are: {', '.join(dict.fromkeys(here))}."
            )
        return LoadedModel(OWN + version.id, self.project.model(version.id))
