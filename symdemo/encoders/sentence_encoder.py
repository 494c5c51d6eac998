"""Encoding sentences and sentence pairs, with gradients on request."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from symdemo.encoders.registry import EncoderSpec
from symdemo.errors import InputError, ModelError
from symdemo.pairs import check_script
from symdemo.text import shorten

TextInput = str | tuple[str, str]
"""A sentence, or two sentences that the encoder reads as one input with a separator between."""


class SentenceEncoder:
    """A sentence-transformers model with unit embeddings, pair reading and gradients on request.

    Attributes:
        model: the `SentenceTransformer`; training changes its weights and nothing else. To save it
            with a README, call `model.model_card_data.register_model(model)` first.
        spec: what the registry says of it.
        base_hash: SHA-256 of the weights file it was loaded from.
    """

    def __init__(self, model, spec: EncoderSpec, base_hash: str):
        self.model = model.eval()
        # Its card refers back to it. Left so, every copy that a training is done with, gradients
        # and all, stays in memory until the garbage collector goes through everything.
        self.model.model_card_data.model = None
        # How far to pad and where to cut is set on the tokenizer itself before each use.
        self._tokenizing = threading.Lock()
        self.spec = spec
        self.base_hash = base_hash

    @property
    def name(self) -> str:
        """The registered name, or the folder it came from."""
        return self.spec.name

    @property
    def dimension(self) -> int:
        """d, the number of real coordinates of an embedding; always even."""
        return self.model.get_embedding_dimension()

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.model.device

    @property
    def max_length(self) -> int:
        """The most tokens that are read; `check_length` refuses longer sentences."""
        return self.model.max_seq_length

    @property
    def body(self) -> torch.nn.Module:
        """The transformer under the pooling: the part that has weights."""
        return self.model[0].model

    def forward(self, inputs: Sequence[TextInput]) -> Tensor:
        """Unit embeddings (n, d) of sentences or sentence pairs, with gradients where enabled."""
        with self._tokenizing:
            features = self.model.preprocess(list(inputs))
        features = {
            key: value.to(self.device) if isinstance(value, Tensor) else value
            for key, value in features.items()
        }
        embedding = self.model(features)["sentence_embedding"]
        return torch.nn.functional.normalize(embedding, dim=-1)

    def encode(
        self,
        inputs: Sequence[TextInput],
        batch_size: int = 64,
        progress: Callable[[int, int], None] | None = None,
    ) -> np.ndarray:
        """Unit embeddings (n, d), float32, of sentences or of sentence pairs read as one input.

        Inputs of like length share a batch, and equal inputs are encoded once.

        Args:
            inputs: n sentences, or n (premise, hypothesis) tuples.
            batch_size: inputs per forward pass.
            progress: called with (inputs done, inputs in all) after each batch.
        """
        if isinstance(inputs, str):
            raise InputError("encode() takes a list of sentences; a single string was given.")
        unique = sorted(dict.fromkeys(inputs), key=input_length)
        rows = np.empty((len(unique), self.dimension), dtype=np.float32)
        with torch.inference_mode():
            for start in range(0, len(unique), batch_size):
                batch = unique[start : start + batch_size]
                rows[start : start + len(batch)] = self.forward(batch).float().cpu().numpy()
                if progress:
                    progress(start + len(batch), len(unique))
        position = {text: row for row, text in enumerate(unique)}
        return rows[[position[text] for text in inputs]] if len(inputs) else rows

    def check(self, sentence: str, name: str = "sentence") -> None:
        """Raise `InputError` for a sentence that this encoder cannot read whole or at all."""
        if self.spec.script:
            check_script(sentence, name, self.spec.script)
        self._check_length(name, sentence)

    def check_together(self, premise: str, hypothesis: str) -> None:
        """Raise `InputError` where two sentences do not fit into one input."""
        self._check_length("pair", premise, hypothesis)

    def _check_length(self, name: str, *texts: str) -> None:
        tokens = self.count_tokens(*texts)
        if tokens > self.max_length:
            raise InputError(
                f"The {name} has {tokens} tokens; {self.name} reads at most {self.max_length}."
            )

    def count_tokens(self, *texts: str) -> int:
        """Tokens of a sentence, or of two that are read as one input."""
        with self._tokenizing:
            found = self.model.tokenizer(*texts, truncation=False, verbose=False)
        return len(found["input_ids"])

    def tensors(self) -> dict[str, Tensor]:
        """The transformer's own tensors by name; to change one is to change the encoder."""
        return self.body.state_dict()

    def clone(self) -> SentenceEncoder:
        """A copy with weights of its own, so that training leaves this one untouched."""
        return SentenceEncoder(copy.deepcopy(self.model), self.spec, self.base_hash)

    def weights(self) -> dict[str, Tensor]:
        """The transformer's tensors by name, on the CPU, detached and copied."""
        return {k: v.detach().cpu().clone() for k, v in self.tensors().items()}

    def changed_weights(self, base: SentenceEncoder) -> dict[str, Tensor]:
        """The tensors that differ from `base`'s: all that a model folder has to store."""
        theirs = base.tensors()
        return {k: v for k, v in self.weights().items() if not torch.equal(v, theirs[k].cpu())}

    def replace_weights(self, tensors: dict[str, Tensor]) -> None:
        """Put `tensors` in place of the tensors of the same names, keeping this encoder's dtype.

        Raises:
            ModelError: a name that the encoder does not have, or another shape.
        """
        own = self.tensors()
        for name, tensor in tensors.items():
            if name not in own:
                raise ModelError(f"The encoder {self.name} has no tensor “{shorten(name)}”.")
            if own[name].shape != tensor.shape:
                raise ModelError(
                    f"The tensor {name} has the shape {tuple(tensor.shape)}; {self.name} expects "
                    f"{tuple(own[name].shape)}."
                )
        with torch.no_grad():
            for name, tensor in tensors.items():
                own[name].copy_(tensor)


def input_length(item: TextInput) -> int:
    """Characters of a sentence, or of both sentences of a pair."""
    return len(item) if isinstance(item, str) else len(item[0]) + len(item[1])
