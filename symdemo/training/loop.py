"""The training loop for all methods, in one go or in pieces.

A step changes the encoder's weights and whatever the objective trains with them, such as a head.
Its loss is the objective plus *retention* terms (`retention.py`), which keep the encoder usable for
everything else.

Under `torchrun` each process reads its share of each step's sentences; the loss and the weights are
those of one process, up to rounding.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from symdemo.encoders.encoder import Encoder, TextInput
from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.training.config import DEFAULT_CONFIG, TrainingConfig
from symdemo.training.methods import KNN, Readout, Task, find_method
from symdemo.training.retention import DistanceToStart, GenericSentences, average_with
from symdemo.training.sampling import plan_batches

if TYPE_CHECKING:
    from accelerate import PartialState

Forward = Callable[[Sequence[TextInput]], Tensor]
"""Reads inputs into unit embeddings (n, d), with gradients where these are enabled."""

PASS = 8
"""Inputs per forward pass on a CPU: 48 sentences in one pass are mostly padding."""

WARM_UP = 20  # steps
_RANDOMNESS = threading.RLock()


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """A step's number, losses, and seconds since the start."""

    step: int
    total: int
    loss: float
    retention: float
    seconds: float

    @property
    def eta(self) -> float:
        """Seconds left, at the average speed so far."""
        return self.seconds / self.step * (self.total - self.step)


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """A retrained encoder with its readout (None if neighbours answer) and its history."""

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
    """Retrain a copy of `encoder` on labelled pairs, as `TrainingRun`, in one go.

    Args:
        encoder, pairs, method, config, before: of `TrainingRun`.
        callback: called after every step.
        should_stop: called before every step; True ends training and keeps what is learnt.
    """
    run = TrainingRun(encoder, pairs, method, config, before)
    while run.step < run.total and not (should_stop and should_stop()):
        for step in run.advance(1):
            if callback:
                callback(step)
    return run.result(stopped=run.step < run.total)


