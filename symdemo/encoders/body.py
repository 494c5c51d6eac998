"""What training has to find inside a transformer, whatever its kind calls its parts.

BERT and its kin have `embeddings` and then layers; decoders such as LLaMA have a table of tokens
and then layers. All that transformers builds keeps its layers in a `ModuleList`, the lowest first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from torch.nn import Module, ModuleList

from symdemo.errors import ModelError

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def find_embeddings(body: Module) -> Module:
    """What comes before the first layer: the tables and their norm, or the table of tokens.

    Raises:
        ModelError: there is neither.
    """
    if isinstance(found := getattr(body, "embeddings", None), Module):
        return found
    if hasattr(body, "get_input_embeddings"):
        return cast("PreTrainedModel", body).get_input_embeddings()
    raise ModelError(f"A {type(body).__name__} has no embeddings that can be frozen.")


def find_layers(body: Module) -> ModuleList:
    """The layers, the lowest first.

    Raises:
        ModelError: there is no list of layers.
    """
    for module in body.modules():
        if isinstance(module, ModuleList):
            return module
    raise ModelError(f"A {type(body).__name__} has no list of layers that can be frozen.")


@contextmanager
def stepwise_attention(body: Module) -> Iterator[None]:
    """Attention computed step by step for a `with` block, in place of the usual, fused kernel."""
    model = cast("PreTrainedModel", body)
    usual = model.config._attn_implementation
    model.set_attn_implementation("eager")
    try:
        yield
    finally:
        model.set_attn_implementation(usual)
