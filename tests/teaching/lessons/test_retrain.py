"""Retraining on one's own relations: what it learns, keeps, reports and refuses."""

from dataclasses import replace

import numpy as np
import pytest
from retrain_tools import QUICK, Listener, own_pairs

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.index import LabelIndex
from symdemo.errors import InputError
from symdemo.jobs.reporting import StoppedError
from symdemo.pairs import Pair
from symdemo.teaching.comparison import judge
from symdemo.teaching.retraining import retrain

pytestmark = pytest.mark.slow


def test_retraining_learns_a_new_label_and_keeps_the_old_ones(base, own, retrained):
    model, comparison, _, _ = retrained
    assert comparison.how_held_out == "held out"
    assert comparison.own_n == 2
    assert comparison.own_before < comparison.own_after == 1.0
    assert set(model.labels) == {"entailment", "contradiction", "depends"}
    assert [p.label for p in model.predict(own)] == [pair.label for pair in own]
    old = base.index.pairs
    right = sum(p.label == q.label for p, q in zip(model.predict(old), old, strict=True))
    assert right / len(old) > 0.9


def test_the_base_stays_and_the_card_says_what_was_done(base, own, retrained):
    model = retrained[0]
    assert base.labels == ("entailment", "contradiction")
    assert model.encoder is not base.encoder
    assert model.encoder.changed_weights(base.encoder)
    card = model.card
    assert (card.parent, card.name, card.k) == ("tiny", "tiny, retrained", 5)
    assert (card.quotient, card.base_hash) == (base.card.quotient, base.card.base_hash)
    assert (card.training["replay"], card.training["epochs"]) == (24, 3)
    assert card.data["pairs"] == len(base.index) + 8
    assert "100.0% of 2, before " in card.scores["own pairs, held out"]
    assert card.familiar_within is None  # two held-out pairs are too few to say it anew
    again = retrain(model, own, QUICK)[0].card
    assert (again.name, again.parent) == ("tiny, retrained", "tiny, retrained")


def test_all_pairs_of_other_entities_vote_where_the_model_says_so(fitted, pairs):
    base = fitted["knn"]
    warm = SymmetryClassifier(base.encoder, base.index, base.card.with_(temperature=0.2))
    asked = list(pairs[:6])
    for pair, verdict in zip(asked, judge(warm, asked), strict=True):
        rows = [n for n, p in enumerate(base.index.pairs) if p.entity_pair != pair.entity_pair]
        others = LabelIndex([base.index.pairs[n] for n in rows], base.index.embeddings[rows])
        expected = others.kernel_vote(warm.embed([pair]), 0.2)[0]
        found = [verdict.probabilities[label] for label in others.labels]
        assert found == pytest.approx(expected.tolist(), abs=1e-4)


def test_the_curve_has_every_step_and_an_accuracy_every_few(retrained):
    _, _, curve, listener = retrained
    assert listener.events == curve
    total = curve[0]["total"]
    assert [point["step"] for point in curve] == list(range(1, total + 1))
    measured = [point["step"] for point in curve if point["accuracy"] is not None]
    assert 2 <= len(measured) <= 6
    assert measured[-1] == total
    assert set(curve[0]) == {"step", "total", "loss", "retention", "accuracy", "seconds"}
    assert listener.reports[0] == (0, total, None)
    assert listener.reports[-1][:2] == (total, total)
    assert 0 < listener.reports[-1][2] < 600  # what measuring takes is counted in
    assert "6 pairs to learn from, 2 held out to check, and 24 that" in listener.lines[0]


def test_measuring_can_be_cut_short(base, own, monkeypatch):
    monkeypatch.setattr("symdemo.teaching.retraining._BATCH", 8)
    listener = Listener(cut_after=6)
    model, comparison, _ = retrain(base, own, QUICK, listener)
    assert len(listener.measured) <= 7
    kept = model.index.pairs[:-8]
    assert model.index.pairs[-8:] == tuple(own)
    assert 24 <= len(kept) < len(base.index)
    assert list(kept) == [pair for pair in base.index.pairs if pair in set(kept)]
    assert (model.card.training["known"], model.card.training["remembered"]) == (
        len(base.index),
        len(kept),
    )
    assert (comparison.benchmark_before, comparison.benchmark_after, comparison.drift) == (
        None,
    ) * 3
    assert comparison.own_after == 1.0
    expected = model.embed(model.index.pairs)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.allclose(model.index.embeddings, expected, atol=1e-5)


