"""Compare a model before and after teaching: a person's own pairs, and everything else."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np

from symdemo.classifier import Prediction, SymmetryClassifier
from symdemo.classifier.index import LabelIndex
from symdemo.classifier.prediction import Silent
from symdemo.data.relations import SPLIT_SEED, pairs_of_facts, sample_balanced, split_known_facts
from symdemo.encoders import Encoder
from symdemo.evaluation import score
from symdemo.evaluation.forgetting import drift
from symdemo.files.storage import plain
from symdemo.jobs.reporting import SILENT, Meter
from symdemo.pairs import Pair
from symdemo.training.retention import retention_sentences

BENCHMARK_PAIRS = 280
PROBES = 8
HowHeldOut = Literal["held out", "leave one out", "none"]
"""How own pairs are tested: “held out” of training; judged without any neighbour of the same entity
pair (“leave one out”); or not at all (“none”), as no relation has two entity pairs."""


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """Two models on the same pairs. Accuracies are in [0, 1], None if not measured."""

    own_before: float | None
    """Accuracy on the person's `own_n` held-out pairs; `own_after` is that of the new model."""
    own_after: float | None
    own_n: int
    how_held_out: HowHeldOut
    benchmark_before: float | None
    """Accuracy on the built-in benchmark, `benchmark_n` pairs of 14 relations."""
    benchmark_after: float | None
    benchmark_n: int
    drift: float | None
    """Share of the nearest generic sentences that stayed the same; 1.0 if nothing was forgotten."""
    probes: tuple[dict, ...] = ()
    """Single pairs, one or more of each relation: `premise`, `hypothesis`, `label`, and `before`
    and `after`, each a verdict as JSON, None without neighbours to use."""
    unchecked: tuple[str, ...] = ()  # the relations (or labels) of which nothing could be held out

    def to_json(self) -> dict:
        """Return the figures as JSON values."""
        return plain(asdict(self))

    def in_words(self) -> dict[str, str]:
        """Return the figures for a model card."""
        facts = (self.benchmark_after, self.benchmark_n, self.benchmark_before)
        figures = {
            f"own pairs, {self.how_held_out}": (self.own_after, self.own_n, self.own_before),
            "facts of 14 relations, held out": facts,
        }
        words = {
            name: f"{after:.1%} of {n}, before {'untaught' if before is None else f'{before:.1%}'}"
            for name, (after, n, before) in figures.items()
            if after is not None
        }
        if self.drift is not None:
            words["nearest generic sentences kept"] = f"{self.drift:.1%}"
        return words


def compare(
    before: SymmetryClassifier,
    after: SymmetryClassifier,
    pairs: Sequence[Pair],
    checked: Sequence[Pair],
    how: HowHeldOut,
    judged_after: Sequence[Prediction | None],
    meter: Meter | None = None,
) -> ModelComparison:
    """Measure a model against the one that it was made from.

    `pairs` are all that the person taught; `checked` are those held out, as `how` says, and
    `judged_after` the new model's verdicts on them. The meter reports progress; figures that are
    still missing when it is over are None.
    """
    shown = meter or Meter(0, SILENT)

    def measured(n: int, measure: Callable[[], float | None]) -> float | None:
        if shown.over:
            return None
        found = measure()
        shown.advance(n)
        return found

    judged_before = judge(before, checked)
    benchmark_before = measured(BENCHMARK_PAIRS, lambda: benchmark_accuracy(before))
    benchmark_after = measured(BENCHMARK_PAIRS, lambda: benchmark_accuracy(after))
    kept: float | None = 1.0
    if before.encoder is not after.encoder:
        n = len(retention_sentences())
        kept = measured(n, lambda: drift(after.encoder, before.encoder).neighbours_kept)
    reached = {relation_key(pair) for pair in checked}
    missed = (relation_key(pair) for pair in pairs if relation_key(pair) not in reached)
    probes = []
    for number in _in_turn(checked)[:PROBES]:
        pair = checked[number]
        about = {name: getattr(pair, name) for name in ("premise", "hypothesis", "label")}
        sides = {"before": judged_before[number], "after": judged_after[number]}
        probes.append(about | {side: _verdict(found) for side, found in sides.items()})
    return ModelComparison(
        own_before=accuracy_of(checked, judged_before),
        own_after=accuracy_of(checked, judged_after),
        own_n=len(checked),
        how_held_out=how if checked else "none",
        benchmark_before=benchmark_before,
        benchmark_after=benchmark_after,
        benchmark_n=len(benchmark_pairs()),
        drift=kept,
        probes=tuple(probes),
        unchecked=tuple(dict.fromkeys(relation or label for relation, label in missed)),
    )


