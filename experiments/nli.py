"""Forgetting: sentence similarity before and after a training; and NLI.

A k-NN probe of an untouched encoder on NLI is at chance, so a drop would mean nothing. As in the
paper, an encoder first learns NLI, is then retrained on the relations, and tested before and after.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import torch

from experiments.paper import Training, train
from experiments.scoring import GroupBootstrap
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.index import LabelIndex
from symdemo.data.hub import read_hub_pairs
from symdemo.encoders import Encoder
from symdemo.errors import InputError
from symdemo.evaluation.sentences.sts import sts_at_hand, sts_part, sts_spearman
from symdemo.files.paths import measuring_data
from symdemo.pairs import LABELS, Pair, check_pair, hash_pairs
from symdemo.training.config import Precision, TrainingConfig
from symdemo.training.triplets import read_nli

MOST = 20_000
"""Rows taken at random from a larger set."""

LOCAL = {
    "snli_dev": "learn", "snli_test": "test", "xnli_dev_en": "learn",
    "mnli_matched_1k": "test", "mnli_mismatched_1k": "test",
}  # fmt: skip
"""Files in the folder SYMDEMO_DATA, and their use."""

HUB_ID, HUB = "nyu-mll/multi_nli", {"train": "learn", "validation": "test"}
"""Used if the first two files are not there."""

START = TrainingConfig(
    learning_rate=3e-4, batch_size=32, epochs=2, min_steps=0, retention=0.0, recombine=0.0,
    schedule="linear", loss="scaled",
)  # fmt: skip
"""The training on NLI. Without a scaled loss, fine-tuning learns less than the words of the
hypothesis tell."""


def sts_change(untouched: Encoder, trained: Encoder) -> dict[str, float]:
    """Return Spearman on STS-B before and after a training; empty without the data."""
    if not (data := sts_at_hand()):
        return {}
    return {"sts_before": _sts_before(untouched), "sts_after": sts_spearman(trained, data)}


@cache
def _sts_before(untouched: Encoder) -> float:
    return sts_spearman(untouched, sts_part("test"))


@dataclass(frozen=True, slots=True)
class NliRows:
    """Pairs to learn, and pairs to test by the name of their set."""

    train: tuple[Pair, ...]
    tests: dict[str, tuple[Pair, ...]]
    source: str

    @property
    def test(self) -> list[Pair]:
        """All pairs to test, set after set."""
        return [pair for pairs in self.tests.values() for pair in pairs]

    def described(self) -> dict[str, Any]:
        """Return sizes, source and hash of the data."""
        asked = {name: len(pairs) for name, pairs in self.tests.items()}
        data = hash_pairs([*self.train, *self.test])[:16]
        return {"learnt": len(self.train), "asked": asked, "source": self.source, "data": data}


def all_nli() -> NliRows:
    """Load all NLI pairs at hand, else the hub's MultiNLI; a tested pair is never learnt.

    Raises:
        InputError: there is neither.
    """
    files = {name: path for name in LOCAL if (path := measuring_data(f"nli/{name}.jsonl"))}
    if files.keys() >= {*list(LOCAL)[:2]}:
        uses, sets = LOCAL, {name: _valid(read_nli(path)) for name, path in files.items()}
    else:
        try:
            uses, sets = HUB, {part: _valid(read_hub_pairs(HUB_ID, part).pairs) for part in HUB}
        except InputError as error:
            raise InputError(
                f"There is no NLI data: no nli/snli_dev.jsonl in the folder SYMDEMO_DATA. {error}"
            ) from error
    rng = random.Random(0)
    sets = {name: rng.sample(own, min(MOST, len(own))) for name, own in sets.items()}
    tests = {name: tuple(own) for name, own in sets.items() if uses[name] == "test"}
    tested = {(p.premise, p.hypothesis) for own in tests.values() for p in own}
    learnt = (pair for name, own in sets.items() if uses[name] == "learn" for pair in own)
    rest = tuple(pair for pair in learnt if (pair.premise, pair.hypothesis) not in tested)
    return NliRows(rest, tests, ", ".join(f"{name} to {uses[name]}" for name in sets))


def _valid(pairs: Iterable[Pair]) -> list[Pair]:
    """Return the pairs that a classifier accepts: a few have one word, or one sentence twice."""
    found = []
    for pair in pairs:
        if pair.label in LABELS:
            with suppress(InputError):
                found.append(check_pair(pair))
    return found


class NliStart(NamedTuple):
    """A classifier that has learnt NLI, and which test pairs it judges right, (n,)."""

    model: SymmetryClassifier
    right: np.ndarray


def learn(encoder: Encoder, rows: NliRows, method: str, seed: int) -> NliStart:
    """Learn NLI with a method's own objective."""
    config = replace(START, seed=seed, precision=precision_of(encoder.device))
    few = [next(pair for pair in rows.train if pair.label == label) for label in LABELS]
    untaught = SymmetryClassifier.from_encoder(encoder, method)
    taught = untaught.fit(rows.train, config=config, remembered=few)
    model = _with_encoder(taught.encoder, taught, rows)
    return NliStart(model, _right(model, rows.test))


