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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from symdemo.encoders.decoders.adapters import LoraWeights
from symdemo.encoders.decoders.smollm2 import INSTALL_TRAINING
from symdemo.encoders.encoder import SentenceEncoder
from symdemo.encoders.registry import quiet_transformers
from symdemo.errors import InputError
from symdemo.training.config import Precision, check_values
from symdemo.training.loop import PASS
from symdemo.training.triplets import Triplet

Targets = Literal["attention", "all-linear"]

ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
NEEDS = ("peft", "datasets")
CHECKPOINTS = "checkpoints"
_AT_LEAST = {
    "batch_size": 2, "chunk": 1, "accumulation": 1, "rank": 1, "alpha": 1, "warmup": 0, "dropout": 0
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ContrastiveConfig:
    """Hyperparameters; rank, alpha, dropout and learning rate are the paper's.

    Raises:
        InputError: a value out of range.
    """

    epochs: float = 1.0  # passes over the triplets
    batch_size: int = 32  # triplets that are each other's negatives
    # Sentences per forward pass. If smaller than the batch, embeddings are computed first and
    # gradients chunk by chunk (GradCache, arXiv 2101.06983): the same gradients in less memory, for
    # one more forward pass. None: the whole batch.
    chunk: int | None = None
    accumulation: int = 1  # batches per step; they do not share negatives
    learning_rate: float = 2e-4  # the maximum; it rises over `warmup` of the steps and falls to 0
    warmup: float = 0.1  # share of the steps
    temperature: float = 0.05  # τ of Eq. 6; SimCSE's, since the paper gives none
    rank: int = 32  # of the LoRA adapter, as are alpha and dropout
    alpha: int = 32
    dropout: float = 0.1
    targets: Targets = "all-linear"  # the weights to adapt: of all linear layers but the output's
    max_tokens: int = 64  # longer sentences are truncated in training
    precision: Precision = "fp32"  # of the forward pass; the trained weights stay in float32
    seed: int = 0  # of the adapter, the order and the dropout
    checkpoint_every: int = 50  # steps

    def __post_init__(self) -> None:
        check_values(self, _AT_LEAST, {"targets": Targets, "precision": Precision})
        for name in ("epochs", "learning_rate", "temperature"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name} is {getattr(self, name)}; more than 0 is expected.")
        for name in ("warmup", "dropout"):
            if getattr(self, name) >= 1:
                raise InputError(f"{name} is {getattr(self, name)}; from 0 to 1 is expected.")

    @property
    def target_modules(self) -> list[str] | str:
        """The weights to adapt, as PEFT's `target_modules`."""
        return list(ATTENTION) if self.targets == "attention" else "all-linear"


class ContrastiveStep(NamedTuple):
    """A step's number, loss, and seconds since training started or continued."""

    step: int
    total: int
    loss: float
    seconds: float


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
        watcher = _make_watcher(student, progress, watch, should_stop)
        trainer = _trainer(student, weights, triplets, config, place / CHECKPOINTS, watcher)
        # The trainer writes its state last, so checkpoints with one are complete.
        found = (place / CHECKPOINTS).glob("checkpoint-*/trainer_state.json")
        steps = [int(path.parent.name.removeprefix("checkpoint-")) for path in found]
        last = str(place / CHECKPOINTS / f"checkpoint-{max(steps)}") if steps else None
        trainer.train(resume_from_checkpoint=last)
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
            f"Install them with: {INSTALL_TRAINING}."
        )


def _trainer(
    student: SentenceEncoder,
    weights: LoraWeights,
    triplets: Sequence[Triplet],
    config: ContrastiveConfig,
    folder: Path,
    watcher: Any,
) -> Any:
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.base.training_args import BatchSamplers
    from transformers.trainer_callback import PrinterCallback, ProgressCallback

    class Trainer(SentenceTransformerTrainer):
        """The library's trainer, except that checkpoints hold only the adapter, and no card."""

        def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
            weights.save(Path(output_dir or folder))

        def _load_from_checkpoint(self, checkpoint_path: str, model: Any = None) -> None:
            weights.load(Path(checkpoint_path))

        def add_model_card_callback(self, default_args_dict: dict[str, Any]) -> None:
            pass

    names = ("anchor", "positive", "negative")[: len(triplets[0].texts)]
    columns = {name: [getattr(t, name) for t in triplets] for name in names}
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
        callbacks=[watcher],
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


def _make_watcher(
    student: SentenceEncoder,
    progress: Callable[[ContrastiveStep], None] | None,
    watch: Callable[[int, SentenceEncoder], None] | None,
    should_stop: Callable[[], bool] | None,
) -> Any:
    """Return a callback of the trainer that reports to the caller and stops on request."""
    from transformers import TrainerCallback

    class Watcher(TrainerCallback):
        stopped = False

        def on_train_begin(self, args, state, control, **kwargs) -> None:
            self.started = time.perf_counter()

        def on_log(self, args, state, control, logs=None, **kwargs) -> None:
            if not logs or "loss" not in logs:  # the final summary; after each step there is a loss
                return
            step, total = state.global_step, state.max_steps
            if progress is not None and state.is_world_process_zero:
                seconds = time.perf_counter() - self.started
                progress(ContrastiveStep(step, total, float(logs["loss"]), seconds))
            if should_stop is not None and should_stop():
                self.stopped = step < total
                control.should_save = control.should_training_stop = True

        def on_save(self, args, state, control, **kwargs) -> None:
            if watch is not None and state.is_world_process_zero:
                began = time.perf_counter()
                student.model.eval()
                watch(state.global_step, student)
                student.model.train()
                self.started += time.perf_counter() - began

    return Watcher()


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
