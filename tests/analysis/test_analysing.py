"""`analyse`: the rows it makes of real models, what it refuses, and McNemar’s test."""

import pytest
from scipy.stats import binom

from symdemo.analysis import analyse, analyse_predictions
from symdemo.analysis.overview import mcnemar
from symdemo.errors import InputError


def test_rows_are_what_the_model_says_of_each_pair(fitted, pairs):
    asked = [*pairs[:6], pairs[7]]
    model = fitted["knn"].with_card(familiar_within=0.1)
    analysis = analyse(asked, {"tiny": model, "bare": fitted["knn"]}, exchanged=True)
    assert analysis.models == ("tiny", "bare")
    turned = model.predict([pair.reversed() for pair in asked]).verdict_labels
    for row, pair, prediction, other in zip(
        analysis.of("tiny").to_dict("records"), asked, model.predict(asked), turned, strict=True
    ):
        nearest = prediction.neighbours[0]
        for name in ("premise", "hypothesis", "label", "relation", "head", "tail"):
            assert row[name] == getattr(pair, name)
        assert row["construction"] is None
        assert row["words"] == len(pair.premise.split())
        assert (row["verdict"], row["exchanged"]) == (prediction.label, other)
        assert row["probability"] == prediction.probabilities[prediction.label]
        assert row["right"] is (prediction.label == pair.label)
        assert row["distance"] == nearest.distance
        assert row["familiar"] is prediction.familiar
        assert row["nearest_premise"] == nearest.pair.premise
        assert (row["nearest_relation"], row["nearest_label"]) == (nearest.relation, nearest.label)
    assert all(familiar is None for familiar in analysis.of("bare").familiar)
    assert "tiny: verdict" in analysis.rows


def test_models_are_loaded_by_name(saved, pairs):
    name = str(saved["knn"])
    assert analyse(pairs[:2], [name]).models == analyse(pairs[:2], name).models == (name,)
    with pytest.raises(InputError, match="named twice"):
        analyse(pairs[:2], [name, name])


def test_what_cannot_be_analysed_is_refused(fitted, pairs, asked, answered):
    with pytest.raises(InputError, match="There are no pairs"):
        analyse([], {"tiny": fitted["knn"]})
    with pytest.raises(InputError, match="There are no models"):
        analyse(pairs[:2], {})
    with pytest.raises(InputError, match="8 verdicts of m for 7 pairs"):
        analyse_predictions(asked[1:], {"m": answered})
    analysis = analyse_predictions(asked, {"m": answered})
    with pytest.raises(InputError, match="“other” is not in the analysis; expected one of: m"):
        analysis.overview("other")


@pytest.mark.parametrize(("a", "b"), [(0, 0), (1, 0), (0, 6), (8, 2), (3, 12)])
def test_mcnemar_is_twice_the_binomial_tail(a, b):
    expected = min(1.0, 2 * binom.cdf(min(a, b), a + b, 0.5)) if a + b else 1.0
    assert mcnemar(a, b) == mcnemar(b, a) == pytest.approx(expected)
