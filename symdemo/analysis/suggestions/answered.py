"""`Answered`: the columns that suggestions are made from."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from symdemo.analysis.analysing import Analysis
from symdemo.classifier.prediction import Predictions
from symdemo.errors import InputError

Texts = Sequence[str | None]


@dataclass(frozen=True, eq=False)
class Answered:
    """n pairs and what one model answered, as columns.

    A column of None throughout, or one left out, means that nothing is known of it: what needs it
    is then not looked for.

    Attributes:
        premises: n sentences.
        hypotheses: n sentences.
        labels: n labels, None for a pair without one.
        relations: n names or ids; None where not known.
        heads: n subjects as they stand in the premise; None where not known.
        tails: n objects, likewise.
        constructions: n names of the kind of sentence; None where not known.
        verdicts: n labels that the model gave; None without a verdict.
        right: n times whether the verdict is the label; None without a label.
        probabilities: (n, L), rows summing to 1, or to 0 without a verdict.
        label_names: the L labels that the model can give.
        embeddings: (n, d) label embeddings, float16 or float32.
        familiar: n times whether the model was taught anything near; None where it cannot tell.
        taught_relations: names or ids of the relations that the model was taught.

    Raises:
        InputError: columns that are not equally long, or probabilities of another shape.
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
            column = getattr(self, field.name)
            if field.name in {"label_names", "taught_relations"} or column is None:
                continue
            if len(column) != len(self.premises):
                raise InputError(
                    f"{len(column)} {field.name} and {len(self.premises)} premises were given; as "
                    "many of both are expected."
                )
        shares = self.probabilities
        if shares is not None and shares.shape[1:] != (len(self.label_names),):
            raise InputError(
                f"The probabilities have the shape {shares.shape} and there are "
                f"{len(self.label_names)} label names; one column a label is expected."
            )

    def __len__(self) -> int:
        return len(self.premises)

    def column(self, name: str) -> Texts:
        """A column of texts; None throughout where it was left out."""
        found: Texts | None = getattr(self, name)
        return [None] * len(self) if found is None else found

    @property
    def labelled(self) -> np.ndarray:
        """The numbers of the rows with a label."""
        return np.array([n for n, label in enumerate(self.labels) if label is not None], int)

    @property
    def wrong(self) -> np.ndarray:
        """(n,) bool: rows with a label that the model did not give."""
        if self.right is None:
            return np.zeros(len(self), bool)
        return np.array([known is not None and not known for known in self.right], bool)

    @property
    def sureness(self) -> np.ndarray:
        """(n,) the probability of each verdict; 0 where it is not known."""
        if self.probabilities is None or not self.probabilities.shape[1]:
            return np.zeros(len(self))
        return np.asarray(self.probabilities, np.float64).max(axis=1)

    @classmethod
    def of(cls, analysis: Analysis, model: str, predictions: Predictions) -> Answered:
        """The columns of one model of an analysis.

        Args:
            analysis: of n pairs.
            model: its name there.
            predictions: what it answered on them, for probabilities and label embeddings.

        Raises:
            InputError: a model that was not asked, or another number of predictions.
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
    def of_rows(cls, rows: pd.DataFrame, **known: Any) -> Answered:
        """The columns of one model's rows, as `Analysis.of` gives them.

        Args:
            rows: n rows.
            known: what else is known of them, by the names of the attributes.
        """
        return cls(
            premises=list(rows.premise),
            hypotheses=list(rows.hypothesis),
            labels=list(rows.label),
            relations=list(rows.relation),
            heads=list(rows["head"]),
            tails=list(rows["tail"]),
            constructions=list(rows.construction),
            verdicts=list(rows.verdict),
            right=list(rows.right),
            familiar=list(rows.familiar),
            **known,
        )