def measure_forgetting(training: Training, start: NliStart, rows: NliRows) -> dict[str, Any]:
    """Retrain a start on the relations and return accuracy on NLI before and after.

    `lost` is in points with its 95% interval; pairs of one premise are drawn together.
    """
    found, model = train(training, start.model)
    after = _right(_with_encoder(model.encoder, start.model, rows), rows.test)
    lost = GroupBootstrap([pair.premise for pair in rows.test]).interval(
        100.0 * (start.right.astype(float) - after)
    )
    return {
        "before": share(start.right),
        "after": share(after),
        "lost": [*lost.values()],
        "lexicalized": found["lexicalized"],
        "delexicalized": found["delexicalized"],
        "precision": precision_of(model.encoder.device),
        **rows.described(),
    }


def without_premise(rows: NliRows) -> dict[str, Any]:
    """Return the accuracy of the commonest label, and of the words of the hypothesis alone."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    labels = [pair.label for pair in rows.train]
    commonest = max(LABELS, key=labels.count)
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    model = make_pipeline(words, LogisticRegression(max_iter=1_000))
    model.fit([pair.hypothesis for pair in rows.train], labels)
    answers = model.predict([pair.hypothesis for pair in rows.test])
    asked = np.array([pair.label for pair in rows.test])
    found = {"majority": share(asked == commonest), "hypothesis": share(asked == answers)}
    return found | rows.described()


def share(right: np.ndarray) -> dict[str, float]:
    """Return the share of right answers over all test pairs."""
    return {"all": float(right.mean())}


def _with_encoder(encoder: Encoder, model: SymmetryClassifier, rows: NliRows) -> SymmetryClassifier:
    """Return the model on another encoder; a model that votes has all NLI pairs as neighbours."""
    model = replace(model, encoder=encoder)
    if model.readout:
        return model
    return replace(model, index=LabelIndex(rows.train, _embed(model, rows.train)))


def _right(model: SymmetryClassifier, pairs: Sequence[Pair]) -> np.ndarray:
    found = model.predict_embedded(pairs, _embed(model, pairs)).verdict_labels
    return np.array([label == pair.label for label, pair in zip(found, pairs, strict=True)])


def _embed(model: SymmetryClassifier, pairs: Sequence[Pair]) -> np.ndarray:
    device = model.encoder.device
    half = precision_of(device) == "bf16"
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=half):
        return np.asarray(model.embed(pairs), dtype=np.float32)


def precision_of(device: torch.device) -> Precision:
    """Return bf16 if the device has a matrix unit for it, else fp32.

    A processor that emulates bfloat16 takes twenty times as long.
    """
    if device.type == "cuda":
        has = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        capabilities: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
        has = capabilities.get("amx_bf16", False)
    return "bf16" if has else "fp32"
