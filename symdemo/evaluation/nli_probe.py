"""The probe of Table 2 that needs no teaching: an NLI cross-encoder, by its own three labels.

It reads premise and hypothesis together and was trained on NLI alone. Its answer "neutral" is
wrong for each of the 14 relations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from symdemo.data.relations import pairs_of_facts, split_known_facts
from symdemo.errors import ModelError
from symdemo.evaluation.scores import score
from symdemo.pairs import LABELS, Pair

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

NLI_CROSS_ENCODER = "FacebookAI/roberta-large-mnli"
"""The paper's own choice of an NLI model."""


def load_cross_encoder(name: str = NLI_CROSS_ENCODER) -> CrossEncoder:
    """Load an NLI model by hub id or folder; safetensors only, no code of its own.

    Raises:
        ModelError: it is neither cached nor to be had, or its classes are not the three labels.
    """
    from sentence_transformers import CrossEncoder

    try:
        model = CrossEncoder(name, model_kwargs={"use_safetensors": True})
    except Exception as error:  # the hub's client raises many types; all end in one sentence
        raise ModelError(
            f"The NLI model {name} is neither cached nor to be had from the hub "
            f"({type(error).__name__})."
        ) from error
    classes = _classes(model)
    if sorted(classes) != sorted(LABELS):
        raise ModelError(f"{name} answers {', '.join(classes)}; expected: {', '.join(LABELS)}.")
    return model


def _classes(model: CrossEncoder) -> list[str]:
    """The label of each output, in the order of the outputs."""
    named = getattr(model.config, "id2label", None) or {}
    return [name.casefold() for _, name in sorted(named.items())]


def nli_verdicts(model: CrossEncoder, pairs: Sequence[Pair]) -> list[str]:
    """The label with the largest logit for each pair."""
    logits = model.predict([(p.premise, p.hypothesis) for p in pairs], show_progress_bar=False)
    return [_classes(model)[row] for row in logits.argmax(-1)]


def cross_encoder_accuracy(model: CrossEncoder) -> dict[str, float]:
    """Share of rightly answered held-out facts of the 14 relations, in both versions."""
    _, test = split_known_facts()
    versions = {
        version: pairs_of_facts(test, delexicalized=version == "delexicalized")
        for version in ("lexicalized", "delexicalized")
    }
    return {
        version: score(pairs, nli_verdicts(model, pairs)).accuracy
        for version, pairs in versions.items()
    }
