"""The verdicts of others' NLI cross-encoders (Table 2).

A cross-encoder needs no training: it reads premise and hypothesis together and answers with its own
labels, of which "neutral" is wrong for all 14 relations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from symdemo.data.columns import label_of_word
from symdemo.errors import ModelError
from symdemo.pairs import ENTAILMENT, LABELS, NOT_ENTAILMENT, Pair
from symdemo.text import one_line, shorten

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

NLI_CROSS_ENCODER = "FacebookAI/roberta-large-mnli"
"""The NLI model of the paper."""

_TWO_CLASSES = (ENTAILMENT, NOT_ENTAILMENT)
_CHUNK = 256
"""Pairs between two reports of progress."""


def load_cross_encoder(
    name: str = NLI_CROSS_ENCODER,
    device: str | None = None,
    label_names: Mapping[str, str] | None = None,
) -> CrossEncoder:
    """Load an NLI or zero-shot classifier of `transformers` by hub id or folder.

    It is read from safetensors, and code of its own is not run. Its classes get the names that
    `label_names` or their usual words mean.

    Raises:
        ModelError: it cannot be loaded, or its classes are not those of NLI.
    """
    from sentence_transformers import CrossEncoder

    from symdemo.encoders import quiet_transformers

    shown = shorten(one_line(name), 80)
    try:
        with quiet_transformers():
            model = CrossEncoder(name, device=device, model_kwargs={"use_safetensors": True})
    except Exception as error:  # the hub's client raises many types
        said = shorten(one_line(str(error)), 160)
        raise ModelError(
            f"The NLI model {shown} is neither cached nor available from the hub, nor a folder "
            f"with config.json and model.safetensors ({type(error).__name__}: {said})."
        ) from error
    classes = _classes(model, label_names)
    if sorted(classes) not in (sorted(LABELS), sorted(_TWO_CLASSES)):
        named = getattr(model.config, "id2label", None) or {}
        seen = shorten(one_line(", ".join(map(str, named.values()))), 80) or "no named classes"
        raise ModelError(
            f"{shown} answers {seen}; expected: {', '.join(LABELS)}, or {', '.join(_TWO_CLASSES)}, "
            "as id2label in its config.json. On the command line --labels LABEL_0=entailment,… "
            "says what they mean."
        )
    model.config.id2label = dict(enumerate(classes))
    return model


def _classes(model: CrossEncoder, label_names: Mapping[str, str] | None = None) -> list[str]:
    """Return the label of each output."""
    named = getattr(model.config, "id2label", None) or {}
    return [label_of_word(str(name), label_names) for _, name in sorted(named.items())]


def nli_verdicts(
    model: CrossEncoder,
    pairs: Sequence[Pair],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[str]:
    """Return the label with the largest logit for each pair, and report how many are done."""
    classes, found = _classes(model), []
    for start in range(0, len(pairs), _CHUNK):
        texts = [(p.premise, p.hypothesis) for p in pairs[start : start + _CHUNK]]
        logits = model.predict(texts, show_progress_bar=False)
        found += [classes[row] for row in logits.argmax(-1)]
        progress(len(found), len(pairs))
    return found


def comparable(pairs: Sequence[Pair], verdicts: Iterable[Sequence[str | None]]) -> tuple[Pair, ...]:
    """Return pairs with labels that all systems can give.

    If one of them says “not_entailment”, so do the labels: else it would be wrong wherever a label
    is contradiction or neutral, which it does not tell apart.

    Args:
        pairs: n pairs.
        verdicts: of each system, n labels.
    """
    if not any(NOT_ENTAILMENT in own for own in verdicts):
        return tuple(pairs)
    return tuple(
        replace(pair, label=NOT_ENTAILMENT) if pair.label in LABELS[1:] else pair for pair in pairs
    )
