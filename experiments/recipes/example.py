"""Make the runs of the worked example again, once its set or one of its models has changed.

python -m experiments.recipes.example
"""

from __future__ import annotations

import shutil

from symdemo.analysis.built_in import EXAMPLE, EXAMPLE_MODELS, EXAMPLE_RUNS, load_built_in
from symdemo.analysis.running import RunCache
from symdemo.classifier import SymmetryClassifier

if __name__ == "__main__":
    shutil.rmtree(EXAMPLE_RUNS)
    data = load_built_in(EXAMPLE)
    for name in EXAMPLE_MODELS:
        model = SymmetryClassifier.from_pretrained(name)
        RunCache(EXAMPLE_RUNS).get(model, data.pairs, data.key)
