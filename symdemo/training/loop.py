"""Few-shot retraining of an encoder: one loop for all methods, in one go or in pieces.

What changes is the encoder's weights and what an objective trains beside them, such as a head.
Beside the objective runs a *retention* term (`retention.py`), which keeps the encoder usable for
everything else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import torch
from torch import Tensor

from symdemo.encoders import Encoder
from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.training.config import DEFAULT_CONFIG, DEFAULT_SEED, TrainingConfig
from symdemo.training.loss import TrainingLoss
from symdemo.training.methods import KNN, find_method
from symdemo.training.objectives import Task
from symdemo.training.readouts import Readout
from symdemo.training.retention import average_with
from symdemo.training.tools import (
    TrainingStep,
    own_randomness,
    plan_batches,
    random_state,
    rate_factor,
    set_random_state,
    to_cpu,
)

__all__ = [
    "DEFAULT_SEED",
    "TrainingConfig",
    "TrainingResult",
    "TrainingRun",
    "TrainingStep",
    "train_encoder",
]


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """A retrained encoder with its readout (None where neighbours answer) and its history."""

    encoder: Encoder
    readout: Readout | None
    history: tuple[TrainingStep, ...]
    seconds: float
    stopped: bool


def train_encoder(
    encoder: Encoder,
    pairs: Sequence[Pair],
    method: str = KNN.name,
    config: TrainingConfig = DEFAULT_CONFIG,
    callback: Callable[[TrainingStep], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    before: Readout | None = None,
) -> TrainingResult:
    """Retrain a copy of `encoder` on labelled pairs; `encoder` itself is untouched.

    Args:
        encoder: where to start; also the frozen encoder of the retention term.
        pairs: labelled pairs, with at least two labels among them.
        method: one of `methods.METHODS`.
        config: hyperparameters, the seed among them.
        callback: told of every step.
        should_stop: asked before every step; True ends training with what has been learnt so far.
        before: what the encoder answered with so far; labels keep the random rotations they had.

    Raises:
        InputError: fewer than two labels, or a pair without one.
    """
    run = TrainingRun(encoder, pairs, method, config, before)
    while run.step < run.total and not (should_stop and should_stop()):
        for step in run.advance(1):
            if callback:
                callback(step)
    return run.result(stopped=run.step < run.total)


class TrainingRun:
    """Training that can be carried on in pieces: advance, look at the student, advance.

    Its random numbers are its own: torch's global state is left alone between and after the pieces.

    Attributes:
        before: what the encoder answered with, before it goes on; labels keep their rotations.
        student: the copy of the encoder that learns; in evaluation mode outside `advance`.
        labels: all labels among the pairs, sorted.
        history: the steps made so far.
        seconds: spent on them.

    Raises:
        InputError: fewer than two labels, or a pair without one.
    """

    def __init__(
        self,
        encoder: Encoder,
        pairs: Sequence[Pair],
        method: str = KNN.name,
        config: TrainingConfig = DEFAULT_CONFIG,
        before: Readout | None = None,
    ):
        self.labels = sorted({pair.label for pair in pairs if pair.label})
        if len(self.labels) < 2 or any(not pair.label for pair in pairs):
            raise InputError(
                "Training needs labelled pairs of at least two labels; "
                f"seen: {self.labels or 'none'}."
            )
        self.encoder, self.pairs, self.method, self.config = encoder, tuple(pairs), method, config
        self.before = before
        self._method = find_method(method)
        self.student = encoder.clone()
        self.history: list[TrainingStep] = []
        self.seconds = 0.0
        device = self.student.device
        with own_randomness(device):
            torch.manual_seed(config.seed)
            task = Task(
                tuple(self.labels), self.student.dimension, config.margin, config.seed, before
            )
            objective = self._method.objective(task, config.loss).to(device)
            self._loss = TrainingLoss(encoder, self.student, self._method, objective, config)
            # Fused: a pass over the weights in place of a dozen.
            self._optimizer = torch.optim.Adam(
                self._loss.parameters, lr=config.learning_rate, fused=True
            )
            self._random = random_state(device)
        self._plan = plan_batches(pairs, config)

    @property
    def total(self) -> int:
        """How many steps there are to make."""
        return len(self._plan)

    @property
    def step(self) -> int:
        """How many steps have been made."""
        return len(self.history)

    def advance(self, n: int) -> list[TrainingStep]:
        """Make the next n steps, or those that are left, and return them."""
        steps = []
        device = self.student.device
        with own_randomness(device), self.student.in_training(self.config.dropout):
            set_random_state(self._random, device)
            for batch in self._plan[self.step : self.step + n]:
                steps.append(self._make_step(batch))
            self._random = random_state(device)
        return steps

    def _make_step(self, batch: Sequence[Pair]) -> TrainingStep:
        began = time.perf_counter()
        for group in self._optimizer.param_groups:
            group["lr"] = self.config.learning_rate * rate_factor(
                self.config.schedule, self.step, self.total
            )
        loss, kept = self._loss(batch)
        self._optimizer.zero_grad()
        (loss + kept).backward()
        self._optimizer.step()
        losses = loss.item(), kept.item()
        self.seconds += time.perf_counter() - began
        self.history.append(TrainingStep(self.step + 1, self.total, *losses, self.seconds))
        return self.history[-1]

    def readout(self) -> Readout | None:
        """What the student answers with so far; None where its neighbours answer."""
        return self._method.readout(self._loss.objective)

    def learnt(self) -> list[Tensor]:
        """Copies on the CPU of all that is trained, to be put back with `relearn`."""
        return [p.detach().cpu().clone() for p in self._loss.parameters]

    def relearn(self, tensors: Sequence[Tensor]) -> None:
        """Put back what `learnt` gave; steps, optimizer and randomness stay where they are.

        Raises:
            InputError: another number of tensors, or other shapes.
        """
        seen, own = [t.shape for t in tensors], [p.shape for p in self._loss.parameters]
        if seen != own:
            raise InputError(
                f"The state holds {len(seen)} tensors; {len(own)} of the shapes of this training "
                "are expected."
            )
        with torch.no_grad():
            for parameter, tensor in zip(self._loss.parameters, tensors, strict=True):
                parameter.copy_(tensor)

    def state(self) -> dict[str, Any]:
        """All that the next steps depend on, as CPU tensors and plain values.

        A run made from the same encoder, pairs, method, config and `before` goes on from it, here
        or in another process, on this device or another.
        """
        generic = self._loss.generic
        return {
            "learnt": self.learnt(),
            "optimizer": to_cpu(self._optimizer.state_dict()),
            "random": dict(self._random),
            "generic": generic.rng.getstate() if generic else None,
            "history": [astuple(step) for step in self.history],
            "seconds": self.seconds,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from where `state` was taken.

        Raises:
            InputError: the state is of another training.
        """
        if bool(self._loss.generic) != (state["generic"] is not None):
            raise InputError("The state is of a training with another retention term.")
        self.relearn(state["learnt"])
        self._optimizer.load_state_dict(to_cpu(state["optimizer"]))
        self._random = self._random | state["random"]
        if self._loss.generic:
            self._loss.generic.rng.setstate(state["generic"])
        self.history = [TrainingStep(*values) for values in state["history"]]
        self.seconds = state["seconds"]

    def result(self, stopped: bool = False) -> TrainingResult:
        """End the run: the student, ready for use, with its readout and history."""
        began = time.perf_counter()
        self.student.freeze()
        if self.config.average_with_start:
            average_with(self.student, self.encoder, self.config.average_with_start)
        return TrainingResult(
            encoder=self.student,
            readout=self.readout(),
            history=tuple(self.history),
            seconds=self.seconds + time.perf_counter() - began,
            stopped=stopped,
        )
