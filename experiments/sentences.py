"""`symdemo sts` and `symdemo bellm compare`: measures of sentence encoders, and what BeLLM gains.

Both write one ledger, `bellm_measurements.jsonl`, and the report `bellm.json`; figures in points.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from scipy.special import stdtrit

from experiments import make_tables, retrieval, transfer
from experiments.runner import (
    Ledger,
    command_line,
    exit_status,
    name_of,
    report_text,
    shown_name,
)
from experiments.runner import run as run_cells
from symdemo.encoders import Encoder, load_encoder
from symdemo.encoders.decoders import DecoderOptions, load_decoder
from symdemo.encoders.decoders.prompts import REPRESENTATIVE_WORD
from symdemo.errors import InputError
from symdemo.evaluation.results import SentenceReport
from symdemo.evaluation.sentences import layers, sts
from symdemo.files.paths import RESULTS
from symdemo.files.provenance import provenance
from symdemo.files.storage import write_text
from symdemo.jobs.reporting import StopAsked
from symdemo.training.contrastive import ContrastiveConfig, train_contrastive
from symdemo.training.triplets import plain

LEDGER = "bellm_measurements.jsonl"


class Part(NamedTuple):
    """A part of the study.

    Attributes:
        tasks: those measured if no others are named.
        measure: returns the figures of an encoder.
        baselines: by name, what returns the figures of answers without an encoder.
        find: returns the data of a task, or None; if not given, `find_sts` does.
    """

    tasks: Sequence[str]
    measure: Callable[[Encoder, Any], Any]
    baselines: Mapping[str, Callable[[Any], Any]] = {}
    find: Callable[[str], Any] | None = None


def _similarity(encoder: Encoder, data: sts.SimilarityData) -> Any:
    return sts.score_sts(sts.cosines(encoder, data), data)


_SCORED = {
    name: lambda data, answer=answer: sts.score_sts(answer(data), data)
    for name, answer in sts.STS_BASELINES.items()
}
_BY_WORDS = {sts.MAJORITY: transfer.majority, sts.BAG_OF_WORDS: transfer.bag_of_words}
_STS_B, _CAPTIONS = (sts.STS_B,), (retrieval.FLICKR,)
PARTS = {
    "sts": Part(sts.TASKS, _similarity, _SCORED),
    "conditional": Part((sts.CONDITIONAL,), _similarity, _SCORED, lambda _: sts.find_conditional()),
    "transfer": Part(
        transfer.TRANSFER_TASKS, transfer.transfer, _BY_WORDS, transfer.find_transfer
    ),
    "degradation": Part(_STS_B, layers.degradation),
    "dependencies": Part(_STS_B, lambda encoder, own: layers.dependencies(encoder, own.sentences)),
    "retrieval": Part(
        _CAPTIONS, retrieval.retrieve, {sts.TF_IDF: retrieval.retrieve_by_words},
        lambda _: retrieval.find_captions(),
    ),
}  # fmt: skip


@cache
def _learnt() -> frozenset[str]:
    """Return the sentences that adapters are trained on, to be compared; none without the data."""
    try:
        found = sts.triplets_unseen("local").triplets
    except InputError:
        return frozenset()
    return frozenset(plain(text) for triplet in found for text in triplet.texts)


def unlearnt(data: Any) -> Any:
    """Return similarity data, or captions by the picture, without a sentence of the training."""
    if isinstance(data, list):
        starts = range(0, len(data), retrieval.PER_IMAGE)
        groups = [data[start : start + retrieval.PER_IMAGE] for start in starts]
        return [text for own in groups if _learnt().isdisjoint(map(plain, own)) for text in own]
    pairs = enumerate(zip(data.first, data.second, strict=True))
    return sts.take(data, [row for row, own in pairs if _learnt().isdisjoint(map(plain, own))])


def tasks_of(part: str, wanted: Sequence[str]) -> Sequence[str]:
    """Return the tasks to measure of a part, in the order of the paper."""
    every = sts.TASKS if part in ("degradation", "dependencies") else PARTS[part].tasks
    return [task for task in every if task in wanted] if wanted else PARTS[part].tasks


class Study:
    """Encoders, data and cells of `symdemo sts`; the last encoder used stays loaded.

    Raises:
        InputError: an unknown part or task.
    """

    def __init__(
        self,
        encoders: Sequence[str],
        parts: Sequence[str] = (),
        tasks: Sequence[str] = (),
        at_most: int | None = None,
    ):
        every = dict.fromkeys(task for own in PARTS.values() for task in own.tasks)
        for noun, names, known in (("part", parts, PARTS), ("task", tasks, every)):
            if unknown := [name for name in names if name not in known]:
                expected = ", ".join(known)
                raise InputError(f"There is no {noun} “{unknown[0]}”; expected: {expected}.")
        self.encoders, self.download, self.at_most = encoders, bool(tasks), at_most
        wanted = [(p, task) for p in parts or PARTS for task in tasks_of(p, tasks)]
        self.here = [one for one in wanted if self.data(*one) is not None]
        self.missing = {
            task: "the data are not here" for p, task in wanted if (p, task) not in self.here
        }
        self.encoder = lru_cache(maxsize=1)(load_encoder)

    @cache  # noqa: B019  (one study per process)
    def data(self, part: str, task: str) -> Any:
        """Return the data of a task without what was learnt; None if they are not here."""
        find = PARTS[part].find
        found = find(task) if find else sts.find_sts(task, self.download)
        if found is not None and part != "transfer":  # there the labels are others
            found = unlearnt(found)
        if found is None or self.at_most is None or part == "retrieval":
            return found
        return sts.some_of(found, self.at_most)

    def cells(self) -> list[dict[str, Any]]:
        """Return the cells: the baselines, then each encoder."""
        found = [(*one, name, "") for one in self.here for name in PARTS[one[0]].baselines]
        for name in self.encoders:
            base = self.encoder(name).base_hash[:16]
            found += [(*one, shown_name(name), base) for one in self.here]
        return [
            {"part": part, "task": task, "encoder": name, "base": base}
            | {"data": sts.hash_rows(own) if part == "retrieval" else own.hash}
            for part, task, name, base in found
            if (own := self.data(part, task)) is not None
        ]

    def measure(self, cell: Mapping[str, Any]) -> dict[str, Any]:
        """Return the figures of a cell, and the seconds they took."""
        began, part, name = time.perf_counter(), PARTS[cell["part"]], cell["encoder"]
        data = self.data(cell["part"], cell["task"])
        given = next((own for own in self.encoders if shown_name(own) == name), None)
        found = part.measure(self.encoder(given), data) if given else part.baselines[name](data)
        figures = found if isinstance(found, dict) else asdict(found)
        if cell["part"] == "degradation":
            figures["pairs"] = len(data.first)
        return figures | {"seconds": round(time.perf_counter() - began, 2)}


def label_cell(encoder: str) -> dict[str, Any]:
    """Return the cell that holds what an encoder is called in tables."""
    return {"part": "label", "encoder": shown_name(encoder)}


def run(arguments: argparse.Namespace) -> int:
    """Measure what is missing, then write report and tables; 130 if stopped.

    Raises:
        InputError: an option is wrong, or no data are here.
    """
    if arguments.data:
        if not Path(arguments.data).is_dir():
            raise InputError(f"There is no folder {arguments.data}; --data names one with data.")
        os.environ["SYMDEMO_DATA"] = str(Path(arguments.data).resolve())
    labels = arguments.label or ()
    if labels and len(labels) != len(arguments.encoder):
        raise InputError(f"{len(arguments.encoder)} encoders have {len(labels)} labels.")
    parts, tasks = _split(arguments.parts), _split(arguments.tasks)
    study = Study(arguments.encoder, parts, tasks, arguments.at_most)
    command = command_line("symdemo sts", arguments, ("encoder", "parts", "tasks", "at_most"))
    made_by, out = provenance(command), Path(arguments.out)
    ledger = Ledger(out / LEDGER, made_by)
    if arguments.report_only:
        made = {(cell["part"], cell["encoder"], cell["task"]) for cell in ledger if "task" in cell}
        wanted = ((p, shown_name(n), t) for n in arguments.encoder for p, t in study.here)
        finished = all(one in made for one in wanted)
    else:
        if not study.here:
            raise InputError(
                f"The data of {', '.join(study.missing)} are not here: put them into a folder and "
                "name it with --data or the environment variable SYMDEMO_DATA."
            )
        for place, name in enumerate(arguments.encoder):
            label = labels[place] if labels else shown_name(name)
            if labels or label_cell(name) not in ledger:
                ledger.add(label_cell(name), {"label": label})
        finished = run_cells(study.cells(), study.measure, ledger, StopAsked("measurement"))
    text, tables = _report(ledger, made_by, finished, study.missing)
    write_text(out / SentenceReport.NAME, text)
    write_text(out / "bellm.md", tables)
    if arguments.publish:
        published = Ledger(RESULTS / LEDGER, made_by)
        for cell in ledger:  # trainings are in there as well: nothing is removed
            if published.get(cell) != (result := ledger.get(cell)):
                published.add(cell, result or {}, ledger.made_by(cell))
        write_text(
            RESULTS / SentenceReport.NAME, _report(published, made_by, finished, study.missing)[0]
        )
        make_tables.write_tables()
    sys.stdout.write(text if arguments.json else tables)
    return exit_status(finished or arguments.report_only, ledger)


def _split(text: str | None) -> tuple[str, ...]:
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


def _report(
    ledger: Ledger, made_by: Mapping[str, Any], finished: bool, missing: Mapping[str, str]
) -> tuple[str, str]:
    data = {cell["task"]: cell["data"] for cell in ledger if "task" in cell}
    summary = summarise(ledger, missing)
    text = report_text(ledger, made_by, finished=finished, data=data, summary=summary)
    return text, make_tables.sentence_tables(json.loads(text))


# The summary

SETTING = ("encoder", "looking_back", "strategy", "pooling", "prompt", "config")
RUN = ("spearman", "train_pairs", "seconds")
Found = list[tuple[dict[str, Any], dict[str, Any]]]


def summarise(ledger: Ledger, missing: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return all figures of a ledger: baselines first, then encoders in their order."""

    def part(name: str) -> Found:
        return [(cell, ledger.get(cell) or {}) for cell in ledger if cell["part"] == name]

    def latest(name: str) -> Found:
        """Return the last measurement of each encoder on each task."""
        kept = {(cell["encoder"], cell["task"]): (cell, own) for cell, own in part(name)}
        return sorted(kept.values(), key=lambda one: bool(one[0]["base"]))

    def who(cell: Mapping[str, Any]) -> dict[str, Any]:
        label = (ledger.get(label_cell(cell["encoder"])) or {}).get("label", cell["encoder"])
        return {"encoder": cell["encoder"], "label": label, "baseline": not cell["base"]}

    def on_data(name: str) -> list[dict[str, Any]]:
        return [who(c) | {"data": c["task"]} | _figures(own) for c, own in latest(name)]

    def by_task(name: str, order: Sequence[str]) -> list[dict[str, Any]]:
        rows: dict[str, dict[str, Any]] = {}
        for cell, own in latest(name):
            row = rows.setdefault(cell["encoder"], who(cell) | {"tasks": {}})
            row["tasks"][cell["task"]] = _figures(own)
        measured = {task for row in rows.values() for task in row["tasks"]}
        for row in rows.values():
            tasks = row["tasks"]
            mean = statistics.fmean(own["value"] for own in tasks.values())
            row["tasks"] = {task: tasks[task] for task in order if task in tasks}
            row["average"] = mean if tasks.keys() == measured else None
        return list(rows.values())

    scored = ("value", "low", "high", "n")
    return {
        "sts": by_task("sts", sts.TASKS),
        "conditional": [
            who(cell) | {"spearman": {name: own[name] for name in scored}}
            for cell, own in latest("conditional")
        ],
        "transfer": by_task("transfer", transfer.TRANSFER_TASKS),
        "degradation": on_data("degradation"),
        "dependencies": on_data("dependencies"),
        "retrieval": on_data("retrieval"),
        "ablation": _settings(part("ablation")),
        "missing": dict(missing or {}),
    }


