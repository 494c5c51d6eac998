"""Learn which exchange of a sentence a person would make: `python -m experiments.recipes.swaps`.

`swaps.csv` has sentences of the kinds that visitors type, each with the swap that a person would
make and others that are as good; a sentence without any is best refused. Rows that are held out are
not learnt from. A *lesson* is a sentence with all its options, and which of them are right.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from sklearn.feature_extraction.text import CountVectorizer

from experiments.visitors import HERE, Sentence, read_rows, sentences
from symdemo.data.bank import shipped_bank
from symdemo.data.pair_files import load_pairs
from symdemo.errors import InputError
from symdemo.files.paths import ASSETS
from symdemo.swapping.lexicon import PRONOUNS, capitalise
from symdemo.swapping.ranking import WEIGHTS, Option, options
from symdemo.swapping.statements import statement_of

FILE = HERE / "swaps.csv"
TESTS = HERE.parent / "tests" / "swapping"
OF_BANK = 600
"""Number of sentences made of the relation bank; they weigh less, as all have the same style."""
RARE = 3
"""A feature of fewer options than this is left out before learning."""
PENALTY = 4.0
SMALL = 0.03
"""A feature whose weight is closer to 0 than this is left out after learning."""


def lessons() -> Iterator[tuple[Sentence, float]]:
    """Yield the sentences to learn from, each with its weight in the loss."""
    for path, halves, weight in (
        (FILE, ("development",), 1.5),
        (HERE / "natural_sentences.csv", ("dev",), 1.0),
        (HERE / "questions.csv", ("dev",), 1.0),
        (TESTS / "swap_sentences.csv", ("dev", "dev2"), 0.5),
        (TESTS / "exact_swaps.csv", ("",), 4.0),
    ):
        yield from ((one, weight) for one in sentences(read_rows(path, *halves)))
    for name in ("free_sentences.csv", "blind_sentences.csv"):
        for pair in load_pairs(ASSETS / name):
            yield Sentence(pair.premise, (pair.hypothesis,)), 1.0
    bank, rng = shipped_bank(), random.Random(5)
    relations = [
        replace(r, phrasings=tuple(rng.sample(r.phrasings, min(3, len(r.phrasings)))))
        for r in bank.relations
    ]
    pairs = bank.pairs(relations, seed=1, modified=0.25)
    for pair in rng.sample(pairs, OF_BANK):
        yield Sentence(pair.premise, (pair.hypothesis,)), 0.3


class Lesson(NamedTuple):
    """The options of a sentence, the indices of the right ones, and the weight of the sentence."""

    options: list[Option]
    right: list[int]
    weight: float


def read_lessons() -> list[Lesson]:
    """Return a lesson for each sentence that has a right option; leave out the others."""
    found = []
    for row, weight in lessons():
        try:
            text = statement_of(row.text)[0] if row.text.endswith("?") else row.text
        except InputError:
            continue
        # The statement made of a question does not begin with a capital yet.
        written = capitalise if text != row.text and row.text[:1].isupper() else str
        made = options(text)
        swaps = [option.swap() for option in made]
        right = [
            n
            for n, swap in enumerate(swaps)
            if (_is_right(row, written(swap.hypothesis)) if swap else row.refusable)
        ]
        if right:
            found.append(Lesson(made, right, weight))
    return found


def _is_right(row: Sentence, hypothesis: str) -> bool:
    """True if a swapped sentence is right, whatever its pronouns: the ranker chooses none."""
    return _without_pronouns(hypothesis) in map(_without_pronouns, row.right)


def _without_pronouns(text: str) -> str:
    words = re.findall(r"[\w'’-]+", text.lower().replace("’", "'"))
    return " ".join(str(_CASE.get(word, word)) for word in words)


_CASE = {form: n for row in PRONOUNS if row[0] in {"he", "she"} for n, form in enumerate(row)}
_CASE |= {"her": 1, "him": 1, "his": 1}  # "her" has two cases, so him and his count as the same


def fit(taught: Sequence[Lesson]) -> dict[str, float]:
    """Return the weight of each feature, by a conditional logit.

    With P the softmax of the scores over a lesson's options, minimise the sum over lessons of
    −weight · log P(right options), plus `PENALTY` / 2 · |w|².
    """
    words = CountVectorizer(analyzer=lambda option: option.features, min_df=RARE, dtype=float)
    counts = words.fit_transform([option for one in taught for option in one.options])
    sizes = [len(one.options) for one in taught]
    first = np.cumsum([0, *sizes[:-1]])
    lesson = np.repeat(np.arange(len(taught)), sizes)
    weight = np.array([one.weight for one in taught])
    is_right = np.zeros(len(lesson), dtype=bool)
    for start, one in zip(first, taught, strict=True):
        is_right[start + np.array(one.right)] = True

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = counts @ weights
        of_right = np.where(is_right, scores, -np.inf)
        total, right = (np.logaddexp.reduceat(own, first) for own in (scores, of_right))
        change = np.exp(scores - total[lesson]) - np.exp(of_right - right[lesson])
        value = weight @ (total - right) + PENALTY / 2 * weights @ weights
        return value, counts.T @ (weight[lesson] * change) + PENALTY * weights

    names = words.get_feature_names_out()
    start, limit = np.zeros(len(names)), {"maxiter": 60}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options=limit).x.tolist()
    return {n: round(w, 3) for n, w in zip(names, found, strict=True) if abs(w) >= SMALL}


def train(path: Path = WEIGHTS) -> None:
    """Learn the weights and write them as JSON to `path`."""
    taught = read_lessons()
    weights = fit(taught)
    path.write_text(json.dumps(weights, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    print(f"{len(taught)} sentences, {len(weights)} weights")


if __name__ == "__main__":
    train()
