"""For the tests of the tab “Sentence lab”: encoders made of the words."""

from __future__ import annotations

import hashlib
import threading

import numpy as np

from symdemo.errors import InputError, ModelError


class FakeEncoder:
    """Embeds a sentence as the mean of made-up vectors of its words, of other ones for each name.

    `anisotropy` of one direction is in all of them; it answers once `gate`, if given, is set.
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
