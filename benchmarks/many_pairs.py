"""Verdicts on many pairs at once: seconds and the most memory, without the encoder's part.

    python benchmarks/many_pairs.py [--model general] [--pairs 100000]

The label embeddings asked about are those that the model was taught, drawn at random and moved a
little, so that what is measured is the answering rule: neighbours and votes over all taught pairs.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path

import checkout  # noqa: F401
import numpy as np

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.index import unit_rows
from symdemo.files.provenance import ANSWERS, provenance
from symdemo.pairs import Pair

RESULTS = Path(__file__).parent / "results" / "many_pairs.json"
NOISE = 0.05


def peak_mib() -> float:
    """The most memory that this process has had so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Ask, and write what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="general")
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    model = SymmetryClassifier.from_pretrained(arguments.model, inference_only=True)
    rng = np.random.default_rng(arguments.seed)
    drawn = model.index.embeddings[rng.integers(len(model.index), size=arguments.pairs)]
    vectors = unit_rows(drawn + NOISE * rng.standard_normal(drawn.shape, dtype=np.float32))
    pairs = [Pair(f"A{n} meets B{n}.", f"B{n} meets A{n}.") for n in range(arguments.pairs)]
    loaded = peak_mib()
    began = time.perf_counter()
    found = model.predict_embedded(pairs, vectors)
    columns = time.perf_counter() - began
    began = time.perf_counter()
    labels = [prediction.label for prediction in found]
    report = {
        "command": f"python benchmarks/many_pairs.py --pairs {arguments.pairs}",
        "made_by": provenance(*ANSWERS),
        "model": arguments.model,
        "seed": arguments.seed,
        "pairs": len(labels),
        "taught": len(model.index),
        "seconds": {"columns": columns, "views": time.perf_counter() - began},
        "peak_mib": {"before": loaded, "after": peak_mib()},
    }
    text = json.dumps(report, indent=1) + "\n"
    RESULTS.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
