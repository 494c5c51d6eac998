"""BERT in plain torch: sentence-transformers' embeddings without its import time.

Importing sentence-transformers takes longer than everything else before a first answer. Encoding
needs only weights, a tokenizer and this module; other models are left to sentence-transformers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from symdemo.encoders.encoder import Encoder, SentenceEncoder, TextInput
from symdemo.encoders.registry import EncoderSpec
from symdemo.errors import ModelError

_MODULES = ["Transformer", "Pooling", "Normalize"]


class PlainBert(Encoder):
    """An encoder equal to the `SentenceEncoder` of the same folder, except that it cannot train.

    Attributes:
        config: the content of the folder's config.json.
    """

    def __init__(
        self,
        tensors: dict[str, Tensor],
        config: Mapping[str, Any],
        tokenizer: Tokenizer,
        max_length: int,
        spec: EncoderSpec,
        base_hash: str,
    ):
        super().__init__(spec, base_hash, config["hidden_size"], max_length)
        self._tensors = tensors
        self.config = config
        self._whole = tokenizer  # without truncation, to count tokens
        self._cut = Tokenizer.from_str(tokenizer.to_str())
        self._cut.enable_truncation(max_length)
        self._cut.enable_padding(pad_id=config.get("pad_token_id") or 0)

    def forward(self, inputs: Sequence[TextInput]) -> Tensor:
        """Return unit embeddings (n, d): the mean over the tokens of each sentence or pair."""
        return self.embed_tokens(*self.tokenize(inputs))

    def tokenize(self, inputs: Sequence[TextInput]) -> tuple[Tensor, ...]:
        """Return token ids, token types and attention mask, (n, t) each."""
        encoded = self._cut.encode_batch(list(inputs))
        return tuple(
            torch.tensor([getattr(one, name) for one in encoded], device=self.device)
            for name in ("ids", "type_ids", "attention_mask")
        )

    def embed_tokens(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """Return the unit embeddings of what `tokenize` gives."""
        hidden = self._embed(ids, types)
        # Added to the logits; exporting a boolean mask makes three slow operations of it.
        attended = (1 - mask[:, None, None, :].to(hidden.dtype)) * torch.finfo(hidden.dtype).min
        for number in range(self.config["num_hidden_layers"]):
            hidden = self._layer(f"encoder.layer.{number}", hidden, attended)
        shares = mask[:, :, None].to(hidden.dtype)
        mean = (hidden * shares).sum(1) / shares.sum(1).clamp_min(1e-9)
        return functional.normalize(mean, dim=-1)

    def count_tokens(self, *texts: str) -> int:
        """Count the tokens of a sentence, or of two sentences read as one input."""
        return len(self._whole.encode(texts[0], texts[1] if len(texts) > 1 else None).ids)

    def tensors(self) -> dict[str, Tensor]:
        """Return the weights by name."""
        return self._tensors

    def to(self, device: str | torch.device) -> Self:
        """Move the weights to a device; return this encoder."""
        self._tensors = {name: tensor.to(device) for name, tensor in self._tensors.items()}
        return self

    def clone(self) -> SentenceEncoder:
        """Raise `ModelError`: it cannot be trained."""
        raise ModelError(
            f"{self.name} was loaded to answer only; load it without inference_only to retrain it."
        )

    def _embed(self, ids: Tensor, types: Tensor) -> Tensor:
        word, place, kind = (
            self._tensors[f"embeddings.{name}_embeddings.weight"]
            for name in ("word", "position", "token_type")
        )
        hidden = (
            functional.embedding(ids, word)
            + functional.embedding(types, kind)
            + place[: ids.shape[1]]
        )
        return self._normalised("embeddings.LayerNorm", hidden)

    def _layer(self, name: str, hidden: Tensor, attended: Tensor) -> Tensor:
        n, length, width = hidden.shape
        heads = self.config["num_attention_heads"]
        query, key, value = (
            self._linear(f"{name}.attention.self.{part}", hidden)
            .view(n, length, heads, width // heads)
            .transpose(1, 2)
            for part in ("query", "key", "value")
        )
        mixed = functional.scaled_dot_product_attention(query, key, value, attended)
        mixed = mixed.transpose(1, 2).reshape(n, length, width)
        mixed = self._linear(f"{name}.attention.output.dense", mixed)
        hidden = self._normalised(f"{name}.attention.output.LayerNorm", mixed + hidden)
        wide = functional.gelu(self._linear(f"{name}.intermediate.dense", hidden))
        narrow = self._linear(f"{name}.output.dense", wide)
        return self._normalised(f"{name}.output.LayerNorm", narrow + hidden)

    def _linear(self, name: str, x: Tensor) -> Tensor:
        return functional.linear(x, self._tensors[f"{name}.weight"], self._tensors[f"{name}.bias"])

    def _normalised(self, name: str, x: Tensor) -> Tensor:
        weight, bias = (self._tensors[f"{name}.{part}"] for part in ("weight", "bias"))
        return functional.layer_norm(x, weight.shape, weight, bias, self.config["layer_norm_eps"])


def load_plain_bert(
    folder: Path, spec: EncoderSpec, device: str, base_hash: str
) -> PlainBert | None:
    """Load the encoder in a folder; None unless it is a complete BERT with mean pooling."""
    try:
        config = _read_json(folder / "config.json")
        max_length = _max_length(folder, spec, config)
        if max_length is None or not _is_plain(config):
            return None
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        stored = load_file(folder / "model.safetensors", device)
        tensors = {name: stored[name].float() for name in stored if "position_ids" not in name}
        found = PlainBert(tensors, config, tokenizer, max_length, spec, base_hash)
        with torch.inference_mode():
            found.forward(["x"])  # fails if a tensor is missing
    except Exception:  # the general loader reports damaged files
        return None
    return found


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _is_plain(config: Mapping[str, Any]) -> bool:
    """True if `PlainBert` supports this configuration."""
    return (
        config["model_type"] == "bert"
        and config["hidden_act"] == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and not config.get("is_decoder", False)
        and config["hidden_size"] % 2 == 0
    )


def _max_length(folder: Path, spec: EncoderSpec, config: Mapping[str, Any]) -> int | None:
    """Return the number of tokens it reads; None if the folder has another pooling."""
    if not (folder / "modules.json").is_file():
        own = _read_json(folder / "tokenizer_config.json").get("model_max_length", spec.max_length)
        most = min(spec.max_length, own, config["max_position_embeddings"])
        return most if spec.pooling == "mean" else None
    modules = [module["type"].rsplit(".", 1)[-1] for module in _read_json(folder / "modules.json")]
    settings = _read_json(folder / "sentence_bert_config.json")
    pooling = _read_json(folder / "1_Pooling" / "config.json")
    chosen = [name for name, on in pooling.items() if name.startswith("pooling_mode") and on]
    prompts = _read_json(folder / "config_sentence_transformers.json").get("prompts") or {}
    plain = modules == _MODULES and chosen == ["pooling_mode_mean_tokens"]
    plain = plain and not settings.get("do_lower_case") and not any(prompts.values())
    return settings["max_seq_length"] if plain else None
