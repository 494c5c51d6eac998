"""Errors planted among labelled pairs: wrong labels, a relation labelled wrongly, duplicates."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from suggestion_columns import answered_of

from symdemo.analysis import analyse_predictions
from symdemo.analysis.suggestions import Answered, Suggestion
from symdemo.classifier import SymmetryClassifier
from symdemo.pairs import LABELS, Pair, labels_of

CHANGED = 0.05
DUPLICATED = 10
ADVERBS = ("clearly", "apparently", "indeed", "certainly")
WRONGLY = "wrongly_taught_relations"


@dataclass(frozen=True)
class Planted:
    """Pairs with errors: which labels were changed, the relation, and the groups of duplicates."""

    pairs: list[Pair]
    changed: frozenset[int]
    relation: str | None
    aside: frozenset[int]
    groups: list[list[int]]


def other_label(label: str, rng: random.Random) -> str:
    """Return one of the two other labels."""
    return rng.choice([name for name in LABELS if name != label])


def plant(pairs: Sequence[Pair], known: frozenset[str], seed: int) -> Planted:
    """Plant all three kinds of error; `known` are the relations that may be labelled wrongly."""
    rng = random.Random(seed)
    pairs, labels = list(pairs), labels_of(pairs)
    rows_of = defaultdict(list)
    for row, pair in enumerate(pairs):
        rows_of[pair.relation].append(row)
    may = sorted(name for name, rows in rows_of.items() if name in known and len(rows) >= 4)
    relation = rng.choice(may) if may else None
    aside = set(rows_of[relation]) if relation else set()
    if relation:
        wrong = other_label(labels[min(aside)], rng)
        for row in aside:
            pairs[row] = replace(pairs[row], label=wrong)
    free = [row for row in range(len(pairs)) if row not in aside]
    rng.shuffle(free)
    groups = []
    for row in [row for row in free if variants(pairs[row], rng)][:DUPLICATED]:
        group = [row]
        made = variants(pairs[row], rng)
        wrong = other_label(labels[row], rng)
        which = set(rng.sample(range(len(made)), rng.choice([1, 2])))
        for number, pair in enumerate(made):
            group.append(len(pairs))
            pairs.append(replace(pair, label=wrong if number in which else pair.label))
        groups.append(group)
        aside.update(group)
    free = [row for row in free if row not in aside]
    changed = free[: round(CHANGED * len(free))]
    for row in changed:
        pairs[row] = replace(pairs[row], label=other_label(labels[row], rng))
    return Planted(pairs, frozenset(changed), relation, frozenset(aside), groups)


def variants(pair: Pair, rng: random.Random) -> list[Pair]:
    """Return the pair in capitals, with an adverb, and with a misspelt word.

    The misspelt word is in lower case and in both sentences; without such a word return none.
    """
    words = [
        word
        for word in re.findall(r"(?<![\w'’-])[a-z]{5,}(?![\w'’-])", pair.premise)
        if re.search(rf"\b{word}\b", pair.hypothesis)
        and word not in f"{pair.head} {pair.tail}".split()
    ]
    if not words:
        return []
    word = rng.choice(words)
    place = rng.randrange(1, len(word) - 1)
    adverb = rng.choice(ADVERBS)

    def both(change: Callable[[str], str]) -> Pair:
        return replace(pair, premise=change(pair.premise), hypothesis=change(pair.hypothesis))

    return [
        both(lambda text: text.rstrip(".").upper() + " !"),
        both(lambda text: re.sub(rf"\b{word}\b", f"{adverb} {word}", text, count=1)),
        both(lambda text: re.sub(rf"\b{word}\b", word[:place] + word[place + 1 :], text, count=1)),
    ]


def ask(model: SymmetryClassifier, pairs: Sequence[Pair]) -> Answered:
    """Return the answers of the model as columns."""
    predictions = model.predict(pairs)
    analysis = analyse_predictions(pairs, {"model": predictions})
    return answered_of(analysis, "model", predictions)


def hits(rows: Sequence[int], planted: Planted) -> dict[str, float]:
    """Return recall and precision of row numbers, without those set aside."""
    own = set(map(int, rows)) - planted.aside
    true = len(own & planted.changed)
    return {
        "suggested": len(own),
        "recall": true / len(planted.changed),
        "precision": true / len(own) if own else 0.0,
    }


def rows_of(found: Sequence[Suggestion], kind: str) -> list[int]:
    """Return the rows of all suggestions of a kind."""
    return [int(row) for suggestion in found if suggestion.kind == kind for row in suggestion.rows]
