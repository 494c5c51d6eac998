"""The probe of Table 2 that needs no teaching: an NLI cross-encoder, by its own three labels.

It reads premise and hypothesis together and was trained on NLI alone. Its answer "neutral" is
wrong for each of the 14 relations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from symdemo.data.relations import (
    pairs_of_facts,
    split_known_facts,
)
from symdemo.errors import ModelError
from symdemo.pairs import LABELS, Pair

NLI_CROSS_ENCODER = "FacebookAI/roberta-large-mnli"
"""The paper's own choice of an NLI model."""

_BATCH = 32


@dataclass(frozen=True)
class CrossEncoder:
    """A sequence classifier whose classes carry the names of the three NLI labels.

    Attributes:
        classes: the label of each output, in the order of the outputs.
    """

    model: torch.nn.Module
    tokenizer: object
    classes: tuple[str, ...]

    def predict(self, pairs: Sequence[Pair]) -> list[str]:
        """The label with the largest logit for each pair."""
        labels = []
        with torch.inference_mode():
            for start in range(0, len(pairs), _BATCH):
                batch = pairs[start : start + _BATCH]
                inputs = self.tokenizer(
                    [pair.premise for pair in batch],
                    [pair.hypothesis for pair in batch],
                    padding=True,
                    truncation=True,
                    return_tensors="pt",
                )
                best = self.model(**inputs).logits.argmax(-1)
                labels += [self.classes[row] for row in best.tolist()]
        return labels


def load_cross_encoder(name: str = NLI_CROSS_ENCODER) -> CrossEncoder:
    """Load an NLI model by hub id or folder; safetensors only, no code of its own.

    Raises:
        ModelError: it is neither cached nor to be had, or its classes are not the three labels.
    """
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(name)
        model = AutoModelForSequenceClassification.from_pretrained(name, use_safetensors=True)
    except Exception as error:  # the hub's client raises many types; all end in one sentence
        raise ModelError(
            f"The NLI model {name} is neither cached nor to be had from the hub "
            f"({type(error).__name__})."
        ) from error
    names = model.config.id2label
    classes = tuple(names[number].casefold() for number in range(len(names)))
    if sorted(classes) != sorted(LABELS):
        raise ModelError(f"{name} answers {', '.join(classes)}; expected: {', '.join(LABELS)}.")
    return CrossEncoder(model.eval(), tokenizer, classes)


def cross_encoder_accuracy(model: CrossEncoder) -> dict[str, float]:
    """Share of rightly answered held-out facts of the 14 relations, in both versions."""
    _, test = split_known_facts()
    return {
        version: _accuracy(model, pairs_of_facts(test, delexicalized=version == "delexicalized"))
        for version in ("lexicalized", "delexicalized")
    }


def _accuracy(model: CrossEncoder, pairs: Sequence[Pair]) -> float:
    found = model.predict(pairs)
    return sum(label == pair.label for label, pair in zip(found, pairs, strict=True)) / len(pairs)
