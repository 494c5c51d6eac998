"""The pairs of one retraining, each in its part: what is timed is what is trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.teaching.lessons.settings import DEFAULT_SETTINGS, TeachSettings
from symdemo.teaching.lessons.split import draw_replay, epoch_pairs, split_held_out
from symdemo.training.config import TrainingConfig

if TYPE_CHECKING:
    from symdemo.classifier import SymmetryClassifier


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one retraining learns, without the model that learns it.

    Attributes:
        own: all pairs of the person, each once.
        train: those of them to learn from.
        held_out: those of them to check on.
        replay: pairs of the base model's own that are shown again.
        settings: with what suits the base model where nothing was chosen.
    """

    own: tuple[Pair, ...]
    train: tuple[Pair, ...]
    held_out: tuple[Pair, ...]
    replay: tuple[Pair, ...]
    settings: TeachSettings

    @classmethod
    def of(
        cls,
        base: SymmetryClassifier,
        pairs: Sequence[Pair],
        settings: TeachSettings = DEFAULT_SETTINGS,
    ) -> Lesson:
        """Split pairs that `base.check` has passed, and draw the replay.

        Raises:
            InputError: there are no pairs.
        """
        if not pairs:
            raise InputError("There are no pairs to teach; at least one is expected.")
        settings = settings.on(base)
        own = tuple(dict.fromkeys(pairs))
        train, held_out = split_held_out(own, settings.seed)
        replay = draw_replay(base.index.pairs, own, settings.replay, settings.seed)
        return cls(own, tuple(train), tuple(held_out), tuple(replay), settings)

    def epoch(self) -> list[Pair]:
        """The pairs of one epoch, repeated as often as they are shown in it."""
        return epoch_pairs(self.settings.sample(self.train), self.replay)

    def config(self, base: SymmetryClassifier) -> TrainingConfig:
        """The hyperparameters for the model that the lesson was made for."""
        return replace(self.settings.config(base.encoder), quotient=base.card.quotient)
