"""Reading a batch in short passes, those of like length together: on a CPU padding is paid for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

PASS = 8
"""Sentences of a pass. With 32 at once half of what is computed is padding."""

_EMBEDDING = "sentence_embedding"


def read_in_passes(
    model: Callable[[dict[str, Any]], dict[str, Any]], features: dict[str, Any]
) -> Tensor:
    """Embeddings (n, d) of tokenized sentences, in their order; the same up to rounding.

    Args:
        model: of sentence-transformers, which adds the embeddings to the features.
        features: with `attention_mask` (n, tokens), 0 at padding, which stands at the end.
    """
    mask: Tensor = features["attention_mask"]
    if mask.device.type != "cpu" or len(mask) <= PASS:
        return model(features)[_EMBEDDING]
    lengths = mask.sum(-1)
    order = lengths.argsort()
    found = []
    for rows in order.split(PASS):
        longest = int(lengths[rows].max())
        part = {
            name: value[rows, :longest] if _by_token(value, mask) else value
            for name, value in features.items()
        }
        found.append(model(part)[_EMBEDDING])
    return torch.cat(found)[order.argsort()]


def _by_token(value: Any, mask: Tensor) -> bool:
    return isinstance(value, Tensor) and value.shape[:2] == mask.shape
