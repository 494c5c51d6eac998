"""What encoders have in common: encoding in batches, length checks, weights by name, training."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Self

import numpy as np
import torch
from torch import Tensor

from symdemo.encoders.body import find_embeddings, find_layers, stepwise_attention
from symdemo.encoders.protocol import Encoder, TextInput, input_length
from symdemo.encoders.registry import EncoderSpec
from symdemo.errors import InputError, ModelError
from symdemo.jobs.deadline import check_time
from symdemo.pairs import check_script, shorten


class TensorEncoder(ABC):
    """An `Encoder` whose weights are tensors; a kind of it says what is abstract here.

    Attributes:
        spec: what the registry says of it.
        base_hash: SHA-256 of the weights file it was loaded from.
    """

    def __init__(self, spec: EncoderSpec, base_hash: str):
        self.spec = spec
        self.base_hash = base_hash

    @property
    def name(self) -> str:
        """The registered name, or the folder it came from."""
        return self.spec.name

    @property
    @abstractmethod
    def dimension(self) -> int:
        """d, the number of real coordinates of an embedding; always even."""

    @property
    @abstractmethod
    def device(self) -> torch.device:
        """Where the weights are."""

    @property
    @abstractmethod
    def max_length(self) -> int:
        """The most tokens that are read; `check` and `check_together` refuse more."""

    @abstractmethod
    def forward(self, inputs: Sequence[TextInput]) -> Tensor:
        """Unit embeddings (n, d) of sentences or sentence pairs, with gradients where enabled."""

    @abstractmethod
    def count_tokens(self, *texts: str) -> int:
        """Tokens of a sentence, or of two that are read as one input."""

    @abstractmethod
    def tensors(self) -> dict[str, Tensor]:
        """The transformer's own tensors by name; to change one is to change the encoder."""

    def encode(
        self,
        inputs: Sequence[TextInput],
        batch_size: int = 64,
        progress: Callable[[int, int], None] | None = None,
    ) -> np.ndarray:
        """Unit embeddings (n, d), float32, of sentences or of sentence pairs read as one input.

        As `Encoder.encode`; inputs of like length share a batch, and equal inputs are encoded once.
        """
        if isinstance(inputs, str):
            raise InputError("encode() takes a list of sentences; a single string was given.")
        unique = sorted(dict.fromkeys(inputs), key=input_length)
        rows = np.empty((len(unique), self.dimension), dtype=np.float32)
        with torch.inference_mode():
            for start in range(0, len(unique), batch_size):
                check_time()
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

    def weights(self) -> dict[str, Tensor]:
        """The transformer's tensors by name, on the CPU, detached and copied."""
        return {k: v.detach().cpu().clone() for k, v in self.tensors().items()}

    def changed_weights(self, base: Encoder) -> dict[str, Tensor]:
        """The tensors that differ from `base`'s: all that a model folder has to store."""
        theirs = base.tensors()
        return {k: v for k, v in self.weights().items() if not torch.equal(v, theirs[k].cpu())}

    def replace_weights(self, tensors: Mapping[str, Tensor]) -> None:
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


class ModuleEncoder(TensorEncoder):
    """A `TrainableEncoder` around a torch module with a transformer in it.

    Attributes:
        model: all that computes an embedding; training changes its weights and nothing else.
    """

    def __init__(self, model: torch.nn.Module, spec: EncoderSpec, base_hash: str):
        super().__init__(spec, base_hash)
        self.model = model.eval()

    @property
    def body(self) -> torch.nn.Module:
        """The transformer, which has the tensors of `tensors`; all of `model`, if nothing else."""
        return self.model

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.model.parameters()).device

    def tensors(self) -> dict[str, Tensor]:
        """The transformer's own tensors by name; to change one is to change the encoder."""
        return self.body.state_dict()

    def trainable(
        self, freeze_embeddings: bool = False, freeze_layers: int = 0
    ) -> list[torch.nn.Parameter]:
        """Unfreeze all but the lowest parts, and return the parameters to train.

        As `TrainableEncoder.trainable`.
        """
        self.model.requires_grad_(True)
        if freeze_embeddings:
            find_embeddings(self.body).requires_grad_(False)
        if freeze_layers:
            for layer in find_layers(self.body)[:freeze_layers]:
                layer.requires_grad_(False)
        return [parameter for parameter in self.model.parameters() if parameter.requires_grad]

    @contextmanager
    def in_training(self, dropout: bool) -> Iterator[None]:
        """Training mode for a `with` block, with dropout or without; then ready to answer again.

        On a CPU attention is computed step by step meanwhile: with the fused kernel, whose backward
        pass is slow in bfloat16, a step takes more than one and a half times as long. The
        embeddings are the same up to rounding.
        """
        cpu = self.device.type == "cpu"
        with stepwise_attention(self.body) if cpu else nullcontext():
            self.model.train(dropout)
            try:
                yield
            finally:
                self.model.eval()

    def freeze(self) -> None:
        """End training: ready to answer, and no parameter asks for gradients any more."""
        self.model.eval().requires_grad_(False)

    def to(self, device: str | torch.device) -> Self:
        """Move the weights to a device, and return this encoder."""
        self.model.to(device)
        return self
