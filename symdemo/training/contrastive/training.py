"""Training a decoder by Eq. 6 of BeLLM (arXiv 2311.05296), with sentence-transformers' trainer.

For anchors h_i, positives h_i⁺ and hard negatives h_i⁻ of a batch of N, and the cosine as cos:

    L = −Σ_i log( exp(cos(h_i, h_i⁺)/τ) / Σ_j (exp(cos(h_i, h_j⁺)/τ) + exp(cos(h_i, h_j⁻)/τ)) )

That is the library's multiple-negatives ranking loss at scale 1/τ, which takes the mean over i. Its
cached form gives the same gradients in less memory.
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
from typing import Any

import numpy as np
import torch

from symdemo.encoders.decoders.adapters import LoraWeights
from symdemo.encoders.decoders.smollm2 import INSTALL_TRAINING
from symdemo.encoders.encoder import SentenceEncoder
from symdemo.encoders.registry import quiet_transformers
from symdemo.errors import InputError
from symdemo.training.contrastive.config import ContrastiveConfig
from symdemo.training.contrastive.passes import read_in_passes
from symdemo.training.contrastive.triplets import Triplet

NEEDS = ("peft", "datasets")
CHECKPOINTS = "checkpoints"


@dataclass(frozen=True, slots=True)
class ContrastiveStep:
    """What a callback is told after each step; seconds are those since this start."""

    step: int
    total: int
    loss: float
    seconds: float
    first: int = 0

    @property
    def eta(self) -> float:
        """Seconds left, at the mean speed since this start."""
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
    """Train a copy of `encoder` on triplets, and return it with what it learnt in its weights.

    Under `accelerate launch` each process trains on its share, with the others' sentences as
    negatives too.

    Args:
        encoder: a decoder of `load_decoder`; it stays as it is.
        triplets: all with a hard negative or none; trained on in an order by chance.
        config: how.
        folder: gets checkpoints as it goes on and what was learnt at the end. A training that was
            stopped there goes on, and ends as it would have without the stop.
        progress: called after each step.
        watch: called with the step and the student, ready to answer, at each checkpoint.
        should_stop: asked after each step; once it is true, a checkpoint is written and the
            training ends.

    Returns:
        The trained encoder, or None where it was stopped.

    Raises:
        InputError: no triplets, some with a negative and some without, or a package not installed.
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
        """The library's, but a checkpoint holds the additions alone, and no card is written."""

        def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
            weights.save(Path(output_dir or folder))

        def _load_from_checkpoint(self, checkpoint_path: str, model: Any = None) -> None:
            weights.load(Path(checkpoint_path))

        def add_model_card_callback(self, default_args_dict: dict[str, Any]) -> None:
            pass

    class Callback(TrainerCallback):
        """Hands on what the trainer says."""

        def on_log(self, args, state, control, logs=None, **kwargs) -> None:
            if logs and "loss" in logs:  # after each step; the summary at the end has none
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
        """The library's, but a CPU reads in short passes."""

        def forward(self, sentence_features: Iterable[dict[str, Any]], labels: Any) -> Any:
            embeddings = [read_in_passes(self.model, column) for column in sentence_features]
            return self.compute_loss_from_embeddings(embeddings, labels)

    return Loss(model, **options)


def _last_checkpoint(folder: Path) -> Path | None:
    """The newest checkpoint that was written whole: its state is what the trainer writes last."""
    found = [path.parent for path in folder.glob("checkpoint-*/trainer_state.json")]
    return max(found, key=lambda path: int(path.name.partition("-")[2]), default=None)


class _Watcher:
    """Tells the caller how far the training is, and the trainer when to stop."""

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
        """Report a step; where it is to be the last, have a checkpoint written."""
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
        """Let the caller look at the student as it is."""
        if self._watch is not None and state.is_world_process_zero:
            began = time.perf_counter()
            self._student.model.eval()
            self._watch(state.global_step, self._student)
            self._student.model.train()
            self._started += time.perf_counter() - began


@contextmanager
def _own_randomness() -> Iterator[None]:
    """Give back the random states of Python, numpy and torch, which the trainer seeds anew."""
    states = random.getstate(), np.random.get_state()  # what the trainer seeds
    with torch.random.fork_rng():
        try:
            yield
        finally:
            random.setstate(states[0])
            np.random.set_state(states[1])
