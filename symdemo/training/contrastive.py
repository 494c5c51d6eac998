"""Contrastive training of a decoder by Eq. 6 of BeLLM (Li and Li 2024, arXiv 2311.05296).

For anchors h_i, positives h_i⁺ and hard negatives h_i⁻ of a batch of N, with cos the cosine:

    L = −Σ_i log( exp(cos(h_i, h_i⁺)/τ) / Σ_j (exp(cos(h_i, h_j⁺)/τ) + exp(cos(h_i, h_j⁻)/τ)) )

That is sentence-transformers' multiple-negatives ranking loss at scale 1/τ, which takes the mean
over i. Its cached form gives the same gradients in less memory. A LoRA adapter is trained with the
library's trainer and can continue after a stop.
"""

from __future__ import annotations

import importlib.util
import random
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import torch
from torch import Tensor

from symdemo.encoders.decoders.adapters import LoraWeights
from symdemo.encoders.decoders.smollm2 import INSTALL_TRAINING
from symdemo.encoders.encoder import SentenceEncoder
from symdemo.encoders.registry import quiet_transformers
from symdemo.errors import InputError
from symdemo.training.config import Precision
from symdemo.training.loop import PASS
from symdemo.training.triplets import Triplet

Targets = Literal["attention", "all-linear"]

ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
NEEDS = ("peft", "datasets")
CHECKPOINTS = "checkpoints"
_AT_LEAST = {"batch_size": 2, "accumulation": 1, "rank": 1, "alpha": 1}
_POSITIVE = ("epochs", "learning_rate", "temperature")


