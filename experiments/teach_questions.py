"""What is asked of a model before and after it is taught, to see what the teaching cost.

The model is at its ceiling on the 14 relations, where nothing lost could show. So it is asked

- `withheld`: relations that no model was ever taught, those that are held out of the kinds;
- `bank`: every twentieth relation of the bank, which it was taught, about new entities;
- `sentences`: the free and the blind sentences, as people wrote them.

A seed draws other entities for the first two, in the same order of phrasings, so that the answers
of several seeds can be laid beside one another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symdemo.classifier import SymmetryClassifier
from symdemo.data.bank import REPLACED, load_kinds, never_taught, shipped_bank
from symdemo.data.pair_files import load_pairs
from symdemo.evaluation.intervals import GroupBootstrap
from symdemo.files.paths import ASSETS
from symdemo.pairs import Pair

TITLES = {
    "withheld": "Relations that were never taught",
    "bank": "Relations of the bank, other entities",
    "sentences": "Free and blind sentences",
}
BANK_SHARE, FIRST_SEED = 20, 991
SENTENCES = ("free_sentences.csv", "blind_sentences.csv")


def questions(seed: int) -> dict[str, list[Pair]]:
    """Name → labelled pairs."""
    bank = shipped_bank()
    kinds = load_kinds(bank=bank)
    held = zip(kinds, never_taught(kinds, bank).values(), strict=True)
    taught = [relation for relation in bank.relations if relation.id not in REPLACED]
    own = FIRST_SEED + seed
    return {
        "withheld": [pair for kind, few in held for pair in kind.bank.pairs(few, seed=own)],
        "bank": bank.pairs(taught[::BANK_SHARE], seed=own),
        "sentences": [pair for name in SENTENCES for pair in load_pairs(ASSETS / name)],
    }


def groups(pairs: Sequence[Pair]) -> list[str]:
    """The relation of each pair: phrasings of one stand or fall together."""
    return [pair.relation or pair.premise for pair in pairs]


class Questions:
    """The questions of one seed, and what a model said of them before it was taught anything."""

    def __init__(self, base: SymmetryClassifier, seed: int):
        self.by_name = questions(seed)
        self.pairs = [pair for pairs in self.by_name.values() for pair in pairs]
        self._encoder = base.encoder
        self._embeddings = base.embed(self.pairs)
        self._before = self._answers(base)

    def _answers(self, model: SymmetryClassifier) -> np.ndarray:
        """Labels (n,); what the first encoder embedded is not embedded again."""
        known = model.encoder is self._encoder
        vectors = self._embeddings if known else model.embed(self.pairs)
        return np.array(model.predict_embedded(self.pairs, vectors).verdict_labels)

    def compare(self, model: SymmetryClassifier) -> dict[str, dict[str, Any]]:
        """Name → how many, how many right before, and the places of answers that turned."""
        after, labels = self._answers(model), np.array([pair.label for pair in self.pairs])
        right, still = self._before == labels, after == labels
        found, start = {}, 0
        for name, pairs in self.by_name.items():
            own = slice(start, start := start + len(pairs))
            found[name] = {
                "n": len(pairs),
                "right_before": int(right[own].sum()),
                "changed": int((self._before != after)[own].sum()),
                "turned_wrong": np.flatnonzero((right & ~still)[own]).tolist(),
                "turned_right": np.flatnonzero((~right & still)[own]).tolist(),
            }
        return found


def lost(asked: Sequence[Mapping[str, Any]], own: Sequence[Pair]) -> dict[str, Any]:
    """What teaching cost on some questions: points of accuracy lost, over all sets and seeds.

    Args:
        asked: what `Questions.compare` found of these questions, of each set and seed.
        own: the questions, of any seed.

    Returns:
        Shares in [0, 1] of right answers before (mean over the seeds) and of answers that changed;
        `lost` in points, the mean of the differences question by question, with its 95% interval,
        relations drawn again; and the least and most of a single set and seed.
    """
    n = len(own)
    runs = np.zeros((len(asked), n))
    for run, found in zip(runs, asked, strict=True):
        run[found["turned_wrong"]] = 100
        run[found["turned_right"]] = -100
    interval = GroupBootstrap(groups(own)).interval(runs.mean(0))
    return {
        "n": n,
        "before": sum(found["right_before"] for found in asked) / (n * len(asked)),
        "changed": sum(found["changed"] for found in asked) / (n * len(asked)),
        "lost": interval.mean,
        "interval": [interval.low, interval.high],
        "least": float(runs.mean(1).min()),
        "most": float(runs.mean(1).max()),
    }
