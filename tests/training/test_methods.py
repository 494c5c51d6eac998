"""The four methods: embeddings, objectives and readouts, against the formulas."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from symdemo.classifier import SymmetryClassifier
from symdemo.errors import InputError, ModelError
from symdemo.geometry import (
    QUOTIENTS,
    conjugate,
    label_embedding,
    ordered_label_embedding,
    role_embedding,
    rotation_distance,
)
from symdemo.losses import (
    MARGIN,
    balanced_label_loss,
    pairwise_label_loss,
    prototype_loss,
    random_label_loss,
)
from symdemo.pairs import Pair
from symdemo.swapping.frames import find_frames
from symdemo.training import methods
from symdemo.training.methods import (
    METHODS,
    HeadReadout,
    Method,
    Objective,
    RandomLabels,
    Readout,
    RolesHead,
    RolesReadout,
    RotationReadout,
    SameLabels,
    Task,
    check_method,
    encode_pairs,
    find_method,
    is_judged,
    label_rotations,
    load_readout,
    role_inputs,
)

APART = ("random-label-embeddings", "knn")
LABELS = ("contradiction", "entailment")
EXCHANGE = str.maketrans("XY", "YX")


def objective(method: str, dimension: int = 8, seed: int = 0) -> Objective:
    return find_method(method).objective(Task(LABELS, dimension, MARGIN, seed))


def readout_of(method: str, dimension: int = 8) -> Readout | None:
    return find_method(method).readout(objective(method, dimension))


def test_the_methods_are_the_papers_four_and_ours():
    papers = ("random-label-embeddings", "knn", "knn-learnt-metric", "fine-tuning")
    assert (*papers, "conjugate") == METHODS
    assert [check_method(name) for name in METHODS] == list(METHODS)
    assert [name for name in METHODS if find_method(name).reads == "apart"] == list(APART)
    with pytest.raises(InputError, match="“setfit” is unknown; expected: random-label-emb"):
        find_method("setfit")


@pytest.mark.parametrize("quotient", QUOTIENTS)
@pytest.mark.parametrize("method", APART)
def test_apart_is_equation_6_of_the_two_sentences(tiny_encoder, pairs, method, quotient):
    some = pairs[::9]
    seen = encode_pairs(tiny_encoder, some, method, quotient)
    p = torch.from_numpy(tiny_encoder.encode([pair.premise for pair in some]))
    h = torch.from_numpy(tiny_encoder.encode([pair.hypothesis for pair in some]))
    assert np.array_equal(seen, label_embedding(p, h, quotient).numpy())


@pytest.mark.parametrize("method", ["knn-learnt-metric", "fine-tuning"])
def test_together_is_what_the_encoder_makes_of_the_pair(tiny_encoder, pairs, method):
    some = pairs[::9]
    seen = encode_pairs(tiny_encoder, some, method)
    assert np.array_equal(seen, tiny_encoder.encode([(p.premise, p.hypothesis) for p in some]))


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


def test_in_roles_sentences_about_different_things_have_no_label_embedding(tiny_encoder):
    strange = Pair("It is raining again.", "A dog barked.")
    seen = encode_pairs(tiny_encoder, [strange, Pair("Ann met Bob.", "Bob met Ann.")], "conjugate")
    assert not seen[0].any()
    assert seen[1].any()


@pytest.mark.parametrize(
    ("premise", "hypothesis", "judged"),
    [
        ("Ann is Bob's mother.", "Bob is Ann's child.", True),
        ("Ann is Bob's mother.", "Eve is Bob's mother.", True),
        ("Mill Road crosses Elm Street.", "Mill Road doesn't cross Chapel Lane.", True),
        ("Ann met Bob.", "Ann met.", False),
        ("Ann met Bob.", "Ann was tired.", False),
        ("Ann is Bob's mother.", "Ann is an engineer.", False),
        ("It is raining again.", "A dog barked.", False),
        ("Ann met Bob" + " and sang" * 8 + ".", "Bob met Ann.", False),
    ],
)
def test_short_pairs_about_the_same_two_things_or_one_other_are_judged(premise, hypothesis, judged):
    assert is_judged(find_frames(Pair(premise, hypothesis))) is judged


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


def test_what_the_other_losses_of_neighbours_minimise():
    l = torch.nn.functional.normalize(torch.randn(6, 8), dim=-1)
    targets = torch.tensor([0, 1, 1, 0, 1, 1])

    def of(loss, method="knn-learnt-metric"):
        return find_method(method).objective(Task(LABELS, 8), loss)

    assert torch.equal(of("balanced")(l, targets), balanced_label_loss(l, targets, MARGIN))
    mixed = of("mixed")
    apart = random_label_loss(l, targets, mixed.rotations, MARGIN)
    assert torch.equal(mixed(l, targets), pairwise_label_loss(l, targets, MARGIN) + apart)
    softmax = of("prototypes")
    expected = prototype_loss(l, targets, softmax.prototypes)
    assert torch.equal(softmax(l, targets), expected)
    assert [name for name, _ in softmax.named_parameters()] == ["prototypes"]
    for method in ("random-label-embeddings", "fine-tuning"):  # these have losses of their own
        torch.manual_seed(3)
        usual = objective(method)
        torch.manual_seed(3)
        assert torch.equal(of("mixed", method)(l, targets), usual(l, targets))


def test_a_label_keeps_the_rotation_it_had_whatever_the_seed():
    three = ("contradiction", "entailment", "neutral")
    before = RotationReadout(three, label_rotations(three, 8, seed=1))
    after = RandomLabels(Task(LABELS, 8, seed=5, before=before))
    assert torch.equal(after.rotations, before.rotations[:2])
    head = HeadReadout(three, torch.ones(3, 8), torch.ones(3))  # that was trained, not drawn
    assert torch.equal(label_rotations(LABELS, 8, 5, head), label_rotations(LABELS, 8, 5))


def test_random_labels_answer_with_the_nearest_rotation():
    readout = readout_of("random-label-embeddings", 16)
    unit = torch.nn.functional.normalize
    p, h = unit(torch.randn(20, 16), dim=-1), unit(torch.randn(20, 16), dim=-1)
    shares = readout.probabilities(label_embedding(p, h).numpy())
    assert shares.sum(-1) == pytest.approx(np.ones(20), abs=1e-6)
    for row in range(20):
        d = [rotation_distance(p[row], h[row], r).item() for r in readout.rotations]
        assert shares[row].argmax() == int(np.argmin(d))
        weights = np.exp([-x / MARGIN for x in d])
        assert shares[row] == pytest.approx(weights / weights.sum(), abs=1e-5)


W, B, R = torch.ones(2, 8), torch.ones(2), torch.ones(2, 8)


@pytest.mark.parametrize(
    ("method", "tensors", "says"),
    [
        ("knn", {"weight": W}, r"tensors {'weight': \(2, 8\)}; knn expects {}"),
        ("fine-tuning", {}, r"fine-tuning expects {'weight': \(2, 8\), 'bias': \(2,\)}"),
        ("fine-tuning", {"weight": W}, "expects"),
        ("fine-tuning", {"weight": W, "bias": B, "more": B}, "'more'"),
        ("fine-tuning", {"rotations": R}, "expects"),
        ("fine-tuning", {"weight": torch.ones(3, 8), "bias": B}, "expects"),
        ("fine-tuning", {"weight": W, "bias": torch.ones(1)}, "expects"),
        ("random-label-embeddings", {"rotations": torch.ones(1, 8)}, "expects"),
        ("random-label-embeddings", {"weight": W, "bias": B}, "expects"),
        ("random-label-embeddings", {"rotations": torch.tensor(1.0)}, "rotations"),
        ("fine-tuning", {"weight": torch.ones(2), "bias": B}, "weight"),
    ],
)
def test_foreign_readouts_are_refused(method, tensors, says):
    with pytest.raises(ModelError, match=says):
        load_readout(method, LABELS, 8, tensors)


def test_a_new_method_is_one_object(tiny_encoder, pairs, quick_config, monkeypatch):
    class Twice(SameLabels):
        def forward(self, label_embeddings, targets):
            return 2 * super().forward(label_embeddings, targets)

    own = Method(name="twice", title="Twice", reads="apart", minimises=Twice)
    monkeypatch.setitem(methods._ALL, own.name, own)
    start = SymmetryClassifier.from_encoder(tiny_encoder)
    made, usual = (start.fit(pairs, name, quick_config) for name in ("twice", "knn"))
    assert made.method == "twice"
    assert made.predict(pairs[:1])[0].rotation
    first, second = (model.encoder.weights() for model in (made, usual))
    assert any(not torch.equal(first[name], second[name]) for name in first)
    assert [p.label for p in made.predict(pairs)] == [pair.label for pair in pairs]
