"""`symdemo bellm compare`: train a decoder with and without looking back; compare on STS-B."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from experiments.runner import Ledger, run, shown_name
from experiments.sentences import LEDGER
from symdemo.encoders.decoders import DecoderOptions, load_decoder
from symdemo.encoders.decoders.prompts import REPRESENTATIVE_WORD
from symdemo.evaluation.sentences import sts
from symdemo.files.provenance import provenance
from symdemo.jobs.reporting import StopAsked
from symdemo.training.contrastive import ContrastiveConfig, train_contrastive
from symdemo.training.triplets import Triplet

USUAL = DecoderOptions(1, pooling="mean")
SETTINGS = (
    DecoderOptions(0, pooling="mean"),
    USUAL,
    DecoderOptions("all", pooling="mean"),
    DecoderOptions(1, "addition", pooling="mean"),
    DecoderOptions(4, pooling="mean"),
    DecoderOptions(0, pooling="weighted-mean"),
    DecoderOptions(1, pooling="weighted-mean"),
    DecoderOptions(0, pooling="mean", prompt=REPRESENTATIVE_WORD),
    DecoderOptions(1, pooling="mean", prompt=REPRESENTATIVE_WORD),
    DecoderOptions(0, pooling="last", prompt=REPRESENTATIVE_WORD),
    DecoderOptions(1, "addition", pooling="last", prompt=REPRESENTATIVE_WORD),
)
"""Table 4 and more; the authors' released command has the prompt with mean pooling. The last token
of the prompt has seen everything already, and no other token's last state is read, so its row
without looking back also holds for one last layer without a mask."""

TRIPLETS = 512


@dataclass(frozen=True)
class Comparison:
    """Which trainings to compare."""

    base: str
    triplets: int
    seeds: tuple[int, ...]
    config: ContrastiveConfig
    settings: tuple[DecoderOptions, ...]
    source: str

    def cells(self) -> list[dict[str, Any]]:
        """Return a cell for each training, seed by seed; `config` lacks what is at its default."""
        usual = asdict(ContrastiveConfig())
        given = {k: v for k, v in asdict(self.config).items() if v != usual[k] and k != "seed"}
        config = given | {"triplets": self.triplets, "source": self.source}
        named = {"part": "ablation", "encoder": shown_name(self.base)}
        return [
            named | asdict(options) | {"seed": seed, "config": config}
            for seed in self.seeds
            for options in self.settings
        ]

    @cached_property
    def learnt(self) -> tuple[Triplet, ...]:
        """The triplets to learn, the same for all seeds."""
        return sts.triplets_unseen(self.source).sample(self.triplets, seed=0)

    def measure(self, cell: Mapping[str, Any]) -> dict[str, Any]:
        """Train from the untouched decoder; return Spearman on STS-B, and seconds."""
        config = replace(self.config, seed=cell["seed"], checkpoint_every=10**6)
        began = time.perf_counter()
        encoder = load_decoder(self.base, **{own.name: cell[own.name] for own in fields(USUAL)})
        trained = train_contrastive(encoder, self.learnt, config)
        assert trained is not None  # nothing stops it
        return {
            "seconds": round(time.perf_counter() - began, 1),
            "spearman": sts.sts_spearman(trained, sts.sts_part("test")),
            "train_pairs": len(self.learnt),
        }


def compare(plan: Comparison, out: Path) -> tuple[list[dict[str, Any]], bool]:
    """Train what the ledger in `out` lacks; return the rows so far, and True if none is missing."""
    ledger = Ledger(out / LEDGER, provenance("symdemo bellm compare"))
    finished = run(plan.cells(), plan.measure, ledger, StopAsked("training"))
    rows = [
        {"key": cell, "result": result, "text": _text(cell, result)}
        for cell in plan.cells()
        if (result := ledger.get(cell))
    ]
    return rows, finished


def _text(cell: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    how = f"{cell['looking_back']} looking back, {cell['strategy']}, {cell['pooling']}"
    prompt = " with a prompt" if cell["prompt"] else ""
    own = ", ".join(f"{name} {value}" for name, value in cell["config"].items())
    score = f"{result['spearman']:6.2f} on STS-B test"
    return f"{score}: {how}{prompt}, {own}, seed {cell['seed']}"


def keep_curve(name: str, made: Mapping[str, Any], out: Path) -> None:
    """Add the curve of a training, from its record, to the ledger in `out`; once for each seed."""
    ledger = Ledger(out / LEDGER)
    cell = {"part": "training", "encoder": shown_name(name), "seed": made["config"]["seed"]}
    if made["curve"] and cell not in ledger:
        ledger.add(cell, {"curve": made["curve"]}, made.get("made_by"))
