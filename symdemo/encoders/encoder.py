"""Encoders: unit embeddings of sentences and sentence pairs, by weights that can be replaced.

`Encoder` answers; `SentenceEncoder` is one around a sentence-transformers model, which training may
change. Other code only uses these interfaces, so another kind of transformer needs another class
and no other change.
"""

from __future__ import annotations

import copy
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
import torch
from torch import Tensor
from torch.nn import Module, ModuleList

from symdemo.encoders.registry import EncoderSpec, quiet_transformers
from symdemo.errors import InputError, ModelError
from symdemo.jobs.deadline import check_time
from symdemo.jobs.reporting import progress_bar
from symdemo.pairs import check_script, shorten

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from transformers import PreTrainedModel

TextInput = str | tuple[str, str]
"""A sentence, or two sentences that the encoder reads as one input with a separator between."""


class Encoder(ABC):
    """An encoder for inference; `clone` makes one for training, where there is one.

    Attributes:
        spec: its registry entry.
        base_hash: SHA-256 of the weights file it was loaded from.
        dimension: d, the number of real coordinates of an embedding; always even.
        max_length: the number of tokens it reads; `check` and `check_together` refuse more.
    """

    def __init__(self, spec: EncoderSpec, base_hash: str, dimension: int, max_length: int):
        self.spec = spec
        self.base_hash = base_hash
        self.dimension = dimension
        self.max_length = max_length

    def __repr__(self) -> str:
        about = f"{self.dimension} dimensions, on {self.device}"
        return f"{type(self).__name__}({self.name!r}, {about})"

    @property
    def name(self) -> str:
        """The registered name, or the folder it came from."""
        return self.spec.name

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return next(iter(self.tensors().values())).device

    @property
    def exact(self) -> Encoder:
        """The encoder without the rounding of a backend: itself, unless one runs it."""
        return self

    @property
    def unrounded(self) -> Encoder:
        """The encoder without 8-bit rounding, as fast as possible; equal to `exact` up to 1e-5."""
        return self.exact

    @abstractmethod
    def forward(self, inputs: Sequence[TextInput]) -> Tensor:
        """Return unit embeddings (n, d) of sentences or pairs, with gradients where enabled."""

    @abstractmethod
    def count_tokens(self, *texts: str) -> int:
        """Count the tokens of a sentence, or of two sentences read as one input."""

    @abstractmethod
    def tensors(self) -> dict[str, Tensor]:
        """Return the transformer's own tensors by name; `replace_weights` changes them."""

    @abstractmethod
    def to(self, device: str | torch.device) -> Self:
        """Move the weights to a device; return this encoder."""

    @abstractmethod
    def clone(self) -> SentenceEncoder:
        """Copy the encoder with its weights, so that training leaves this one untouched.

        Raises:
            ModelError: the encoder cannot be trained.
        """

    def encode(
        self,
        inputs: Sequence[TextInput],
        batch_size: int = 64,
        progress: Callable[[int, int], None] | None = None,
        show_progress_bar: bool = False,
    ) -> np.ndarray:
        """Return unit embeddings (n, d), float32.

        Inputs of similar numbers of tokens share a batch, so that there is little padding. Equal
        inputs are encoded once.

        Args:
            inputs: n sentences, or n (premise, hypothesis) tuples read as one input each.
            batch_size: inputs per forward pass.
            progress: called with (distinct inputs done, distinct inputs) after each batch.
            show_progress_bar: draw a bar instead of calling `progress`.

        Raises:
            InputError: a single string or a dict instead of a list, or something else in it, or a
                batch size below 1.
        """
        if not isinstance(batch_size, Integral) or batch_size < 1:
            raise InputError(f"The batch size is {batch_size!r}; a number from 1 is expected.")
        if isinstance(inputs, str | Mapping) or not isinstance(inputs, Iterable):
            kind = "string" if isinstance(inputs, str) else type(inputs).__name__
            raise InputError(f"encode() takes a list of sentences; a single {kind} was given.")
        inputs = list(inputs)
        if odd := [item for item in inputs if not isinstance(item, str | tuple)]:
            raise InputError(
                f"encode() takes sentences or (premise, hypothesis) tuples; seen: "
                f"{type(odd[0]).__name__}."
            )
        if show_progress_bar:
            progress = progress_bar("Sentences")
        unique = sorted(
            dict.fromkeys(inputs),
            key=lambda item: self.count_tokens(*((item,) if isinstance(item, str) else item)),
        )
        rows = np.empty((len(unique), self.dimension), dtype=np.float32)
        with torch.inference_mode():
            for start in range(0, len(unique), batch_size):
                check_time()
                batch = unique[start : start + batch_size]
                rows[start : start + len(batch)] = self.forward(batch).float().cpu().numpy()
                if progress:
                    progress(start + len(batch), len(unique))
        position = {text: row for row, text in enumerate(unique)}
        return rows[[position[text] for text in inputs]] if inputs else rows

    @staticmethod
    def similarity(one: np.ndarray, two: np.ndarray) -> np.ndarray:
        """Return the cosines (n, m) of embeddings (n, d) and (m, d) of `encode`."""
        return one @ two.T

    def save_pretrained(self, folder: str | Path) -> None:
        """Write a folder that `SentenceTransformer(folder)` and `load_encoder` load.

        Raises:
            ModelError: the encoder cannot be written so.
        """
        raise ModelError(
            f"{self!r} cannot be saved as a folder; an encoder of sentence-transformers that was "
            "not loaded with inference_only is expected."
        )

    def check(self, sentence: str, name: str = "sentence") -> None:
        """Raise `InputError` if the sentence is too long or in a script the encoder cannot read."""
        if self.spec.script:
            check_script(sentence, name, self.spec.script)
        self._check_length(name, sentence)

    def check_together(self, premise: str, hypothesis: str) -> None:
        """Raise `InputError` if two sentences are too long for one input."""
        self._check_length("pair", premise, hypothesis)

    def _check_length(self, name: str, *texts: str) -> None:
        if sum(map(len, texts)) < self.max_length // 2 and all(map(str.isascii, texts)):
            return  # no token is shorter than such a character; the other half is for prompts
        tokens = self.count_tokens(*texts)
        if tokens > self.max_length:
            raise InputError(
                f"The {name} has {tokens} tokens; {self.name} reads at most {self.max_length}."
            )

    def weights(self) -> dict[str, Tensor]:
        """Return copies of the transformer's tensors by name, on the CPU."""
        return {k: v.detach().cpu().clone() for k, v in self.tensors().items()}

    def changed_weights(self, base: Encoder) -> dict[str, Tensor]:
        """Return copies of the tensors that differ from `base`'s: what a model folder stores."""
        theirs = base.tensors()
        return {k: v for k, v in self.weights().items() if not torch.equal(v, theirs[k].cpu())}

    def replace_weights(self, tensors: Mapping[str, Tensor]) -> None:
        """Overwrite the tensors of these names, keeping the encoder's dtype.

        Raises:
            ModelError: an unknown name, or another shape; nothing is changed then.
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


class SentenceEncoder(Encoder):
    """An encoder around a sentence-transformers model, which training may change.

    Attributes:
        model: the `SentenceTransformer`; training changes only its weights. Before saving it
            with a README, call `model.model_card_data.register_model(model)`.

    Raises:
        ModelError: its embeddings have an odd number of coordinates.
    """

    def __init__(self, model: SentenceTransformer, spec: EncoderSpec, base_hash: str):
        dimension = model.get_embedding_dimension()
        if dimension is None or dimension % 2:
            raise ModelError(f"{spec.name} has {dimension} dimensions; an even number is expected.")
        super().__init__(spec, base_hash, dimension, model.max_seq_length or spec.max_length)
        self.model = model.eval()
        # The card refers back to the model. That circle would keep every training copy, gradients
        # included, in memory until the garbage collector runs.
        model.model_card_data.model = None
        # Padding and truncation are set on the tokenizer itself before each use.
        self._tokenizing = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled for another process: all but the lock."""
        return {name: value for name, value in vars(self).items() if name != "_tokenizing"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _tokenizing=threading.Lock())

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return next(self.model.parameters()).device

    @property
    def body(self) -> Module:
        """The transformer under the pooling, which owns the weights."""
        return self.model[0].get_submodule("model")

    def tensors(self) -> dict[str, Tensor]:
        """Return the transformer's own tensors by name; `replace_weights` changes them."""
        return self.body.state_dict()

    def forward(self, inputs: Sequence[TextInput]) -> Tensor:
        """Return unit embeddings (n, d) of sentences or pairs, with gradients where enabled."""
        embedding = self.model(self.preprocess(inputs))["sentence_embedding"]
        return torch.nn.functional.normalize(embedding, dim=-1)

    def preprocess(self, inputs: Sequence[TextInput]) -> dict[str, Any]:
        """Tokenize a batch into the model's input features, on its device."""
        from sentence_transformers.util import batch_to_device

        with self._tokenizing:
            features = self.model.preprocess(list(inputs))
        return batch_to_device(features, self.device)

    def count_tokens(self, *texts: str) -> int:
        """Count the tokens of a sentence, or of two sentences read as one input."""
        with self._tokenizing:
            found = self.model.tokenizer(*texts, truncation=False, verbose=False)
        return len(found["input_ids"])

    def clone(self) -> SentenceEncoder:
        """Copy the encoder with its weights, so that training leaves this one untouched."""
        return SentenceEncoder(copy.deepcopy(self.model), self.spec, self.base_hash)

    def save_pretrained(self, folder: str | Path) -> None:
        """Write a folder that `SentenceTransformer(folder)` and `load_encoder` load.

        Embeddings of the model in it have length 1, too.
        """
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Normalize

        model = self.model
        if not any(isinstance(module, Normalize) for module in model):
            model = SentenceTransformer(modules=[*model, Normalize()], device=str(self.device))
        with quiet_transformers():
            model.save(str(folder), create_model_card=False)

    def to(self, device: str | torch.device) -> Self:
        """Move the weights to a device; return this encoder."""
        self.model.to(device)
        return self

    def trainable(
        self, freeze_embeddings: bool = False, freeze_layers: int = 0
    ) -> list[torch.nn.Parameter]:
        """Unfreeze everything except the lowest parts; return the trainable parameters.

        Args:
            freeze_embeddings: keep what comes before the first layer.
            freeze_layers: keep this number of the lowest layers.

        Raises:
            ModelError: the layers of the transformer are not found.
        """
        self.model.requires_grad_(True)
        if freeze_embeddings:
            body = cast("PreTrainedModel", self.body)  # a decoder has only a token table
            first = getattr(body, "embeddings", None) or body.get_input_embeddings()
            first.requires_grad_(False)
        if freeze_layers:
            for layer in find_layers(self.body)[:freeze_layers]:
                layer.requires_grad_(False)
        return [parameter for parameter in self.model.parameters() if parameter.requires_grad]

    @contextmanager
    def in_training(self, dropout: bool) -> Iterator[None]:
        """Switch to training mode for a `with` block, with dropout or without.

        On a CPU, attention is computed by the eager implementation: the fused kernel's backward
        pass is slow in bfloat16 and makes a step take 1.5 times as long. The embeddings are equal
        up to rounding.
        """
        body = cast("PreTrainedModel", self.body)
        usual = body.config._attn_implementation if self.device.type == "cpu" else None
        if usual:
            body.set_attn_implementation("eager")
        self.model.train(dropout)
        try:
            yield
        finally:
            self.model.eval()
            if usual:
                body.set_attn_implementation(usual)

    def freeze(self) -> None:
        """End training: evaluation mode, no gradients."""
        self.model.eval().requires_grad_(False)


def find_layers(body: Module) -> ModuleList:
    """Return the layers, lowest first: transformers keeps them in a `ModuleList`.

    Raises:
        ModelError: there is no list of layers.
    """
    for module in body.modules():
        if isinstance(module, ModuleList):
            return module
    raise ModelError(f"A {type(body).__name__} has no list of layers that can be frozen.")
