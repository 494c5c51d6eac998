"""The names of measurements, and what their results hold: the ledger `bellm_measurements.jsonl`.

Every key has a `part`. What an encoder is measured in besides has

    encoder   its name, see `shown_name`; of a baseline, what it is called
    base      the first 16 signs of the SHA-256 of its weights; empty for a baseline
    data      the first 16 signs of the SHA-256 of the texts and labels that were measured on

and these results (points are from −100 or 0 to 100):

    part          key besides   result
    sts           task          value, low, high, n (points), subset_mean
    conditional   task          value, low, high, n (points)
    transfer      task          value, low, high, n (points), f1 or null, learnt_from, note
    degradation   task          pairs, layers, spearman, turning_point
    dependencies  task          pivot, n, mean, quartiles, whiskers
    retrieval     task          strict (value, low, high, n), recall (points)

Each of them also has `seconds`. Trainings write by `selection_key`, `ablation_key` and
`training_key`; what their results hold is said there. `label_key` keeps what an encoder is
called in tables and pictures. Where weights or data have changed, what was measured last counts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from experiments.reproduction.ledger import Key
from symdemo.encoders.decoders import DecoderOptions

LEDGER = "bellm_measurements.jsonl"
"""The name of the file."""

DEPENDS = ("geometry", "losses", "encoders", "training", "evaluation", "recipes.bellm")
"""The code that a measurement or a training depends on."""

Part = Literal["sts", "conditional", "transfer", "degradation", "dependencies", "retrieval"]
"""What `symdemo sts` measures; the order is that of the report."""


def shown_name(name: str) -> str:
    """The name under which an encoder is written down: that of a folder is its last part."""
    folder, sign, options = name.partition("?")
    if Path(name).is_dir():
        return Path(name).resolve().name
    return Path(folder).resolve().name + sign + options if Path(folder).is_dir() else name


def measurement_key(part: Part, task: str, encoder: str, base_hash: str, data: str) -> Key:
    """The key of a measurement of an encoder, or of a baseline, whose `base_hash` is empty."""
    return {
        "part": part,
        "task": task,
        "encoder": shown_name(encoder) if base_hash else encoder,
        "base": base_hash[:16],
        "data": data,
    }


def label_key(encoder: str) -> Key:
    """The key of what an encoder is called; its result is {"label": text}."""
    return {"part": "label", "encoder": shown_name(encoder)}


def ablation_key(
    encoder: str, options: DecoderOptions, seed: int, config: dict[str, Any] | None = None
) -> Key:
    """The key of one training of Table 4.

    Its result: {"spearman": points on STS-B test, "train_pairs": int, "seconds": of training}.
    More may stand there.

    Args:
        encoder: the decoder's name without its options.
        options: the setting.
        seed: of the training.
        config: what of data and hyperparameters is not as it is without being told; trainings
            that differ in it are other rows.
    """
    return {
        "part": "ablation",
        "encoder": shown_name(encoder),
        "looking_back": options.looking_back,
        "strategy": options.strategy,
        "pooling": options.pooling,
        "prompt": options.prompt,
        "seed": seed,
        "config": config or {},
    }


def selection_key(encoder: str, options: DecoderOptions, seed: int, config: dict[str, Any]) -> Key:
    """The key of one training by which hyperparameters are chosen.

    Its result is that of `ablation_key`, with the points on the dev part of STS-B.
    """
    return ablation_key(encoder, options, seed, config) | {"part": "selection"}


def training_key(encoder: str, seed: int) -> Key:
    """The key of the curve of a training.

    Its result: {"curve": [{"seconds": since its begin, "pairs": seen so far, "spearman": points on
    STS-B dev}, …]}.
    """
    return {"part": "training", "encoder": shown_name(encoder), "seed": seed}
