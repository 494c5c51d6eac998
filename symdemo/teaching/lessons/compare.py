"""Before and after teaching: what a person's own pairs gained, and what everything else lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np

from symdemo.classifier import SymmetryClassifier
from symdemo.data.relations import (
    SPLIT_SEED,
    pairs_of_facts,
    sample_balanced,
    split_known_facts,
)
from symdemo.encoders import Encoder
from symdemo.evaluation import score
from symdemo.evaluation.forgetting import drift
from symdemo.jobs.reporting import Meter
from symdemo.pairs import Pair
from symdemo.teaching.lessons.split import relation_key
from symdemo.teaching.lessons.verdicts import Verdict, accuracy_of, judge
from symdemo.training.retention import retention_sentences

BENCHMARK_PAIRS = 280
PROBES = 8

HowHeldOut = Literal["held out", "leave one out", "none"]


@dataclass(frozen=True, slots=True)
class ProbeChange:
    """One pair of sentences before and after; a verdict is None where there was nothing to ask."""

    premise: str
    hypothesis: str
    label: str | None
    before: Verdict | None
    after: Verdict | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two models on the same pairs. Accuracies are in [0, 1], None where nothing was measured.

    Attributes:
        own_before: accuracy on the person's own pairs that were held out.
        own_after: the same of the new model.
        own_n: how many pairs that is.
        how_held_out: "held out" (training did not see them), "leave one out" (each entity pair in
            turn is no neighbour), or "none" (no relation has two entity pairs).
        benchmark_before: accuracy on the built-in benchmark, facts of 14 relations.
        benchmark_after: the same of the new model.
        benchmark_n: how many pairs that is.
        drift: share of the nearest generic sentences that stayed the same; 1.0 is no forgetting,
            None where it was not measured.
        probes: single pairs, one or more of each relation.
        unchecked: the relations (or labels) of which nothing could be held out.
    """

    own_before: float | None
    own_after: float | None
    own_n: int
    how_held_out: HowHeldOut
    benchmark_before: float | None
    benchmark_after: float | None
    benchmark_n: int
    drift: float | None
    probes: tuple[ProbeChange, ...] = ()
    unchecked: tuple[str, ...] = ()

    def to_json(self) -> dict:
        """The figures as JSON values."""
        lists = {"probes": [asdict(probe) for probe in self.probes]}
        for probe in lists["probes"]:
            for side in ("before", "after"):
                if probe[side]:
                    probe[side]["neighbours"] = list(probe[side]["neighbours"])
        return asdict(self) | lists | {"unchecked": list(self.unchecked)}

    def in_words(self) -> dict[str, str]:
        """The figures for a model card."""
        words = {}
        if self.own_after is not None:
            words[f"pairs of one’s own, {self.how_held_out}"] = (
                f"{self.own_after:.1%} of {self.own_n}, before {_percent(self.own_before)}"
            )
        if self.benchmark_after is not None:
            words["facts of 14 relations, held out"] = (
                f"{self.benchmark_after:.1%} of {self.benchmark_n}, "
                f"before {_percent(self.benchmark_before)}"
            )
        if self.drift is not None:
            words["nearest generic sentences kept"] = f"{self.drift:.1%}"
        return words


def _percent(share: float | None) -> str:
    return "untaught" if share is None else f"{share:.1%}"


def compare(
    before: SymmetryClassifier,
    after: SymmetryClassifier,
    pairs: Sequence[Pair],
    checked: Sequence[Pair],
    how: HowHeldOut,
    judged_after: Sequence[Verdict | None],
    meter: Meter | None = None,
) -> Comparison:
    """Measure two models against each other.

    Args:
        before: the model that was taught.
        after: what came of it.
        pairs: all that the person taught.
        checked: those of them that the new model was checked on.
        how: how these were held out.
        judged_after: the new model's verdicts on them.
        meter: is told how far it is; once it is over, what is not measured yet is None.
    """
    meter = meter or Meter(0)

    def measured(n: int, measure: Callable, *args: Any) -> float | None:
        if meter.over:
            return None
        found = measure(*args)
        meter.advance(n)
        return found

    def kept() -> float:
        return drift(after.encoder, before.encoder).neighbours_kept

    judged_before = judge(before, checked)
    same = before.encoder is after.encoder
    benchmark_before = measured(0, benchmark_accuracy, before)
    reached = {relation_key(pair) for pair in checked}
    missed = (relation_key(pair) for pair in pairs if relation_key(pair) not in reached)
    return Comparison(
        own_before=accuracy_of(checked, judged_before),
        own_after=accuracy_of(checked, judged_after),
        own_n=len(checked),
        how_held_out=how if checked else "none",
        benchmark_before=benchmark_before,
        benchmark_after=measured(BENCHMARK_PAIRS, benchmark_accuracy, after),
        benchmark_n=len(benchmark_pairs()),
        drift=1.0 if same else measured(2 * len(retention_sentences()), kept),
        probes=_probes(checked, judged_before, judged_after),
        unchecked=tuple(dict.fromkeys(relation or label for relation, label in missed)),
    )


def _probes(pairs, before, after) -> tuple[ProbeChange, ...]:
    """A few checked pairs, the relations taking turns."""
    turns: dict[tuple, int] = {}
    order = []
    for number, pair in enumerate(pairs):
        turn = turns[relation_key(pair)] = turns.get(relation_key(pair), -1) + 1
        order.append((turn, number))
    return tuple(
        ProbeChange(pairs[n].premise, pairs[n].hypothesis, pairs[n].label, before[n], after[n])
        for _, n in sorted(order)[:PROBES]
    )


def comparison_inputs() -> int:
    """How many inputs `compare` encodes."""
    return BENCHMARK_PAIRS + 2 * len(retention_sentences())


@cache
def benchmark_pairs() -> tuple[Pair, ...]:
    """A fixed sample of the facts that no model is trained on: as many of each relation."""
    _, test = split_known_facts()
    return tuple(sample_balanced(pairs_of_facts(test), BENCHMARK_PAIRS, SPLIT_SEED))


_lock = threading.Lock()
_embedded: WeakKeyDictionary[Encoder, dict[tuple, np.ndarray]] = WeakKeyDictionary()


def benchmark_accuracy(model: SymmetryClassifier) -> float | None:
    """Accuracy on the built-in benchmark; None for a model that was taught nothing.

    The label embeddings of an encoder are remembered: teaching at once leaves the encoder alone.
    """
    if not len(model.index):
        return None
    pairs = benchmark_pairs()
    key = (model.method, model.card.quotient)
    with _lock:
        vectors = _embedded.setdefault(model.encoder, {}).get(key)
    if vectors is None:
        vectors = model.embed(pairs)
        with _lock:
            _embedded[model.encoder][key] = vectors
    return score(pairs, model.predict_embedded(pairs, vectors).verdict_labels).accuracy
