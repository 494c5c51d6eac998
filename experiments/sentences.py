"""`symdemo sts`: measures of sentence encoders, in points; the ledger also has `bellm compare`."""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache, lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from scipy.stats import ttest_1samp

from experiments import layers, make_tables, sts_tasks, transfer
from experiments.runner import Ledger, Report, name_of, shown_name
from symdemo.encoders import Encoder, load_encoder
from symdemo.errors import InputError
from symdemo.evaluation.results import SentenceReport
from symdemo.evaluation.sentences import sts
from symdemo.training.triplets import plain

Names = Sequence[str]
LEDGER = "bellm_measurements.jsonl"
SETTING = ("encoder", "looking_back", "strategy", "pooling", "prompt", "config")
RUN = ("spearman", "train_pairs", "seconds")
Found = list[tuple[dict[str, Any], dict[str, Any]]]


class Part(NamedTuple):
    """A part of the study.

    Attributes:
        tasks: those measured if no others are named.
        measure: returns the figures of an encoder.
        baselines: by name, what returns the figures of answers without an encoder.
        find: returns the data of a task, or None; if not given, `find_sts` does.
    """

    tasks: Names
    measure: Callable[[Encoder, Any], Any]
    baselines: Mapping[str, Callable[[Any], Any]] = {}
    find: Callable[[str], Any] | None = None


def _similarity(encoder: Encoder, data: sts.SimilarityData) -> Any:
    return sts.score_sts(sts.cosines(encoder, data), data)


