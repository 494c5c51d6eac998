"""The worked example: runs of two shipped models on a built-in set, kept in `assets`.

    python -m symdemo.analysis.example

makes the runs again, which is needed when a shipped model or the set has changed.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from symdemo.analysis.built_in import load_built_in
from symdemo.analysis.loaded import LoadedPairs
from symdemo.analysis.run_cache import RunCache
from symdemo.analysis.running import model_key
from symdemo.classifier import SymmetryClassifier
from symdemo.files.paths import ASSETS

RUNS = ASSETS / "analysis"
DATA = "free-sentences"
MODELS = ("general", "wikidata14")


def example_data() -> LoadedPairs:
    """Return the pairs of the example."""
    return load_built_in(DATA)


def make_example(root: Path = RUNS) -> None:
    """Run the models and replace older runs."""
    cache, data, kept = RunCache(root), example_data(), set()
    for name in MODELS:
        model = SymmetryClassifier.from_pretrained(name)
        cache.get(model, data.pairs, data.key)
        kept.add(model_key(model)[:24])
    for folder in root.iterdir():
        current = folder.name.startswith(data.key[:24]) and any(key in folder.name for key in kept)
        if not current:
            shutil.rmtree(folder)


if __name__ == "__main__":
    make_example()
