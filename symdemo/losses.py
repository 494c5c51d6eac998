"""The training objectives, as plain mathematics on label embeddings.

Nothing here encodes text: `methods.py` makes label embeddings with an encoder and hands them over.
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
    """mean(d₊²) + mean(max(0, margin − d₋)²), the shape that Eq. 3 and Eq. 5 share.

    The two means are taken apart, so that a batch with few negatives still feels them.
    """
    pull = positive.square().mean() if positive.numel() else positive.sum()
    push = (margin - negative).clamp_min(0).square()
    return pull + (push.mean() if push.numel() else push.sum())


def pairwise_label_loss(
    label_embeddings: Float[Tensor, "n d"], labels: Int[Tensor, " n"], margin: float = MARGIN
) -> Float[Tensor, ""]:
    """Eq. 5 over all unordered pairs of samples in a batch.

    d₊²(l₁, l₂) where two samples share their label, max(0, margin − d₋(l₁, l₂))² where they do not;
    d is the cosine distance of label embeddings.
    """
    i, j = torch.triu_indices(len(labels), len(labels), offset=1)
    distance = cosine_distances(label_embeddings, label_embeddings)[i, j]
    same = labels[i] == labels[j]
    return contrast(distance[same], distance[~same], margin)


def balanced_label_loss(
    label_embeddings: Float[Tensor, "n d"], labels: Int[Tensor, " n"], margin: float = MARGIN
) -> Float[Tensor, ""]:
    """Eq. 5 with each label, and each two labels, weighing alike however many samples they have.

    The mean over labels of mean d₊², and the mean over two different labels of the mean of
    max(0, margin − d₋)²; labels without a second sample pull nothing.
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
    """Eq. 4 for n samples and m unit rotations, from label embeddings h ∘ p̄ of unit p and h.

    For |r_i| = 1 and ‖p‖ = ‖h‖ = 1 the cosine of h and p ∘ r is the inner product ⟨h ∘ p̄, r⟩, so
    all labels are compared by one matrix product.
    """
    return 1 - label_embeddings @ rotations.T


def random_label_loss(
    label_embeddings: Float[Tensor, "n d"],
    labels: Int[Tensor, " n"],
    rotations: Float[Tensor, "m d"],
    margin: float = MARGIN,
) -> Float[Tensor, ""]:
    """Eq. 3: d_{l₊}(p, h)² + max(0, margin − d_{l₋}(p, h))², with fixed random label rotations."""
    distance = rotation_distances(label_embeddings, rotations)
    own = torch.nn.functional.one_hot(labels, len(rotations)).bool()
    return contrast(distance[own], distance[~own], margin)


TEMPERATURE = 0.07
"""Of the softmax over prototypes: the usual one of contrastive learning on cosines."""


def prototype_loss(
    label_embeddings: Float[Tensor, "n d"],
    labels: Int[Tensor, " n"],
    prototypes: Float[Tensor, "m d"],
    temperature: float = TEMPERATURE,
) -> Float[Tensor, ""]:
    """−log softmax(−d(l, c) / τ) of each sample's own label, over one learnt prototype c a label.

    Ours, beside Eq. 5: d is the same cosine distance, but a sample is compared with all labels at
    once instead of with the samples that share its batch.
    """
    logits = -cosine_distances(label_embeddings, prototypes) / temperature
    return torch.nn.functional.cross_entropy(logits, labels)


def retention_loss(
    embeddings: Float[Tensor, "n d"], frozen: Float[Tensor, "n d"]
) -> Float[Tensor, ""]:
    """How far generic sentences have moved from the frozen encoder's embeddings.

    mean ‖z − z₀‖² + mean (Gram − Gram₀)²: the first keeps every sentence where it was, the second
    keeps their mutual similarities, which is what retrieval and STS use. Both embeddings are unit.
    """
    moved = (embeddings - frozen).square().sum(-1).mean()
    gram = embeddings @ embeddings.T - frozen @ frozen.T
    return moved + gram.square().mean()
