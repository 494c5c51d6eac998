"""The worked example is of the models that are shipped."""

import json
from dataclasses import replace

import numpy as np
import pytest

from symdemo import SymmetryClassifier
from symdemo.analysis.example import MODELS, RUNS, example_data
from symdemo.analysis.run_cache import RunCache
from symdemo.analysis.running import model_key, neighbours_json
from symdemo.classifier.checkpoints import list_models


@pytest.mark.parametrize("name", MODELS)
def test_the_kept_run_is_of_the_shipped_model(name, tmp_path):
    if name not in {card.name for card in list_models()}:
        pytest.skip(f"the model {name} is not in models/")
    model, data = SymmetryClassifier.from_pretrained(name), example_data()
    run = RunCache(tmp_path, [RUNS]).find(data.key, model_key(model), exchanged=True)
    assert run is not None, "make it anew: python -m symdemo.analysis.example"
    assert len(run.rows) == len(data.pairs)
    assert not list(tmp_path.iterdir())
    some = range(0, len(data.pairs), 40)
    fresh = model.predict([data.pairs[number] for number in some])
    assert [run.rows.verdict[number] for number in some] == fresh.verdict_labels


def test_a_pair_that_was_not_read_has_no_neighbours():
    model, data = SymmetryClassifier.from_pretrained(MODELS[0]), example_data()
    run = RunCache(RUNS).find(data.key, model_key(model), exchanged=True)
    unread = run.embeddings.copy()
    unread[3] = np.nan
    found = neighbours_json(model, replace(run, embeddings=unread), np.array([3, 4]), 2)
    assert found[0] is None
    assert len(json.loads(found[1])) == 2