def _figures(result: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name != "seconds"}


def _settings(found: Found) -> list[dict[str, Any]]:
    """Return a row for each setting, with its gain over the same one without looking back."""
    rows: dict[str, dict[str, Any]] = {}
    for cell, own in found:
        setting = {name: cell[name] for name in SETTING}
        row = rows.setdefault(name_of(setting), setting | {"runs": []})
        runs = [run for run in row["runs"] if run["seed"] != cell["seed"]]  # the latest counts
        row["runs"] = [*runs, {"seed": cell["seed"]} | {name: own[name] for name in RUN}]
    causal = {}
    for row in rows.values():
        values = [one["spearman"] for one in row["runs"]]
        row["mean"] = statistics.fmean(values)
        row["deviation"] = statistics.stdev(values) if len(values) > 1 else None
        if not row["looking_back"]:
            causal[_alike(row)] = row
    for row in rows.values():
        twin = causal.get(_alike(row), row)
        row["gain"] = None if twin is row else _gain(row["runs"], twin["runs"])
    return list(rows.values())


def _alike(row: Mapping[str, Any]) -> str:
    """Return what two settings have in common if they only look back differently."""
    return name_of({n: row[n] for n in SETTING if n not in ("looking_back", "strategy")})


def _gain(ours: Iterable[Mapping], theirs: Iterable[Mapping]) -> dict[str, Any] | None:
    """Return the mean difference by seed with its interval by Student's t."""
    before = {run["seed"]: run["spearman"] for run in theirs}
    gains = [run["spearman"] - before[run["seed"]] for run in ours if run["seed"] in before]
    if len(gains) < 2:
        return None
    mean, error = statistics.fmean(gains), statistics.stdev(gains) / len(gains) ** 0.5
    half = float(stdtrit(len(gains) - 1, 0.975)) * error
    return {"value": mean, "low": mean - half, "high": mean + half, "n": len(gains)}


