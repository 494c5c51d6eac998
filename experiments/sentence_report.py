"""The report of `symdemo sts` and `symdemo bellm compare`, from the ledger that both write.

Figures are in points.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scipy.stats import ttest_1samp

from experiments.runner import Ledger, name_of, shown_name
from experiments.transfer import TRANSFER_TASKS
from symdemo.evaluation.sentences.sts import TASKS

LEDGER = "bellm_measurements.jsonl"
SETTING = ("encoder", "looking_back", "strategy", "pooling", "prompt", "config")
RUN = ("spearman", "train_pairs", "seconds")
Found = list[tuple[dict[str, Any], dict[str, Any]]]


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
        "sts": by_task("sts", TASKS),
        "conditional": [
            who(cell) | {"spearman": {name: own[name] for name in scored}}
            for cell, own in latest("conditional")
        ],
        "transfer": by_task("transfer", TRANSFER_TASKS),
        "degradation": on_data("degradation"),
        "dependencies": on_data("dependencies"),
        "retrieval": on_data("retrieval"),
        "ablation": _settings(part("ablation")),
        "missing": dict(missing),
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
    low, high = ttest_1samp(gains, 0).confidence_interval()
    found = {"value": statistics.fmean(gains), "low": float(low), "high": float(high)}
    return found | {"n": len(gains)}
