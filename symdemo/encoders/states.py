"""What is inside an encoder as it reads: the states of tokens, and the embeddings of its layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from symdemo.encoders.body import find_layers
from symdemo.encoders.decoders.loading import KINDS
from symdemo.encoders.protocol import Encoder
from symdemo.encoders.sentence_encoder import SentenceEncoder
from symdemo.errors import InputError


@dataclass(frozen=True, slots=True)
class TokenStates:
    """A sentence as its encoder reads it, prompt and special tokens among the rest.

    Attributes:
        tokens: t texts.
        states: (t, d), the last layer's, before they are pooled.
    """

    tokens: tuple[str, ...]
    states: np.ndarray


def reads_forward(encoder: Encoder) -> bool:
    """Whether it is a decoder, whose last token alone has seen all others."""
    kind = str(_opened(encoder).body.config.model_type)  # type: ignore[union-attr]
    return kind.removeprefix("backward_") in KINDS


def token_states(
    encoder: Encoder, sentences: Sequence[str], batch_size: int = 64
) -> Iterator[TokenStates]:
    """The states of the tokens of each sentence, in the order of `sentences`.

    Raises:
        InputError: an encoder that is no sentence-transformers model.
    """
    opened = _opened(encoder)
    for start in range(0, len(sentences), batch_size):
        with torch.inference_mode():
            features = _read(opened, sentences[start : start + batch_size])
        states = features["token_embeddings"].float().cpu().numpy()
        for own, ids, kept in zip(
            states, features["input_ids"], features["attention_mask"].bool(), strict=True
        ):
            texts = [opened.model.tokenizer.decode([number]) for number in ids[kept].tolist()]
            yield TokenStates(tuple(texts), own[kept.cpu().numpy()])


def layer_embeddings(
    encoder: Encoder,
    sentences: Sequence[str],
    batch_size: int = 64,
    progress: Callable[[int, int], None] | None = None,
) -> np.ndarray:
    """Unit embeddings (layers, n, d) of n sentences out of the first layer, the first two, … all.

    One pass gives them all: each is what an encoder with so many layers alone gives, with the norm
    that stands behind the last layer and the same pooling. Where copies of the last layers run
    beside them (strategy `addition`), a layer goes together with its copy.

    Args:
        encoder: a sentence-transformers model.
        sentences: n of them; those of like length share a batch.
        batch_size: sentences per pass.
        progress: called with (sentences done, sentences in all) after each batch.

    Raises:
        InputError: an encoder of another kind.
    """
    opened = _opened(encoder)
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    depth = len(find_layers(opened.body))
    made = np.empty((depth, len(sentences), opened.dimension), dtype=np.float32)
    for start in range(0, len(order), batch_size):
        places = order[start : start + batch_size]
        with torch.inference_mode(), _listening(opened.body) as heard:
            features = _read(opened, [sentences[i] for i in places])
            for number, state in enumerate(_truncated(opened.body, heard, features)):
                made[number, places] = _pool(opened, features, state).float().cpu().numpy()
        if progress:
            progress(start + len(places), len(sentences))
    return made


def _opened(encoder: Encoder) -> SentenceEncoder:
    if not isinstance(encoder, SentenceEncoder):
        raise InputError(
            f"The encoder {encoder.name} has no token states; a sentence-transformers model is "
            "expected."
        )
    return encoder


def _read(encoder: SentenceEncoder, sentences: Sequence[str]) -> dict[str, Any]:
    """What the transformer makes of sentences, before the pooling."""
    return cast("dict[str, Any]", encoder.model[0](encoder.preprocess(sentences)))


def _pool(encoder: SentenceEncoder, features: dict[str, Any], states: Tensor) -> Tensor:
    """Unit embeddings of token states by the encoder's own pooling."""
    features = features | {"token_embeddings": states}
    for module in list(encoder.model)[1:]:
        features = module(features)
    return torch.nn.functional.normalize(features["sentence_embedding"], dim=-1)


@contextmanager
def _listening(body: torch.nn.Module) -> Iterator[dict[str, list[Tensor]]]:
    """What comes out of the layers during a `with` block, and out of those that run beside them."""
    heard: dict[str, list[Tensor]] = {"layers": [], "beside": []}
    hooks = []
    kinds = {"layers": find_layers(body), "beside": getattr(body, "backward_layers", ())}
    for name, layers in kinds.items():

        def keep(module: Any, inputs: Any, output: Any, name: str = name) -> None:
            heard[name].append(output[0] if isinstance(output, tuple) else output)

        hooks += [layer.register_forward_hook(keep) for layer in layers]
    try:
        yield heard
    finally:
        for hook in hooks:
            hook.remove()


def _truncated(
    body: torch.nn.Module, heard: dict[str, list[Tensor]], features: dict[str, Any]
) -> Iterator[Tensor]:
    """The token states of the first layer, the first two, … all, as they leave the transformer."""
    layers, beside = heard["layers"], heard["beside"]
    norm = getattr(body, "norm", None) or torch.nn.Identity()  # BERT has it inside its layers
    for number, state in enumerate(layers[:-1], start=1):
        copy = number - (len(layers) - len(beside)) - 1
        yield norm(state + beside[copy] if copy >= 0 else state)
    yield features["token_embeddings"]