_SCORED = {
    name: lambda data, answer=answer: sts.score_sts(answer(data), data)
    for name, answer in sts_tasks.STS_BASELINES.items()
}
_BY_WORDS = {sts_tasks.MAJORITY: transfer.majority, sts_tasks.BAG_OF_WORDS: transfer.bag_of_words}
_STS_B, _CAPTIONS = (sts_tasks.STS_B,), (transfer.FLICKR,)
PARTS = {
    "sts": Part(sts_tasks.TASKS, _similarity, _SCORED),
    "conditional": Part(
        (sts_tasks.CONDITIONAL,), _similarity, _SCORED, lambda _: sts_tasks.find_conditional()
    ),
    "transfer": Part(
        transfer.TRANSFER_TASKS, transfer.transfer, _BY_WORDS, transfer.find_transfer
    ),
    "degradation": Part(_STS_B, layers.degradation),
    "dependencies": Part(_STS_B, lambda encoder, own: layers.dependencies(encoder, own.sentences)),
    "retrieval": Part(
        _CAPTIONS, transfer.retrieve, {sts_tasks.TF_IDF: transfer.retrieve_by_words},
        lambda _: transfer.find_captions(),
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
        starts = range(0, len(data), transfer.PER_IMAGE)
        groups = [data[start : start + transfer.PER_IMAGE] for start in starts]
        return [text for own in groups if _learnt().isdisjoint(map(plain, own)) for text in own]
    pairs = enumerate(zip(data.first, data.second, strict=True))
    return sts.take(data, [row for row, own in pairs if _learnt().isdisjoint(map(plain, own))])


def tasks_of(part: str, wanted: Names) -> Names:
    """Return the tasks to measure of a part, in the order of the paper."""
    every = sts_tasks.TASKS if part in ("degradation", "dependencies") else PARTS[part].tasks
    return [task for task in every if task in wanted] if wanted else PARTS[part].tasks


class Study:
    """Encoders, data and cells of `symdemo sts`; the last encoder used stays loaded.

    Raises:
        InputError: an unknown part or task.
    """

    def __init__(self, encoders: Names, parts: Names, tasks: Names, at_most: int | None):
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
        found = find(task) if find else sts_tasks.find_sts(task, self.download)
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

    def report(self, ledger: Ledger) -> dict[str, Any]:
        """Return the figures of a ledger, and whether all of this study are among them."""
        made = {(cell["part"], cell["encoder"], cell["task"]) for cell in ledger if "task" in cell}
        wanted = ((p, shown_name(name), task) for name in self.encoders for p, task in self.here)
        return {
            "finished": made.issuperset(wanted),
            "data": {cell["task"]: cell["data"] for cell in ledger if "task" in cell},
            "summary": summarise(ledger, self.missing),
        }


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
    if not (study.here or arguments.report_only):
        raise InputError(
            f"The data of {', '.join(study.missing)} are not here: put them into a folder and "
            "name it with --data or the environment variable SYMDEMO_DATA."
        )

    def cells(ledger: Ledger) -> list[dict[str, Any]]:
        for name, label in zip_longest(arguments.encoder, labels):
            if label or label_cell(name) not in ledger:
                ledger.add(label_cell(name), {"label": label or shown_name(name)})
        return study.cells()

    options = ("encoder", "parts", "tasks", "at_most")
    report = Report(LEDGER, SentenceReport, options, study.report, make_tables.sentence_tables)
    return report.run(arguments, cells, study.measure)


def _split(text: str | None) -> tuple[str, ...]:
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


# Report


def label_cell(encoder: str) -> dict[str, Any]:
    """Return the cell that holds what an encoder is called in tables."""
    return {"part": "label", "encoder": shown_name(encoder)}


def summarise(ledger: Ledger, missing: Mapping[str, str]) -> dict[str, Any]:
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

    def figures(result: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in result.items() if name != "seconds"}

    def on_data(name: str) -> list[dict[str, Any]]:
        return [who(c) | {"data": c["task"]} | figures(own) for c, own in latest(name)]

    def by_task(name: str, order: Sequence[str]) -> list[dict[str, Any]]:
        rows: dict[str, dict[str, Any]] = {}
        for cell, own in latest(name):
            row = rows.setdefault(cell["encoder"], who(cell) | {"tasks": {}})
            row["tasks"][cell["task"]] = figures(own)
        measured = {task for row in rows.values() for task in row["tasks"]}
        for row in rows.values():
            tasks = row["tasks"]
            mean = statistics.fmean(own["value"] for own in tasks.values())
            row["tasks"] = {task: tasks[task] for task in order if task in tasks}
            row["average"] = mean if tasks.keys() == measured else None
        return list(rows.values())

    scored = ("value", "low", "high", "n")
    return {
        "sts": by_task("sts", sts_tasks.TASKS),
        "conditional": [
            who(cell) | {"spearman": {name: own[name] for name in scored}}
            for cell, own in latest("conditional")
        ],
        "transfer": by_task("transfer", transfer.TRANSFER_TASKS),
        "degradation": on_data("degradation"),
        "dependencies": on_data("dependencies"),
        "retrieval": on_data("retrieval"),
        "ablation": _settings(part("ablation")),
        "missing": dict(missing),
    }


def _settings(found: Found) -> list[dict[str, Any]]:
    """Return a row for each setting, with its gain over the same one without looking back."""
    rows: dict[str, dict[str, Any]] = {}
    causal: dict[str, dict[int, float]] = {}
    for cell, own in found:
        setting = {name: cell[name] for name in SETTING}
        row = rows.setdefault(name_of(setting), setting | {"runs": {}})
        row["runs"].pop(cell["seed"], None)  # the latest counts
        row["runs"][cell["seed"]] = {"seed": cell["seed"]} | {name: own[name] for name in RUN}
        if not cell["looking_back"]:
            causal.setdefault(_alike(cell), {})[cell["seed"]] = own["spearman"]
    for row in rows.values():
        runs = row["runs"] = list(row["runs"].values())
        values = [one["spearman"] for one in runs]
        before = {} if not row["looking_back"] else causal.get(_alike(row), {})
        gains = [one["spearman"] - before[one["seed"]] for one in runs if one["seed"] in before]
        row["mean"] = statistics.fmean(values)
        row["deviation"] = statistics.stdev(values) if len(values) > 1 else None
        row["gain"] = _mean_gain(gains) if len(gains) > 1 else None
    return list(rows.values())


def _alike(row: Mapping[str, Any]) -> str:
    """Return what two settings have in common if they only look back differently."""
    return name_of({n: row[n] for n in SETTING if n not in ("looking_back", "strategy")})


def _mean_gain(gains: Sequence[float]) -> dict[str, Any]:
    """Return the mean of differences by seed with its interval by Student's t."""
    low, high = ttest_1samp(gains, 0).confidence_interval()
    mean = statistics.fmean(gains)
    return {"value": mean, "low": float(low), "high": float(high), "n": len(gains)}
