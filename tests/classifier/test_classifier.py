"""Predict, teach and fit, on the tiny encoder."""

import numpy as np
import pytest
import torch

from symdemo import Pair, SymmetryClassifier
from symdemo.classifier.index import majority
from symdemo.errors import InputError, ModelError
from symdemo.geometry import symmetry_score, to_complex
from symdemo.training.methods import METHODS

every_method = pytest.mark.parametrize("method", METHODS)
QUESTION = Pair("Mia is a sibling of Nora.", "Nora is a sibling of Mia.")


@pytest.fixture
def blank(tiny_encoder) -> SymmetryClassifier:
    return SymmetryClassifier.from_encoder(tiny_encoder)


def state(model: SymmetryClassifier) -> tuple:
    return (
        model.card,
        model.index.pairs,
        model.index.embeddings.tobytes(),
        {name: tensor.numpy().tobytes() for name, tensor in model.encoder.weights().items()},
    )


def test_an_untaught_classifier_says_so(blank, tiny_encoder, tiny_folder):
    assert blank.labels == ()
    assert (blank.method, blank.card.encoder) == ("knn", tiny_encoder.name)
    assert blank.card.base_hash == tiny_encoder.base_hash
    with pytest.raises(ModelError, match="not been taught anything yet"):
        blank.predict([QUESTION])
    named = SymmetryClassifier.from_encoder(tiny_folder, "fine-tuning", name="mine")
    assert (named.card.name, named.method) == ("mine", "fine-tuning")
    with pytest.raises(InputError, match="“setfit” is unknown"):
        SymmetryClassifier.from_encoder(tiny_encoder, "setfit")


@every_method
def test_predictions_have_shares_neighbours_and_rotations(fitted, pairs, method):
    model = fitted[method]
    asked = [*pairs[::7], QUESTION]
    predictions = model.predict(asked)
    assert [p.pair for p in predictions] == asked
    vectors = model.embed(asked)
    for prediction, vector in zip(predictions, vectors, strict=True):
        shares = prediction.probabilities
        assert set(shares) == set(model.labels) == {"entailment", "contradiction"}
        assert sum(shares.values()) == pytest.approx(1, abs=1e-6)
        assert shares[prediction.label] == max(shares.values())
        assert np.array_equal(prediction.label_embedding, vector)
        distances = [n.distance for n in prediction.neighbours]
        assert len(distances) == model.card.k == 3
        assert distances == sorted(distances)
        assert all(n.pair in pairs for n in prediction.neighbours)
        if not model.readout:
            assert (prediction.label, shares[prediction.label]) == (
                majority(prediction.neighbours)[0],
                majority(prediction.neighbours)[1][prediction.label],
            )
        l = torch.from_numpy(vector)
        assert prediction.symmetry == pytest.approx(symmetry_score(l).item(), abs=1e-6)
        assert 0 <= prediction.symmetry <= 1
        rebuilt = prediction.amplitudes * np.exp(1j * prediction.phases)
        assert rebuilt == pytest.approx(to_complex(l).numpy(), abs=1e-5)
        assert prediction.familiar is None


@pytest.mark.parametrize("k", [0, -2, 2.5, True, "3"])
def test_fewer_than_one_neighbour_is_refused_by_predict(fitted, k):
    with pytest.raises(InputError, match=str(k)):
        fitted["knn"].predict([QUESTION], k=k)


def test_a_new_label_can_be_taught(fitted):
    model = fitted["knn"]
    before = state(model)
    new = [
        Pair("Oscar is next to Otto.", "Otto is next to Oscar.", "my own label"),
        Pair("Otto is next to Oscar.", "Oscar is next to Otto.", "my own label"),
    ]
    taught = model.teach(new)
    with pytest.raises(InputError, match=r"“Mia is a sibling of Nora.” has no label"):
        model.teach([QUESTION])
    assert state(model) == before
    assert taught.labels == (*model.labels, "my own label")
    assert taught.predict(new, k=1)[0].label == "my own label"
    assert taught.predict([QUESTION])[0].probabilities.keys() == set(taught.labels)
    assert taught.card.scores == {}
    assert taught.card.data["hash"] != model.card.data["hash"]
    assert taught.teach([]).index.pairs == taught.index.pairs


@pytest.mark.parametrize("method", ["random-label-embeddings", "fine-tuning"])
def test_methods_with_fixed_labels_cannot_be_taught(fitted, method):
    with pytest.raises(InputError, match=f"^A {method} model answers by fixed labels"):
        fitted[method].teach([Pair("Ann is next.", "Next is Ann.", "entailment")])


@every_method
def test_fitting_leaves_the_old_and_describes_the_new(fitted, pairs, quick_config, method):
    model = fitted[method]
    before = state(model)
    steps = []
    again = model.fit(pairs[::3], config=quick_config, callback=steps.append, name="again")
    assert state(model) == before
    assert again.method == method
    assert again.encoder.changed_weights(model.encoder)
    assert again.index.pairs == pairs[::3]
    assert again.embed(pairs[::3]).shape == again.index.embeddings.shape
    card = again.card
    assert (card.name, card.parent, card.seed) == ("again", model.card.name, quick_config.seed)
    assert (card.encoder, card.base_hash) == (model.card.encoder, model.card.base_hash)
    assert card.training["steps"] == len(steps) > 0
    assert (card.data["pairs"], card.data["relations"]) == (16, 4)


def test_a_failed_fit_changes_nothing(fitted, pairs, quick_config):
    model = fitted["knn"]
    before = state(model)

    def fail(step):
        raise MemoryError

    with pytest.raises(MemoryError):
        model.fit(pairs, config=quick_config, callback=fail)
    with pytest.raises(InputError, match="at least two labels"):
        model.fit([pair for pair in pairs if pair.label == "entailment"], config=quick_config)
    with pytest.raises(InputError, match="“setfit” is unknown"):
        model.fit(pairs, method="setfit")
    assert state(model) == before


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
