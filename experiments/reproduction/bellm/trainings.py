"""Trainings that are compared: hyperparameters on dev pairs of STS-B, Table 4 on its test part.

Each training starts from the untouched decoder, sees the same triplets in an order of its seed, and
is measured once, at its end. The grid is measured on the dev part alone, and before the ablation.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from experiments.reproduction.bellm.keys import ablation_key, selection_key
from experiments.reproduction.ledger import Key
from symdemo.encoders.decoders import DecoderOptions, load_decoder
from symdemo.encoders.decoders.prompts import REPRESENTATIVE_WORD
from symdemo.errors import InputError
from symdemo.evaluation.sentences.sts import some_of, sts_part, sts_spearman, triplets_unseen
from symdemo.training.contrastive import (
    ContrastiveConfig,
    ContrastiveStep,
    train_contrastive,
)

BASE = "smollm2-135m"
USUAL = DecoderOptions(1, pooling="mean")
SETTINGS = (
    DecoderOptions(0, pooling="mean"),
    USUAL,
    DecoderOptions("all", pooling="mean"),
    DecoderOptions(1, "addition", pooling="mean"),
    DecoderOptions(4, pooling="mean"),
    DecoderOptions(0, pooling="weighted-mean"),
    DecoderOptions(1, pooling="weighted-mean"),
    DecoderOptions(0, pooling="last", prompt=REPRESENTATIVE_WORD),
    DecoderOptions(1, "addition", pooling="last", prompt=REPRESENTATIVE_WORD),
)
"""Table 4 and more: turning point, strategy, and what is taken for the sentence. The paper's own
way to read a sentence, the last token of its prompt, cannot tell one last layer without a mask from
one with it, so that row stands for both."""

TRIPLETS = 512
GRID: tuple[dict[str, Any], ...] = (
    {"learning_rate": 2e-4, "targets": "attention"},
    {"learning_rate": 1e-3, "targets": "attention"},
    {"learning_rate": 2e-3, "targets": "attention"},
    {"learning_rate": 1e-3, "targets": "all-linear"},
)
"""The paper's rate and higher ones, since far fewer steps are made here; and with how many weights
of their own, since what is learnt is to be a small file."""

DEV_PAIRS = 500


@dataclass(frozen=True, slots=True)
class Trainings:
    """Which trainings to make.

    Attributes:
        base: the decoder.
        triplets: that each training sees, the same for all.
        seeds: of each.
        config: what all have in common.
        settings: how the decoder is read.
        grid: changes of the configuration that are tried first, with the usual setting.
        source: of the triplets, as in `load_triplets`.
    """

    base: str = BASE
    triplets: int = TRIPLETS
    seeds: tuple[int, ...] = (0, 1, 2)
    config: ContrastiveConfig = field(default_factory=ContrastiveConfig)
    settings: tuple[DecoderOptions, ...] = SETTINGS
    grid: tuple[dict[str, Any], ...] = ()
    source: str = "local"


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """One training: its key, and all that it needs but the data."""

    key: Key
    options: DecoderOptions
    config: ContrastiveConfig
    part: str


def training_jobs(plan: Trainings) -> Iterator[TrainingJob]:
    """The trainings of a plan: the grid first, then all settings seed by seed."""
    changed = _told(plan)
    for change in plan.grid:
        config = replace(plan.config, seed=0, **change)
        key = selection_key(plan.base, USUAL, config.seed, changed | change)
        yield TrainingJob(key, USUAL, config, "dev")
    for seed in plan.seeds:
        for options in plan.settings:
            key = ablation_key(plan.base, options, seed, changed)
            yield TrainingJob(key, options, replace(plan.config, seed=seed), "test")


def _told(plan: Trainings) -> dict[str, Any]:
    """What of a plan is not as it is without being told, for the keys."""
    usual = asdict(ContrastiveConfig())
    given = {k: v for k, v in asdict(plan.config).items() if v != usual[k] and k != "seed"}
    return given | {"triplets": plan.triplets, "source": plan.source}


class TrainingRooms:
    """What the trainings of a plan share: the triplets and the parts of STS-B, each read once."""

    def __init__(self, plan: Trainings):
        self.plan = plan
        self.parts = {"dev": some_of(sts_part("dev"), DEV_PAIRS), "test": sts_part("test")}
        self.data = triplets_unseen(plan.source)

    def compute(self, job: TrainingJob, show: Any = None) -> dict[str, Any]:
        """Train, measure, and tell what `ablation_key` promises."""
        encoder = load_decoder(self.plan.base, **asdict(job.options))
        triplets = self.data.sample(self.plan.triplets, seed=0)
        began = time.perf_counter()
        steps: list[ContrastiveStep] = []

        def keep(step: ContrastiveStep) -> None:
            steps.append(step)
            if show:
                show(step)

        config = replace(job.config, checkpoint_every=10**6)  # measured at its end, not before
        trained = train_contrastive(encoder, triplets, config, progress=keep)
        assert trained is not None  # nothing stops it
        seconds = time.perf_counter() - began
        return {
            "spearman": sts_spearman(trained, self.parts[job.part]),
            "train_pairs": len(triplets),
            "seconds": round(seconds, 1),
            "steps": len(steps),
            "last_loss": round(steps[-1].loss, 4),
        }


def best_change(grid: Sequence[dict[str, Any]], results: Sequence[dict | None]) -> dict[str, Any]:
    """The change with the highest Spearman; the first of equals.

    Raises:
        InputError: a result is missing.
    """
    if not grid or any(result is None for result in results):
        raise InputError("The grid is not measured yet; run it first.")
    scored = [(result["spearman"], -i) for i, result in enumerate(results) if result is not None]
    return grid[-max(scored)[1]]
