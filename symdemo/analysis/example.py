"""The worked example: runs of two shipped models on a built-in set, kept in `assets`.

`python -m symdemo.analysis.example` makes them again, once a model or the set has changed.
"""

from __future__ import annotations

import shutil

from symdemo.analysis.built_in import load_built_in
from symdemo.analysis.loaded import LoadedPairs
from symdemo.analysis.running import RunCache
from symdemo.classifier import SymmetryClassifier
from symdemo.files.paths import ASSETS

RUNS = ASSETS / "analysis"
DATA = "free-sentences"
MODELS = ("general", "wikidata14")


def example_data() -> LoadedPairs:
    """Return the pairs of the example."""
    return load_built_in(DATA)


if __name__ == "__main__":
    shutil.rmtree(RUNS)
    data = example_data()
    for name in MODELS:
        RunCache(RUNS).get(SymmetryClassifier.from_pretrained(name), data.pairs, data.key)
