"""The four methods: embeddings, objectives and readouts, against the formulas."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from cases import each_case

from symdemo.classifier import SymmetryClassifier
from symdemo.geometry import (
    QUOTIENTS,
    conjugate,
    label_embedding,
    ordered_label_embedding,
    role_embedding,
    rotation_distance,
)
from symdemo.losses import MARGIN, pairwise_label_loss, random_label_loss
from symdemo.pairs import Pair
from symdemo.swapping.frames import find_frames
from symdemo.training import methods
from symdemo.training.methods import (
    Head,
    Objective,
    RolesHead,
    RolesReadout,
    ScaledHead,
    Task,
    encode_pairs,
    find_method,
    is_judged,
    role_inputs,
)

APART = ("random-label-embeddings", "knn")
LABELS = ("contradiction", "entailment")
EXCHANGE = str.maketrans("XY", "YX")


def objective(method: str, dimension: int = 8) -> Objective:
    return find_method(method).objective(Task(LABELS, dimension, MARGIN))


@pytest.mark.parametrize("quotient", QUOTIENTS)
@pytest.mark.parametrize("method", APART)
def test_apart_is_equation_6_of_the_two_sentences(tiny_encoder, pairs, method, quotient):
    some = pairs[::9]
    seen = encode_pairs(tiny_encoder, some, method, quotient)
    p = torch.from_numpy(tiny_encoder.encode([pair.premise for pair in some]))
    h = torch.from_numpy(tiny_encoder.encode([pair.hypothesis for pair in some]))
    assert np.array_equal(seen, label_embedding(p, h, quotient).numpy())


def test_exchanging_the_arguments_in_both_sentences_is_conjugation(tiny_encoder):
    there = Pair("Ann is Bob's mother.", "Bob is the child of Ann.")
    back = Pair("Bob is Ann's mother.", "Ann is the child of Bob.")
    frames = find_frames(there)
    exchanged = replace(
        frames,
        premise=frames.premise.translate(EXCHANGE),
        hypothesis=frames.hypothesis.translate(EXCHANGE),
    )
    inputs = [role_inputs(there, frames), role_inputs(back, exchanged)]
    rows = [torch.from_numpy(tiny_encoder.encode(list(one))).double() for one in inputs]
    p, q = (role_embedding(row[0], row[1]) for row in rows)
    assert torch.allclose(q, conjugate(p))
    assert torch.allclose(
        role_embedding(rows[0][2], rows[0][3]), conjugate(role_embedding(rows[1][2], rows[1][3]))
    )


def test_in_roles_a_swap_compares_an_embedding_with_its_conjugate(tiny_encoder):
    pair = Pair("Ann is Bob's mother.", "Bob is Ann's mother.")
    seen = torch.from_numpy(encode_pairs(tiny_encoder, [pair], "conjugate"))
    one, two, *_ = tiny_encoder.encode(list(role_inputs(pair, find_frames(pair))))
    z = role_embedding(torch.from_numpy(one), torch.from_numpy(two))
    assert torch.allclose(seen[0], ordered_label_embedding(z, conjugate(z)), atol=1e-6)


@each_case(__file__, "judged.csv")
def test_short_pairs_about_the_same_two_things_or_one_other_are_judged(row):
    found = find_frames(Pair(row["premise"], row["hypothesis"]))
    assert is_judged(found) is (row["judged"] == "yes")


def test_a_roles_head_starts_from_geometry_and_continues_from_what_it_answered():
    l = torch.nn.functional.normalize(torch.randn(5, 16), dim=-1)
    fresh = RolesHead(Task(("entailment", "neutral"), 16))
    expected = methods.SCALE / fresh.spread * l[:, :4].sum(-1)  # Re(h ∘ p̄)
    assert torch.allclose(fresh.logits(l)[:, 0], expected, atol=1e-5)
    with torch.no_grad():
        for weight in fresh.parameters():
            weight.add_(torch.randn_like(weight) / 10)
    before = RolesReadout.of(fresh)
    assert before.probabilities(l.numpy()) == pytest.approx(
        torch.softmax(fresh.logits(l), -1).detach().numpy(), abs=1e-5
    )
    after = RolesHead(Task(("neutral", "own"), 16, before=before))
    assert torch.allclose(after.logits(l)[:, 0], fresh.logits(l)[:, 1], atol=1e-4)
    assert not after.logits(l)[:, 1].any()


def test_what_each_method_minimises():
    l = torch.nn.functional.normalize(torch.randn(6, 8), dim=-1)
    targets = torch.tensor([0, 1, 1, 0, 1, 0])
    for method in ("knn", "knn-learnt-metric"):
        assert torch.equal(objective(method)(l, targets), pairwise_label_loss(l, targets, MARGIN))
    rotating = objective("random-label-embeddings")
    expected = random_label_loss(l, targets, rotating.rotations, MARGIN)
    assert torch.equal(rotating(l, targets), expected)
    tuned = objective("fine-tuning")
    shares = torch.softmax(tuned.head(l), dim=-1)
    expected = -torch.log(shares[torch.arange(6), targets]).mean()
    assert torch.allclose(tuned(l, targets), expected)


def test_random_labels_answer_with_the_nearest_rotation():
    method = "random-label-embeddings"
    readout = find_method(method).readout(objective(method, 16))
    unit = torch.nn.functional.normalize
    p, h = unit(torch.randn(20, 16), dim=-1), unit(torch.randn(20, 16), dim=-1)
    shares = readout.probabilities(label_embedding(p, h).numpy())
    assert shares.sum(-1) == pytest.approx(np.ones(20), abs=1e-6)
    for row in range(20):
        d = [rotation_distance(p[row], h[row], r).item() for r in readout.rotations]
        assert shares[row].argmax() == int(np.argmin(d))
        weights = np.exp([-x / MARGIN for x in d])
        assert shares[row] == pytest.approx(weights / weights.sum(), abs=1e-5)


def test_the_loss_of_a_scaled_head_is_that_of_logits_over_the_temperature():
    task = Task(("a", "b", "c"), dimension=4)
    torch.manual_seed(0)
    scaled = ScaledHead(task)
    embeddings = torch.nn.functional.normalize(torch.randn(5, 4), dim=-1)
    targets = torch.tensor([0, 1, 2, 1, 0])
    expected = torch.nn.functional.cross_entropy(scaled.head(embeddings) / 0.07, targets)
    torch.testing.assert_close(scaled(embeddings, targets), expected)
    torch.manual_seed(0)
    assert Head(task)(embeddings, targets) < scaled(embeddings, targets)


def test_a_scaled_head_is_saved_and_loaded(tiny_encoder, pairs, quick_config, tmp_path):
    start = SymmetryClassifier.from_encoder(tiny_encoder, "fine-tuning")
    scaled = start.fit(pairs, config=replace(quick_config, loss="scaled"))
    scaled.save_pretrained(tmp_path / "model")
    again = SymmetryClassifier.from_pretrained(tmp_path / "model")
    assert again.card.training["loss"] == "scaled"
    told, expected = (
        np.array([list(p.probabilities.values()) for p in model.predict(pairs[:6])])
        for model in (again, scaled)
    )
    np.testing.assert_allclose(told, expected, atol=1e-3)  # kept in half precision
    assert told.sum(1) == pytest.approx(1, abs=1e-5)
