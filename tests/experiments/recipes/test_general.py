"""The general model's parts: what it is taught, how all taught pairs vote, how sure it may be."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tiny import ENTITIES

from experiments.recipes.general import (
    CONFIG,
    fit_general,
    remembered_pairs,
    training_pairs,
    withhold_phrasing,
)
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.calibration import (
    TEMPERATURES,
    best_temperature,
    expected_calibration_error,
    log_loss,
)
from symdemo.classifier.card import ModelCard
from symdemo.data.bank import BankRelation, RelationBank, shipped_bank
from symdemo.data.bank_phrasings import phrasing_kind
from symdemo.errors import InputError, ModelError
from symdemo.pairs import Pair
from symdemo.training.sampling import without_stops


@pytest.fixture(scope="module")
def bank():
    return shipped_bank()


@pytest.fixture(scope="module")
def few(bank):
    """Three relations of each pattern, in few words: a tiny encoder cuts them into letters."""
    short = sorted(bank.relations, key=lambda r: max(map(len, r.phrasings)))
    return [
        relation
        for pattern in ("symmetric", "antisymmetric", "neither")
        for relation in [r for r in short if r.pattern == pattern][:3]
    ]


def test_each_round_has_other_entities(bank, few):
    pairs = training_pairs(bank, few, seed=0, rounds=2)
    phrasings = sum(len(relation.phrasings) for relation in few)
    assert len(pairs) == 2 * phrasings
    first, second = pairs[:phrasings], pairs[phrasings:]
    assert [p.relation for p in first] == [p.relation for p in second]
    same = sum(a.entity_pair == b.entity_pair for a, b in zip(first, second, strict=True))
    assert same < phrasings / 10
    assert not {p.premise for p in pairs} & {
        p.premise for p in training_pairs(bank, few, seed=1, rounds=2)
    }


def test_some_pairs_are_shown_without_their_full_stops(bank, few):
    pairs = training_pairs(bank, few, seed=0, rounds=4)
    stops = [(pair.premise[-1] == ".", pair.hypothesis[-1] == ".") for pair in pairs]
    assert set(stops) == {(True, True), (False, False)}
    assert 0.1 < stops.count((False, False)) / len(stops) < 0.4
    pair = Pair("A met B.", "B met A.", "entailment", "met")
    assert without_stops(pair) == Pair("A met B", "B met A", "entailment", "met")


def test_the_index_holds_the_first_phrasings(bank, few):
    pairs = remembered_pairs(bank, few, most=2)
    assert len(pairs) == 2 * len(few)
    assert {p.relation for p in pairs} == {relation.id for relation in few}


def test_withheld_phrasings_are_in_no_training(few):
    kept, withheld = withhold_phrasing(few, seed=3)
    for before, rest, out in zip(few, kept, withheld, strict=True):
        assert len(out.phrasings) == 1
        assert sorted(rest.phrasings + out.phrasings) == sorted(before.phrasings)


@pytest.mark.parametrize(
    ("phrasing", "kind"),
    [
        ("[X] and [Y] are cousins.", "joined"),
        ("[Y] was founded by [X].", "passive"),
        ("[X] was widely admired by [Y].", "passive"),
        ("[X] is [Y]'s mother.", "possessive"),
        ("According to the register, [X] was a cousin of [Y].", "framed"),
        ("[X] borders [Y].", "plain"),
    ],
)
def test_kinds_of_phrasings(phrasing, kind):
    assert phrasing_kind(phrasing) == kind


def test_a_temperature_on_the_card_replaces_the_majority(fitted, pairs):
    model = fitted["knn"]
    warm = SymmetryClassifier(
        model.encoder, model.index, model.card.with_(temperature=0.1), model.readout
    )
    asked = [replace(pair, label=None) for pair in pairs[:5]]
    expected = model.index.kernel_vote(model.embed(asked), 0.1)
    for row, prediction in zip(expected, warm.predict(asked, k=2), strict=True):
        assert list(prediction.probabilities.values()) == pytest.approx(row.tolist(), abs=1e-6)
        assert prediction.label == max(prediction.probabilities, key=prediction.probabilities.get)
        assert len(prediction.neighbours) == 2


@pytest.mark.parametrize("temperature", [0, -1, float("inf"), "warm", True])
def test_a_foreign_temperature_is_refused(fitted, temperature):
    values = fitted["knn"].card.to_json() | {"temperature": temperature}
    with pytest.raises(ModelError, match="temperature"):
        ModelCard.from_json(json.loads(json.dumps(values)))


def test_calibration_error_by_hand():
    shares = np.array([[0.95, 0.05], [0.95, 0.05], [0.35, 0.65], [0.35, 0.65]])
    # two at 0.95 of which one is right, two at 0.65 of which both are
    error = expected_calibration_error(shares, [0, 1, 1, 1])
    assert error == pytest.approx(0.5 * 0.45 + 0.5 * 0.35)
    assert expected_calibration_error(np.array([[1.0, 0.0]]), [0]) == 0


def test_calibration_refuses_other_numbers():
    with pytest.raises(InputError, match="1 rows of probabilities and 2 labels"):
        expected_calibration_error(np.array([[1.0, 0.0]]), [0, 1])


def test_log_loss_by_hand():
    assert log_loss(np.array([[0.5, 0.5], [0.25, 0.75]]), [0, 1]) == pytest.approx(
        (np.log(2) + np.log(4 / 3)) / 2
    )


def test_best_temperature_is_the_least_mean_loss():
    losses = np.ones((2, len(TEMPERATURES)))
    losses[:, 3] = [0.1, 0.9]
    losses[:, 5] = [0.4, 0.4]
    assert best_temperature(losses) == TEMPERATURES[5]


def small_bank():
    """A bank in the tiny encoder's own words, since it cuts all others into letters."""
    people = tuple(ENTITIES.split())
    relations = tuple(
        BankRelation(phrase, pattern, ("person",), ("person",), (f"[X] is {phrase} [Y].",))
        for phrase, pattern in (
            ("sibling of", "symmetric"),
            ("next to", "symmetric"),
            ("mother of", "antisymmetric"),
            ("part of", "antisymmetric"),
            ("with", "neither"),
        )
    )
    return RelationBank(relations, {"person": people}, {})


QUICK = replace(
    CONFIG,
    learning_rate=1e-2,
    batch_size=8,
    retention=0.0,
    dropout=False,
    precision="fp32",
    batching="random",
)
"""With five relations a step of pairs of like length would hold one label alone."""


def test_a_reduced_general_model_learns_what_it_is_taught(tiny_encoder):
    small = small_bank()
    model, again = (
        fit_general(tiny_encoder, small, config=QUICK, method="knn", rounds=40) for _ in range(2)
    )
    assert np.array_equal(model.index.embeddings, again.index.embeddings)
    assert len(model.index) == len(small.relations)
    asked = small.pairs(seed=99, per_phrasing=4)
    warm = SymmetryClassifier(model.encoder, model.index, model.card.with_(temperature=0.05))
    right = [p.label == pair.label for p, pair in zip(warm.predict(asked), asked, strict=True)]
    assert sum(right) >= 16, (sum(right), [p.probabilities for p in warm.predict(asked)][:4])
    assert len(asked) == 20
    assert set(model.labels) == {"entailment", "contradiction", "neutral"}