@dataclass(frozen=True, slots=True)
class ContrastiveConfig:
    """Hyperparameters; rank, alpha, dropout and learning rate are the paper's.

    Attributes:
        epochs: passes over the triplets.
        batch_size: triplets that are each other's negatives.
        chunk: sentences per forward pass. If smaller than the batch, embeddings are computed first
            and gradients chunk by chunk (GradCache, arXiv 2101.06983): the same gradients in less
            memory, for one more forward pass. None: the whole batch.
        accumulation: batches per step; they do not share negatives.
        learning_rate: the maximum; it rises over `warmup` of the steps and falls to 0.
        warmup: share of the steps.
        temperature: τ of Eq. 6; SimCSE's 0.05, since the paper gives none.
        rank, alpha, dropout: of the LoRA adapter.
        targets: the weights to adapt: those of the attention, or all linear layers except the
            output's.
        max_tokens: longer sentences are truncated in training.
        precision: of the forward pass; the trained weights stay in float32.
        seed: of the adapter, the order and the dropout.
        checkpoint_every: steps between checkpoints.

    Raises:
        InputError: a value out of range.
    """

    epochs: float = 1.0
    batch_size: int = 32
    chunk: int | None = None
    accumulation: int = 1
    learning_rate: float = 2e-4
    warmup: float = 0.1
    temperature: float = 0.05
    rank: int = 32
    alpha: int = 32
    dropout: float = 0.1
    targets: Targets = "all-linear"
    max_tokens: int = 64
    precision: Precision = "fp32"
    seed: int = 0
    checkpoint_every: int = 50

    def __post_init__(self) -> None:
        for name, least in _AT_LEAST.items():
            if not getattr(self, name) >= least:  # also refuses NaN
                raise _out_of_range(name, getattr(self, name), f"at least {least}")
        for name in _POSITIVE:
            if not getattr(self, name) > 0:
                raise _out_of_range(name, getattr(self, name), "more than 0")
        for name in ("warmup", "dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise _out_of_range(name, getattr(self, name), "from 0 to 1")
        for name, known in (("targets", get_args(Targets)), ("precision", get_args(Precision))):
            if getattr(self, name) not in known:
                raise InputError(
                    f"The {name} is “{getattr(self, name)}”; expected: {' or '.join(known)}."
                )
        if self.chunk is not None and self.chunk < 1:
            raise _out_of_range("chunk", self.chunk, "at least 1 sentence")

    @property
    def target_modules(self) -> list[str] | str:
        """The weights to adapt, as PEFT's `target_modules`."""
        return list(ATTENTION) if self.targets == "attention" else "all-linear"


FIELDS = tuple(field.name for field in fields(ContrastiveConfig))


def _out_of_range(name: str, value: object, expected: str) -> InputError:
    return InputError(f"The {name} is {value}; {expected} is expected.")


@dataclass(frozen=True, slots=True)
class ContrastiveStep:
    """A step's number, loss, and seconds since training started or continued at step `first`."""

    step: int
    total: int
    loss: float
    seconds: float
    first: int = 0

    @property
    def eta(self) -> float:
        """Seconds left, at the average speed since this start."""
        return self.seconds / max(self.step - self.first, 1) * (self.total - self.step)


def train_contrastive(
    encoder: SentenceEncoder,
    triplets: Sequence[Triplet],
    config: ContrastiveConfig | None = None,
    *,
    folder: str | Path | None = None,
    progress: Callable[[ContrastiveStep], None] | None = None,
    watch: Callable[[int, SentenceEncoder], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> SentenceEncoder | None:
    """Train a copy of `encoder` on triplets and return it with the adapter merged.

    Under `accelerate launch` each process trains on its share, with the other processes' sentences
    as further negatives.

    Args:
        encoder: a decoder of `load_decoder`.
        triplets: all with a hard negative, or none; their order is random.
        config: hyperparameters.
        folder: receives checkpoints and, at the end, the adapter. A training that was stopped there
            continues, with the same result as without the stop.
        progress: called after each step.
        watch: called at each checkpoint with the step and the student in evaluation mode.
        should_stop: called after each step; True writes a checkpoint and ends the training.

    Returns:
        The trained encoder, or None if stopped.

    Raises:
        InputError: fewer than two triplets, only some with a negative, or a missing package.
    """
    config = config or ContrastiveConfig()
    _check(triplets)
    with tempfile.TemporaryDirectory() as spare, _own_randomness(), quiet_transformers():
        place = Path(folder) if folder is not None else Path(spare)
        student = encoder.clone()
        student.model.max_seq_length = min(config.max_tokens, encoder.max_length)
        torch.manual_seed(config.seed)
        weights = LoraWeights(
            student.body, config.rank, config.alpha, config.dropout, config.target_modules
        )
        watcher = _Watcher(student, progress, watch, should_stop)
        trainer = _trainer(student, weights, triplets, config, place / CHECKPOINTS, watcher)
        last = _last_checkpoint(place / CHECKPOINTS)
        watcher.start()
        trainer.train(resume_from_checkpoint=str(last) if last else None)
        if watcher.stopped:
            return None
        weights.round()
        if folder is not None and trainer.is_world_process_zero():
            weights.save(place, torch.bfloat16)
        weights.merge()
        student.model.max_seq_length = encoder.max_length
        student.freeze()
        return student


def _check(triplets: Sequence[Triplet]) -> None:
    if len(triplets) < 2:
        raise InputError(f"There are {len(triplets)} triplets; at least 2 are expected.")
    with_negative = sum(t.negative is not None for t in triplets)
    if with_negative not in (0, len(triplets)):
        raise InputError(
            f"{with_negative} of {len(triplets)} triplets have a negative; all or none is expected."
        )
    if missing := [name for name in NEEDS if importlib.util.find_spec(name) is None]:
        raise InputError(
            f"Training a decoder needs packages that are not installed: {', '.join(missing)}. "
            f"Install them with: {INSTALL_TRAINING}"
        )


def _trainer(
    student: SentenceEncoder,
    weights: LoraWeights,
    triplets: Sequence[Triplet],
    config: ContrastiveConfig,
    folder: Path,
    watcher: _Watcher,
) -> Any:
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.base.training_args import BatchSamplers
    from transformers import TrainerCallback
    from transformers.trainer_callback import PrinterCallback, ProgressCallback

    class Trainer(SentenceTransformerTrainer):
        """The library's trainer, except that checkpoints hold the adapter alone, and no card."""

        def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
            weights.save(Path(output_dir or folder))

        def _load_from_checkpoint(self, checkpoint_path: str, model: Any = None) -> None:
            weights.load(Path(checkpoint_path))

        def add_model_card_callback(self, default_args_dict: dict[str, Any]) -> None:
            pass

    class Callback(TrainerCallback):
        """Passes events on to the watcher."""

        def on_log(self, args, state, control, logs=None, **kwargs) -> None:
            if logs and "loss" in logs:  # after each step; the final summary has no loss
                watcher.step(state, control, float(logs["loss"]))

        def on_save(self, args, state, control, **kwargs) -> None:
            watcher.saved(state)

    columns: dict[str, list[Any]] = {
        "anchor": [t.anchor for t in triplets],
        "positive": [t.positive for t in triplets],
    }
    if triplets[0].negative is not None:
        columns["negative"] = [t.negative for t in triplets]
    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(folder),
        num_train_epochs=config.epochs,
        per_device_train_batch_size=config.batch_size,
        gradient_accumulation_steps=config.accumulation,
        learning_rate=config.learning_rate,
        warmup_steps=config.warmup,
        bf16=config.precision == "bf16",
        use_cpu=student.device.type == "cpu",
        batch_sampler=BatchSamplers.NO_DUPLICATES,  # a sentence is no negative of itself
        save_steps=config.checkpoint_every,
        save_total_limit=2,
        logging_steps=1,
        seed=config.seed,
        report_to="none",
        disable_tqdm=True,
        dataloader_pin_memory=False,
        ddp_find_unused_parameters=False,
    )
    trainer = Trainer(
        model=student.model,
        args=arguments,
        train_dataset=Dataset.from_dict(columns),
        loss=_loss(student.model, config),
        callbacks=[Callback()],
    )
    for noisy in (PrinterCallback, ProgressCallback):
        trainer.remove_callback(noisy)
    return trainer


def _loss(model: Any, config: ContrastiveConfig) -> torch.nn.Module:
    from sentence_transformers.sentence_transformer import losses

    several = torch.distributed.is_available() and torch.distributed.is_initialized()
    options: dict[str, Any] = {"scale": 1 / config.temperature, "gather_across_devices": several}
    if config.chunk is not None and config.chunk < config.batch_size:
        return losses.CachedMultipleNegativesRankingLoss(
            model, mini_batch_size=config.chunk, **options
        )

    class Loss(losses.MultipleNegativesRankingLoss):
        """The library's loss, with short passes on a CPU."""

        def forward(self, sentence_features: Iterable[dict[str, Any]], labels: Any) -> Any:
            embeddings = [read_in_passes(self.model, column) for column in sentence_features]
            return self.compute_loss_from_embeddings(embeddings, labels)

    return Loss(model, **options)


def read_in_passes(
    model: Callable[[dict[str, Any]], dict[str, Any]], features: dict[str, Any]
) -> Tensor:
    """Return embeddings (n, d) of tokenized sentences, read in short passes of similar length.

    Equal up to rounding. Padding costs time on a CPU; a GPU uses one pass.

    Args:
        model: a sentence-transformers model.
        features: its input, with `attention_mask` (n, tokens), 0 at padding, which is at the end.
    """
    mask: Tensor = features["attention_mask"]
    if mask.device.type != "cpu" or len(mask) <= PASS:
        return model(features)["sentence_embedding"]
    lengths = mask.sum(-1)
    order = lengths.argsort()
    found = []
    for rows in order.split(PASS):
        longest = int(lengths[rows].max())
        part = {
            name: value[rows, :longest]
            if isinstance(value, Tensor) and value.shape[:2] == mask.shape
            else value
            for name, value in features.items()
        }
        found.append(model(part)["sentence_embedding"])
    return torch.cat(found)[order.argsort()]


def _last_checkpoint(folder: Path) -> Path | None:
    """Return the newest complete checkpoint: the trainer writes its state last."""
    found = [path.parent for path in folder.glob("checkpoint-*/trainer_state.json")]
    return max(found, key=lambda path: int(path.name.partition("-")[2]), default=None)


class _Watcher:
    """Reports progress to the caller and stops the trainer on request."""

    def __init__(
        self,
        student: SentenceEncoder,
        progress: Callable[[ContrastiveStep], None] | None,
        watch: Callable[[int, SentenceEncoder], None] | None,
        should_stop: Callable[[], bool] | None,
    ):
        self._student, self._progress, self._watch = student, progress, watch
        self._should_stop = should_stop
        self._first: int | None = None
        self.stopped = False

    def start(self) -> None:
        self._started = time.perf_counter()

    def step(self, state: Any, control: Any, loss: float) -> None:
        self._first = state.global_step - 1 if self._first is None else self._first
        if self._progress is not None and state.is_world_process_zero:
            seconds = time.perf_counter() - self._started
            self._progress(
                ContrastiveStep(state.global_step, state.max_steps, loss, seconds, self._first)
            )
        if self._should_stop is not None and self._should_stop():
            self.stopped = state.global_step < state.max_steps
            control.should_save = control.should_training_stop = True

    def saved(self, state: Any) -> None:
        if self._watch is not None and state.is_world_process_zero:
            began = time.perf_counter()
            self._student.model.eval()
            self._watch(state.global_step, self._student)
            self._student.model.train()
            self._started += time.perf_counter() - began


@contextmanager
def _own_randomness() -> Iterator[None]:
    """Restore the random states of Python, numpy and torch, which the trainer seeds."""
    states = random.getstate(), np.random.get_state()
    with torch.random.fork_rng():
        try:
            yield
        finally:
            random.setstate(states[0])
            np.random.set_state(states[1])
