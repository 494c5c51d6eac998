"""Input and output of suggestions: the columns of answered pairs, and a `Suggestion`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from symdemo.analysis.analysing import Analysis
from symdemo.analysis.running import ModelRun
from symdemo.classifier.prediction import Predictions
from symdemo.errors import InputError

LABEL_ERRORS = "label_errors"
NEAR_DUPLICATES = "near_duplicates"
WRONGLY_TAUGHT = "wrongly_taught_relations"
ERROR_GROUPS = "error_groups"
UNSEEN = "unseen_relations"
KINDS = (LABEL_ERRORS, NEAR_DUPLICATES, WRONGLY_TAUGHT, ERROR_GROUPS, UNSEEN)

Texts = Sequence[str | None]


@dataclass(frozen=True, eq=False)
class Suggestion:
    """Rows worth a look, and the reason.

    Attributes:
        kind: One of `KINDS`.
        title: The finding, in a plain sentence.
        why: The evidence, in plain sentences with figures.
        rows: (m,) row numbers, the most suspicious first.
        scores: (m,) suspicion in [0, 1]; None where there is no such figure.
        groups: (m,) group number of each row, from 0 and rising; None if the rows form no groups.
    """

    kind: str
    title: str
    why: str
    rows: np.ndarray
    scores: np.ndarray | None = None
    groups: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Answered:
    """n pairs and the answers of one model, as columns.

    A column that is None, as a whole or in every cell, is unknown: what needs it is not suggested.

    Attributes:
        premises: n sentences.
        hypotheses: n sentences.
        labels: n labels, None for an unlabelled pair.
        relations: n names or ids.
        heads: n subjects as they occur in the premise.
        tails: n objects as they occur in the premise.
        constructions: n names.
        verdicts: n labels given by the model; None for no verdict.
        right: True if the verdict is the label; None for an unlabelled pair.
        probabilities: (n, L), rows summing to 1, or to 0 without a verdict.
        label_names: The L labels of the model.
        embeddings: (n, d) label embeddings, float16 or float32.
        familiar: True if the model was taught something near; None where it cannot tell.
        taught_relations: Names or ids of the relations the model was taught.

    Raises:
        InputError: Columns differ in length, or the probabilities have another shape.
    """

    premises: Sequence[str]
    hypotheses: Sequence[str]
    labels: Texts
    relations: Texts | None = None
    heads: Texts | None = None
    tails: Texts | None = None
    constructions: Texts | None = None
    verdicts: Texts | None = None
    right: Sequence[bool | None] | None = None
    probabilities: np.ndarray | None = None
    label_names: Sequence[str] = ()
    embeddings: np.ndarray | None = None
    familiar: Sequence[bool | None] | None = None
    taught_relations: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            cells = getattr(self, field.name)
            if field.name in {"label_names", "taught_relations"} or cells is None:
                continue
            if len(cells) != len(self.premises):
                raise InputError(
                    f"There are {len(cells)} {field.name} for {len(self.premises)} premises."
                )
        shares = self.probabilities
        if shares is not None and shares.shape[1:] != (len(self.label_names),):
            raise InputError(
                f"The probabilities have the shape {shares.shape}; expected one column for each of "
                f"{len(self.label_names)} labels."
            )

    def __len__(self) -> int:
        return len(self.premises)

    def column(self, name: str) -> Texts:
        """Return a column of texts; n times None if it is unknown."""
        found: Texts | None = getattr(self, name)
        return [None] * len(self) if found is None else found

    @property
    def labelled(self) -> np.ndarray:
        """Numbers of the labelled rows."""
        return np.array([n for n, label in enumerate(self.labels) if label is not None], int)

    @property
    def wrong(self) -> np.ndarray:
        """(n,) bool: labelled rows whose verdict is not the label."""
        if self.right is None:
            return np.zeros(len(self), bool)
        return np.array([known is not None and not known for known in self.right], bool)

    @property
    def confidence(self) -> np.ndarray:
        """(n,) probability of each verdict; 0 where unknown."""
        if self.probabilities is None or not self.probabilities.shape[1]:
            return np.zeros(len(self))
        return np.asarray(self.probabilities, np.float64).max(axis=1)

    @classmethod
    def of(cls, analysis: Analysis, model: str, predictions: Predictions) -> Answered:
        """Return the columns of a model of an analysis, with its predictions on the n pairs.

        Raises:
            InputError: The analysis has no such model, or the predictions are not n.
        """
        taught = (pair.relation for pair in analysis.taught[model])
        return cls.of_rows(
            analysis.of(model),
            probabilities=predictions.probabilities,
            label_names=predictions.labels,
            embeddings=predictions.label_embeddings,
            taught_relations=frozenset(name for name in taught if name),
        )

    @classmethod
    def of_run(cls, analysis: Analysis, model: str, run: ModelRun | None) -> Answered:
        """Return the columns of a model of an analysis; `run` is None for another system."""
        rows = analysis.of(model)
        if run is None:
            return cls.of_rows(rows)
        return cls.of_rows(
            rows,
            probabilities=np.nan_to_num(run.probabilities),
            label_names=run.labels,
            embeddings=np.nan_to_num(run.embeddings),
            taught_relations=run.taught_relations,
        )

    @classmethod
    def of_rows(cls, rows: pd.DataFrame, **known: Any) -> Answered:
        """Return the columns of a model's rows, as `Analysis.of` returns them, and others."""
        names = {
            "premises": "premise", "hypotheses": "hypothesis", "labels": "label",
            "relations": "relation", "heads": "head", "tails": "tail",
            "constructions": "construction", "verdicts": "verdict", "right": "right",
            "familiar": "familiar",
        }  # fmt: skip
        return cls(**{name: list(rows[column]) for name, column in names.items()}, **known)


def many(n: int, what: str, plural: str | None = None) -> str:
    """Return “1 pair”, “2,300 pairs”."""
    return f"{n:,} {what if n == 1 else plural or what + 's'}"
