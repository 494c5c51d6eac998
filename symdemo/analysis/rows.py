"""One row a pair: what was asked, and what each model answered, from the columns it gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from symdemo.classifier.prediction import Predictions
from symdemo.errors import InputError
from symdemo.pairs import Pair

PAIR_COLUMNS = (
    "premise", "hypothesis", "label", "relation", "head", "tail", "construction", "words",
)  # fmt: skip
MODEL_COLUMNS = (
    "verdict", "probability", "right", "distance", "familiar",
    "nearest_premise", "nearest_hypothesis", "nearest_relation", "nearest_label", "exchanged",
)  # fmt: skip

Answers = Predictions | Sequence[str | None]
"""The verdicts of a model with their grounds; or labels alone, of a system that gives no more."""


def column(model: str, name: str) -> str:
    """What the column `name` of one model is called in the table of all models."""
    return f"{model}: {name}"


def pair_rows(pairs: Sequence[Pair], constructions: Sequence[str | None] | None) -> pd.DataFrame:
    """The columns `PAIR_COLUMNS` of n pairs; None where something is not known.

    `words` is the length of the premise in words.

    Raises:
        InputError: another number of constructions than of pairs.
    """
    if constructions is None:
        constructions = [None] * len(pairs)
    if len(constructions) != len(pairs):
        raise InputError(
            f"{len(constructions)} constructions and {len(pairs)} pairs were given; as many of "
            "both are expected."
        )
    texts = {
        name: [_whole(getattr(pair, name)) for pair in pairs]
        for name in ("premise", "hypothesis", "label", "relation", "head", "tail")
    }
    frame = pd.DataFrame(texts | {"construction": list(constructions)}, dtype=object)
    return frame.assign(words=[len(pair.premise.split()) for pair in pairs])


def _whole(text: str | None) -> str | None:
    """A text with ? for each half of a character, of which pandas can make no column."""
    return text.encode("utf-8", "replace").decode("utf-8") if text else None


def model_rows(
    labels: Sequence[str | None], predictions: Answers, exchanged: Answers | None
) -> pd.DataFrame:
    """The columns `MODEL_COLUMNS` of one model over n pairs.

    Args:
        labels: the true labels, None for a pair without one.
        predictions: of the model on these pairs, or its verdicts alone.
        exchanged: of the same model with premise and hypothesis in each other's place.

    Returns:
        A table in which `right` is None for a pair without a label, False where the model gave no
        verdict; `familiar` is None where the model cannot tell; `probability` and `distance` (a
        cosine distance in [0, 2]) are NaN where there is none.
    """
    verdicts = verdict_labels(predictions)
    texts: dict[str, Sequence] = {
        "verdict": verdicts,
        "right": [
            None if label is None else label == verdict
            for label, verdict in zip(labels, verdicts, strict=True)
        ],
        "exchanged": [None] * len(verdicts) if exchanged is None else verdict_labels(exchanged),
    }
    nothing = np.full(len(verdicts), np.nan)
    numbers = {"probability": nothing, "distance": nothing}
    if isinstance(predictions, Predictions):
        grounds, numbers = _grounds(predictions)
        texts |= grounds
    frame = pd.DataFrame(texts, dtype=object).reindex(columns=list(MODEL_COLUMNS))
    frame = frame.astype(object).where(frame.notna(), None)
    return frame.assign(**numbers)


def verdict_labels(answers: Answers) -> list[str | None]:
    """The label of each of n verdicts; None without one."""
    if isinstance(answers, Predictions):
        return answers.verdict_labels
    return [_whole(verdict) for verdict in answers]


def _grounds(predictions: Predictions) -> tuple[dict[str, Sequence], dict[str, np.ndarray]]:
    """What stands behind n verdicts, by name: columns of texts and flags, and of numbers."""
    chosen = predictions.verdicts
    shares = predictions.probabilities[np.arange(len(chosen)), chosen]
    rows, distances = predictions.rows[:, 0], predictions.distances[:, 0].astype(np.float64)
    taught = predictions.taught.pairs
    nearest = [taught[row] if row >= 0 else None for row in rows]
    familiar = predictions.familiar
    texts: dict[str, Sequence] = {
        f"nearest_{name}": [pair and _whole(getattr(pair, name)) for pair in nearest]
        for name in ("premise", "hypothesis", "relation", "label")
    }
    texts["familiar"] = [None] * len(chosen) if familiar is None else familiar.tolist()
    return texts, {
        "probability": np.where(chosen >= 0, shares, np.nan),
        "distance": np.where(rows >= 0, distances, np.nan),
    }
