"""How near the words of a sentence are to each other inside a decoder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch

if TYPE_CHECKING:
    from symdemo.encoders.protocol import Encoder


def token_similarities(encoder: Encoder, sentence: str) -> tuple[list[str], np.ndarray]:
    """The tokens of a sentence, and the cosines (n, n) of their states in the last layer."""
    model = cast(Any, encoder).model
    marked = model.tokenizer(sentence, return_special_tokens_mask=True)
    own = [i for i, special in enumerate(marked["special_tokens_mask"]) if not special]
    with torch.inference_mode():
        states = model[0](model.preprocess([sentence]))["token_embeddings"][0][own]
    states = torch.nn.functional.normalize(states.float(), dim=-1)
    tokens = [model.tokenizer.decode([marked["input_ids"][i]]) for i in own]
    return tokens, (states @ states.T).cpu().numpy()
