"""Decoders whose last layers look back: their tokens also see later tokens.

BeLLM (Li and Li 2024, arXiv 2311.05296): the first layers of a decoder keep the causal mask of
Eqs. 2 and 3, the last ones have none (Eq. 4). There are two strategies, the rows of Table 4:

- `modification`: the last layers lose their mask. With one such layer this is BeLLM.
- `addition`: all layers stay, and copies of the last ones run beside them without a mask. Their sum
  is the hidden state (Eq. 5): h = LLM^{1:n}(x) + BiLLM^{n−1:n}(x). The copies have weights of their
  own, which training changes.

transformers makes each layer's mask. The model types are new ones, so that a folder of such a
decoder is never loaded as a causal one; importing this module registers them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import torch
import transformers
from torch import Tensor
from torch.nn import ModuleList
from transformers import masking_utils
from transformers.modeling_outputs import BaseModelOutput
from transformers.utils.output_capturing import capture_outputs

from symdemo.encoders.decoders.options import Strategy
from symdemo.errors import InputError


class BackwardLlamaConfig(transformers.LlamaConfig):
    """A LLaMA with `looking_back` last layers without a causal mask."""

    model_type = "backward_llama"
    looking_back: int = 0
    strategy: str = "modification"


class BackwardMistralConfig(transformers.MistralConfig):
    """A Mistral with `looking_back` last layers without a causal mask."""

    model_type = "backward_mistral"
    looking_back: int = 0
    strategy: str = "modification"


class BackwardQwen2Config(transformers.Qwen2Config):
    """A Qwen2 with `looking_back` last layers without a causal mask."""

    model_type = "backward_qwen2"
    looking_back: int = 0
    strategy: str = "modification"


class BackwardQwen3Config(transformers.Qwen3Config):
    """A Qwen3 with `looking_back` last layers without a causal mask."""

    model_type = "backward_qwen3"
    looking_back: int = 0
    strategy: str = "modification"


class LooksBack(transformers.PreTrainedModel):
    """Base of these decoders: the pass through the layers, each with its own mask.

    Attributes:
        backward_layers: the added layers; strategy `addition` only.
    """

    def __init__(self, config: Any):
        super().__init__(config)
        if config.strategy == "addition" and config.looking_back:
            kind: Any = type(cast(ModuleList, self.layers)[0])
            first = config.num_hidden_layers - config.looking_back
            added = [kind(config, first + i) for i in range(config.looking_back)]
            self.backward_layers = ModuleList(added)
            self.post_init()

    @capture_outputs
    def forward(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, **kwargs: Any
    ) -> BaseModelOutput:
        """Return hidden states (batch, tokens, width).

        There is no cache: to continue a text, earlier tokens would have to see the new ones.

        Args:
            input_ids: (batch, tokens).
            attention_mask: (batch, tokens), 0 at padding.
            kwargs: further arguments of the layers.
        """
        model, config = cast(Any, self), cast(Any, self.config)
        hidden = model.embed_tokens(input_ids)
        position_ids = torch.arange(hidden.shape[1], device=hidden.device).unsqueeze(0)
        shared = {
            "position_ids": position_ids,
            "position_embeddings": model.rotary_emb(hidden, position_ids),
            **kwargs,
        }
        options = _masks(config, hidden, attention_mask, position_ids)
        first = config.num_hidden_layers - config.looking_back
        adds = config.strategy == "addition"
        beside = None
        for i, layer in enumerate(model.layers):
            if adds and i == first:
                beside = hidden
            hidden = layer(hidden, **shared, **options(i, i >= first and not adds))
        if beside is not None:
            for i, layer in enumerate(model.backward_layers, start=first):
                beside = layer(beside, **shared, **options(i, True))
            hidden = hidden + beside
        return BaseModelOutput(last_hidden_state=model.norm(hidden))


def _masks(
    config: Any, hidden: Tensor, attended: Tensor | None, positions: Tensor
) -> Callable[[int, bool], dict[str, Any]]:
    """Return a function from a layer's number and direction to its mask and direction."""
    common: Any = {"config": config, "inputs_embeds": hidden, "attention_mask": attended}

    @cache
    def make(window: bool, backward: bool) -> Any:
        if backward and window:
            return masking_utils.create_bidirectional_sliding_window_mask(**common)
        if backward:
            return masking_utils.create_bidirectional_mask(**common)
        common_causal = common | {"past_key_values": None, "position_ids": positions}
        if window:
            return masking_utils.create_sliding_window_causal_mask(**common_causal)
        return masking_utils.create_causal_mask(**common_causal)

    def options(layer: int, backward: bool) -> dict[str, Any]:
        kinds = getattr(config, "layer_types", None)
        window = (
            kinds[layer] == "sliding_attention"
            if kinds
            else bool(getattr(config, "sliding_window", None))
        )
        # Without a mask, the fused kernels take the direction from `is_causal`, by default True.
        direction = {"is_causal": False} if backward else {}
        return {"attention_mask": make(window, backward)} | direction

    return options


