"""What contrastive training can be told."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, get_args

from symdemo.errors import InputError

Targets = Literal["attention", "all-linear"]
Precision = Literal["fp32", "bf16"]

ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
_LEAST = {
    "epochs": 0.0, "batch_size": 2, "accumulation": 1, "learning_rate": 0.0, "temperature": 0.0,
    "rank": 1, "alpha": 1, "threads": 1,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ContrastiveConfig:
    """How a decoder is trained by Eq. 6; rank, alpha, dropout and rate are the paper's.

    Attributes:
        epochs: passes over the triplets.
        batch_size: triplets that are each other's negatives.
        chunk: sentences of a forward pass. Fewer than the batch has, and the embeddings are taken
            first and the gradients chunk by chunk after them (GradCache, arXiv 2101.06983): the
            same gradients in less memory, for one forward pass more. None: the batch at once.
        accumulation: batches whose gradients make one step. Their negatives stay apart.
        learning_rate: the highest; it rises over `warmup` of the steps and falls to 0.
        warmup: share of the steps.
        temperature: τ of Eq. 6; SimCSE's 0.05, since the paper gives none.
        rank, alpha, dropout: of the low-rank additions (LoRA, arXiv 2106.09685).
        targets: which weights get one: those of the attention, or all linear ones but the output's.
        max_tokens: longer sentences are cut in training.
        precision: of the forward pass; the weights that are trained stay in float32.
        seed: of the additions, the order and the dropout.
        checkpoint_every: steps between two checkpoints.

    Raises:
        InputError: a value out of bounds.
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
        for name, least in _LEAST.items():
            value = getattr(self, name, least)
            whole = isinstance(least, int)
            if not (value >= least if whole else value > least):
                bound = f"at least {least}" if whole else f"more than {least:g}"
                raise InputError(f"The {name} is {value}; {bound} is expected.")
        for name in ("warmup", "dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise InputError(f"The {name} is {getattr(self, name)}; from 0 to 1 is expected.")
        for name, known in (("targets", get_args(Targets)), ("precision", get_args(Precision))):
            if getattr(self, name) not in known:
                expected = " or ".join(known)
                raise InputError(f"The {name} is “{getattr(self, name)}”; expected: {expected}.")
        if self.chunk is not None and self.chunk < 1:
            raise InputError(f"The chunk is {self.chunk}; at least 1 sentence is expected.")

    @property
    def target_modules(self) -> list[str] | str:
        """The weights that get an addition, as PEFT wants to be told."""
        return list(ATTENTION) if self.targets == "attention" else "all-linear"


FIELDS = tuple(field.name for field in fields(ContrastiveConfig))
"""By name, as a command line or a record of a training gives them."""
