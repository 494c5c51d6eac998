"""Predict, teach and fit, on the tiny encoder; in the forms of scikit-learn and others, too."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from refusals import refusal
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from symdemo import Pair, SymmetryClassifier
from symdemo.classifier.index import majority
from symdemo.errors import InputError, ModelError
from symdemo.geometry import symmetry_score, to_complex
from symdemo.pairs import ENTAILMENT, NEUTRAL
from symdemo.training import config
from symdemo.training.methods import METHODS

every_method = pytest.mark.parametrize("method", METHODS)
ONE, TWO = "Mia is a sibling of Nora.", "Nora is a sibling of Mia."
PAIR = Pair(ONE, TWO)


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
    assert "not been taught anything yet" in refusal(blank.predict, [PAIR], raising=ModelError)
    named = SymmetryClassifier.from_encoder(tiny_folder, "fine-tuning", name="mine")
    assert (named.card.name, named.method) == ("mine", "fine-tuning")
    assert "“setfit” is unknown" in refusal(SymmetryClassifier.from_encoder, tiny_encoder, "setfit")


@every_method
def test_predictions_have_shares_neighbours_and_rotations(fitted, pairs, method):
    model = fitted[method]
    asked = [*pairs[::7], PAIR]
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
        fitted["knn"].predict([PAIR], k=k)


def test_a_new_label_can_be_taught(fitted):
    model = fitted["knn"]
    before = state(model)
    new = [
        Pair("Oscar is next to Otto.", "Otto is next to Oscar.", "my own label"),
        Pair("Otto is next to Oscar.", "Oscar is next to Otto.", "my own label"),
    ]
    taught = model.teach(new)
    assert "“Mia is a sibling of Nora.” has no label" in refusal(model.teach, [PAIR])
    assert state(model) == before
    assert taught.labels == (*model.labels, "my own label")
    assert taught.predict(new, k=1)[0].label == "my own label"
    assert taught.predict([PAIR])[0].probabilities.keys() == set(taught.labels)
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


def test_in_roles_no_hypothesis_follows_that_says_more(fitted):
    model, labels = fitted["conjugate"], (ENTAILMENT, NEUTRAL)
    zeros = {name: 0 * getattr(model.readout, name) for name in ("weight", "outer")}
    certain = replace(model.readout, labels=labels, bias=torch.tensor([2.0, 0.0]), **zeros)
    pairs = [("Ann met Bob.", "Ann met Bob in Rome."), ("Ann met Bob.", "Bob met Ann.")]
    shares = replace(model, readout=certain).predict(pairs).probabilities
    assert shares[0, :2] == pytest.approx([0, 1])
    assert shares[1, :2] == pytest.approx(torch.tensor([2.0, 0.0]).softmax(-1).numpy())


def test_a_failed_fit_changes_nothing(fitted, pairs, quick_config):
    model = fitted["knn"]
    before = state(model)

    def fail(step):
        raise MemoryError

    with pytest.raises(MemoryError):
        model.fit(pairs, config=quick_config, callback=fail)
    with pytest.raises(InputError, match="at least two labels"):
        model.fit([pair for pair in pairs if pair.label == "entailment"], config=quick_config)
    assert "“setfit” is unknown" in refusal(model.fit, pairs, method="setfit")
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


@pytest.mark.parametrize(
    "given",
    [
        [PAIR], [(ONE, TWO)], [ONE], np.array([[ONE, TWO]]), pd.Series([ONE]),
        pd.DataFrame({"premise": [ONE], "hypothesis": [TWO]}),
    ],
)  # fmt: skip
def test_pairs_come_in_many_forms(fitted, given):
    assert list(fitted["knn"].predict(given).pairs) == [PAIR]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (ONE, "A single str was given; a list"),
        (PAIR, "A single Pair was given"),
        ((ONE, TWO), "A single tuple of two sentences"),
        ({"premise": ONE}, "A single dict was given"),
        (None, "A single NoneType was given"),
        ([{"premise": ONE, "hypothesis": TWO}], "item is a dict, {'premise': 'Mia"),
        ([PAIR, (ONE, TWO, "entailment")], "pairs[1]: The item is a tuple, "),
        ([ONE, TWO, "Melatonin"], "pairs[2]: There is only one word"),
        ([PAIR, (ONE, "x " * 400)], "pairs[1]: The hypothesis has "),
        ([7], "The item is a int, 7; "),
    ],
)
def test_what_is_no_list_of_pairs_is_one_sentence(fitted, given, says):
    model = fitted["knn"]
    for call in (model.predict, model.predict_proba, model.score, model.teach, model.fit):
        assert says in refusal(call, given)


@every_method
def test_probabilities_scores_and_tables_agree_with_the_verdicts(fitted, pairs, method, capsys):
    model = fitted[method].to("cpu")
    found = model.predict(pairs, batch_size=5, show_progress_bar=True)
    assert "Sentences: 100%" in capsys.readouterr().err
    assert list(model.classes_) == ["contradiction", "entailment"]
    proba = model.predict_proba(pairs)
    assert proba[3] == pytest.approx([found[3].probabilities[c] for c in model.classes_], abs=1e-4)
    right = np.mean([p.label == pair.label for p, pair in zip(found, pairs, strict=True)])
    assert model.score(pairs) == model.score(pairs, [pair.label for pair in pairs]) == right
    table = found.to_pandas()
    assert list(table["label"]) == list(np.asarray(found)) == found.verdict_labels
    assert list(table["p(entailment)"]) == [p.probabilities["entailment"] for p in found]
    assert "has no label" in refusal(model.score, [PAIR])
    vectors = model.encoder.encode([ONE, TWO])
    assert model.encoder.similarity(vectors, vectors).diagonal() == pytest.approx([1, 1])


@every_method
def test_copies_and_pickles_answer_alike(fitted, pairs, method):
    model = fitted[method]
    expected = model.predict(pairs)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        assert np.array_equal(other.predict(pairs).probabilities, expected.probabilities)
    assert len(pickle.loads(pickle.dumps(expected))) == len(pairs)
    for value in (model, model.encoder, model.index, expected, expected[0]):
        assert len(repr(value)) < 300
        assert str(value).startswith(type(value).__name__)


@pytest.mark.parametrize("method", ["knn", "fine-tuning"])
def test_it_works_in_scikit_learn(fitted, pairs, quick_config, monkeypatch, method):
    monkeypatch.setattr(config, "defaults", lambda *_: replace(quick_config, epochs=2))
    texts = [(pair.premise, pair.hypothesis) for pair in pairs]
    labels = [pair.label for pair in pairs]
    start = SymmetryClassifier.from_encoder(fitted[method].encoder, method)
    scores = [
        *cross_val_score(start, texts, labels, cv=2),
        *cross_val_score(start, np.array(texts), labels, cv=2, scoring="f1_macro"),
    ]
    assert min(scores) > 0.6
    assert not len(start.index)  # clones were fitted
    pipeline = make_pipeline(FunctionTransformer(list), start)
    assert set(cross_val_predict(pipeline, texts, labels, cv=2)) == set(labels)
    assert pipeline.fit(texts, labels).score(texts, labels) > 0.6
    assert list(pipeline.classes_) == list(start.classes_) == sorted(set(labels))
    assert start.fit(pairs, "knn").method == "knn"


def test_an_encoder_that_only_answers_is_not_saved_as_a_folder(saved, tmp_path):
    model = SymmetryClassifier.from_pretrained(saved["knn"], inference_only=True)
    with pytest.raises(ModelError, match="not loaded with inference_only is expected"):
        model.to("cpu").encoder.save_pretrained(tmp_path)
