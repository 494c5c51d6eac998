"""The worked example is of the models that are shipped."""

import pytest

from symdemo import SymmetryClassifier
from symdemo.analysis.example import MODELS, RUNS, example_data
from symdemo.analysis.running import RunCache, model_key
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
