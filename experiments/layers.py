"""Inside an encoder: scores by depth, and how tokens relate to the pivot (BeLLM, arXiv 2311.05296).

Degradation (section 3.1, Figure 4) is the STS score of the first n layers for each n. Dependencies
(sections 2 and 5.5) are, for each sentence, Spearman's correlations over the d coordinates of the
pivot's state with every other token's state, averaged. The pivot of a decoder is the last token,
the only one that sees all others; that of BERT is the first. Prompt tokens count.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from symdemo.encoders import Encoder
from symdemo.encoders.decoders.options import KINDS
from symdemo.encoders.encoder import find_layers
from symdemo.errors import InputError
from symdemo.evaluation.intervals import rank_correlation
from symdemo.evaluation.sentences.sts import SimilarityData
from symdemo.evaluation.sentences.tokens import as_sentence_encoder, token_states

Pivot = Literal["first", "last"]


@dataclass(frozen=True, slots=True)
class Degradation:
    """Spearman's correlation times 100 with the first n layers."""

    layers: tuple[int, ...]  # each n, from 1 to all
    spearman: tuple[float, ...]  # the score of each
    turning_point: int  # see the function of this name


def degradation(encoder: Encoder, data: SimilarityData) -> Degradation:
    """Score the first n layers for every n, in one pass over the distinct sentences.

    Raises:
        InputError: not a sentence-transformers model.
    """
    sentences = data.sentences
    place = {text: number for number, text in enumerate(sentences)}
    first, second = ([place[text] for text in side] for side in (data.first, data.second))
    scores = tuple(
        100 * rank_correlation((rows[first] * rows[second]).sum(-1), data.scores)
        for rows in layer_embeddings(encoder, sentences)
    )
    layers = tuple(range(1, len(scores) + 1))
    return Degradation(layers, scores, turning_point(layers, scores))


def turning_point(layers: Sequence[int], scores: Sequence[float]) -> int:
    """Return the largest n with the best score.

    Every further layer scores lower: the paper's "consistent performance drop" past that point. It
    is the number of all layers if the last one still helps.
    """
    return max(zip(scores, layers, strict=True))[1]


def layer_embeddings(
    encoder: Encoder, sentences: Sequence[str], batch_size: int = 64
) -> np.ndarray:
    """Return unit embeddings (layers, n, d) from the first layer, the first two, … all.

    One pass computes them all. Each equals what an encoder of only those layers gives, with the
    final norm and the same pooling. With strategy `addition`, a layer is combined with its copy.

    Raises:
        InputError: not a sentence-transformers model.
    """
    own = as_sentence_encoder(encoder)
    transformer, *pooling = own.model
    layers, copies = find_layers(own.body), getattr(own.body, "backward_layers", ())
    norm = getattr(own.body, "norm", None) or torch.nn.Identity()  # BERT has it inside its layers
    outputs: dict[torch.nn.Module, Tensor] = {}

    def keep(module: Any, inputs: Any, output: Any) -> None:
        outputs[module] = output[0] if isinstance(output, tuple) else output

    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    made = np.empty((len(layers), len(sentences), own.dimension), dtype=np.float32)
    with torch.inference_mode(), ExitStack() as hooks:
        for layer in (*layers, *copies):
            hooks.callback(layer.register_forward_hook(keep).remove)
        for start in range(0, len(order), batch_size):
            places = order[start : start + batch_size]
            read: Any = transformer(own.preprocess([sentences[i] for i in places]))
            for number, layer in enumerate(layers):
                states = outputs[layer]
                if (copy := number - len(layers) + len(copies)) >= 0:
                    states = states + outputs[copies[copy]]
                features = read | {"token_embeddings": norm(states)}
                if number == len(layers) - 1:
                    features = read
                for module in pooling:
                    features = module(features)
                rows = torch.nn.functional.normalize(features["sentence_embedding"], dim=-1)
                made[number, places] = rows.float().cpu().numpy()
    return made


@dataclass(frozen=True, slots=True)
class Dependencies:
    """A box plot of the sentences' correlations, each in [−1, 1]."""

    pivot: Pivot  # the token that the others are compared with
    mean: float  # over all sentences
    quartiles: tuple[float, float, float]  # the first quartile, the median, the third quartile
    whiskers: tuple[float, float]  # the extremes within 1.5 interquartile ranges of these (Tukey)
    n: int  # number of sentences


def dependencies(encoder: Encoder, sentences: Sequence[str]) -> Dependencies:
    """Measure an encoder's dependencies over sentences; sentences of one token are skipped.

    Raises:
        InputError: not a sentence-transformers model, or no sentence of two tokens.
    """
    config: Any = as_sentence_encoder(encoder).body.config
    reads_forward = config.model_type.removeprefix("backward_") in KINDS
    pivot: Pivot = "last" if reads_forward else "first"
    values = np.array([
        pivot_correlation(sentence.states, pivot)
        for sentence in token_states(encoder, sorted(sentences, key=len))
        if len(sentence.tokens) > 1
    ])  # fmt: skip
    if not len(values):
        raise InputError("No sentence has two tokens; sentences to compare tokens in are expected.")
    low, middle, high = (float(q) for q in np.quantile(values, (0.25, 0.5, 0.75)))
    reach = 1.5 * (high - low)
    inside = values[(values >= low - reach) & (values <= high + reach)]
    whiskers = float(inside.min()), float(inside.max())
    return Dependencies(pivot, float(values.mean()), (low, middle, high), whiskers, len(values))


def pivot_correlation(states: np.ndarray, pivot: Pivot) -> float:
    """Return the mean Spearman correlation of the pivot's state with the others, states (t, d)."""
    from scipy.stats import rankdata

    place = 0 if pivot == "first" else len(states) - 1
    of_pivot = np.corrcoef(rankdata(states, axis=1))[place]
    return float(np.delete(of_pivot, place).mean())
