"""Whether a GPU teaches the same as a CPU, and how much sooner.

    python experiments/devices.py [--devices cpu cuda] [--seeds 3] [--set orchestra]

Retrains in the three ways that the app has: `fit` on 28 facts, as the paper's task is measured; the
job of the tab Teach; and the same job in pieces, as on a GPU that is lent for seconds at a time
(on a CPU where there is none). For each the verdicts on sentences that were not taught are laid
beside one another: of two devices with one seed, and of two seeds on one device. Devices agree well
enough where they differ no more than seeds do.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from experiments.reproduction.experiments import Cell, run_cell
from experiments.teach import read_set
from experiments.teach_questions import questions
from symdemo.classifier import SymmetryClassifier
from symdemo.data.relations import pairs_of_facts
from symdemo.encoders import DEFAULT_ENCODER, load_encoder
from symdemo.encoders.registry import pick_device
from symdemo.errors import SymdemoError
from symdemo.files.atomic import write_text
from symdemo.files.paths import RESULTS
from symdemo.files.provenance import provenance
from symdemo.pairs import Pair
from symdemo.teaching.plan import TeachSettings
from symdemo.teaching.retraining import retrain
from symdemo.training import zero_gpu
from symdemo.training.methods import KNN

RESULT = RESULTS / "devices.json"
SAMPLES = 28

Taught = tuple[SymmetryClassifier, Sequence[Pair]]
"""A model that was taught, and labelled pairs to ask it that it was not."""


def fit(device: str, seed: int, name: str) -> Taught:
    """A cell of the paper's task, asked with names and with ids."""
    cell = Cell(DEFAULT_ENCODER, KNN.name, SAMPLES, seed)
    asked = cell.sides[1]
    pairs = [*pairs_of_facts(asked), *pairs_of_facts(asked, delexicalized=True)]
    return run_cell(cell, load_encoder(DEFAULT_ENCODER, device))[1], pairs


def job(device: str, seed: int, name: str) -> Taught:
    """What Teach's button does, asked about other entities and about relations nobody taught."""
    teach, test = read_set(name)
    base = SymmetryClassifier.from_pretrained("general", device)
    model, _, _ = retrain(base, teach, TeachSettings(seed=seed))
    return model, [*test, *questions(0)["withheld"]]


def pieces(device: str, seed: int, name: str) -> Taught:
    """The same in pieces: the model stays on the CPU, and each piece goes to a GPU and back."""
    lent = device.startswith("cuda")
    with (
        patch.object(zero_gpu, "is_lent", return_value=True),
        patch.object(torch.cuda, "is_available", return_value=lent),
    ):
        return job("cpu" if lent else device, seed, name)


WAYS: Mapping[str, Callable[[str, int, str], Taught]] = {"fit": fit, "job": job, "pieces": pieces}


def measured(devices: Sequence[str], seeds: int, name: str) -> Iterator[dict[str, Any]]:
    """A row for each way: seconds and accuracy by device, and how often verdicts agree."""
    for way, teach in WAYS.items():
        found: dict[tuple[str, int], np.ndarray] = {}
        right: dict[str, list[float]] = {device: [] for device in devices}
        seconds: dict[str, list[float]] = {device: [] for device in devices}
        asked: dict[int, np.ndarray] = {}
        for device, seed in product(devices, range(seeds)):
            sys.stderr.write(f"{way} on {device}, seed {seed}\n")
            began = time.perf_counter()
            model, pairs = teach(device, seed, name)
            seconds[device].append(time.perf_counter() - began)
            labels = np.array([pair.label for pair in pairs])
            found[device, seed] = np.array(model.predict(pairs).verdict_labels)
            right[device].append(float((found[device, seed] == labels).mean()))
            asked[seed] = np.array([pair.premise for pair in pairs])
        yield {
            "way": way,
            "seconds": seconds,
            "right": right,
            "devices_agree": _agreements(
                (found[one, seed], found[other, seed])
                for (one, other), seed in product(combinations(devices, 2), range(seeds))
            ),
            "seeds_agree": _agreements(
                _on_common(asked[a], found[device, a], asked[b], found[device, b])
                for device, (a, b) in product(devices, combinations(range(seeds), 2))
            ),
        }


def _on_common(
    asked: np.ndarray, verdicts: np.ndarray, also: np.ndarray, others: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The verdicts on what two seeds were both asked, in one order."""
    _, first, second = np.intersect1d(asked, also, return_indices=True)
    return verdicts[first], others[second]


def _agreements(pairs: Iterator[tuple[np.ndarray, np.ndarray]]) -> list[float]:
    """Shares of equal verdicts."""
    return [float((one == other).mean()) for one, other in pairs if len(one)]


def main() -> int:
    """Teach on each device, and write what came out; 2 where a device is not here."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--devices", nargs="+", default=["cpu", "cuda"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--set", default="orchestra", help="of experiments/teach_sets")
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args()
    try:
        devices = [pick_device(name) for name in arguments.devices]
    except SymdemoError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    report = {
        "command": f"python experiments/devices.py --devices {' '.join(devices)} --seeds "
        f"{arguments.seeds} --set {arguments.set}",
        "made_by": provenance(),
        "rows": list(measured(devices, arguments.seeds, arguments.set)),
    }
    text = json.dumps(report, indent=1) + "\n"
    write_text(arguments.out, text)
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