def _in_turn(pairs: Sequence[Pair]) -> list[int]:
    """Return the places of pairs so that relations take turns."""
    seen: Counter[tuple] = Counter()
    order = []
    for place, pair in enumerate(pairs):
        seen[relation_key(pair)] += 1
        order.append((seen[relation_key(pair)], place))
    return [place for _, place in sorted(order)]


def _verdict(prediction: Prediction | None) -> dict | None:
    if prediction is None:
        return None
    found = prediction.to_json()
    return {name: found[name] for name in ("label", "probabilities", "neighbours")}


def relation_key(pair: Pair) -> tuple[str, str]:
    """Return what pairs are grouped by: the relation, or the label if there is no relation."""
    return (pair.relation, "") if pair.relation else ("", pair.label or "")


def comparison_inputs() -> int:
    """Return how many pairs `compare` encodes; two sentences count as one."""
    return 2 * BENCHMARK_PAIRS + len(retention_sentences())


@cache
def benchmark_pairs() -> tuple[Pair, ...]:
    """Return a fixed sample, balanced over relations, of facts that no model is trained on."""
    _, test = split_known_facts()
    return tuple(sample_balanced(pairs_of_facts(test), BENCHMARK_PAIRS, SPLIT_SEED))


_lock = threading.Lock()
_embedded: WeakKeyDictionary[Encoder, dict[tuple, np.ndarray]] = WeakKeyDictionary()


def benchmark_accuracy(model: SymmetryClassifier) -> float | None:
    """Return the accuracy on the built-in benchmark; None for a model taught nothing."""
    if not len(model.index):
        return None
    pairs = benchmark_pairs()
    key = (model.method, model.card.quotient)
    with _lock:
        known = _embedded.setdefault(model.encoder, {})
    if key not in known:
        known[key] = model.embed(pairs)
    return score(pairs, model.predict_embedded(pairs, known[key]).verdict_labels).accuracy


def judge(
    model: SymmetryClassifier, pairs: Sequence[Pair], embeddings: np.ndarray | None = None
) -> list[Prediction | None]:
    """Return verdicts by neighbours of other entities only; None for a pair without any.

    This gives honest figures without training again: a taught pair must not be its own neighbour,
    nor its reverse, nor the same two entities in another relation. `embeddings` (n, d) are the
    label embeddings of the pairs by this model, if already computed.
    """
    if not pairs or not len(model.index):
        return [None] * len(pairs)
    embeddings = model.embed(pairs) if embeddings is None else embeddings
    found = model.predict_embedded(pairs, embeddings, silent=_same_entities(model.index, pairs))
    return [found[n] if label >= 0 else None for n, label in enumerate(found.verdicts)]


def _same_entities(index: LabelIndex, pairs: Sequence[Pair]) -> Silent:
    """Return a mask of the taught pairs that are about the same two entities as rows of `pairs`."""
    names: dict[tuple[str, str], int] = {}
    taught = np.array([names.setdefault(pair, len(names)) for pair in index.entity_pairs])
    queried = np.array([names.setdefault(pair.entity_pair, len(names)) for pair in pairs])
    return lambda rows: queried[rows, None] == taught[None, :]


def nearest_distances(
    index: LabelIndex, pairs: Sequence[Pair], embeddings: np.ndarray
) -> np.ndarray:
    """Return distances to the nearest taught pair of other entities, for pairs that have one."""
    silent = _same_entities(index, pairs)(slice(None))
    _, distances = index.search_rows(embeddings, 1, silent)
    return distances[np.isfinite(distances)].astype(np.float64)


def accuracy_of(pairs: Sequence[Pair], verdicts: Sequence[Prediction | None]) -> float | None:
    """Return the accuracy in [0, 1]; None if there are no pairs or no verdicts."""
    if not any(verdicts):
        return None
    judged = zip(pairs, verdicts, strict=True)
    right = [verdict is not None and verdict.label == pair.label for pair, verdict in judged]
    return sum(right) / len(right)