class BackwardLlama(LooksBack, transformers.LlamaModel):
    """A `LlamaModel` that looks back."""

    config_class = BackwardLlamaConfig


class BackwardMistral(LooksBack, transformers.MistralModel):
    """A `MistralModel` that looks back."""

    config_class = BackwardMistralConfig


class BackwardQwen2(LooksBack, transformers.Qwen2Model):
    """A `Qwen2Model` that looks back."""

    config_class = BackwardQwen2Config


class BackwardQwen3(LooksBack, transformers.Qwen3Model):
    """A `Qwen3Model` that looks back."""

    config_class = BackwardQwen3Config


_BACKWARD: dict[str, Any] = {
    "llama": BackwardLlama,
    "mistral": BackwardMistral,
    "qwen2": BackwardQwen2,
    "qwen3": BackwardQwen3,
}
for _model in _BACKWARD.values():
    _config = _model.config_class
    transformers.AutoConfig.register(_config.model_type, _config, exist_ok=True)
    transformers.AutoModel.register(_config, _model, exist_ok=True)


def look_back(model: transformers.PreTrainedModel, layers: int, strategy: Strategy) -> LooksBack:
    """Return a decoder whose last `layers` look back, built from the parts of `model`.

    Args:
        model: a LLaMA, Mistral, Qwen2 or Qwen3; it must not be used afterwards.
        layers: number of last layers.
        strategy: "modification" or "addition".

    Raises:
        InputError: a transformer of another type, or with fewer layers.
    """
    old = cast(Any, model.config)
    if (kind := _BACKWARD.get(old.model_type)) is None:
        raise InputError(
            f"A transformer of the kind {old.model_type} cannot look back; expected one of: "
            f"{', '.join(_BACKWARD)}."
        )
    if not 0 <= layers <= old.num_hidden_layers:
        raise InputError(
            f"{layers} layers are to look back; the decoder has {old.num_hidden_layers}."
        )
    settings = old.to_dict()
    for name in ("model_type", "architectures", "dtype"):
        settings.pop(name, None)
    config = kind.config_class(**settings, looking_back=layers, strategy=strategy)
    config.dtype = old.dtype
    config._attn_implementation = old._attn_implementation
    with torch.device("meta"):  # its weights are replaced below
        made = kind(config)
    for name, part in model.named_children():
        setattr(made, name, part)
    if strategy == "addition" and layers:
        last = cast(Any, model).layers[-layers:]
        made.backward_layers = ModuleList(copy.deepcopy(layer) for layer in last)
    for part in made.modules():  # a later change of the attention implementation must reach them
        if isinstance(getattr(part, "config", None), transformers.PretrainedConfig):
            part.config = config
    return made.eval() if not model.training else made
