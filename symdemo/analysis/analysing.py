"""`analyse`: pairs and models in, an `Analysis` out, of which everything else is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
import pandas as pd

from symdemo.analysis import baselines
from symdemo.analysis.comparison import Comparison, make_comparison
from symdemo.analysis.overview import Overview, make_overview
from symdemo.analysis.rows import (
    MODEL_COLUMNS,
    PAIR_COLUMNS,
    Answers,
    column,
    model_rows,
    pair_rows,
)
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.prediction import Predictions
from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.text import shorten

_LEARNING = Lock()
"""One words rule is learnt at a time, so that nobody learns the same one twice."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """What models answered on n pairs.

    Attributes:
        rows: one row a pair: premise, hypothesis, label, relation, head, tail, construction (None
            where not known), words (of the premise), and for each model “NAME: verdict”, its
            probability, right (None without a label), distance (cosine, in [0, 2], to the nearest
            taught pair), familiar (None where it cannot tell), nearest_premise,
            nearest_hypothesis, nearest_relation, nearest_label, and exchanged (the verdict with
            premise and hypothesis in each other's place; None where that was not asked).
        models: their names, in order.
        taught: name → what that model was taught; nothing of a system that gave verdicts alone.
        word_answers: name → n answers of a rule over words to set beside that model, where they
            are there already; `words_rule` learns the others.
    """

    rows: pd.DataFrame
    models: tuple[str, ...]
    taught: Mapping[str, Sequence[Pair]]
    word_answers: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    _learnt: dict[str, list[str]] = field(default_factory=dict, init=False, repr=False)

    def of(self, model: str) -> pd.DataFrame:
        """The rows with the columns of one model, under their plain names.

        Raises:
            InputError: a model that was not asked.
        """
        self.check_asked(model)
        names = {column(model, name): name for name in MODEL_COLUMNS}
        return self.rows[[*PAIR_COLUMNS, *names]].rename(columns=names)

    def check_asked(self, model: str) -> None:
        """Raise `InputError` if that model was not asked."""
        if model not in self.models:
            raise InputError(
                f"The model “{shorten(model)}” was not asked; asked were: {', '.join(self.models)}."
            )

    def overview(self, model: str, words: bool = False) -> Overview:
        """The figures of one model over the labelled rows, beside those of simple rules.

        Args:
            model: its name.
            words: also set the rule over words beside it, as `words_rule` has it.

        Raises:
            InputError: a model that was not asked.
        """
        rows = self.of(model)
        answers = self.words_rule(model) if words else None
        return make_overview(
            model, rows, None if answers is None else pd.Series(answers, rows.index, dtype=object)
        )

    def words_rule(self, model: str) -> Sequence[str | None] | None:
        """What a rule over words answers on all n rows, where that can be known.

        It learns from what the model was taught, which takes seconds the first time, and is then
        remembered.

        Returns:
            n labels; None where the model was taught nothing and no answers were given.

        Raises:
            InputError: a model that was not asked.
        """
        self.check_asked(model)
        if model in self.word_answers:
            return self.word_answers[model]
        if not self.taught[model]:
            return None
        with _LEARNING:
            if model not in self._learnt:
                self._learnt[model] = baselines.word_answers(
                    self.taught[model], list(self.rows.premise)
                )
            return self._learnt[model]

    def compare(self, a: str, b: str) -> Comparison:
        """What each of two models gets right that the other does not.

        Raises:
            InputError: a model that was not asked.
        """
        known = self.rows.label.notna()
        right_a, right_b = (self.of(model).right[known].astype(bool) for model in (a, b))
        return make_comparison(self.rows[known], a, b, right_a, right_b)

    def most_confident_errors(self, model: str, n: int = 10) -> pd.DataFrame:
        """At most n rows as `of` gives them: wrong verdicts, the largest probability first.

        Raises:
            InputError: a model that was not asked, or n below 0.
        """
        rows = self.of(model)
        wrong = rows[np.array([right is False for right in rows.right], bool)]
        return _first(wrong.sort_values("probability", ascending=False, kind="stable"), n)

    def least_certain(self, model: str, n: int = 10) -> pd.DataFrame:
        """At most n rows as `of` gives them, right or wrong, the smallest probability first.

        Raises:
            InputError: a model that was not asked, or n below 0.
        """
        return _first(self.of(model).sort_values("probability", kind="stable"), n)


def _first(rows: pd.DataFrame, n: int) -> pd.DataFrame:
    if n < 0:
        raise InputError(f"{n} rows were asked for; 0 or more are expected.")
    return rows.head(n)


def analyse(
    pairs: Sequence[Pair],
    models: Mapping[str, SymmetryClassifier] | Sequence[str],
    *,
    exchanged: bool = False,
    constructions: Sequence[str | None] | None = None,
) -> Analysis:
    """Ask models for their verdicts on pairs, and lay out what there is to see.

    Args:
        pairs: n pairs, labelled or not.
        models: name → model, or the names, folders or hub ids of models to load.
        exchanged: ask every pair also with premise and hypothesis in each other's place, which
            takes as long again.
        constructions: n names of the kind of sentence, for groups of their own; None if unknown.

    Raises:
        InputError: no pairs, no models, a name twice, a pair that cannot be read, or another
            number of constructions than of pairs.
        ModelError: a model that cannot be loaded, or was taught nothing.
    """
    pairs = list(pairs)
    if not isinstance(models, Mapping):
        names = [models] if isinstance(models, str) else list(models)
        if len(set(names)) < len(names):
            raise InputError(f"A model is named twice; seen: {shorten(', '.join(names), 120)}.")
        models = {
            name: SymmetryClassifier.from_pretrained(name, inference_only=True) for name in names
        }
    turned = [pair.reversed() for pair in pairs] if exchanged else []
    return analyse_predictions(
        pairs,
        {name: model.predict(pairs) for name, model in models.items()} if pairs else {},
        {name: model.predict(turned) for name, model in models.items()} if turned else None,
        constructions=constructions,
    )


def analyse_predictions(
    pairs: Sequence[Pair],
    predictions: Mapping[str, Answers],
    exchanged: Mapping[str, Answers] | None = None,
    *,
    constructions: Sequence[str | None] | None = None,
    word_answers: Mapping[str, Sequence[str | None]] | None = None,
) -> Analysis:
    """The same from verdicts that are already there.

    Args:
        pairs: n pairs, labelled or not.
        predictions: name → verdicts of that model on these pairs; or n labels alone, None for no
            verdict, of a system that gives neither probabilities nor neighbours.
        exchanged: name → verdicts of that model on the pairs with premise and hypothesis in each
            other's place; a model may be missing.
        constructions: as in `analyse`.
        word_answers: name → n answers of a rule over words, where they are known already.

    Raises:
        InputError: no pairs, no models, verdicts that are no text, or numbers that do not fit
            together.
    """
    if not pairs:
        raise InputError("There are no pairs; at least one is expected.")
    if not predictions:
        raise InputError("There are no models; at least one is expected.")
    turned, known = exchanged or {}, word_answers or {}
    for answers in (predictions, turned, known):
        for name, own in answers.items():
            _check_answers(name, own, len(pairs))
    rows = pair_rows(pairs, constructions)
    parts = [rows]
    for name, own in predictions.items():
        frame = model_rows(list(rows.label), own, turned.get(name))
        parts.append(frame.rename(columns={key: column(name, key) for key in MODEL_COLUMNS}))
    taught = {
        name: own.taught.pairs if isinstance(own, Predictions) else ()
        for name, own in predictions.items()
    }
    return Analysis(pd.concat(parts, axis=1), tuple(predictions), taught, known)


def _check_answers(name: str, answers: Answers, n: int) -> None:
    """Raise `InputError` unless these are n verdicts, each a label or None."""
    if len(answers) != n:
        raise InputError(
            f"{len(answers)} verdicts of {name} and {n} pairs were given; as many of both are "
            "expected."
        )
    if isinstance(answers, Predictions):
        return
    for answer in answers:
        if answer is not None and not isinstance(answer, str):
            raise InputError(
                f"A verdict of {name} is {type(answer).__name__}; a label, or None for no verdict, "
                "is expected."
            )
