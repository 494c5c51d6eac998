"""Three-label NLI: data to train on and test on, and a cross-encoder's verdicts (Table 2).

A k-NN probe of an untouched encoder on NLI is at chance, so a drop would mean nothing. As in the
paper, an encoder first learns NLI with the same objective, and is measured before and after it is
retrained on relations. The cross-encoder needs no training: it reads premise and hypothesis
together and answers with its own three labels, of which "neutral" is wrong for all 14 relations.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from symdemo.data.hub import read_hub_pairs
from symdemo.errors import InputError, ModelError
from symdemo.files.paths import measuring_data
from symdemo.pairs import LABELS, Pair, check_pair
from symdemo.training.config import TrainingConfig
from symdemo.training.triplets import read_nli

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

HUB_ID = "nyu-mll/multi_nli"
LOCAL = ("nli/snli_dev.jsonl", "nli/snli_test.jsonl")
"""Train and test files in the folder SYMDEMO_DATA."""

NLI_CROSS_ENCODER = "FacebookAI/roberta-large-mnli"
"""The NLI model of the paper."""

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
        train, test = map(_read, here)
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


def _read(path: Path) -> list[Pair]:
    return [pair for pair in read_nli(path) if pair.label in LABELS and _is_valid(pair)]


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


def load_cross_encoder(name: str = NLI_CROSS_ENCODER) -> CrossEncoder:
    """Load an NLI model by hub id or folder, from safetensors and without code of its own.

    Raises:
        ModelError: it is neither cached nor on the hub, or its classes are not the three labels.
    """
    from sentence_transformers import CrossEncoder

    try:
        model = CrossEncoder(name, model_kwargs={"use_safetensors": True})
    except Exception as error:  # the hub's client raises many types
        raise ModelError(
            f"The NLI model {name} is neither cached nor available from the hub "
            f"({type(error).__name__})."
        ) from error
    classes = _classes(model)
    if sorted(classes) != sorted(LABELS):
        raise ModelError(f"{name} answers {', '.join(classes)}; expected: {', '.join(LABELS)}.")
    return model


def _classes(model: CrossEncoder) -> list[str]:
    """Return the label of each output."""
    named = getattr(model.config, "id2label", None) or {}
    return [name.casefold() for _, name in sorted(named.items())]


def nli_verdicts(model: CrossEncoder, pairs: Sequence[Pair]) -> list[str]:
    """Return the label with the largest logit for each pair."""
    logits = model.predict([(p.premise, p.hypothesis) for p in pairs], show_progress_bar=False)
    return [_classes(model)[row] for row in logits.argmax(-1)]
