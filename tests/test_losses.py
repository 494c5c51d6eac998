"""The losses against naive double loops, and on numbers worked out by hand."""

import pytest
import torch
from torch.nn.functional import normalize

from symdemo.geometry import label_embedding, random_rotations, rotation_distance
from symdemo.losses import (
    balanced_label_loss,
    pairwise_label_loss,
    random_label_loss,
    retention_loss,
)


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def unit(*shape: int, seed: int = 0) -> torch.Tensor:
    return normalize(random(*shape, seed=seed), dim=-1)


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def contrastive(distances, margin: float) -> float:
    """Equations 3 and 5 from distances, each with whether it is one within a label."""
    pull = [d**2 for d, same in distances if same]
    push = [max(0, margin - d) ** 2 for d, same in distances if not same]
    return mean(pull) + mean(push)


@pytest.mark.parametrize("margin", [0.5, 1.0, 1.7])
@pytest.mark.parametrize("seed", range(4))
def test_equation_5_over_all_pairs_of_a_batch(seed, margin):
    l = random(9, 6, seed=seed)
    labels = torch.randint(3, (9,), generator=torch.Generator().manual_seed(seed))
    distances = [
        (1 - (torch.dot(l[i], l[j]) / (l[i].norm() * l[j].norm())).item(), labels[i] == labels[j])
        for i in range(9)
        for j in range(i + 1, 9)
    ]
    expected = contrastive(distances, margin)
    assert pairwise_label_loss(l, labels, margin).item() == pytest.approx(expected, abs=1e-5)


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


@pytest.mark.parametrize("margin", [0.5, 1.2])
@pytest.mark.parametrize("seed", range(3))
def test_equation_3_over_samples_and_labels(seed, margin):
    p, h = unit(6, 8, seed=seed), unit(6, 8, seed=seed + 10)
    r, labels = random_rotations(3, 8, seed), torch.tensor([0, 1, 2, 1, 0, 0])
    distances = [
        (rotation_distance(p[i], h[i], r[j]).item(), j == labels[i])
        for i in range(6)
        for j in range(3)
    ]
    loss = random_label_loss(label_embedding(p, h), labels, r, margin)
    assert loss.item() == pytest.approx(contrastive(distances, margin), abs=1e-5)


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
