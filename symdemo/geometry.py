"""Rotations between sentence embeddings: Eq. 4, Eq. 6 and the swap law.

Convention: an embedding z ∈ R^d with d even is read as d/2 complex numbers with real parts z[:d/2]
and imaginary parts z[d/2:], the layout of RotatE (Sun et al. 2019). A *label embedding* l carries a
premise p to its hypothesis h. All functions work on the last axis and broadcast over the others.

Equations are those of Yuan and Vlachos (2025), arXiv 2504.16312.
"""

from __future__ import annotations

from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor

from symdemo.errors import InputError

Quotient = Literal["conjugate", "complex", "phase", "real"]
QUOTIENTS: tuple[str, ...] = get_args(Quotient)

_TINY = 1e-8  # keeps quotients finite where an embedding has a zero coordinate


def to_complex(z: Float[Tensor, "*#n d"]) -> Tensor:
    """Read R^d as C^{d/2}; inverse of `to_real`.

    Raises:
        InputError: d is odd.
    """
    if z.shape[-1] % 2:
        raise InputError(f"An embedding of {z.shape[-1]} dimensions; an even number is expected.")
    real, imaginary = z.chunk(2, dim=-1)
    return torch.complex(real.contiguous(), imaginary.contiguous())


def to_real(c: Tensor) -> Float[Tensor, "*#n d"]:
    """Write C^{d/2} as R^d; inverse of `to_complex`."""
    return torch.cat([c.real, c.imag], dim=-1)


def rotate(p: Float[Tensor, "*#n d"], l: Float[Tensor, "*#n d"]) -> Float[Tensor, "*#n d"]:
    """Return p ∘ l, the coordinate-wise complex product: a rotation if every |l_i| = 1."""
    return to_real(to_complex(p) * to_complex(l))


def conjugate(l: Float[Tensor, "*#n d"]) -> Float[Tensor, "*#n d"]:
    """Return the swapped pair's label embedding: label(h, p) = conj(label(p, h)), the swap law."""
    return to_real(to_complex(l).conj())


SPREAD = 3.0
"""The weight of the imaginary part of `role_embedding`: exchanging two placeholders moves an
embedding little."""


def role_embedding(
    forward: Float[Tensor, "*#n d"], backward: Float[Tensor, "*#n d"]
) -> Float[Tensor, "*#n two_d"]:
    """Return z = u + iv of a sentence encoded with its two arguments in both roles.

    u = (e(X, Y) + e(Y, X)) / 2 and v = `SPREAD` · (e(X, Y) − e(Y, X)) / 2, scaled to norm 1. So
    z(Y, X) = conj(z(X, Y)): exchanging the arguments is conjugation, and a relation is symmetric
    for the encoder exactly where z is real. Ours; Eq. 4 to 6 apply to z as to any embedding.

    Args:
        forward: e(X, Y), the sentence with the first argument in its first role.
        backward: e(Y, X), the same sentence with the two exchanged.
    """
    z = torch.cat([forward + backward, SPREAD * (forward - backward)], dim=-1)
    return torch.nn.functional.normalize(z, dim=-1)


def ordered_label_embedding(
    p: Float[Tensor, "*#n d"], h: Float[Tensor, "*#n d"]
) -> Float[Tensor, "*#n two_d"]:
    """Return (√(d/2) · h ∘ p̄, h − p), as one complex vector.

    Where z is real, h ∘ p̄ is the same for (p, h) and (h, p), so it cannot tell which of two
    symmetric relations is the wider one; h − p can. The factor gives both parts a norm near 1.

    Args:
        p: role embeddings of premises.
        h: role embeddings of hypotheses.
    """
    turn = (p.shape[-1] / 2) ** 0.5 * label_embedding(p, h)
    return to_real(torch.cat([to_complex(turn), to_complex(h - p)], dim=-1))


def rotation_distance(
    p: Float[Tensor, "*#n d"],
    h: Float[Tensor, "*#n d"],
    l: Float[Tensor, "*#n d"],
) -> Float[Tensor, "*#n"]:
    """Return d_l(p, h) = 1 − cos(h, p ∘ l) (Eq. 4), in [0, 2].

    Unlike a plain cosine it is not symmetric in p and h, unless l is its own conjugate.
    """
    return 1 - torch.nn.functional.cosine_similarity(h, rotate(p, l), dim=-1)


def label_embedding(
    p: Float[Tensor, "*#n d"],
    h: Float[Tensor, "*#n d"],
    quotient: Quotient = "conjugate",
) -> Float[Tensor, "*#n d"]:
    """Return l = h ⊘ p (Eq. 6), the label embedding of premises p and hypotheses h.

    Args:
        p: premises.
        h: hypotheses.
        quotient: how to divide.
            `conjugate`  h ∘ p̄: a rotation's inverse is its conjugate, so this is the rotation
                         weighted by both amplitudes. The default, and the only one that trains.
            `complex`    h / p, the exact quotient: p ∘ l = h.
            `phase`      h / p with every modulus set to 1.
            `real`       h / p element-wise on real numbers, as in the paper's released code.

    Raises:
        InputError: an unknown quotient, or d is odd.
    """
    if quotient == "real":
        return h / torch.where(p.abs() < _TINY, torch.full_like(p, _TINY), p)
    product = to_complex(h) * to_complex(p).conj()
    if quotient == "conjugate":
        return to_real(product)
    if quotient == "complex":
        return to_real(product / to_complex(p).abs().square().clamp_min(_TINY**2))
    if quotient == "phase":
        return to_real(product / product.abs().clamp_min(_TINY**2))
    raise InputError(f"The quotient “{quotient}” is unknown; expected: {', '.join(QUOTIENTS)}.")


def cosine_distances(a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
    """Return 1 − cos of every row of a with every row of b, in [0, 2]."""
    normalize = torch.nn.functional.normalize
    return 1 - normalize(a, dim=-1) @ normalize(b, dim=-1).T


def symmetry_score(l: Float[Tensor, "*#n d"]) -> Float[Tensor, "*#n"]:
    """Return the real share of a label embedding, ‖Re l‖² / ‖l‖², in [0, 1].

    By the swap law a label embedding equals that of the swapped pair exactly if it is real, so 1
    means that the encoder sees no difference between the two directions.
    """
    c = to_complex(l)
    return c.real.square().sum(-1) / c.abs().square().sum(-1).clamp_min(_TINY**2)


def random_rotations(n: int, dimension: int, seed: int = 0) -> Float[Tensor, "n d"]:
    """Return n unit rotations (every |l_i| = 1) with phases drawn uniformly from (−π, π]."""
    generator = torch.Generator().manual_seed(seed)
    phase = (torch.rand(n, dimension // 2, generator=generator) * 2 - 1) * torch.pi
    return to_real(torch.polar(torch.ones_like(phase), phase))
