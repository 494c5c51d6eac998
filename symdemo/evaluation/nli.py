"""NLI: data to train on and test on, and the verdicts of others' cross-encoders (Table 2).

A k-NN probe of an untouched encoder on NLI is at chance, so a drop would mean nothing. As in the
paper, an encoder first learns NLI with the same objective, and is measured before and after it is
retrained on relations. The cross-encoder needs no training: it reads premise and hypothesis
together and answers with its own labels, of which "neutral" is wrong for all 14 relations.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from symdemo.data.columns import label_of_word
from symdemo.data.hub import read_hub_pairs
from symdemo.errors import InputError, ModelError
from symdemo.files.paths import measuring_data
from symdemo.pairs import ENTAILMENT, LABELS, NOT_ENTAILMENT, Pair, check_pair
from symdemo.text import one_line, shorten
from symdemo.training.config import TrainingConfig
from symdemo.training.triplets import read_nli

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

HUB_ID = "nyu-mll/multi_nli"
LOCAL = ("nli/snli_dev.jsonl", "nli/snli_test.jsonl")
"""Train and test files in the folder SYMDEMO_DATA."""

NLI_CROSS_ENCODER = "FacebookAI/roberta-large-mnli"
"""The NLI model of the paper."""

_TWO_CLASSES = (ENTAILMENT, NOT_ENTAILMENT)
_CHUNK = 256
"""Pairs between two reports of progress."""

CONFIG = TrainingConfig(
    learning_rate=3e-4,
    batch_size=32,
    epochs=1,
    min_steps=0,
    retention=0.0,
    recombine=0.0,
    precision="bf16",
)
"""One pass over about 8,000 pairs takes all-MiniLM-L6-v2 to about 57% accuracy by k-NN."""


@dataclass(frozen=True, slots=True)
class NliData:
    """Labelled pairs to train on and to test on, and their source."""

    train: tuple[Pair, ...]
    test: tuple[Pair, ...]
    source: str


def load_nli(n_train: int, n_test: int) -> NliData:
    """Load NLI data from local files, else from the hub; at most these many pairs.

    Raises:
        InputError: neither is available.
    """
    here = [path for path in map(measuring_data, LOCAL) if path]
    if len(here) == len(LOCAL):
        train, test = (
            [pair for pair in read_nli(path) if pair.label in LABELS and _is_valid(pair)]
            for path in here
        )
        source = "SNLI (dev to learn, test to test)"
    else:
        train, test = _from_hub()
        source = f"{HUB_ID} (train to learn, validation to test)"
    rng = random.Random(0)
    return NliData(
        tuple(rng.sample(train, min(n_train, len(train)))),
        tuple(rng.sample(test, min(n_test, len(test)))),
        source,
    )


def _is_valid(pair: Pair) -> bool:
    """True unless `check_pair` refuses the pair, such as the few that repeat one sentence."""
    try:
        check_pair(pair)
    except InputError:
        return False
    return True


def _from_hub() -> Iterator[list[Pair]]:
    try:
        for part in ("train", "validation"):
            yield list(filter(_is_valid, read_hub_pairs(HUB_ID, part).pairs))
    except InputError as error:
        raise InputError(
            f"There is no NLI data: no {LOCAL[0]} in the folder SYMDEMO_DATA. {error}"
        ) from error


def load_cross_encoder(name: str = NLI_CROSS_ENCODER, device: str | None = None) -> CrossEncoder:
    """Load an NLI or zero-shot classifier of `transformers` by hub id or folder.

    It is read from safetensors, and code of its own is not run.

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
    if sorted(_classes(model)) not in (sorted(LABELS), sorted(_TWO_CLASSES)):
        named = getattr(model.config, "id2label", None) or {}
        seen = shorten(one_line(", ".join(map(str, named.values()))), 80) or "no named classes"
        raise ModelError(
            f"{shown} answers {seen}; expected: {', '.join(LABELS)}, or {', '.join(_TWO_CLASSES)}, "
            "as id2label in its config.json."
        )
    return model


def _classes(model: CrossEncoder) -> list[str]:
    """Return the label of each output."""
    named = getattr(model.config, "id2label", None) or {}
    return [label_of_word(str(name)) for _, name in sorted(named.items())]


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