class TrainingRun:
    """Training in pieces: advance, evaluate the student, advance again.

    Its random state is its own: torch's global state is unchanged between and after the pieces.

    Attributes:
        encoder: where to start; also the frozen encoder of the retention term.
        pairs: labelled pairs with at least two labels.
        method: one of `methods.METHODS`.
        config: hyperparameters, including the seed.
        before: what the encoder answered with so far; labels keep their random rotations.
        anchors: the encoder's embeddings of the retention sentences; computed if not given.
        student: the copy that learns; in evaluation mode outside `advance`.
        labels: all labels of the pairs, sorted.
        history: the steps so far.
        seconds: spent on them.

    Raises:
        InputError: fewer than two labels, or a pair without one.
        ModelError: the encoder cannot be trained.
    """

    def __init__(
        self,
        encoder: Encoder,
        pairs: Sequence[Pair],
        method: str = KNN.name,
        config: TrainingConfig = DEFAULT_CONFIG,
        before: Readout | None = None,
        anchors: Tensor | None = None,
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
            dimension = self._method.dimension(self.student.dimension)
            task = Task(tuple(self.labels), dimension, config.margin, config.seed, before)
            self._objective = self._method.objective(task, config.loss).to(device)
            weights = self.student.trainable(config.freeze_embeddings, config.freeze_layers)
            self._parameters = [*weights, *self._objective.parameters()]
            self._generic = config.retention and GenericSentences(
                encoder, config.retention_batch, config.seed, config.retained, anchors
            )
            self.anchors = self._generic.anchors if self._generic else None
            self._start = config.stay_near_start and DistanceToStart(weights)
            # Fused: one pass over the weights instead of a dozen.
            self._optimizer = torch.optim.Adam(
                self._parameters, lr=config.learning_rate, fused=True
            )
            self._random = _random_state(device)
        self._processes = processes()
        self._read_generic = self._reader(short=device.type == "cpu")
        # Batches by length already have one length.
        self._read = self._reader(short=device.type == "cpu" and config.batching != "length")
        self._plan = plan_batches(pairs, config)

    def _reader(self, short: bool) -> Forward:
        forward = in_short_passes(self.student.forward) if short else self.student.forward
        if self.config.precision == "bf16":
            forward = in_half(forward, self.student.device)
        return in_shares(forward, self._processes) if self._processes else forward

    @property
    def total(self) -> int:
        """The number of steps of the whole run."""
        return len(self._plan)

    @property
    def step(self) -> int:
        """The number of steps made so far."""
        return len(self.history)

    def advance(self, n: int) -> list[TrainingStep]:
        """Make the next n steps (or all that are left) and return them."""
        device = self.student.device
        with own_randomness(device), self.student.in_training(self.config.dropout):
            torch.set_rng_state(self._random["cpu"])
            if device.type == "cuda":
                torch.cuda.set_rng_state(self._random["cuda"], device)
            steps = [self._make_step(batch) for batch in self._plan[self.step : self.step + n]]
            self._random = _random_state(device)
        return steps

    def _make_step(self, batch: Sequence[Pair]) -> TrainingStep:
        began = time.perf_counter()
        factor = 1.0
        if self.config.schedule == "linear":
            factor = min(1.0, (self.step + 1) / WARM_UP) * (1 - self.step / self.total)
        for group in self._optimizer.param_groups:
            group["lr"] = self.config.learning_rate * factor
        loss, kept = self._losses(batch)
        self._optimizer.zero_grad()
        (loss + kept).backward()
        if self._processes:
            from accelerate.utils import reduce

            for parameter in self._parameters:
                if parameter.grad is not None:
                    parameter.grad = reduce(parameter.grad, "mean")
        self._optimizer.step()
        losses = loss.item(), kept.item()
        self.seconds += time.perf_counter() - began
        self.history.append(TrainingStep(self.step + 1, self.total, *losses, self.seconds))
        return self.history[-1]

    def _losses(self, batch: Sequence[Pair]) -> tuple[Tensor, Tensor]:
        """Return (objective, weighted retention terms), with gradients."""
        config = self.config
        targets = [self._objective.labels.index(str(pair.label)) for pair in batch]
        read = self._read(self._method.inputs(batch))
        embeddings = self._method.label_embeddings(read, config.quotient)
        loss = self._objective(embeddings, torch.tensor(targets, device=embeddings.device))
        kept = loss.new_zeros(())
        if self._generic:
            kept = kept + config.retention * self._generic(self._read_generic)
        if self._start:
            kept = kept + config.stay_near_start * self._start()
        return loss, kept

    def readout(self) -> Readout | None:
        """Return the student's current readout; None if neighbours answer."""
        return self._method.readout(self._objective)

    def learnt(self) -> list[Tensor]:
        """Copy all trained tensors to the CPU, for `relearn`."""
        return [p.detach().cpu().clone() for p in self._parameters]

    def relearn(self, tensors: Sequence[Tensor]) -> None:
        """Put tensors of `learnt` back; steps, optimizer and random state are kept.

        Raises:
            InputError: another number of tensors, or other shapes.
        """
        seen, own = [t.shape for t in tensors], [p.shape for p in self._parameters]
        if seen != own:
            raise InputError(
                f"The state holds {len(seen)} tensors; {len(own)} of the shapes of this training "
                "are expected."
            )
        with torch.no_grad():
            for parameter, tensor in zip(self._parameters, tensors, strict=True):
                parameter.copy_(tensor)

    def state(self) -> dict[str, Any]:
        """Return everything that later steps depend on, as CPU tensors and plain values.

        A run of the same encoder, pairs, method, config and `before` continues from it, also in
        another process or on another device.
        """
        return {
            "learnt": self.learnt(),
            "optimizer": _to_cpu(self._optimizer.state_dict()),
            "random": dict(self._random),
            "generic": self._generic.rng.getstate() if self._generic else None,
            "history": [astuple(step) for step in self.history],
            "seconds": self.seconds,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a result of `state`.

        Raises:
            InputError: the state is of another training.
        """
        if bool(self._generic) != (state["generic"] is not None):
            raise InputError("The state is of a training with another retention term.")
        self.relearn(state["learnt"])
        self._optimizer.load_state_dict(_to_cpu(state["optimizer"]))
        self._random = self._random | state["random"]
        if self._generic:
            self._generic.rng.setstate(state["generic"])
        self.history = [TrainingStep(*values) for values in state["history"]]
        self.seconds = state["seconds"]

    def result(self, stopped: bool = False) -> TrainingResult:
        """End the run and return the student, ready for use."""
        began = time.perf_counter()
        self.student.freeze()
        if self.config.average_with_start:
            average_with(self.student, self.encoder, self.config.average_with_start)
        seconds = self.seconds + time.perf_counter() - began
        return TrainingResult(self.student, self.readout(), tuple(self.history), seconds, stopped)


def in_short_passes(forward: Forward) -> Forward:
    """Read many inputs in short passes on a CPU, those of similar length together.

    The embeddings are equal up to rounding. Padding costs time on a CPU: there, 48 generic
    sentences take half the time.
    """

    def read(inputs: Sequence[TextInput]) -> Tensor:
        if len(inputs) <= PASS:
            return forward(inputs)
        order = sorted(range(len(inputs)), key=lambda row: len("".join(inputs[row])))
        passes = [order[start : start + PASS] for start in range(0, len(order), PASS)]
        embeddings = [forward([inputs[row] for row in rows]) for rows in passes]
        return torch.cat(embeddings)[torch.tensor(order).argsort()]

    return read


def in_half(forward: Forward, device: torch.device) -> Forward:
    """Read in bfloat16; the embeddings are float32."""

    def read(inputs: Sequence[TextInput]) -> Tensor:
        with torch.autocast(device.type, dtype=torch.bfloat16):
            embeddings = forward(inputs)
        return torch.nn.functional.normalize(embeddings.float(), dim=-1)

    return read


def in_shares(forward: Forward, own: PartialState) -> Forward:
    """Read a share of the inputs in each process, and return all embeddings.

    In the backward pass each process gets the gradients of its share from all of them, so the mean
    of the weights' gradients over the processes is the gradient of one process.
    """
    from sentence_transformers.util import all_gather_with_grad

    def read(inputs: Sequence[TextInput]) -> Tensor:
        share = -(-len(inputs) // own.num_processes)
        # Shares have one length: those of the last processes are filled up with the first inputs.
        full = list(islice(cycle(inputs), share * own.num_processes))
        first = own.process_index * share
        return all_gather_with_grad(forward(full[first : first + share]))[: len(inputs)]

    return read


def processes() -> PartialState | None:
    """Return the processes that `torchrun` has started; None if this is the only one."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        return None
    from accelerate import PartialState

    return PartialState(cpu=not torch.cuda.is_available())


def any_of(others: PartialState | None, own: bool) -> bool:
    """True if `own` is true in any process: if one alone stopped, the others would wait."""
    if others is None:
        return own
    from accelerate.utils import reduce

    return bool(reduce(torch.tensor(float(own), device=others.device)))


@contextmanager
def own_randomness(device: torch.device) -> Iterator[None]:
    """Restore torch's random state after a `with` block, which one thread at a time runs.

    The state belongs to the whole process.
    """
    with _RANDOMNESS, torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        yield


def _random_state(device: torch.device) -> dict[str, Tensor]:
    states = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(device)
    return states


def _to_cpu(value: Any) -> Any:
    """Copy all tensors in nested dicts and lists to the CPU."""
    if isinstance(value, Tensor):
        return value.detach().cpu().clone()
    if isinstance(value, dict):
        return {key: _to_cpu(own) for key, own in value.items()}
    return [_to_cpu(own) for own in value] if isinstance(value, list) else value
