"""Hidden states: of a sentence's tokens, and embeddings from the first n layers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from symdemo.encoders.decoders.options import KINDS
from symdemo.encoders.encoder import Encoder, SentenceEncoder, find_layers
from symdemo.errors import InputError


@dataclass(frozen=True, slots=True)
class TokenStates:
    """A sentence as its encoder reads it, with prompt and special tokens.

    Attributes:
        tokens: t texts.
        states: last-layer states before pooling, (t, d).
    """

    tokens: tuple[str, ...]
    states: np.ndarray


def reads_forward(encoder: Encoder) -> bool:
    """True for a decoder, whose last token alone has seen all others.

    Raises:
        InputError: not a sentence-transformers model.
    """
    kind = str(_as_sentence_encoder(encoder).body.config.model_type)  # type: ignore[union-attr]
    return kind.removeprefix("backward_") in KINDS


def token_states(
    encoder: Encoder, sentences: Sequence[str], batch_size: int = 64
) -> Iterator[TokenStates]:
    """Yield the token states of each sentence, in order.

    Raises:
        InputError: not a sentence-transformers model.
    """
    model = _as_sentence_encoder(encoder)
    for start in range(0, len(sentences), batch_size):
        with torch.inference_mode():
            features: Any = model.model[0](model.preprocess(sentences[start : start + batch_size]))
        states = features["token_embeddings"].float().cpu().numpy()
        for own, ids, kept in zip(
            states, features["input_ids"], features["attention_mask"].bool(), strict=True
        ):
            texts = [model.model.tokenizer.decode([number]) for number in ids[kept].tolist()]
            yield TokenStates(tuple(texts), own[kept.cpu().numpy()])


def layer_embeddings(
    encoder: Encoder, sentences: Sequence[str], batch_size: int = 64
) -> np.ndarray:
    """Return unit embeddings (layers, n, d) from the first layer, the first two, … all.

    One pass computes them all. Each equals what an encoder of only those layers gives, with the
    final norm and the same pooling. With strategy `addition`, a layer is combined with its copy.

    Raises:
        InputError: not a sentence-transformers model.
    """
    model = _as_sentence_encoder(encoder)
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    depth = len(find_layers(model.body))
    made = np.empty((depth, len(sentences), model.dimension), dtype=np.float32)
    for start in range(0, len(order), batch_size):
        places = order[start : start + batch_size]
        with torch.inference_mode(), _recording(model.body) as outputs:
            read: Any = model.model[0](model.preprocess([sentences[i] for i in places]))
            for number, state in enumerate(_by_depth(model.body, outputs, read)):
                features = read | {"token_embeddings": state}
                for module in list(model.model)[1:]:
                    features = module(features)
                rows = torch.nn.functional.normalize(features["sentence_embedding"], dim=-1)
                made[number, places] = rows.float().cpu().numpy()
    return made


def _as_sentence_encoder(encoder: Encoder) -> SentenceEncoder:
    if not isinstance(encoder, SentenceEncoder):
        raise InputError(
            f"The encoder {encoder.name} has no token states; a sentence-transformers model is "
            "expected."
        )
    return encoder


@contextmanager
def _recording(body: torch.nn.Module) -> Iterator[dict[str, list[Tensor]]]:
    """Record the outputs of the layers, and of the copies beside them, during a `with` block."""
    outputs: dict[str, list[Tensor]] = {"layers": [], "copies": []}
    hooks = []
    kinds = {"layers": find_layers(body), "copies": getattr(body, "backward_layers", ())}
    for name, layers in kinds.items():

        def keep(module: Any, inputs: Any, output: Any, name: str = name) -> None:
            outputs[name].append(output[0] if isinstance(output, tuple) else output)

        hooks += [layer.register_forward_hook(keep) for layer in layers]
    try:
        yield outputs
    finally:
        for hook in hooks:
            hook.remove()


def _by_depth(
    body: torch.nn.Module, outputs: dict[str, list[Tensor]], features: dict[str, Any]
) -> Iterator[Tensor]:
    """Yield the token states of the first layer, the first two, … all, with the final norm."""
    layers, copies = outputs["layers"], outputs["copies"]
    norm = getattr(body, "norm", None) or torch.nn.Identity()  # BERT has it inside its layers
    for number, state in enumerate(layers[:-1], start=1):
        copy = number - (len(layers) - len(copies)) - 1
        yield norm(state + copies[copy] if copy >= 0 else state)
    yield features["token_embeddings"]
