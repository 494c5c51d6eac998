"""Predict, teach and fit in the forms of scikit-learn and others; neighbours and their votes."""

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
from symdemo.classifier import index as indexing
from symdemo.classifier.index import LabelIndex, Neighbour, majority
from symdemo.errors import InputError, ModelError
from symdemo.geometry import symmetry_score, to_complex
from symdemo.pairs import ENTAILMENT, NEUTRAL
from symdemo.training import config
from symdemo.training.methods import METHODS

every_method = pytest.mark.parametrize("method", METHODS)
ONE, TWO = "Mia is a sibling of Nora.", "Nora is a sibling of Mia."
PAIR = Pair(ONE, TWO)


def state(model: SymmetryClassifier) -> tuple:
    return (
        model.card,
        model.index.pairs,
        model.index.embeddings.tobytes(),
        {name: tensor.numpy().tobytes() for name, tensor in model.encoder.weights().items()},
    )


def test_an_untaught_classifier_says_so(tiny_encoder, tiny_folder):
    blank = SymmetryClassifier.from_encoder(tiny_encoder)
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


def taught(*labels: str) -> list[Pair]:
    return [
        Pair(f"premise {n}.", f"hypothesis {n}.", label, f"R{n}") for n, label in enumerate(labels)
    ]


def rows(*vectors) -> np.ndarray:
    return np.array(vectors, dtype=np.float32)


def test_agrees_with_brute_force():
    rng = np.random.default_rng(0)
    stored, asked = rng.normal(size=(60, 10)), rng.normal(size=(25, 10))
    index = LabelIndex(taught(*["x"] * 60), stored)
    norm = np.linalg.norm
    for query, near in zip(asked, index.search(asked, k=5), strict=True):
        distance = [1 - query @ row / (norm(query) * norm(row)) for row in stored]
        assert [n.row for n in near] == list(np.argsort(distance)[:5])
        assert [n.distance for n in near] == pytest.approx(sorted(distance)[:5], abs=1e-5)


def test_an_index_knows_what_came_later():
    compass = LabelIndex(taught("e", "n", "w", "s"), rows([2, 0], [0, 3], [-0.5, 0], [0, -1]))
    assert compass.later == 0
    larger = compass.add(taught("x", "y"), rows([1, 0], [0, 1])).add(taught("z"), rows([1, 1]))
    assert larger.later == 3
    kept = larger.select([0, 3, 4, 6])
    assert ([p.label for p in kept.pairs], kept.later) == (["e", "s", "x", "z"], 2)
    assert np.array_equal(kept.embeddings, larger.embeddings[[0, 3, 4, 6]])
    assert LabelIndex((), np.empty((0, 2))).add(taught("x"), rows([1, 0])).later == 0
    with pytest.raises(ModelError, match="5 of 4 pairs"):
        LabelIndex(compass.pairs, compass.embeddings, later=5)


def test_a_large_index_looks_into_near_cells_and_is_taught_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(12, 32))
    stored, asked = (
        (centres[np.arange(n) % 12] + 0.4 * rng.normal(size=(n, 32))).astype(np.float32)
        for n in (3_000, 60)
    )
    pairs = taught(*("abc"[n % 3] for n in range(3_000)))
    exact = LabelIndex(pairs, stored)
    for name, value in {"EXACT": 2_000, "CELLS_SEARCHED": 16, "VOTERS": 800}.items():
        monkeypatch.setattr(indexing, name, value)
    large = LabelIndex(pairs, stored)
    found, known = large.search_rows(asked, 5), exact.search_rows(asked, 5)
    same = [len({*one} & {*two}) / 5 for one, two in zip(found[0], known[0], strict=True)]
    assert np.mean(same) >= 0.98
    assert found[1] == pytest.approx(known[1], abs=0.01)
    votes = large.kernel_vote(asked, 0.05)
    assert votes == pytest.approx(exact.kernel_vote(asked, 0.05), abs=0.01)
    assert np.isinf(large.distances(asked)).sum() >= 60 * (3_000 - 800)
    silent = np.zeros((60, 3_000), bool)
    silent[np.arange(60), found[0][:, 0]] = True
    assert (large.search_rows(asked, 1, silent)[0] == found[0][:, 1:2]).mean() >= 0.98

    monkeypatch.setattr(indexing, "cell_index", None)  # no new cells for five more pairs
    larger = large.add(taught(*"xxxxx"), asked[:5])
    assert (larger.later, larger.labels) == (5, ("a", "b", "c", "x"))
    assert [near[0].label for near in larger.search(asked[:5], 1)] == ["x"] * 5
    assert larger.kernel_vote(asked[:1], 0.05)[0, 3] > 0.9
    assert (larger.search_rows(asked[5:], 5)[0] == found[0][5:]).all()


