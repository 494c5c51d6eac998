"""`analyse`: from pairs and models to an `Analysis`, a table with a row per pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from symdemo.analysis.overview import Comparison, Overview, make_overview, mcnemar, word_answers
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.prediction import Predictions
from symdemo.errors import InputError
from symdemo.jobs.reporting import SILENT, Reporter
from symdemo.pairs import Pair, is_right
from symdemo.swapping.changes import changes_of, is_swap
from symdemo.text import shorten

TEXT_COLUMNS = ("premise", "hypothesis", "label", "relation", "head", "tail")
PAIR_COLUMNS = (*TEXT_COLUMNS, "construction", "words")
MODEL_COLUMNS = (
    "verdict", "probability", "right", "distance", "familiar",
    "nearest_premise", "nearest_hypothesis", "nearest_relation", "nearest_label", "exchanged",
)  # fmt: skip

Answers = Predictions | Sequence[str | None]
"""Predictions of a model, or labels alone from a system that gives nothing else."""


GROUP = "by "  # prefix of a column to group by


def column(model: str, name: str) -> str:
    """Return the name of a model's column in the table of all models."""
    return f"{model}: {name}"


@dataclass(frozen=True, eq=False)
class Analysis:
    """Answers of models on n pairs.

    Methods raise `InputError` for a model that is not in the analysis.

    Attributes:
        rows: A row per pair: premise, hypothesis, label, relation, head, tail, construction (None
            where unknown), words (length of the premise), “by COLUMN” for each column to group
            by, and for each model “NAME: verdict”, its probability, right (None without a label),
            distance (cosine, in [0, 2], to the nearest taught pair), familiar (None where the model
            cannot tell), nearest_premise, nearest_hypothesis, nearest_relation, nearest_label, and
            exchanged (the verdict with premise and hypothesis exchanged; None if not predicted).
        models: Their names, in order.
        taught: Name → pairs the model was taught; none for a system that gave labels alone.
        word_answers: Name → n answers of the words baseline for that model; `overview` fits those
            that are missing to what the model was taught, in seconds.
        changes: What each hypothesis changes, see `find_changes`; None if that is not known.
    """

    rows: pd.DataFrame
    models: tuple[str, ...]
    taught: Mapping[str, Sequence[Pair]]
    word_answers: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    changes: Sequence[str] | None = None

    def of(self, model: str) -> pd.DataFrame:
        """Return the rows with the columns of one model, under their plain names."""
        if model not in self.models:
            raise InputError(
                f"The model “{shorten(model)}” is not in the analysis; expected one of: "
                f"{', '.join(self.models)}."
            )
        names = {column(model, name): name for name in MODEL_COLUMNS}
        return self.rows[[*PAIR_COLUMNS, *self.groups, *names]].rename(columns=names)

    @property
    def groups(self) -> list[str]:
        """The columns “by COLUMN”."""
        known = {column(model, name) for model in self.models for name in MODEL_COLUMNS}
        return [name for name in self.rows.columns if name not in known.union(PAIR_COLUMNS)]

    def overview(self, model: str, words: bool = False) -> Overview:
        """Return the scores of one model over the labelled rows, beside baselines.

        `words` includes the words baseline, if the model was taught anything.
        """
        rows = self.of(model)
        answers = self.word_answers.get(model) if words else None
        if words and answers is None and self.taught[model]:
            answers = word_answers(self.taught[model], list(rows.premise))
        said = None if answers is None else pd.Series(list(answers), rows.index, dtype=object)
        return make_overview(model, rows, said, self.change_column, self.groups)

    @property
    def change_column(self) -> pd.Series | None:
        """`changes`, indexed like the rows."""
        if self.changes is None:
            return None
        return pd.Series(list(self.changes), self.rows.index, dtype=object)

    def compare(self, a: str, b: str) -> Comparison:
        """Compare two models: which pairs only one of them gets right."""
        known = self.rows.label.notna()
        rows = self.rows[known]
        right_a, right_b = (self.of(model).right[known].astype(bool) for model in (a, b))
        only_a, only_b = rows[right_a & ~right_b], rows[right_b & ~right_a]
        both, neither = int((right_a & right_b).sum()), int((~right_a & ~right_b).sum())
        p_value = mcnemar(len(only_a), len(only_b))
        return Comparison(a, b, both, neither, only_a, only_b, p_value)

    def most_confident_errors(self, model: str, n: int = 10) -> pd.DataFrame:
        """Return at most n wrong rows of `of(model)`, the largest probability first."""
        rows = self.of(model)
        wrong = rows[rows.right.eq(False)]
        return wrong.sort_values("probability", ascending=False, kind="stable").head(n)

    def least_certain(self, model: str, n: int = 10) -> pd.DataFrame:
        """Return the n verdicts with the smallest probabilities, right or wrong, as `of` does."""
        return self.of(model).sort_values("probability", kind="stable").head(n)


