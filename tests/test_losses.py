"""The losses against naive double loops, and on numbers worked out by hand."""

import pytest
import torch
from torch.nn.functional import normalize

from symdemo.geometry import label_embedding, random_rotations, rotation_distance
from symdemo.losses import (
    balanced_label_loss,
    contrast,
    pairwise_label_loss,
    random_label_loss,
    retention_loss,
    rotation_distances,
)


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def unit(*shape: int, seed: int = 0) -> torch.Tensor:
    return normalize(random(*shape, seed=seed), dim=-1)


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def test_contrast_on_exact_numbers():
    positive, negative = torch.tensor([1.0, 2.0]), torch.tensor([0.25, 0.5, 2.0, 0.0])
    # (1 + 4)/2 + (1/16 + 0 + 0 + 1/4)/4
    assert contrast(positive, negative, 0.5).item() == pytest.approx(2.5 + 0.3125 / 4)
    assert contrast(positive, torch.empty(0)).item() == pytest.approx(2.5)
    assert contrast(torch.empty(0), negative).item() == pytest.approx(0.3125 / 4)


@pytest.mark.parametrize("margin", [0.5, 1.0, 1.7])
@pytest.mark.parametrize("seed", range(4))
def test_equation_5_over_all_pairs_of_a_batch(seed, margin):
    l = random(9, 6, seed=seed)
    labels = torch.randint(3, (9,), generator=torch.Generator().manual_seed(seed))
    pull, push = [], []
    for i in range(9):
        for j in range(i + 1, 9):
            d = 1 - torch.dot(l[i], l[j]).item() / (l[i].norm() * l[j].norm()).item()
            if labels[i] == labels[j]:
                pull.append(d**2)
            else:
                push.append(max(0, margin - d) ** 2)
    expected = mean(pull) + mean(push)
    assert pairwise_label_loss(l, labels, margin).item() == pytest.approx(expected, abs=1e-5)


def test_equation_5_on_exact_numbers():
    l = torch.tensor([[1.0, 0.0], [0.0, 3.0], [2.0, 0.0]])
    # 0 and 1 share their label at distance 1; 2 lies on 0 (d = 0) and across from 1 (d = 1)
    loss = pairwise_label_loss(l, torch.tensor([0, 0, 1]), 0.5)
    assert loss.item() == pytest.approx(1 + (0.25 + 0) / 2)
    perfect = torch.tensor([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    assert pairwise_label_loss(perfect, torch.tensor([4, 4, 2])).item() == pytest.approx(0)


def test_balanced_labels_have_equal_weight():
    l, labels = random(9, 6, seed=3), torch.tensor([0, 0, 0, 0, 0, 1, 1, 2, 0])
    d = 1 - torch.nn.functional.cosine_similarity(l[:, None], l[None], dim=-1)
    zeros, ones, margin = [0, 1, 2, 3, 4, 8], [5, 6], 1.1
    pull = [mean([d[i, j].item() ** 2 for i in zeros for j in zeros if i < j]), d[5, 6].item() ** 2]
    push = [
        mean([max(0, margin - d[i, j].item()) ** 2 for i in some for j in others])
        for some, others in ((zeros, ones), (zeros, [7]), (ones, [7]))
    ]
    loss = balanced_label_loss(l, labels, margin).item()
    assert loss == pytest.approx(mean(pull) + mean(push), abs=1e-5)


@pytest.mark.parametrize("labels", [[0, 0, 1, 1], [0, 1, 2, 3], [5, 5, 5, 5]])
def test_with_equal_numbers_of_each_label_it_is_equation_5(labels):
    l, labels = random(4, 6, seed=4).requires_grad_(), torch.tensor(labels)
    balanced, plain = balanced_label_loss(l, labels, 1.2), pairwise_label_loss(l, labels, 1.2)
    assert balanced.item() == pytest.approx(plain.item(), abs=1e-6)
    balanced.backward()
    assert l.grad.isfinite().all()


def test_rotation_distances_are_equation_4_of_unit_embeddings():
    p, h, r = unit(7, 10), unit(7, 10, seed=1), random_rotations(3, 10)
    seen = rotation_distances(label_embedding(p, h), r)
    for i in range(7):
        for j in range(3):
            assert seen[i, j].item() == pytest.approx(
                rotation_distance(p[i], h[i], r[j]).item(), abs=1e-5
            )


@pytest.mark.parametrize("margin", [0.5, 1.2])
@pytest.mark.parametrize("seed", range(3))
def test_equation_3_over_samples_and_labels(seed, margin):
    p, h = unit(6, 8, seed=seed), unit(6, 8, seed=seed + 10)
    r, labels = random_rotations(3, 8, seed), torch.tensor([0, 1, 2, 1, 0, 0])
    pull, push = [], []
    for i in range(6):
        for j in range(3):
            d = rotation_distance(p[i], h[i], r[j]).item()
            if j == labels[i]:
                pull.append(d**2)
            else:
                push.append(max(0, margin - d) ** 2)
    loss = random_label_loss(label_embedding(p, h), labels, r, margin)
    assert loss.item() == pytest.approx(mean(pull) + mean(push), abs=1e-5)


def test_equation_3_is_0_if_each_pair_has_its_labels_rotation():
    l = torch.tensor([[1.0, 0.0], [-1.0, 0.0]])  # 1 and −1
    assert random_label_loss(l, torch.tensor([0, 1]), l).item() == pytest.approx(0)
    # now each lies on the other's label: d₊ = 2, d₋ = 0
    assert random_label_loss(l, torch.tensor([1, 0]), l).item() == pytest.approx(4 + 0.25)


def test_retention_against_loops():
    new, old = unit(5, 6), unit(5, 6, seed=1)
    moved = mean([sum((a - b) ** 2 for a, b in zip(*rows, strict=True)) for rows in
                  zip(new.tolist(), old.tolist(), strict=True)])  # fmt: skip
    gram = mean(
        [
            (torch.dot(new[i], new[j]) - torch.dot(old[i], old[j])).item() ** 2
            for i in range(5)
            for j in range(5)
        ]
    )
    assert retention_loss(new, old).item() == pytest.approx(moved + gram, abs=1e-5)


def test_retention_on_exact_numbers():
    old = torch.eye(2)
    assert retention_loss(old, old).item() == 0
    new = torch.tensor([[1.0, 0.0], [1.0, 0.0]])  # one of two moved by √2, two of four products
    assert retention_loss(new, old).item() == pytest.approx(2 / 2 + 2 / 4)
    turned = torch.tensor([[0.0, 1.0], [1.0, 0.0]])  # moved, but all similarities are kept
    assert retention_loss(turned, old).item() == pytest.approx(2)


@pytest.mark.parametrize("labels", [[0, 0, 0], [0, 1, 2], [1]])
def test_batches_without_positives_or_negatives_are_finite(labels):
    l = random(len(labels), 8).requires_grad_()
    pairwise_label_loss(l, torch.tensor(labels)).backward()
    assert l.grad.isfinite().all()
    one = random(len(labels), 8).requires_grad_()
    loss = random_label_loss(
        one, torch.zeros(len(labels), dtype=torch.long), random_rotations(1, 8)
    )
    loss.backward()
    assert loss.isfinite()
    assert one.grad.isfinite().all()
