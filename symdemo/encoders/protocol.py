"""What the rest of symdemo asks of an encoder, whatever is behind it: a BERT, a decoder, ONNX.

An `Encoder` is enough to answer with. What trains is a copy that it gives of itself, a
`TrainableEncoder`; an encoder that can only answer refuses to give one. How a transformer is built
inside is known in `symdemo.encoders` alone, so another kind is another class and no other change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, Self, runtime_checkable

import numpy as np
import torch
from torch import Tensor

TextInput = str | tuple[str, str]
"""A sentence, or two sentences that the encoder reads as one input with a separator between."""


class Embedder(Protocol):
    """What a training step reads with: an encoder, or one that is led to read in another way."""

    def forward(self, inputs: Sequence[TextInput]) -> Tensor:
        """Unit embeddings (n, d) of sentences or sentence pairs, with gradients where enabled."""


@runtime_checkable
class Encoder(Embedder, Protocol):
    """Unit embeddings of sentences and of sentence pairs, by weights that can be carried over.

    Attributes:
        base_hash: SHA-256 of the weights file it was loaded from.
    """

    base_hash: str

    @property
    def name(self) -> str:
        """The registered name, or the folder it came from."""

    @property
    def dimension(self) -> int:
        """d, the number of real coordinates of an embedding; always even."""

    @property
    def device(self) -> torch.device:
        """Where the weights are."""

    def encode(
        self,
        inputs: Sequence[TextInput],
        batch_size: int = 64,
        progress: Callable[[int, int], None] | None = None,
    ) -> np.ndarray:
        """Unit embeddings (n, d), float32, of sentences or of sentence pairs read as one input.

        Args:
            inputs: n sentences, or n (premise, hypothesis) tuples.
            batch_size: inputs per forward pass.
            progress: called with (inputs done, inputs in all) after each batch.

        Raises:
            InputError: a single string, which is no list of sentences.
        """

    def check(self, sentence: str, name: str = "sentence") -> None:
        """Raise `InputError` for a sentence that this encoder cannot read whole or at all."""

    def check_together(self, premise: str, hypothesis: str) -> None:
        """Raise `InputError` where two sentences do not fit into one input."""

    def tensors(self) -> dict[str, Tensor]:
        """The transformer's own tensors by name; to change one is to change the encoder."""

    def weights(self) -> dict[str, Tensor]:
        """The transformer's tensors by name, on the CPU, detached and copied."""

    def changed_weights(self, base: Encoder) -> dict[str, Tensor]:
        """The tensors that differ from `base`'s: all that a model folder has to store."""

    def replace_weights(self, tensors: Mapping[str, Tensor]) -> None:
        """Put `tensors` in place of the tensors of the same names, keeping this encoder's dtype.

        Raises:
            ModelError: a name that the encoder does not have, or another shape.
        """

    def clone(self) -> TrainableEncoder:
        """A copy with weights of its own, so that training leaves this one untouched.

        Raises:
            ModelError: this encoder can only answer.
        """


@runtime_checkable
class TrainableEncoder(Encoder, Protocol):
    """An encoder whose weights can be trained."""

    def trainable(
        self, freeze_embeddings: bool = False, freeze_layers: int = 0
    ) -> list[torch.nn.Parameter]:
        """Unfreeze what is to be trained, but for the lowest parts, and return its parameters.

        Args:
            freeze_embeddings: leave what comes before the first layer as it is.
            freeze_layers: leave so many of the lowest layers as they are.

        Raises:
            ModelError: a transformer whose embeddings or layers are not found.
        """

    def in_training(self, dropout: bool) -> AbstractContextManager[None]:
        """Training mode for a `with` block, with dropout or without; then ready to answer again."""

    def freeze(self) -> None:
        """End training: ready to answer, and no parameter asks for gradients any more."""

    def to(self, device: str | torch.device) -> Self:
        """Move the weights to a device, and return this encoder."""


def input_length(item: TextInput) -> int:
    """Characters of a sentence, or of both sentences of a pair."""
    return len(item) if isinstance(item, str) else len(item[0]) + len(item[1])
