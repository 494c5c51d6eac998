"""An analysis out of runs that are kept, and of the columns of other systems."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import pandas as pd

from symdemo.analysis.analysing import Analysis
from symdemo.analysis.loading import LoadedPairs
from symdemo.analysis.rows import column, model_rows, pair_rows
from symdemo.analysis.running import ModelRun
from symdemo.analysis.suggestions.answered import Answered
from symdemo.classifier import SymmetryClassifier
from symdemo.errors import InputError

NEIGHBOURS = 5


def assemble(data: LoadedPairs, runs: Mapping[str, ModelRun]) -> Analysis:
    """All rows, with what each model answered, and what other systems did.

    Args:
        data: the n pairs.
        runs: name → what that model answered on them.

    Raises:
        InputError: there is neither a model nor another system.
    """
    if not runs and not data.systems:
        raise InputError("No model has answered, and no other system did.")
    rows = pair_rows(data.pairs, data.constructions)
    frames = {name: run.rows for name, run in runs.items()}
    frames |= {name: model_rows(list(rows.label), own, None) for name, own in data.systems.items()}
    parts = [
        frame.reset_index(drop=True).set_axis([column(name, str(cells)) for cells in frame], axis=1)
        for name, frame in frames.items()
    ]
    answers = {name: list(run.word_answers) for name, run in runs.items() if run.word_answers}
    whole = pd.concat([rows, *parts], axis=1)
    return Analysis(whole, tuple(frames), dict.fromkeys(frames, ()), answers)


def answered(analysis: Analysis, model: str, run: ModelRun | None) -> Answered:
    """The columns of one model that suggestions are made from.

    Args:
        analysis: of n pairs.
        model: its name there.
        run: what it answered; None for another system, of which only its labels are known.
    """
    rows = analysis.of(model)
    if run is None:
        return Answered.of_rows(rows)
    return Answered.of_rows(
        rows,
        probabilities=np.nan_to_num(run.probabilities),
        label_names=run.labels,
        embeddings=np.nan_to_num(run.embeddings),
        taught_relations=run.taught_relations,
    )


def neighbours_json(
    classifier: SymmetryClassifier, run: ModelRun, rows: np.ndarray, k: int = NEIGHBOURS
) -> list[str | None]:
    """The nearest taught pairs of some rows, nearest first, each row's as one JSON text.

    Args:
        classifier: the model of the run.
        run: what it answered on n pairs; its label embeddings are of half precision, so that of two
            pairs that are all but equally near either may come first.
        rows: (m,) numbers of rows.
        k: pairs for each row.

    Returns:
        m lists of premise, hypothesis, relation, label and distance (cosine, in [0, 2]) as JSON;
        None for a pair that the model cannot read.
    """
    found: list[str | None] = [None] * len(rows)
    vectors = run.embeddings[rows].astype(np.float32)
    read = np.flatnonzero(~np.isnan(vectors[:, 0]))
    if not len(read):
        return found
    places, distances = classifier.index.search_rows(vectors[read], k)
    for at, own, far in zip(read.tolist(), places, distances, strict=True):
        near = classifier.index.neighbours(own, far)
        found[at] = json.dumps([one.to_json() for one in near], ensure_ascii=False)
    return found
