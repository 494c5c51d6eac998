"""What a study measures. A plan is plain data; the same plan gives the same list of jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from symdemo.encoders import DEFAULT_ENCODER
from symdemo.training.methods import KNN, METHODS, RANDOM_LABEL_EMBEDDINGS

SIZES = (14, 16, 28, 32, 42, 48, 56, 64, 84, 96, 112, 128)
"""Sample sizes tried, in this order: multiples of 14 relations and of the paper’s batch of 16."""

REPORTED = dict.fromkeys(METHODS, 28)
"""The size at which accuracy and forgetting are reported, whatever the smallest perfect one is."""

ABLATIONS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("quotient", ("conjugate", "complex", "phase", "real")),
    ("margin", (0.5, 1.0)),
    ("balanced", (True, False)),
    ("recombine", (0.0, 0.75)),
    ("retention", (0.0, 0.3, 1.0, 3.0)),
    ("freeze_embeddings", (True, False)),
    ("stay_near_start", (0.0, 0.1)),
    ("average_with_start", (0.0, 0.3)),
)
"""One of the hyperparameters that most methods share is changed at a time, the others stay."""

RETENTION_RIVALS = ("stay_near_start", "average_with_start")
"""These stand in for the retention term, so they are tried with it switched off."""

FORGETTING_ABLATIONS = {
    "retention",
    "freeze_embeddings",
    "freeze_layers",
    "stay_near_start",
    "average_with_start",
}
"""Only where one of these is changed is forgetting measured too."""

NLI_ARMS: dict[str, dict[str, Any]] = {
    "with": {},
    "few": {"retained": "few", "retention_batch": 16},
    "without": {"retention": 0.0},
}
"""Forgetting on NLI is measured at a method's own settings, and for the first seed with the generic
sentences that most methods have and without any; what is the same is measured once."""

NEW_LABEL_SIZES = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class Plan:
    """What to measure.

    Attributes:
        encoders: by name; the ones that cannot be loaded are skipped and said to be missing.
        methods: by the paper's names.
        seeds: of each measurement.
        other_seeds: the encoders after the first get these seeds alone, at the reported size and
            with the retention term; None measures them as fully as the first.
        without_seeds: seeds measured without the retention term too.
        sizes: sample sizes of the search, ascending.
        reported: method → the size that is reported.
        search: whether to look for the smallest perfect size.
        ablation_seeds: seeds of each ablation; none leaves them out. They use the first encoder.
        nli_seeds: seeds of forgetting on NLI; none leaves it out. It uses the first encoder.
        nli_pairs: NLI pairs to learn from, and to test on.
        new_label_seeds: seeds of teaching a third label; none leaves it out.
        cross_encoder: whether to try the NLI cross-encoder, where one can be loaded.
    """

    encoders: tuple[str, ...] = (DEFAULT_ENCODER,)
    methods: tuple[str, ...] = METHODS
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    other_seeds: tuple[int, ...] | None = None
    without_seeds: tuple[int, ...] = (0, 1, 2)
    sizes: tuple[int, ...] = SIZES
    reported: Mapping[str, int] = field(default_factory=lambda: dict(REPORTED))
    search: bool = True
    ablation_seeds: tuple[int, ...] = (0, 1)
    nli_seeds: tuple[int, ...] = (0, 1, 2)
    nli_pairs: tuple[int, int] = (8000, 3000)
    new_label_seeds: tuple[int, ...] = (0, 1, 2)
    cross_encoder: bool = True

    def seeds_of(self, encoder: str) -> tuple[int, ...]:
        """The seeds of the measurements on an encoder."""
        return self.seeds if self.is_full(encoder) else self.other_seeds or ()

    def is_full(self, encoder: str) -> bool:
        """Whether everything is measured on an encoder."""
        return encoder == self.encoders[0] or self.other_seeds is None

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON values."""
        return asdict(self)


QUICK = Plan(
    methods=(RANDOM_LABEL_EMBEDDINGS.name, KNN.name),
    seeds=(0,),
    without_seeds=(0,),
    search=False,
    ablation_seeds=(),
    nli_seeds=(),
    new_label_seeds=(),
    cross_encoder=False,
)
"""A first table in under 5 minutes on 2 cores."""
