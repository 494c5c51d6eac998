"""What everyone uses: predict, teach and fit, on the tiny encoder."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from symdemo import Pair, SymmetryClassifier
from symdemo.classifier.voting import majority
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


def answers(model: SymmetryClassifier, pairs) -> list:
    return [(p.label, p.probabilities) for p in model.predict(pairs)]


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
def test_predictions_carry_their_grounds(fitted, pairs, method):
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


@every_method
def test_order_batch_and_labels_of_the_question_do_not_matter(fitted, pairs, method):
    model = fitted[method]
    some = list(pairs[::5])
    together = answers(model, some)
    assert [answers(model, [pair])[0][0] for pair in some] == [label for label, _ in together]
    bare = [Pair(pair.premise, pair.hypothesis) for pair in some]
    assert answers(model, bare) == together
    assert [a for a, _ in answers(model, some[::-1])] == [a for a, _ in together[::-1]]
    assert list(model.predict([])) == []


@pytest.mark.parametrize("method", ["knn", "knn-learnt-metric"])
def test_the_taught_pairs_are_their_own_nearest_neighbours(fitted, pairs, method):
    for prediction in fitted[method].predict(pairs, k=1):
        assert prediction.neighbours[0].distance == pytest.approx(0, abs=1e-4)
        assert prediction.label == prediction.pair.label
        assert prediction.probabilities[prediction.label] == 1


def test_the_number_of_neighbours(fitted, pairs):
    assert len(fitted["knn"].predict([QUESTION], k=7)[0].neighbours) == 7
    assert len(fitted["knn"].predict([QUESTION], k=999)[0].neighbours) == len(pairs)


@pytest.mark.parametrize("k", [0, -2, 2.5, True, "3"])
def test_no_neighbours_is_refused(fitted, k):
    with pytest.raises(InputError, match=str(k)):
        fitted["knn"].predict([QUESTION], k=k)


@every_method
@pytest.mark.parametrize(
    ("pair", "says"),
    [
        (Pair("Ann is next.", "ann is  NEXT."), "the same sentence, “Ann is next.”"),
        (Pair("Ann is next.", ""), "hypothesis is empty"),
        (Pair("Ann", "Ann is next."), "premise is “Ann”"),
        (Pair(None, "Ann is next."), "premise is NoneType"),
        (Pair("Ann is next.", "ann is " * 500), "has 3,500 characters; at most 2,000 are read"),
        (Pair("x y " * 300, "Ann is next."), "premise has 602 tokens; "),
    ],
)
def test_bad_questions_are_refused(fitted, method, pair, says):
    for call in (
        fitted[method].predict,
        SymmetryClassifier.from_encoder(fitted[method].encoder).teach,
    ):
        with pytest.raises(InputError, match=says):
            call([QUESTION, pair])


def test_pairs_too_long_to_be_read_together_are_refused(fitted):
    most = fitted["knn"].encoder.max_length
    long = "x y " * (most // 2 - 10)
    pair = Pair(f"{long} ann", f"{long} ben", "entailment")
    assert fitted["knn"].predict([pair])
    with pytest.raises(InputError, match=f"^The pair has .* tokens; .* at most {most}"):
        fitted["knn-learnt-metric"].predict([pair])


def test_teaching_makes_a_new_classifier_at_once(blank):
    before = state(blank)
    taught = blank.teach([Pair("Mia borders Nora.", "Nora borders Mia.", "entailment", "borders")])
    assert state(blank) == before
    assert taught.encoder is blank.encoder
    assert taught.labels == taught.card.labels == ("entailment",)
    (prediction,) = taught.predict([QUESTION])
    assert (prediction.label, prediction.probabilities) == ("entailment", {"entailment": 1.0})
    assert taught.card.data["pairs"] == 1


def test_a_new_label_can_be_taught(fitted):
    model = fitted["knn"]
    before = state(model)
    new = [
        Pair("Oscar is next to Otto.", "Otto is next to Oscar.", "my own label"),
        Pair("Otto is next to Oscar.", "Oscar is next to Otto.", "my own label"),
    ]
    taught = model.teach(new)
    assert state(model) == before
    assert taught.labels == (*model.labels, "my own label")
    assert taught.predict(new, k=1)[0].label == "my own label"
    assert taught.predict([QUESTION])[0].probabilities.keys() == set(taught.labels)
    assert taught.card.scores == {}
    assert taught.card.data["hash"] != model.card.data["hash"]
    assert taught.teach([]).index.pairs == taught.index.pairs


def test_pairs_without_a_label_cannot_be_taught(fitted):
    with pytest.raises(InputError, match=r"“Mia is a sibling of Nora.” has no label"):
        fitted["knn"].teach([QUESTION])


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
    assert card.training["stopped"] is False
    assert card.data["pairs"] == 16
    assert card.data["relations"] == 4
    assert model.card.parent is None


def test_random_labels_keep_their_meaning_when_more_is_learnt(fitted, pairs, quick_config):
    model = fitted["random-label-embeddings"]
    again = model.fit(pairs[::3], config=replace(quick_config, seed=quick_config.seed + 1))
    assert torch.equal(again.readout.rotations, model.readout.rotations)


def test_fitting_can_be_stopped_and_keeps_a_usable_model(blank, pairs, quick_config):
    model = blank.fit(pairs, config=quick_config, should_stop=lambda: True)
    assert model.card.training["stopped"] is True
    assert model.card.training["steps"] == 0
    assert model.predict([QUESTION])[0].label in model.labels


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


def test_what_is_fitted_is_familiar_where_a_limit_was_measured(fitted, pairs):
    model = fitted["knn"]
    strict = SymmetryClassifier(model.encoder, model.index, model.card.with_(familiar_within=1e-3))
    assert strict.predict(pairs[:1])[0].familiar is True
    assert strict.predict([QUESTION])[0].familiar is False


def test_predictions_can_be_compared(fitted):
    one, two = (fitted["knn"].predict([QUESTION])[0] for _ in range(2))
    assert one == two
