"""Encoding sentences and sentence pairs with sentence-transformers, with gradients on request."""

from __future__ import annotations

import copy
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from symdemo.encoders.base import ModuleEncoder
from symdemo.encoders.protocol import TextInput
from symdemo.encoders.registry import EncoderSpec

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class SentenceEncoder(ModuleEncoder):
    """A sentence-transformers model with unit embeddings, pair reading and gradients on request.

    Attributes:
        model: the `SentenceTransformer`; training changes its weights and nothing else. To save it
            with a README, call `model.model_card_data.register_model(model)` first.
        spec, base_hash: as those of `TensorEncoder`.
    """

    model: SentenceTransformer

    def __init__(self, model: SentenceTransformer, spec: EncoderSpec, base_hash: str):
        super().__init__(model, spec, base_hash)
        # Its card refers back to it. Left so, every copy that a training is done with, gradients
        # and all, stays in memory until the garbage collector goes through everything.
        model.model_card_data.model = None
        # How far to pad and where to cut is set on the tokenizer itself before each use.
        self._tokenizing = threading.Lock()

    @property
    def dimension(self) -> int:
        """d, the number of real coordinates of an embedding; always even."""
        return self.model.get_embedding_dimension() or 0  # an encoder without is not loaded

    @property
    def max_length(self) -> int:
        """The most tokens that are read; `check` and `check_together` refuse more."""
        return self.model.max_seq_length or self.spec.max_length

    @property
    def body(self) -> torch.nn.Module:
        """The transformer under the pooling: the part that has weights."""
        return self.model[0].get_submodule("model")

    def forward(self, inputs: Sequence[TextInput]) -> Tensor:
        """Unit embeddings (n, d) of sentences or sentence pairs, with gradients where enabled."""
        embedding = self.model(self.preprocess(inputs))["sentence_embedding"]
        return torch.nn.functional.normalize(embedding, dim=-1)

    def preprocess(self, inputs: Sequence[TextInput]) -> dict[str, Any]:
        """What the model is called with: the tokens of a batch, where the weights are."""
        with self._tokenizing:
            features = self.model.preprocess(list(inputs))
        return {
            key: value.to(self.device) if isinstance(value, Tensor) else value
            for key, value in features.items()
        }

    def count_tokens(self, *texts: str) -> int:
        """Tokens of a sentence, or of two that are read as one input."""
        with self._tokenizing:
            found = self.model.tokenizer(*texts, truncation=False, verbose=False)
        return len(found["input_ids"])

    def clone(self) -> SentenceEncoder:
        """A copy with weights of its own, so that training leaves this one untouched."""
        return SentenceEncoder(copy.deepcopy(self.model), self.spec, self.base_hash)
