"""A start that has learnt NLI, what retraining loses of it, and what needs no premise.

All is learnt and encoded in bfloat16 where that is quicker, as a cosine moves by less than 0.001;
else in float32, and each result says which. Some processors learn three times as fast in bfloat16;
one that imitates it takes twenty times as long, and one that has the instructions but no unit for
matrices may be slower too, so it is tried.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import torch

from experiments.reproduction.experiments import Cell, run_cell
from experiments.reproduction.nli.data import NliRows, majority, shares
from experiments.reproduction.plan import NLI_START
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.index import LabelIndex
from symdemo.encoders import Encoder
from symdemo.evaluation.intervals import GroupBootstrap
from symdemo.pairs import LABELS, Pair
from symdemo.training.config import Precision
from symdemo.training.loop import own_randomness


@dataclass(frozen=True)
class NliStart:
    """A classifier of three labels that has learnt NLI, and which test rows it has right, (n,)."""

    model: SymmetryClassifier
    right: np.ndarray


def learn(encoder: Encoder, rows: NliRows, method: str, seed: int) -> NliStart:
    """Learn NLI with a method's own objective, and answer every test row."""
    untaught = SymmetryClassifier.from_encoder(encoder, method)
    config = replace(NLI_START, seed=seed, precision=quickest_precision(encoder.device))
    few = [next(pair for pair in rows.train if pair.label == label) for label in LABELS]
    taught = untaught.fit(rows.train, config=config, remembered=few)
    model = _on(taught.encoder, taught, rows)
    return NliStart(model, _right(model, rows.test))


def measure(cell: Cell, start: NliStart, rows: NliRows) -> dict[str, Any]:
    """Teach a start the relations: what it loses of NLI, and how right it is on the relations.

    `lost` is in points, with the interval of 95% of draws of test rows; those of one premise are
    drawn together, and before and after stand on the same draws.
    """
    result, model = run_cell(cell, start.model)
    after = _right(_on(model.encoder, start.model, rows), rows.test)
    draws = GroupBootstrap([pair.premise for pair in rows.test])
    lost = draws.interval(100.0 * (start.right.astype(float) - after))
    return {
        "before": shares(rows, start.right.tolist()),
        "after": shares(rows, after.tolist()),
        "lost": [lost.mean, lost.low, lost.high],
        "lexicalized": result.lexicalized,
        "delexicalized": result.delexicalized,
        "precision": quickest_precision(model.encoder.device),
        **described(rows),
    }


def answers_without_premise(rows: NliRows) -> dict[str, Any]:
    """What the commonest label gets, and logistic regression over the hypothesis' words alone."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), LogisticRegression(max_iter=1_000)
    )
    model.fit([pair.hypothesis for pair in rows.train], [pair.label for pair in rows.train])
    answers = model.predict([pair.hypothesis for pair in rows.test])
    right = [answer == pair.label for answer, pair in zip(answers, rows.test, strict=True)]
    return {"majority": majority(rows), "hypothesis": shares(rows, right), **described(rows)}


def described(rows: NliRows) -> dict[str, Any]:
    """How many rows, of what, and their hash."""
    asked = {name: len(pairs) for name, pairs in rows.tests.items()}
    return {"learnt": len(rows.train), "asked": asked, "source": rows.source, "data": rows.hash}


def _on(encoder: Encoder, model: SymmetryClassifier, rows: NliRows) -> SymmetryClassifier:
    """What a model knows on another encoder; neighbours are asked among all NLI rows."""
    model = replace(model, encoder=encoder)
    if model.readout:
        return model
    return replace(model, index=LabelIndex(rows.train, _embed(model, rows.train)))


def _right(model: SymmetryClassifier, pairs: Sequence[Pair]) -> np.ndarray:
    found = model.predict_embedded(pairs, _embed(model, pairs)).verdict_labels
    return np.array([label == pair.label for label, pair in zip(found, pairs, strict=True)])


def _embed(model: SymmetryClassifier, pairs: Sequence[Pair]) -> np.ndarray:
    device = model.encoder.device
    half = quickest_precision(device) == "bf16"
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=half):
        return np.asarray(model.embed(pairs), dtype=np.float32)


@cache
def quickest_precision(device: torch.device) -> Precision:
    """In which of the two a device learns faster: one that would imitate “bf16” is not tried."""
    if device.type == "cuda":
        has = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        has = any(own for name, own in _capabilities().items() if name.endswith("bf16"))
    if not has:
        return "fp32"
    seconds = {half: _seconds_of_a_step(device, half) for half in (False, True)}
    return "bf16" if seconds[True] < seconds[False] else "fp32"


def _seconds_of_a_step(device: torch.device, half: bool, repeats: int = 5) -> float:
    """Of the least of some steps through a layer as wide as all-MiniLM-L6-v2's widest."""
    with own_randomness(device):
        layer = torch.nn.Linear(384, 1536, device=device)
    inputs, seconds = torch.ones(512, 384, device=device), []
    for _ in range(repeats + 1):  # the first one warms up
        began = time.perf_counter()
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=half):
            loss = layer(inputs).square().mean()
        loss.backward()
        loss.item()  # waits for a GPU
        seconds.append(time.perf_counter() - began)
    return min(seconds[1:])


def _capabilities() -> dict[str, bool]:
    """Of the processor; none are known to torch before 2.11."""
    return dict(torch.cpu.get_capabilities()) if hasattr(torch.cpu, "get_capabilities") else {}
