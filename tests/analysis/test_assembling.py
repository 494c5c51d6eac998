"""An analysis out of kept runs is the one that asking at once gives."""

import numpy as np
import pandas as pd
import pytest

from symdemo.analysis import analyse
from symdemo.analysis.loaded import LoadedPairs
from symdemo.analysis.run_cache import load_run, save_run
from symdemo.analysis.running import assemble, run_model


@pytest.fixture
def data(pairs):
    own = tuple(["entailment", None] * 6)
    return LoadedPairs("made", "a test", tuple(pairs[:12]), ("active", None) * 6, {"other": own})


def test_it_is_the_analysis_of_asking_at_once(fitted, data, tmp_path):
    models = {name: fitted[name] for name in ("knn", "fine-tuning")}
    runs = {}
    for name, model in models.items():
        save_run(run_model(model, data.pairs), tmp_path / name)
        runs[name] = load_run(tmp_path / name)
    found = assemble(data, runs)
    plain = analyse(data.pairs, models, exchanged=True, constructions=data.constructions)
    assert found.models == ("knn", "fine-tuning", "other")
    for name in models:
        own, expected = found.of(name), plain.of(name)
        for column in expected:
            if column in ("probability", "distance"):
                np.testing.assert_allclose(own[column], expected[column], atol=1e-5)
            else:
                assert own[column].tolist() == expected[column].tolist(), column
        one, other = found.overview(name, words=True), plain.overview(name, words=True)
        assert one.accuracy == other.accuracy
        assert one.rules == other.rules
        pd.testing.assert_frame_equal(one.confusion, other.confusion)