def analyse(
    pairs: Sequence[Pair],
    models: Mapping[str, SymmetryClassifier] | Sequence[str],
    *,
    exchanged: bool = False,
    constructions: Sequence[str | None] | None = None,
    groups: Mapping[str, Sequence[str | None]] | None = None,
) -> Analysis:
    """Predict pairs with one or several models and lay the answers out as a table.

    Args:
        pairs: n pairs, labelled or not.
        models: Name → model, or names, folders or hub ids of models to load.
        exchanged: Also predict every pair with premise and hypothesis exchanged; takes twice as
            long.
        constructions: n names to group by; None where unknown.
        groups: Name → n more values to group by, such as the genre of each pair.

    Raises:
        InputError: No pairs, no models, a name twice, an unreadable pair, or another number of
            constructions or values than of pairs.
        ModelError: A model cannot be loaded or was taught nothing.
    """
    pairs = list(pairs)
    if not isinstance(models, Mapping):
        names = [models] if isinstance(models, str) else list(models)
        if len(set(names)) < len(names):
            raise InputError(f"A model is named twice in {shorten(', '.join(names), 120)}.")
        models = {
            name: SymmetryClassifier.from_pretrained(name, inference_only=True) for name in names
        }
    turned = [pair.reversed() for pair in pairs] if exchanged else []
    return analyse_predictions(
        pairs,
        {name: model.predict(pairs) for name, model in models.items()} if pairs else {},
        {name: model.predict(turned) for name, model in models.items()} if turned else None,
        constructions=constructions,
        groups=groups,
    )


def analyse_predictions(
    pairs: Sequence[Pair],
    predictions: Mapping[str, Answers],
    exchanged: Mapping[str, Answers] | None = None,
    *,
    constructions: Sequence[str | None] | None = None,
    groups: Mapping[str, Sequence[str | None]] | None = None,
    changes: Sequence[str] | None = None,
) -> Analysis:
    """Lay out given predictions as a table.

    Args:
        pairs: n pairs, labelled or not.
        predictions: Name → predictions of that model on the pairs; or n labels, None for no
            verdict, of a system that gives neither probabilities nor neighbours.
        exchanged: Name → predictions with premise and hypothesis exchanged; models may be missing.
        constructions: As in `analyse`.
        groups: As in `analyse`.
        changes: As in `Analysis`.

    Raises:
        InputError: No pairs, no models, a verdict that is not text, or lengths that differ.
    """
    if not pairs:
        raise InputError("There are no pairs; expected at least one.")
    if not predictions:
        raise InputError("There are no models; expected at least one.")
    turned = exchanged or {}
    for name, answers in (*predictions.items(), *turned.items()):
        if len(answers) != len(pairs):
            raise InputError(f"There are {len(answers)} verdicts of {name} for {len(pairs)} pairs.")
        for answer in () if isinstance(answers, Predictions) else answers:
            if answer is not None and not isinstance(answer, str):
                raise InputError(
                    f"A verdict of {name} is {type(answer).__name__}; expected a label, or None "
                    "for no verdict."
                )
    rows = pair_rows(pairs, constructions, groups or {})
    frames, taught = {}, {}
    for name, own in predictions.items():
        frames[name] = model_rows(list(rows.label), own, turned.get(name))
        taught[name] = own.taught.pairs if isinstance(own, Predictions) else ()
    return Analysis(joined(rows, frames), tuple(predictions), taught, changes=changes)


