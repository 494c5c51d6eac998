"""What the training loop stands on: its batches, its precision, its randomness, its record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from symdemo.data.bank import bank_names
from symdemo.encoders.encoder import Encoder, TextInput, input_length
from symdemo.pairs import Pair
from symdemo.training.config import TrainingConfig
from symdemo.training.sampling import batches, by_length


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """What a callback is told after each step: both losses, and seconds since the start."""

    step: int
    total: int
    loss: float
    retention: float
    seconds: float

    @property
    def eta(self) -> float:
        """Seconds left, at the mean speed so far."""
        return self.seconds / self.step * (self.total - self.step)


PASS = 8
"""Inputs of a forward pass on a CPU: few, since 48 sentences at once are mostly padding."""


class ByLength:
    """An encoder that reads many inputs in short passes, those of like length together.

    The embeddings are the same up to rounding. On a CPU, which pays for padding, 48 generic
    sentences take half the time; a GPU is better off with one pass.
    """

    def __init__(self, encoder: Encoder):
        self.encoder = encoder
        self.device = encoder.device

    def forward(self, inputs: Sequence[TextInput]) -> Tensor:
        """Unit embeddings (n, d) in the order of `inputs`, with gradients where enabled."""
        if self.device.type != "cpu" or len(inputs) <= PASS:
            return self.encoder.forward(inputs)
        order = sorted(range(len(inputs)), key=lambda row: input_length(inputs[row]))
        passes = [order[start : start + PASS] for start in range(0, len(order), PASS)]
        embeddings = [self.encoder.forward([inputs[row] for row in rows]) for rows in passes]
        return torch.cat(embeddings)[torch.tensor(order).argsort()]


class InHalf:
    """An encoder whose forward passes run in bfloat16 and whose embeddings are float32."""

    def __init__(self, encoder: Encoder | ByLength):
        self.encoder = encoder

    def forward(self, inputs: Sequence[TextInput]) -> Tensor:
        """Unit embeddings (n, d), float32, with gradients where they are enabled."""
        with torch.autocast(self.encoder.device.type, dtype=torch.bfloat16):
            embeddings = self.encoder.forward(inputs)
        return torch.nn.functional.normalize(embeddings.float(), dim=-1)


def plan_batches(pairs: Sequence[Pair], config: TrainingConfig) -> list[list[Pair]]:
    """All batches of a run: as many epochs as configured, or as `min_steps` needs."""
    planned = list(
        batches(
            pairs,
            config.batch_size,
            _epochs(len(pairs), config),
            balanced=config.balanced,
            recombined=config.recombine,
            seed=config.seed,
            strangers=bank_names() if config.recombine_with == "bank" else (),
        )
    )
    return by_length(planned, config.seed) if config.batching == "length" else planned


WARM_UP = 20  # steps


def rate_factor(schedule: str, step: int, total: int) -> float:
    """What the learning rate is multiplied by at a step, counted from 0."""
    if schedule == "constant":
        return 1.0
    return min(1.0, (step + 1) / WARM_UP) * (1 - step / total)


def count_steps(number: int, config: TrainingConfig) -> int:
    """How many steps a run over so many pairs makes."""
    return _epochs(number, config) * _steps_per_epoch(number, config)


def _epochs(number: int, config: TrainingConfig) -> int:
    return max(config.epochs, -(-config.min_steps // _steps_per_epoch(number, config)))


def _steps_per_epoch(number: int, config: TrainingConfig) -> int:
    return -(-number // config.batch_size)


@contextmanager
def own_randomness(device: torch.device) -> Iterator[None]:
    """Put torch's random state back after a `with` block."""
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        yield


def random_state(device: torch.device) -> dict[str, Tensor]:
    """Torch's random state, for this device too."""
    states = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(device)
    return states


def set_random_state(states: dict[str, Tensor], device: torch.device) -> None:
    """Take up a random state of `random_state`."""
    torch.set_rng_state(states["cpu"])
    if device.type == "cuda":
        torch.cuda.set_rng_state(states["cuda"], device)


def to_cpu(value: Any) -> Any:
    """Copies of all tensors in nested dicts and lists, on the CPU."""
    if isinstance(value, Tensor):
        return value.detach().cpu().clone()
    if isinstance(value, dict):
        return {key: to_cpu(own) for key, own in value.items()}
    return [to_cpu(own) for own in value] if isinstance(value, list) else value
