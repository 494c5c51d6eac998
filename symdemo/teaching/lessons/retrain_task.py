"""What one retraining works on, and the model that comes of it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symdemo import __version__
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.index import LabelIndex
from symdemo.encoders import Encoder
from symdemo.errors import InputError
from symdemo.jobs.reporting import Meter
from symdemo.pairs import Pair
from symdemo.teaching.lessons.compare import comparison_inputs
from symdemo.teaching.lessons.settings import TeachSettings
from symdemo.teaching.lessons.split import draw_replay, split_held_out
from symdemo.training.loop import TrainingConfig
from symdemo.training.methods import encode_pairs
from symdemo.training.readouts import Readout

_SUFFIX = ", retrained"
_PIECE = 128
"""Pairs that are encoded between two looks at whether to end: less than a second on two cores."""


@dataclass(frozen=True)
class Memory:
    """What a new model will know: the pairs of the base model that are `kept`, and all vectors."""

    kept: list[Pair]
    vectors: dict[Pair, np.ndarray]

    def of(self, pairs: Sequence[Pair]) -> np.ndarray:
        """The label embeddings (n, d) of pairs that are remembered."""
        width = len(next(iter(self.vectors.values())))
        return np.array([self.vectors[pair] for pair in pairs]).reshape(len(pairs), width)


@dataclass(frozen=True)
class Task:
    """What a retraining works on: who starts, which pairs are where, and how.

    `replay` are the pairs of the base model that are shown again, `kept` all of its pairs that stay
    neighbours in the end.
    """

    base: SymmetryClassifier
    own: list[Pair]
    train: list[Pair]
    held_out: list[Pair]
    replay: list[Pair]
    kept: list[Pair]
    settings: TeachSettings
    config: TrainingConfig

    @classmethod
    def of(cls, base: SymmetryClassifier, pairs: Sequence[Pair], settings: TeachSettings) -> Task:
        """Split the person's pairs and draw the replay; `InputError` for what cannot be read."""
        if not pairs:
            raise InputError("There are no pairs to teach; at least one is expected.")
        settings = settings.on(base)
        own = list(dict.fromkeys(base.check(pair) for pair in pairs))
        train, held_out = split_held_out(own, settings.seed)
        replay = draw_replay(base.index.pairs, own, settings.replay, settings.seed)
        kept = draw_replay(base.index.pairs, own, len(base.index), settings.seed)
        config = replace(settings.config(base.encoder), quotient=base.card.quotient)
        return cls(base, own, train, held_out, replay, kept, settings, config)

    def embed(self, encoder: Encoder, pairs: Sequence[Pair]) -> np.ndarray:
        """Label embeddings (n, d) of pairs by a state of the encoder."""
        return encode_pairs(encoder, pairs, self.settings.method, self.config.quotient)

    def inputs_to_measure(self) -> int:
        """How many inputs are encoded once it has learnt: all it will know, and the comparison."""
        return len(self.kept) + len(self.own) + comparison_inputs()

    def remember(self, encoder: Encoder, meter: Meter) -> Memory:
        """Encode anew all that is to be known, or where it is cut short, a random part of it.

        The person's own pairs and the replay are always among it.
        """
        needed = dict.fromkeys([*self.own, *self.replay])
        rest = [pair for pair in self.kept if pair not in needed]
        random.Random(self.settings.seed).shuffle(rest)
        vectors: dict[Pair, np.ndarray] = {}
        waiting = [*needed, *rest]
        while waiting and not (meter.over and len(vectors) >= len(needed)):
            some, waiting = waiting[:_PIECE], waiting[_PIECE:]
            vectors |= zip(some, self.embed(encoder, some), strict=True)
            meter.advance(len(some))
        return Memory([pair for pair in self.kept if pair in vectors], vectors)

    def model(
        self,
        encoder: Encoder,
        readout: Readout | None,
        pairs: Sequence[Pair],
        vectors: np.ndarray,
        **described: Any,
    ) -> SymmetryClassifier:
        """The answering model whose neighbours are `pairs`."""
        index = LabelIndex(pairs, vectors)
        old = self.base.card
        card = old.with_(
            name=f"{old.name.removesuffix(_SUFFIX)}{_SUFFIX}",
            summary=f"{old.name}, retrained on {len(self.own)} pairs more.",
            method=self.settings.method,
            temperature=old.temperature if self.settings.method == old.method else None,
            labels=readout.labels if readout else index.labels,
            seed=self.settings.seed,
            familiar_within=None,
            scores={},
            made_with=__version__,
            parent=old.name if len(self.base.index) else None,
        )
        return SymmetryClassifier(encoder, index, card.with_(**described), readout)