@pytest.mark.parametrize(
    ("near", "winner"),
    [
        ([("a", 0.1), ("b", 0.2), ("c", 0.3)], "a"),
        ([("c", 0.1), ("b", 0.2), ("a", 0.3)], "c"),
        ([("b", 0.1), ("a", 0.2), ("a", 0.3), ("b", 0.4)], "b"),
        ([("b", 0.1), ("a", 0.1)], "b"),  # no difference at all: the first found
        ([("c", 0.0), ("a", 0.2), ("b", 0.3), ("b", 0.4), ("a", 0.5)], "a"),
    ],
)
def test_a_tie_goes_to_the_label_with_the_nearest_neighbour(near, winner):
    label, shares = majority([Neighbour(Pair("A b.", "B a.", of), far, 0) for of, far in near])
    assert label == winner
    assert sum(shares.values()) == pytest.approx(1)


def index_of(*given):
    return LabelIndex(taught(*(label for label, *_ in given)), rows(*(v for _, *v in given)))


def test_kernel_vote_is_the_weighted_share():
    index = index_of(("a", 0, 1), ("a", 0, -1), ("b", -1, 0))
    shares = index.kernel_vote(np.array([[1.0, 0.0]]), temperature=0.5)[0]
    weights = np.exp(-np.array([1.0, 1.0, 2.0]) / 0.5)  # cosine distances of the three
    assert shares == pytest.approx([weights[:2].sum() / weights.sum(), weights[2] / weights.sum()])


def test_later_pairs_win_where_they_are_nearest():
    """Thousands at 0.2 disagree, as for jargon in a large model."""

    def at(distance):
        return 1 - distance, np.sqrt(1 - (1 - distance) ** 2)

    many = index_of(*[("a", *at(0.2))] * 2_000)
    query, b = np.array([[1.0, 0.0]]), 1
    for distance, share in ((0.19, 0.8377), (0.21, 0.1735)):  # 1 / (1 + 0.95^32), 1 / (1 + 1.05^32)
        pair = Pair("a later premise.", "a later hypothesis.", "b")
        taught = many.add([pair], np.array([at(distance)], np.float32))
        assert taught.later == 1
        assert taught.kernel_vote(query, 0.1)[0, b] == pytest.approx(share, abs=1e-3)
        drowned = LabelIndex(taught.pairs, taught.embeddings).kernel_vote(query, 0.1)
        assert drowned[0, b] < 0.01
        weights = taught.vote_weights(query, 0.1)[0]
        assert weights.sum() == pytest.approx(1, abs=1e-5)
        assert weights[:-1] == pytest.approx((1 - share) / 2_000, abs=1e-6)


def test_silent_pairs_do_not_vote():
    index = index_of(("a", 0, 1), ("a", 0, -1)).add(taught("b", "c"), rows([1, 0.1], [1, 0.2]))
    query = np.array([[1.0, 0.0]])
    for silent, winner in (([2, 3], "a"), ([0, 1, 3], "b"), ([0, 1, 2], "c")):
        mask = np.zeros((1, 4), bool)
        mask[0, silent] = True
        shares = index.kernel_vote(query, 0.1, mask)[0]
        assert shares[index.labels.index(winner)] == pytest.approx(1)
