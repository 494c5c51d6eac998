"""What one retraining works on, and the model that comes of it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symdemo import __version__
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.index import LabelIndex
from symdemo.encoders import Encoder
from symdemo.jobs.reporting import Meter
from symdemo.pairs import Pair
from symdemo.teaching.lessons.compare import comparison_inputs
from symdemo.teaching.lessons.lesson import Lesson
from symdemo.teaching.lessons.split import draw_replay
from symdemo.training.config import TrainingConfig
from symdemo.training.methods import Readout, encode_pairs

_SUFFIX = ", retrained"
_BATCH = 128
"""Pairs that are encoded between two looks at whether to end: less than a second on two cores."""


@dataclass(frozen=True)
class EmbeddedPairs:
    """What a new model will know: the pairs of the base model that are `kept`, and all vectors."""

    kept: list[Pair]
    vectors: dict[Pair, np.ndarray]

    def of(self, pairs: Sequence[Pair]) -> np.ndarray:
        """The label embeddings (n, d) of pairs that are remembered."""
        width = len(next(iter(self.vectors.values())))
        return np.array([self.vectors[pair] for pair in pairs]).reshape(len(pairs), width)


@dataclass(frozen=True)
class Task:
    """What a retraining works on.

    Attributes:
        base: the model that is retrained; it stays as it is.
        lesson: the pairs in their parts, and the settings.
        kept: the pairs of the base model that stay neighbours in the end.
        config: the hyperparameters.
    """

    base: SymmetryClassifier
    lesson: Lesson
    kept: list[Pair]
    config: TrainingConfig

    @classmethod
    def of(cls, base: SymmetryClassifier, lesson: Lesson) -> Task:
        """The task of teaching `base` a lesson that was made for it."""
        seed = lesson.settings.seed
        kept = draw_replay(base.index.pairs, lesson.own, len(base.index), seed)
        return cls(base, lesson, kept, lesson.config(base))

    def embed(self, encoder: Encoder, pairs: Sequence[Pair]) -> np.ndarray:
        """Label embeddings (n, d) of pairs by a state of the encoder."""
        return encode_pairs(encoder, pairs, self.lesson.settings.taught_by, self.config.quotient)

    def inputs_to_measure(self) -> int:
        """How many inputs are encoded once it has learnt: all it will know, and the comparison."""
        return len(self.kept) + len(self.lesson.own) + comparison_inputs()

    def embed_known(self, encoder: Encoder, meter: Meter) -> EmbeddedPairs:
        """Encode anew all that is to be known, or where it is cut short, a random part of it.

        The person's own pairs and the replay are always among it.
        """
        needed = dict.fromkeys([*self.lesson.own, *self.lesson.replay])
        rest = [pair for pair in self.kept if pair not in needed]
        random.Random(self.lesson.settings.seed).shuffle(rest)
        vectors: dict[Pair, np.ndarray] = {}
        waiting = [*needed, *rest]
        while waiting and not (meter.over and len(vectors) >= len(needed)):
            some, waiting = waiting[:_BATCH], waiting[_BATCH:]
            vectors |= zip(some, self.embed(encoder, some), strict=True)
            meter.advance(len(some))
        return EmbeddedPairs([pair for pair in self.kept if pair in vectors], vectors)

    def model(
        self,
        encoder: Encoder,
        readout: Readout | None,
        pairs: Sequence[Pair],
        vectors: np.ndarray,
        **described: Any,
    ) -> SymmetryClassifier:
        """The answering model whose neighbours are `pairs`, the person's own last of them.

        These vote apart from what the base model knew, as what is taught at once does: among
        thousands they would drown (`LabelIndex.vote_weights`).
        """
        own = set(self.lesson.own)
        later = sum(pair in own for pair in pairs)
        index = LabelIndex(pairs, vectors, later if later < len(pairs) else 0)
        old, settings = self.base.card, self.lesson.settings
        card = old.with_(
            name=f"{old.name.removesuffix(_SUFFIX)}{_SUFFIX}",
            summary=f"{old.name}, retrained on {len(self.lesson.own)} pairs more.",
            method=settings.method,
            temperature=old.temperature if settings.method == old.method else None,
            labels=readout.labels if readout else index.labels,
            seed=settings.seed,
            familiar_within=None,
            scores={},
            made_with=__version__,
            parent=old.name if len(self.base.index) else None,
        )
        return SymmetryClassifier(encoder, index, card.with_(**described), readout)
