"""Speed: the time from start to answer, and the time of one pair with each backend.

The pairs are of the relation bank with random entities, so their accuracy means nothing here.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from threadpoolctl import threadpool_limits

from experiments.runner import main
from symdemo import Pair, SymmetryClassifier
from symdemo.data.bank import shipped_bank
from symdemo.encoders import SentenceEncoder, load_encoder
from symdemo.encoders.backends import ONNX, TORCH
from symdemo.encoders.registry import DEFAULT_ENCODER

REPOSITORY = Path(__file__).resolve().parents[1]
SENTENCE = "My neighbour's dog chased a cat."
SEED, RUNS = 20_260, 9
BLOCK = 1_024
"""Pairs that each backend gets in turn, so that whatever else runs here slows all of them."""


def cells() -> list[dict[str, Any]]:
    """Return the measurements."""
    return [{"part": "cold start"}, {"part": "backends", "pairs": 10_000, "model": "general"}]


def measure(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Return seconds, milliseconds and memory."""
    if cell["part"] == "cold start":
        return cold_start()
    return backends(cell["pairs"], cell["model"])


def cold_start() -> dict[str, Any]:
    """Return median seconds and peak memory of one answer from nothing."""
    _answer_once()  # fills the file cache
    runs = pd.DataFrame([_answer_once() for _ in range(RUNS)])
    return {"runs": RUNS, **{str(name): {"median": own.median()} for name, own in runs.items()}}


def _answer_once() -> dict[str, float]:
    """Run `symdemo predict` in a new process; return its wall and CPU seconds and peak memory."""
    began = time.perf_counter()
    process = subprocess.Popen(
        (sys.executable, "-m", "symdemo", "predict", SENTENCE, "--json", "--quiet"),
        cwd=REPOSITORY, stdout=subprocess.PIPE, env=os.environ | {"HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    assert process.stdout  # it is piped
    answer = process.stdout.read()
    answered = time.perf_counter() - began
    _, status, used = os.wait4(process.pid, 0)
    if status or not json.loads(answer):
        raise RuntimeError("symdemo predict failed")
    return {
        "seconds": answered,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_memory_mib": used.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024),
    }


def backends(n: int, name: str) -> dict[str, Any]:
    """Return milliseconds of one core for a pair, and how many verdicts differ from torch's."""
    torch_model, quick = (
        SymmetryClassifier.from_pretrained(name, "cpu", True, backend) for backend in (TORCH, ONNX)
    )
    plain = load_encoder(DEFAULT_ENCODER, "cpu")
    assert isinstance(plain, SentenceEncoder)
    taught = {pair.premise for pair in torch_model.index.pairs}
    pairs = [pair for pair in islice(fresh_pairs(), 2 * n) if pair.premise not in taught][:n]
    random.Random(SEED).shuffle(pairs)
    ways: dict[str, Callable[[Any], Any]] = {
        "sentence-transformers, encoding": plain.model.encode,
        "torch, encoding": torch_model.encoder.encode,
        "onnx, encoding": quick.encoder.encode,
        "torch": torch_model.predict,
        "onnx": quick.predict,
    }
    seconds: dict[str, float] = dict.fromkeys(ways, 0.0)
    differ = 0
    torch.set_num_threads(1)
    quick.predict(pairs[:BLOCK])  # loads the sessions
    with threadpool_limits(1):
        for start in range(0, n, BLOCK):
            block = [(pair.premise, pair.hypothesis) for pair in pairs[start : start + BLOCK]]
            said = {}
            for way, call in ways.items():
                if "encoding" not in way or start < n // 5:
                    began = time.process_time()
                    said[way] = call(block)
                    seconds[way] += time.process_time() - began
            verdicts = zip(said["torch"].verdict_labels, said["onnx"].verdict_labels, strict=True)
            differ += sum(one != two for one, two in verdicts)
    encoded = -(-n // 5 // BLOCK) * BLOCK
    ms = {w: 1_000 * own / (encoded if "encoding" in w else n) for w, own in seconds.items()}
    return {"pairs": n, "ms": ms, "verdicts_differ": differ}


def fresh_pairs() -> Iterator[Pair]:
    """Yield pairs of the bank without end, every phrasing as often as any other."""
    bank = shipped_bank()
    return chain.from_iterable(bank.pairs(seed=seed) for seed in count(SEED))


if __name__ == "__main__":
    sys.exit(main(__doc__, "speed", cells, measure))
