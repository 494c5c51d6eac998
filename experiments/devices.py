"""Do devices agree? The paper's task, a training of the tab Teach, and the latter in pieces.

Each is trained on every device with several seeds; verdicts on sentences that were not taught are
compared between two devices with one seed, and between two seeds on one device. Devices agree well
enough if they differ no more than seeds do. `--only device=cuda` needs a GPU.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any
from unittest.mock import patch

import torch

from experiments.paper import Training, train
from experiments.runner import main
from experiments.teach import questions, read_set
from symdemo.classifier import SymmetryClassifier
from symdemo.data.relations import pairs_of_facts
from symdemo.encoders import DEFAULT_ENCODER, load_encoder
from symdemo.encoders.registry import pick_device
from symdemo.pairs import Pair
from symdemo.teaching.plan import TeachSettings
from symdemo.teaching.retraining import retrain
from symdemo.training import zero_gpu
from symdemo.training.methods import KNN

SEEDS, SET, SAMPLES = 3, "orchestra", 28
Taught = tuple[SymmetryClassifier, Sequence[Pair]]
"""A trained model, and labelled pairs that it was not taught."""


def cells() -> list[dict[str, Any]]:
    """Return a cell for each way, device and seed."""
    return [
        {"way": way, "device": device, "seed": seed}
        for way in WAYS
        for device in ("cpu", "cuda")
        for seed in range(SEEDS)
    ]


def measure(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Train, and return seconds, accuracy and the verdict on each sentence."""
    device = pick_device(cell["device"])
    began = time.perf_counter()
    model, pairs = WAYS[cell["way"]](device, cell["seed"])
    seconds = time.perf_counter() - began
    verdicts = list(model.predict(pairs).verdict_labels)
    right = [verdict == pair.label for verdict, pair in zip(verdicts, pairs, strict=True)]
    asked = {pair.premise: label for pair, label in zip(pairs, verdicts, strict=True)}
    return {"seconds": seconds, "accuracy": sum(right) / len(right), "verdicts": asked}


def agreement(one: Mapping[str, str], other: Mapping[str, str]) -> float:
    """Return the share of equal verdicts on the sentences that both were asked."""
    both = one.keys() & other.keys()
    return sum(one[text] == other[text] for text in both) / len(both)


def paper(device: str, seed: int) -> Taught:
    """Train a cell of the paper's task; test it with names and with ids."""
    training = Training(DEFAULT_ENCODER, KNN.name, SAMPLES, seed)
    facts = training.sides[1]
    pairs = [*pairs_of_facts(facts), *pairs_of_facts(facts, delexicalized=True)]
    return train(training, load_encoder(DEFAULT_ENCODER, device))[1], pairs


def teach(device: str, seed: int) -> Taught:
    """Do what Teach's button does; test other entities, and relations never taught."""
    taught, tested = read_set(SET)
    base = SymmetryClassifier.from_pretrained("general", device)
    model, _, _ = retrain(base, taught, TeachSettings(seed=seed))
    return model, [*tested, *questions(0)["withheld"]]


def pieces(device: str, seed: int) -> Taught:
    """Do the same in pieces, as on a GPU lent for seconds: the model stays on the CPU between."""
    lent = device.startswith("cuda")
    with (
        patch.object(zero_gpu, "is_lent", return_value=True),
        patch.object(torch.cuda, "is_available", return_value=lent),
    ):
        return teach("cpu" if lent else device, seed)


WAYS = {"paper": paper, "teach": teach, "pieces": pieces}


if __name__ == "__main__":
    sys.exit(main(__doc__, "devices", cells, measure))