# `symdemo bellm compare`

BASE = "smollm2-135m"
USUAL = DecoderOptions(1, pooling="mean")
SETTINGS = (
    DecoderOptions(0, pooling="mean"),
    USUAL,
    DecoderOptions("all", pooling="mean"),
    DecoderOptions(1, "addition", pooling="mean"),
    DecoderOptions(4, pooling="mean"),
    DecoderOptions(0, pooling="weighted-mean"),
    DecoderOptions(1, pooling="weighted-mean"),
    DecoderOptions(0, pooling="mean", prompt=REPRESENTATIVE_WORD),
    DecoderOptions(1, pooling="mean", prompt=REPRESENTATIVE_WORD),
    DecoderOptions(0, pooling="last", prompt=REPRESENTATIVE_WORD),
    DecoderOptions(1, "addition", pooling="last", prompt=REPRESENTATIVE_WORD),
)
"""Table 4 and more; the authors' released command has the prompt with mean pooling. The last token
of the prompt has seen everything already, and no other token's last state is read, so its row
without looking back also holds for one last layer without a mask."""

TRIPLETS, DEV_PAIRS = 512, 500
GRID: tuple[dict[str, Any], ...] = (
    {"learning_rate": 2e-4, "targets": "attention"},
    {"learning_rate": 1e-3, "targets": "attention"},
    {"learning_rate": 2e-3, "targets": "attention"},
    {"learning_rate": 1e-3, "targets": "all-linear"},
)
"""The paper's rate and higher ones, since far fewer steps are made here."""


