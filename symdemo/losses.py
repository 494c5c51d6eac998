"""The losses, as functions of label embeddings; `training.methods` makes these from text.

Equations are those of Yuan and Vlachos (2025), arXiv 2504.16312.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from symdemo.geometry import cosine_distances

MARGIN = 0.5
"""Section 2.2 and appendix C."""


def contrast(
    positive: Float[Tensor, "*p"], negative: Float[Tensor, "*q"], margin: float = MARGIN
) -> Float[Tensor, ""]:
    """Return mean(d₊²) + mean(max(0, margin − d₋)²), the common form of Eq. 3 and Eq. 5.

    Two separate means, so that a few negatives in a batch still count.
    """
    pull = positive.square().mean() if positive.numel() else positive.sum()
    push = (margin - negative).clamp_min(0).square()
    return pull + (push.mean() if push.numel() else push.sum())


def pairwise_label_loss(
    label_embeddings: Float[Tensor, "n d"], labels: Int[Tensor, " n"], margin: float = MARGIN
) -> Float[Tensor, ""]:
    """Return Eq. 5 over all unordered pairs of samples in a batch.

    d₊²(l₁, l₂) if two samples share their label, else max(0, margin − d₋(l₁, l₂))², with d the
    cosine distance of label embeddings.
    """
    i, j = torch.triu_indices(len(labels), len(labels), offset=1)
    distance = cosine_distances(label_embeddings, label_embeddings)[i, j]
    same = labels[i] == labels[j]
    return contrast(distance[same], distance[~same], margin)


def balanced_label_loss(
    label_embeddings: Float[Tensor, "n d"], labels: Int[Tensor, " n"], margin: float = MARGIN
) -> Float[Tensor, ""]:
    """Return Eq. 5 with equal weight for every label and every pair of labels.

    The mean over labels of mean d₊², plus the mean over pairs of labels of the mean of
    max(0, margin − d₋)². Labels with one sample contribute nothing to the first.
    """
    distance = cosine_distances(label_embeddings, label_embeddings)
    rows = [labels == label for label in labels.unique()]
    pull, push = [], []
    for number, own in enumerate(rows):
        size = int(own.sum())
        if size > 1:  # the diagonal, at distance 0, is no pair
            pull.append(distance[own][:, own].square().sum() / (size * (size - 1)))
        for other in rows[number + 1 :]:
            push.append((margin - distance[own][:, other]).clamp_min(0).square().mean())
    zero = distance.sum() * 0
    return sum(
        (torch.stack(terms).mean() for terms in (pull, push) if terms),
        start=zero,
    )


def rotation_distances(
    label_embeddings: Float[Tensor, "n d"], rotations: Float[Tensor, "m d"]
) -> Float[Tensor, "n m"]:
    """Return Eq. 4 for n samples and m unit rotations, from label embeddings h ∘ p̄.

    For |r_i| = 1 and ‖p‖ = ‖h‖ = 1, cos(h, p ∘ r) is the inner product ⟨h ∘ p̄, r⟩, so one matrix
    product compares all labels.
    """
    return 1 - label_embeddings @ rotations.T


def random_label_loss(
    label_embeddings: Float[Tensor, "n d"],
    labels: Int[Tensor, " n"],
    rotations: Float[Tensor, "m d"],
    margin: float = MARGIN,
) -> Float[Tensor, ""]:
    """Return d_{l₊}(p, h)² + max(0, margin − d_{l₋}(p, h))² for fixed label rotations (Eq. 3)."""
    distance = rotation_distances(label_embeddings, rotations)
    own = torch.nn.functional.one_hot(labels, len(rotations)).bool()
    return contrast(distance[own], distance[~own], margin)


def retention_loss(
    embeddings: Float[Tensor, "n d"], frozen: Float[Tensor, "n d"]
) -> Float[Tensor, ""]:
    """Return mean ‖z − z₀‖² + mean (Gram − Gram₀)² of unit embeddings and the frozen encoder's.

    The first term keeps every sentence in place, the second keeps their mutual similarities, which
    retrieval and STS use.
    """
    moved = (embeddings - frozen).square().sum(-1).mean()
    gram = embeddings @ embeddings.T - frozen @ frozen.T
    return moved + gram.square().mean()