def test_the_same_seed_gives_the_same_model(base, own, retrained):
    other, comparison, curve = retrain(base, own, QUICK)
    assert np.array_equal(other.index.embeddings, retrained[0].index.embeddings)
    assert comparison == retrained[1]
    assert [p["loss"] for p in curve] == [p["loss"] for p in retrained[2]]


def test_stopping_keeps_the_best_so_far(base, own):
    listener = Listener(stop_after=4)
    model, comparison, curve = retrain(base, own, QUICK, listener)
    assert len(curve) == 4 < curve[0]["total"]
    assert curve[-1]["accuracy"] is not None  # the last state was looked at too
    assert model.card.training["stopped"]
    assert model.card.training["steps made"] == 4
    assert comparison.own_after is not None
    with pytest.raises(StoppedError, match="before its first step"):
        retrain(base, own, QUICK, Listener(stop_after=0))


@pytest.mark.parametrize("method", ["random-label-embeddings", "knn-learnt-metric", "fine-tuning"])
def test_every_method_can_be_retrained_to(base, own, method):
    settings = replace(QUICK, method=method, epochs=6)
    model, comparison, _ = retrain(base, own, settings)
    assert (model.method, model.card.method) == (method, method)
    assert set(model.labels) == {"entailment", "contradiction", "depends"}
    assert (model.readout is not None) == (method != "knn-learnt-metric")
    assert comparison.own_n == 2
    if method == "random-label-embeddings":  # slower to learn than the others
        assert model.readout.rotations.shape == (3, 32)
    else:
        assert comparison.own_after >= 0.5
    assert comparison.benchmark_after is not None


def test_an_untaught_model_is_a_start_too(tiny_encoder, own):
    start = SymmetryClassifier.from_encoder(tiny_encoder, name="fresh")
    model, comparison, _ = retrain(start, own, QUICK)
    assert (comparison.own_before, comparison.benchmark_before) == (None, None)
    assert comparison.own_after is not None
    assert (len(model.index), model.index.later) == (8, 0)  # than nothing
    assert model.card.parent is None
    assert "before untaught" in model.card.scores["own pairs, held out"]


def test_familiarity_is_set_anew_where_enough_is_held_out(base):
    pairs = own_pairs(6)
    pairs += [p.reversed() for p in pairs]
    more = [replace(p, relation=f"{p.relation} once") for p in pairs]
    settings = replace(QUICK, epochs=1)
    few = retrain(base, pairs, settings)[0]
    assert few.card.familiar_within is None
    model = retrain(base, [*pairs, *(p for p in map(_with_other_names, more))], settings)[0]
    assert 0 < model.card.familiar_within < 2
    assert model.predict(pairs[:1])[0].familiar is True
    plain = SymmetryClassifier(base.encoder, base.index, base.card.with_(familiar_within=None))
    assert retrain(plain, pairs, settings)[0].card.familiar_within is None


def _with_other_names(pair: Pair) -> Pair:
    def other(text: str) -> str:
        return text.replace("77", "88")

    return Pair(
        other(pair.premise),
        other(pair.hypothesis),
        pair.label,
        pair.relation,
        other(pair.head),
        other(pair.tail),
    )


def test_what_cannot_be_retrained_is_refused(base, own, tiny_encoder):
    with pytest.raises(InputError, match="no pairs to teach"):
        retrain(base, [], QUICK)
    start = SymmetryClassifier.from_encoder(tiny_encoder)
    with pytest.raises(InputError, match="at least two labels"):
        retrain(start, own[:4], QUICK)
    with pytest.raises(InputError, match="control character"):
        retrain(base, [Pair("a\x00 b", "c d", "x")], QUICK)