@dataclass(frozen=True)
class Comparison:
    """Which trainings to compare; the grid is measured first, on dev pairs of STS-B."""

    base: str = BASE
    triplets: int = TRIPLETS
    seeds: tuple[int, ...] = (0, 1, 2)
    config: ContrastiveConfig = field(default_factory=ContrastiveConfig)
    settings: tuple[DecoderOptions, ...] = SETTINGS
    grid: tuple[dict[str, Any], ...] = ()
    source: str = "local"

    def cell(
        self, part: str, options: DecoderOptions, seed: int, changes: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the cell of a training; settings that are the default are not named."""
        usual = asdict(ContrastiveConfig())
        given = {k: v for k, v in asdict(self.config).items() if v != usual[k] and k != "seed"}
        config = given | {"triplets": self.triplets, "source": self.source} | dict(changes)
        values = asdict(options) | {"seed": seed, "config": config}
        return {"part": part, "encoder": shown_name(self.base), **values}

    def selection_cells(self) -> list[dict[str, Any]]:
        """Return the cells of the grid."""
        return [self.cell("selection", USUAL, 0, change) for change in self.grid]

    def cells(self) -> list[dict[str, Any]]:
        """Return the cells of the settings, seed by seed."""
        return [self.cell("ablation", o, seed, {}) for seed in self.seeds for o in self.settings]

    @cached_property
    def data(self) -> tuple[dict[str, sts.SimilarityData], Any]:
        """The parts of STS-B to measure on, and the triplets to learn."""
        dev, test = sts.some_of(sts.sts_part("dev"), DEV_PAIRS), sts.sts_part("test")
        triplets = sts.triplets_unseen(self.source).sample(self.triplets, seed=0)
        return {"selection": dev, "ablation": test}, triplets

    def measure(self, cell: Mapping[str, Any]) -> dict[str, Any]:
        """Train from the untouched decoder; return Spearman on STS-B, and seconds."""
        parts, triplets = self.data
        options = {name: cell[name] for name in ("looking_back", "strategy", "pooling", "prompt")}
        own = {k: v for k, v in cell["config"].items() if k not in ("triplets", "source")}
        config = replace(self.config, seed=cell["seed"], checkpoint_every=10**6, **own)
        began = time.perf_counter()
        encoder = load_decoder(self.base, **options)
        trained = train_contrastive(encoder, triplets, config)
        assert trained is not None  # nothing stops it
        return {
            "seconds": round(time.perf_counter() - began, 1),
            "spearman": sts.sts_spearman(trained, parts[cell["part"]]),
            "train_pairs": len(triplets),
        }


def compare(plan: Comparison, out: Path) -> tuple[list[dict[str, Any]], bool]:
    """Train what the ledger in `out` lacks; return the rows so far, and True if none is missing.

    With a grid, its best change by the dev part is what the settings are compared at.
    """
    ledger = Ledger(out / LEDGER, provenance("symdemo bellm compare"))
    stopped, wanted = StopAsked("training"), plan.selection_cells()
    finished = run_cells(wanted, plan.measure, ledger, stopped)
    if finished:
        if plan.grid:
            scores = [own["spearman"] for own in ledger.results(wanted)]
            best = plan.grid[scores.index(max(scores))]
            plan = replace(plan, grid=(), config=replace(plan.config, **best))
        wanted = [*wanted, *plan.cells()]
        finished = run_cells(wanted, plan.measure, ledger, stopped)
    rows = [
        {"key": cell, "result": result, "text": _text(cell, result)}
        for cell in wanted
        if (result := ledger.get(cell))
    ]
    return rows, finished


def _text(cell: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    part = {"selection": "dev", "ablation": "test"}[cell["part"]]
    how = f"{cell['looking_back']} looking back, {cell['strategy']}, {cell['pooling']}"
    prompt = " with a prompt" if cell["prompt"] else ""
    own = ", ".join(f"{name} {value}" for name, value in cell["config"].items())
    score = f"{result['spearman']:6.2f} on STS-B {part}"
    return f"{score}: {how}{prompt}, {own}, seed {cell['seed']}"


def keep_curve(name: str, made: Mapping[str, Any], out: Path) -> None:
    """Add the curve of a training, from its record, to the ledger in `out`; once for each seed."""
    ledger = Ledger(out / LEDGER)
    cell = {"part": "training", "encoder": shown_name(name), "seed": made["config"]["seed"]}
    if made["curve"] and cell not in ledger:
        ledger.add(cell, {"curve": made["curve"]}, made.get("made_by"))
