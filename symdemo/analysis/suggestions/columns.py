"""Input and output of suggestions: the columns of answered pairs, and a `Suggestion`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from symdemo.analysis.analysing import Analysis
from symdemo.analysis.running import ModelRun
from symdemo.classifier.prediction import NOT_JUDGED

LABEL_ERRORS = "label_errors"
NEAR_DUPLICATES = "near_duplicates"
WRONGLY_TAUGHT = "wrongly_taught_relations"
ERROR_GROUPS = "error_groups"
KINDS = (LABEL_ERRORS, NEAR_DUPLICATES, WRONGLY_TAUGHT, ERROR_GROUPS)


@dataclass(frozen=True, eq=False)
class Suggestion:
    """Rows worth a look, and the reason."""

    kind: str  # one of `KINDS`
    title: str  # the finding, in a plain sentence
    why: str  # the evidence, in plain sentences with figures
    rows: np.ndarray  # (m,) row numbers, the most suspicious first


@dataclass(frozen=True, eq=False)
class Answered:
    """n pairs and the answers of one model.

    Suggestions do without columns that are None or unknown in every row.
    """

    rows: pd.DataFrame  # n rows as `Analysis.of` returns them
    swaps: np.ndarray
    """(n,) bool, True where the hypothesis is the swap of the premise, so that the label depends on
    the relation alone."""
    probabilities: np.ndarray | None = None  # (n, L), rows summing to 1, or to 0 without a verdict
    label_names: Sequence[str] = ()  # the L labels of the model
    embeddings: np.ndarray | None = None  # (n, d) label embeddings, float16 or float32
    any_pair: bool = False  # True if the model judges other pairs, too

    @property
    def labelled(self) -> np.ndarray:
        """Numbers of the labelled rows."""
        return np.flatnonzero(self.rows.label.notna())

    @property
    def judged(self) -> np.ndarray:
        """(n,) bool: pairs of a kind that the model judges."""
        told = self.rows.verdict.ne(NOT_JUDGED).to_numpy(bool)
        return told if self.any_pair else told & self.swaps

    @property
    def wrong(self) -> np.ndarray:
        """(n,) bool: labelled rows whose verdict is not the label."""
        return self.rows.right.eq(False).to_numpy(bool)

    @classmethod
    def of_run(
        cls, analysis: Analysis, model: str, run: ModelRun | None, swaps: np.ndarray
    ) -> Answered:
        """Return the columns of a model of an analysis; `run` is None for another system."""
        rows = analysis.of(model)
        if run is None:
            return cls(rows, swaps, any_pair=True)
        shares, embeddings = map(np.nan_to_num, (run.probabilities, run.embeddings))
        return cls(rows, swaps, shares, run.labels, embeddings, run.any_pair)
