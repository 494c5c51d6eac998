"""Rotations against naive implementations with Python's complex numbers."""

import cmath
import math

import jaxtyping
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal

from symdemo.errors import InputError
from symdemo.geometry import (
    QUOTIENTS,
    conjugate,
    cosine_distances,
    label_embedding,
    ordered_label_embedding,
    random_rotations,
    rotate,
    rotation_distance,
    symmetry_score,
    to_complex,
    to_real,
)

coordinates = st.floats(-2, 2, width=32).filter(lambda x: abs(x) > 1e-2)


def vectors(number: int):
    return st.integers(1, 4).flatmap(
        lambda half: st.tuples(
            *[st.lists(coordinates, min_size=2 * half, max_size=2 * half)] * number
        )
    )


def read(values: list[float]) -> list[complex]:
    half = len(values) // 2
    return [complex(values[i], values[half + i]) for i in range(half)]


def write(numbers: list[complex]) -> list[float]:
    return [c.real for c in numbers] + [c.imag for c in numbers]


def cosine(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True)) / (math.hypot(*a) * math.hypot(*b))


def near(tensor: torch.Tensor, expected, tolerance: float = 1e-4) -> bool:
    return torch.allclose(tensor, torch.tensor(expected), rtol=tolerance, atol=tolerance)


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_first_half_is_real_and_second_half_imaginary():
    assert to_complex(torch.tensor([1.0, 2.0, 3.0, 4.0])).tolist() == [1 + 3j, 2 + 4j]
    assert to_real(torch.tensor([1 + 3j, 2 + 4j])).tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("shape", [(2,), (6,), (3, 4), (2, 3, 8), (0, 4)])
def test_round_trip(shape):
    z = random(*shape)
    assert torch.equal(to_real(to_complex(z)), z)
    c = torch.complex(random(3, 5), random(3, 5, seed=1))
    assert torch.equal(to_complex(to_real(c)), c)


@given(vectors(2))
def test_rotate_is_the_complex_product(two):
    p, l = two
    expected = write([a * b for a, b in zip(read(p), read(l), strict=True)])
    assert near(rotate(torch.tensor(p), torch.tensor(l)), expected)


@given(vectors(1))
def test_conjugate_turns_the_signs_of_the_imaginary_half(one):
    (l,) = one
    assert conjugate(torch.tensor(l)).tolist() == write([c.conjugate() for c in read(l)])


ORACLES = {
    "conjugate": lambda p, h: write([b * a.conjugate() for a, b in zip(p, h, strict=True)]),
    "complex": lambda p, h: write([b / a for a, b in zip(p, h, strict=True)]),
    "phase": lambda p, h: write(
        [cmath.exp(1j * cmath.phase(b / a)) for a, b in zip(p, h, strict=True)]
    ),
}


@pytest.mark.parametrize("quotient", QUOTIENTS)
@given(two=vectors(2))
def test_label_embedding_against_its_formula(quotient, two):
    p, h = two
    expected = (
        [b / a for a, b in zip(p, h, strict=True)]
        if quotient == "real"
        else ORACLES[quotient](read(p), read(h))
    )
    assert near(label_embedding(torch.tensor(p), torch.tensor(h), quotient), expected, 1e-3)


@pytest.mark.parametrize("quotient", ["conjugate", "phase"])
def test_swap_law(quotient):
    p, h = random(5, 12), random(5, 12, seed=1)
    there, back = label_embedding(p, h, quotient), label_embedding(h, p, quotient)
    assert torch.allclose(back, conjugate(there), atol=1e-6)


@pytest.mark.parametrize("quotient", QUOTIENTS)
def test_zero_coordinates_stay_finite(quotient):
    p, h = torch.tensor([0.0, 1, 0, 1]), torch.tensor([1.0, 0, 0, 0])
    assert label_embedding(p, h, quotient).isfinite().all()


@given(vectors(2), st.integers(0, 1000))
def test_rotation_distance_is_equation_4(two, seed):
    p, h = two
    l = random_rotations(1, len(p), seed)[0]
    turned = [a * b for a, b in zip(read(p), read(l.tolist()), strict=True)]
    seen = rotation_distance(torch.tensor(p), torch.tensor(h), l)
    assert seen.item() == pytest.approx(1 - cosine(h, write(turned)), abs=1e-4)
    assert -1e-6 <= seen.item() <= 2 + 1e-6


def test_cosine_distances_on_exact_numbers():
    a = torch.tensor([[2.0, 0.0], [0.0, 0.0]])
    b = torch.tensor([[5.0, 0.0], [0.0, 1.0], [-3.0, 0.0]])
    assert cosine_distances(a, b).tolist() == [[0, 1, 2], [1, 1, 1]]


def test_symmetry_score_on_exact_numbers():
    real, mixed, none = [1.0, -2.0, 0.0, 0.0], [3.0, 0.0, 0.0, 4.0], [0.0] * 4
    scores = symmetry_score(torch.tensor([real, mixed, none]))
    assert scores.tolist() == pytest.approx([1, 9 / 25, 0])


def test_random_rotations_have_modulus_one_and_follow_the_seed():
    rotations = random_rotations(50, 8, seed=3)
    assert rotations.shape == (50, 8)
    assert torch.allclose(to_complex(rotations).abs(), torch.ones(50, 4))
    assert torch.equal(rotations, random_rotations(50, 8, seed=3))
    assert not torch.equal(rotations, random_rotations(50, 8, seed=4))
    phases = to_complex(random_rotations(2000, 2)).angle()
    assert phases.mean().abs() < 0.15  # around the whole circle
    assert phases.min() < -3
    assert phases.max() > 3


def test_odd_dimensions_are_refused():
    assert "5 dimensions; an even number" in refusal(to_complex, torch.ones(5))
    assert "3 dimensions" in refusal(label_embedding, torch.ones(3), torch.ones(3))


def test_an_unknown_quotient_is_refused(monkeypatch):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)  # or it would raise first
    with pytest.raises(InputError, match="“sum” is unknown; expected: conjugate, complex"):
        label_embedding(torch.ones(4), torch.ones(4), "sum")


def test_gradients_are_finite():
    for quotient in QUOTIENTS:
        p, h = random(3, 8).requires_grad_(), random(3, 8, seed=1).requires_grad_()
        label_embedding(p, h, quotient).square().sum().backward()
        assert p.grad.isfinite().all()
        assert h.grad.isfinite().all()


def test_only_the_difference_tells_the_order_of_two_real_embeddings():
    p, h = (torch.cat([torch.randn(5, 4), torch.zeros(5, 4)], dim=-1) for _ in "ph")
    there, back = ordered_label_embedding(p, h), ordered_label_embedding(h, p)
    turn, shift = to_complex(there).chunk(2, dim=-1)
    turned, shifted = to_complex(back).chunk(2, dim=-1)
    assert torch.allclose(turn, turned)
    assert torch.allclose(turn, 2 * to_complex(label_embedding(p, h)))  # √(d/2) = 2
    assert torch.allclose(shift, -shifted)
    assert torch.allclose(shift, to_complex(h - p))
