"""How taught pairs vote: the k nearest by majority, or all of them by their distances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import numpy as np

SHARPEST = 0.01
"""The least temperature of a vote; distances in half precision say nothing below it."""

NEARER = 32
"""How steeply the say of what was taught later falls with its distance; see `say_of_later`.

Chosen by `experiments/lesson_says.py` on relations that no model of its folds was taught: at 8 a
lesson turned some verdicts on questions that were as far from it as from all else.
"""


class Voter(Protocol):
    """What a majority needs of a neighbour: its label, and how far it is."""

    @property
    def label(self) -> str:
        """What it was taught with."""
        ...

    @property
    def distance(self) -> float:
        """From what is asked."""
        ...


def majority(neighbours: Sequence[Voter]) -> tuple[str, dict[str, float]]:
    """The winning label among a few neighbours, and each label's share of their votes.

    Tie rule: among labels with equally many votes, the one whose own nearest neighbour is nearest.
    """
    votes = Counter(neighbour.label for neighbour in neighbours)
    nearest: dict[str, float] = {}
    for neighbour in neighbours:
        nearest.setdefault(neighbour.label, neighbour.distance)
    winner = min(votes, key=lambda label: (-votes[label], nearest[label]))
    return winner, {label: count / len(neighbours) for label, count in votes.items()}


def weights_apart(distances: np.ndarray, later: int, temperature: float) -> np.ndarray:
    """What each taught pair weighs in a vote of all: (n, number of pairs), rows summing to 1.

    A few pairs that were taught later would drown among thousands. So the old ones and the later
    ones vote apart (`kernel`), and the later ones' vote counts for as much as `say_of_later` says.

    Args:
        distances: (n, number of pairs), infinite where a pair has no vote.
        later: how many of the last pairs were taught later.
        temperature: in the unit of the distances.
    """
    old, new = np.split(distances, [distances.shape[1] - later], axis=1)
    if not later or not old.shape[1]:
        return kernel(distances, temperature)
    say = say_of_later(old, new)
    parts = ((1 - say) * kernel(old, temperature), say * kernel(new, temperature))
    return np.concatenate(parts, axis=1)


def kernel(distances: np.ndarray, temperature: float) -> np.ndarray:
    """exp(−d / T) with each row scaled to a sum of 1, or all 0 where every distance is infinite.

    T is the temperature, or the distance of the nearest pair where that is less.
    """
    nearest = distances.min(axis=1, keepdims=True)
    local = np.clip(nearest, SHARPEST, max(temperature, SHARPEST))
    weights = np.exp((np.where(np.isfinite(nearest), nearest, 0) - distances) / local)
    return weights / np.maximum(weights.sum(axis=1, keepdims=True), SHARPEST)


def say_of_later(old: np.ndarray, later: np.ndarray, steepness: float = NEARER) -> np.ndarray:
    """1 / (1 + (d_later / d_old)^steepness), by the nearest of each: (n, 1), in [0, 1].

    Nearly 1 where something taught later lies nearer than all else, and nearly 0 where it does not.

    Args:
        old: distances (n, any) to what was known before.
        later: distances (n, any) to what was taught later; of old and later one may be infinite.
        steepness: the power.
    """
    ratio = np.log(_nearest(later)) - np.log(_nearest(old))
    return np.exp(-np.logaddexp(0, steepness * ratio))  # as it stands above, it would overflow


def _nearest(distances: np.ndarray) -> np.ndarray:
    """The least of each row (n, 1), but no less than distances can tell apart."""
    return np.maximum(distances.min(axis=1, keepdims=True), SHARPEST)