def joined(rows: pd.DataFrame, frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the columns of pairs followed by those of each model, prefixed with its name."""
    parts = [frame.add_prefix(column(name, "")) for name, frame in frames.items()]
    return pd.concat([rows, *parts], axis=1)


def pair_rows(
    pairs: Sequence[Pair],
    constructions: Sequence[str | None] | None,
    groups: Mapping[str, Sequence[str | None]],
) -> pd.DataFrame:
    """Return the columns `PAIR_COLUMNS` of n pairs and those to group by, None if unknown."""
    if constructions is None:
        constructions = [None] * len(pairs)
    if len(constructions) != len(pairs):
        raise InputError(f"There are {len(constructions)} constructions for {len(pairs)} pairs.")
    texts = {name: [_whole(getattr(pair, name)) for pair in pairs] for name in TEXT_COLUMNS}
    frame = pd.DataFrame(texts | {"construction": list(constructions)}, dtype=object)
    frame["words"] = [len(pair.premise.split()) for pair in pairs]
    for name, values in groups.items():
        if len(values) != len(pairs):
            raise InputError(f"There are {len(values)} values of {name} for {len(pairs)} pairs.")
        frame[f"{GROUP}{name}"] = pd.Series(list(values), dtype=object)
    return frame


def _whole(text: str | None) -> str | None:
    """Return a text with ? for each lone surrogate, which pandas cannot store."""
    return text.encode("utf-8", "replace").decode("utf-8") if text else None


def model_rows(
    labels: Sequence[str | None], predictions: Answers, exchanged: Answers | None
) -> pd.DataFrame:
    """Return the columns `MODEL_COLUMNS` of one model over n pairs with these labels.

    `right` is None without a label, and False without a verdict or for a pair that is not judged.
    Cells without a value are NaN in `probability` and `distance`, else None.
    """
    verdicts = _verdicts(predictions)
    n = len(verdicts)
    cells: dict[str, Sequence | np.ndarray] = {
        "verdict": verdicts,
        "right": [
            None if label is None else is_right(label, verdict)
            for label, verdict in zip(labels, verdicts, strict=True)
        ],
        "exchanged": [None] * n if exchanged is None else _verdicts(exchanged),
    }
    if isinstance(predictions, Predictions):
        chosen, nearest = predictions.verdicts, predictions.rows[:, 0]
        probability = predictions.probabilities[np.arange(n), chosen]
        cells["probability"] = np.where(chosen >= 0, probability, np.nan)
        distance = predictions.distances[:, 0].astype(np.float64)
        cells["distance"] = np.where(nearest >= 0, distance, np.nan)
        taught = [predictions.taught.pairs[row] if row >= 0 else None for row in nearest]
        for name in ("premise", "hypothesis", "relation", "label"):
            cells[f"nearest_{name}"] = [pair and _whole(getattr(pair, name)) for pair in taught]
        if predictions.familiar is not None:
            cells["familiar"] = predictions.familiar.tolist()
    return plain_cells(pd.DataFrame(cells, dtype=object).reindex(columns=list(MODEL_COLUMNS)))


def plain_cells(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of a model in plain Python values, None for an empty cell, and NaN in figures."""
    plain = rows.astype(object).where(rows.notna(), None)
    return plain.astype({"probability": float, "distance": float})


def _verdicts(answers: Answers) -> list[str | None]:
    if isinstance(answers, Predictions):
        return answers.verdict_labels
    return [_whole(verdict) for verdict in answers]


_STEP = 256  # pairs between two checks for a stop


def find_changes(pairs: Sequence[Pair], reports: Reporter = SILENT) -> tuple[str, ...]:
    """Return what each hypothesis changes (0.3 ms for a swap, 10 ms for a pair to be parsed)."""
    found: list[str] = []
    for start in range(0, len(pairs), _STEP):
        reports.check()
        found += changes_of(pairs[start : start + _STEP])
        reports.progress(len(found), len(pairs))
    return tuple(found)


def find_swaps(pairs: Sequence[Pair], reports: Reporter = SILENT) -> np.ndarray:
    """Return (n,) bool: True where the hypothesis is the swap of the premise; never parses."""
    found = np.zeros(len(pairs), bool)
    for n, pair in enumerate(pairs):
        if n % _STEP == 0:
            reports.check()
        found[n] = is_swap(pair)
    return found
