"""Retention: terms and tricks against forgetting.

The first is the default; the others are known from the literature and kept for the ablation.

- `GenericSentences`: generic sentences stay near the frozen encoder's embeddings
  (`losses.retention_loss`).
- `DistanceToStart`: weights stay near the initial weights (L2-SP, Li et al. 2018).
- `average_with`: after training, weights are averaged with the initial weights (WiSE-FT,
  Wortsman et al. 2022).
- Freezing the embeddings or the lowest layers (`TrainingConfig.freeze_*`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache

import torch
from torch import Tensor

from symdemo.encoders.encoder import Encoder, TextInput
from symdemo.files.paths import ASSETS
from symdemo.losses import retention_loss

_FILES = {"few": ("retention.txt",), "many": ("retention.txt", "retention_more.txt")}


@cache
def retention_sentences(which: str = "few") -> tuple[str, ...]:
    """Return the project's generic sentences, "few" or "many", in file order."""
    texts = ((ASSETS / name).read_text(encoding="utf-8") for name in _FILES[which])
    return tuple(line for text in texts for line in text.splitlines() if line)


class GenericSentences:
    """The retention term: how far a random batch of generic sentences has moved.

    Args:
        frozen: the encoder to stay near.
        batch_size: sentences per step.
        seed: the seed of the batches.
        which: "few" sentences, enough for a hundred steps, or "many".
        anchors: the frozen encoder's embeddings of them (n, d), where they are known.
    """

    def __init__(
        self,
        frozen: Encoder,
        batch_size: int,
        seed: int,
        which: str = "few",
        anchors: Tensor | None = None,
    ):
        self.sentences = retention_sentences(which)
        if anchors is None:
            anchors = torch.from_numpy(frozen.encode(self.sentences))
        self.anchors = anchors.to(frozen.device)
        self.batch_size = min(batch_size, len(self.sentences))
        self.rng = random.Random(seed)

    def __call__(self, read: Callable[[Sequence[TextInput]], Tensor]) -> Tensor:
        """Return `retention_loss` of the next batch, with gradients."""
        rows = self.rng.sample(range(len(self.sentences)), self.batch_size)
        embeddings = read([self.sentences[row] for row in rows])
        return retention_loss(embeddings, self.anchors[rows])


class DistanceToStart:
    """½ ‖θ − θ₀‖² summed over the parameters, with θ₀ taken when it is made (L2-SP)."""

    def __init__(self, parameters: Sequence[torch.nn.Parameter]):
        self.start = [(p, p.detach().clone()) for p in parameters]

    def __call__(self) -> Tensor:
        """Return the term, with gradients."""
        return sum(((p - start).square().sum() for p, start in self.start), torch.zeros(())) / 2


def average_with(student: Encoder, start: Encoder, share: float) -> None:
    """Replace the student's weights by (1 − share) · trained + share · initial ones."""
    changed = student.changed_weights(start)
    theirs = start.weights()
    student.replace_weights(
        {name: torch.lerp(tensor, theirs[name], share) for name, tensor in changed.items()}
    )
