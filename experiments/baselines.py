"""Baselines for a model to beat: n-grams of words, or of function words alone.

All return probabilities (n, 3) in the order of LABELS. N-grams read the premise alone, with its
entities masked: the hypothesis has the same words. A skeleton keeps the function words alone:
words of `function_words.toml` stay and all others are masked, whatever their role.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from symdemo.errors import InputError
from symdemo.pairs import LABELS, Pair, labels_of
from symdemo.text import shorten

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

_CLASSES = tomllib.loads((Path(__file__).parent / "function_words.toml").read_text("utf-8"))
FUNCTION_WORDS = frozenset(" ".join(_CLASSES.values()).split())

PLACE, CONTENT = "[e]", "_"
"""Marks of an entity (head or tail) and of masked words."""

_ANY_PLACE = re.compile(r"\[(?:x|y|e)\]")
_TOKEN = re.compile(r"\[e\]|,|'s\b|'|[^\W_]+(?:['-][^\W_]+)*")


def skeleton(text: str) -> str:
    """Return the skeleton: “[X] was founded by the parents of [Y].” → “[e] was _ by the _ of [e]”.

    Adjacent masked words become one mark: their number says little about a construction.

    Args:
        text: a phrasing with `[X]` and `[Y]`, or the result of `masked`.
    """
    kept: list[str] = []
    for token in tokens(text):
        mark = token if token in FUNCTION_WORDS or token in {PLACE, ",", "'s"} else CONTENT
        if mark != CONTENT or kept[-1:] != [CONTENT]:
            kept.append(mark)
    return " ".join(kept)


def tokens(text: str) -> list[str]:
    """Split into words, entities, possessives and commas: “[X] is [Y]'s” → [e], is, [e], 's."""
    found = _TOKEN.findall(_ANY_PLACE.sub(PLACE, text.casefold().replace("’", "'")))
    return ["'s" if token == "'" else token for token in found]


def masked(pair: Pair) -> str:
    """Return the premise, case-folded, with head and tail replaced by `PLACE`.

    Both get the same mark, since which of them comes first says something about the label.

    Raises:
        InputError: the pair names no head and tail, or its premise lacks one.
    """
    text = pair.premise.casefold()
    ends = [end.casefold() for end in (pair.head, pair.tail) if end]
    if len(ends) < 2:
        raise InputError(f"“{pair.premise}” names no head and tail; both are expected.")
    for end in sorted(ends, key=len, reverse=True):  # "the nurse's son" before "the nurse"
        word = re.search(rf"(?<![^\W_]){re.escape(end)}(?![^\W_])", text)
        if word is None:
            raise InputError(f"“{end}” does not occur in “{pair.premise}”; head and tail should.")
        text = f"{text[: word.start()]}{PLACE}{text[word.end() :]}"
    return text


def phrasing_key(pair: Pair) -> str:
    """Return a key shared by all pairs of one phrasing, in either direction and with any entities.

    Raises:
        InputError: the pair names no head and tail.
    """
    text = re.sub(rf"{re.escape(PLACE)}['’]s?(?!\w)", f"{PLACE} 's ", masked(pair))
    return " ".join(re.sub(r"[^\w\[\]']+", " ", text).split())


def refuse_leaks(known: Collection[str], tested: Iterable[Pair]) -> None:
    """Check that no test pair is a training sentence with only its entities changed.

    Args:
        known: `phrasing_key` of the training pairs.

    Raises:
        InputError: some are, or a pair names no head and tail.
    """
    shared = {key: pair for pair in tested if (key := phrasing_key(pair)) in known}
    if shared:
        first = shorten(next(iter(shared.values())).premise, 80)
        raise InputError(
            f"{len(shared)} of the test phrasings occur in training too, such as “{first}”; none "
            "may."
        )


# Baselines

STRENGTHS = (0.1, 1.0, 10.0)
"""Values of C to choose from, by accuracy in cross-validation over training groups."""

INNER_FOLDS = 3


def words_in(text: str) -> str:
    """Return the words of a phrasing with entities masked, joined by spaces."""
    return " ".join(tokens(text))


def fit_ngrams(
    taught: Sequence[Pair], group_of: Mapping[str, str], read: Callable[[str], str] = words_in
) -> Pipeline:
    """Fit logistic regression over 1-to-3-grams of what `read` makes of a masked premise.

    Args:
        taught: labelled pairs that name head and tail.
        group_of: relation → group; the folds that choose C do not split groups.
        read: `words_in` or `skeleton`.
    """
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold
    from sklearn.pipeline import make_pipeline

    words = CountVectorizer(
        preprocessor=read, ngram_range=(1, 3), binary=True, token_pattern=r"\S+", dtype=np.float32
    )
    search = GridSearchCV(
        LogisticRegression(max_iter=1_000), {"C": STRENGTHS},
        scoring="accuracy", cv=StratifiedGroupKFold(INNER_FOLDS),
    )  # fmt: skip
    rows = words.fit_transform(map(masked, taught))
    groups = [group_of[str(pair.relation)] for pair in taught]
    return make_pipeline(words, search.fit(rows, labels_of(taught), groups=groups).best_estimator_)


def ngram_shares(fitted: Pipeline, phrasings: Iterable[str]) -> np.ndarray:
    """Return probabilities (n, 3) by LABELS, for phrasings with `[X]` and `[Y]`, or masked ones."""
    return in_order(fitted.predict_proba(phrasings), fitted.classes_)


def in_order(shares: Any, classes: Iterable[str]) -> np.ndarray:
    """Return probabilities (n, 3) in the order of LABELS, from those of some classes."""
    found = np.zeros((len(shares), len(LABELS)))
    found[:, [LABELS.index(label) for label in classes]] = shares
    return found
