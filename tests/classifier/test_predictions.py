"""Predictions as columns: single ones agree with them, memory is bounded, left-out neighbours."""

import numpy as np
import pytest

from symdemo.training.methods import METHODS


@pytest.fixture(params=["vote", *METHODS])
def model(request, fitted):
    """A model of each method, and one in which all taught pairs vote."""
    if request.param == "vote":
        return fitted["knn"].with_card(temperature=0.1, familiar_within=0.2)
    return fitted[request.param]


def test_views_agree_with_their_columns(model, pairs):
    found = model.predict(pairs)
    assert len(found) == len(list(found)) == len(pairs)
    for number, view in enumerate(found):
        assert view.pair == found.pairs[number]
        assert view.label == found.labels[found.verdicts[number]] == found.verdict_labels[number]
        assert list(view.probabilities.values()) == found.probabilities[number].tolist()
        assert [near.row for near in view.neighbours] == found.rows[number].tolist()
        assert np.array_equal(view.label_embedding, found.label_embeddings[number])
        assert view.familiar == (None if found.familiar is None else found.familiar[number])
    assert [view.label for view in found[3:9:2]] == found.verdict_labels[3:9:2]
    assert found[-1].pair == found.pairs[-1]


def test_without_neighbours_there_is_no_verdict(fitted, pairs):
    for model in (fitted["knn"], fitted["knn"].with_card(temperature=0.1)):
        asked = list(pairs[:4])
        silent = np.zeros((4, len(model.index)), bool)
        silent[1] = True
        silent[2, 1:] = True
        found = model.predict_embedded(asked, model.embed(asked), silent=silent.__getitem__)
        assert found.verdict_labels[1] is None
        assert not found.probabilities[1].any()
        assert found.neighbours(1) == ()
        assert found.rows[2].tolist() == [0, -1, -1]
        assert found[2].label == model.index.pairs[0].label
        assert found[2].probabilities[found[2].label] == pytest.approx(1)
        with pytest.raises(LookupError, match="Pair 1 has no verdict"):
            found[1]
