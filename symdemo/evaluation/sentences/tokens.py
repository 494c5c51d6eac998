"""The states of a sentence's tokens inside its encoder, before pooling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from symdemo.encoders.encoder import Encoder, SentenceEncoder
from symdemo.errors import InputError


class TokenStates(NamedTuple):
    """A sentence as its encoder reads it, with prompt and special tokens."""

    tokens: tuple[str, ...]  # t texts
    states: np.ndarray  # of the last layer, before pooling, (t, d)


def token_states(
    encoder: Encoder, sentences: Sequence[str], batch_size: int = 64
) -> Iterator[TokenStates]:
    """Yield the token states of each sentence, in order.

    Raises:
        InputError: not a sentence-transformers model; raised with the first sentence.
    """
    own = as_sentence_encoder(encoder)
    for start in range(0, len(sentences), batch_size):
        with torch.inference_mode():
            read: Any = own.model[0](own.preprocess(sentences[start : start + batch_size]))
        states = read["token_embeddings"].float().cpu().numpy()
        masks = read["attention_mask"].bool().cpu()
        for state, ids, mask in zip(states, read["input_ids"].cpu(), masks, strict=True):
            texts = [own.model.tokenizer.decode([number]) for number in ids[mask].tolist()]
            yield TokenStates(tuple(texts), state[mask.numpy()])


def token_similarities(encoder: Encoder, sentence: str) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the t tokens of a sentence and the cosines of their states, (t, t).

    Raises:
        InputError: not a sentence-transformers model.
    """
    (read,) = token_states(encoder, [sentence])
    unit = read.states / np.linalg.norm(read.states, axis=1, keepdims=True)
    return read.tokens, unit @ unit.T


def as_sentence_encoder(encoder: Encoder) -> SentenceEncoder:
    """Return an encoder unchanged; `InputError` if it gives no tokens with their states."""
    if not isinstance(encoder, SentenceEncoder):
        raise InputError(
            f"The encoder {encoder.name} has no token states; a sentence-transformers model is "
            "expected."
        )
    return encoder
