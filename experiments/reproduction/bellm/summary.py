"""Figures from a ledger. A pure function: the same ledger gives the same summary."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, cast

from scipy.special import stdtrit

from experiments.reproduction.bellm.keys import label_key
from experiments.reproduction.ledger import Key, Ledger
from symdemo.evaluation.results import SentenceSummary
from symdemo.evaluation.sentences.sts import TASKS
from symdemo.evaluation.sentences.transfer import TRANSFER_TASKS

Found = list[tuple[Key, dict]]

_SETTING = ("encoder", "looking_back", "strategy", "pooling", "prompt", "config")


def summarise(ledger: Ledger, missing: Mapping[str, str] | None = None) -> SentenceSummary:
    """All figures of a ledger: baselines first, then encoders as they were first measured."""
    parts: dict[str, Found] = {}
    for key in ledger:
        parts.setdefault(key["part"], []).append((key, ledger.get(key) or {}))

    def rows(part: str, make: Callable[[Key, dict], dict]) -> list[dict]:
        return [_who(ledger, key) | make(key, result) for key, result in _last(parts.get(part, ()))]

    made = {
        "sts": _tables(ledger, parts.get("sts", []), TASKS),
        "conditional": rows("conditional", lambda key, result: {"spearman": _scored(result)}),
        "transfer": _tables(ledger, parts.get("transfer", []), TRANSFER_TASKS),
        "degradation": rows("degradation", _on_data),
        "dependencies": rows("dependencies", _on_data),
        "retrieval": rows("retrieval", _on_data),
        "ablation": _ablations(parts.get("ablation", [])),
        "selection": [
            {name: key[name] for name in (*_SETTING, "seed")} | _run(result)
            for key, result in parts.get("selection", [])
        ],
        "training": [
            _named(ledger, key) | {"seed": key["seed"], "curve": result["curve"]}
            for key, result in parts.get("training", [])
        ],
        "missing": dict(missing or {}),
    }
    return cast(SentenceSummary, made)


def data_hashes(ledger: Ledger) -> dict[str, str]:
    """Task → the hash of what was measured on last."""
    return {key["task"]: key["data"] for key in ledger if "task" in key}


def _last(found: Iterable[tuple[Key, dict]]) -> Found:
    """The last measurement of each encoder on each task, baselines first."""
    kept: dict[tuple[str, str], tuple[Key, dict]] = {}
    for key, result in found:
        kept[key["encoder"], key["task"]] = key, result
    return sorted(kept.values(), key=lambda entry: bool(entry[0]["base"]))


def _named(ledger: Ledger, key: Key) -> dict[str, Any]:
    label = (ledger.get(label_key(key["encoder"])) or {}).get("label", key["encoder"])
    return {"encoder": key["encoder"], "label": label}


def _who(ledger: Ledger, key: Key) -> dict[str, Any]:
    return _named(ledger, key) | {"baseline": not key["base"]}


def _scored(result: dict) -> dict[str, Any]:
    return {name: result[name] for name in ("value", "low", "high", "n")}


def _on_data(key: Key, result: dict) -> dict[str, Any]:
    figures = {name: value for name, value in result.items() if name != "seconds"}
    return {"data": key["task"]} | figures


def _tables(ledger: Ledger, found: Found, order: tuple[str, ...]) -> list[dict]:
    """A row for each encoder: its tasks in the order of the paper, and their average."""
    tasks: dict[str, dict[str, dict]] = {}
    who: dict[str, dict] = {}
    for key, result in _last(found):
        figures = {name: value for name, value in result.items() if name != "seconds"}
        tasks.setdefault(key["encoder"], {})[key["task"]] = figures
        who[key["encoder"]] = _who(ledger, key)
    measured = {task for own in tasks.values() for task in own}
    return [
        who[name]
        | {
            "tasks": {task: own[task] for task in order if task in own},
            "average": statistics.fmean(figures["value"] for figures in own.values())
            if own.keys() == measured
            else None,
        }
        for name, own in tasks.items()
    ]


def _grouped(found: Found, names: tuple[str, ...]) -> Iterator[tuple[dict, Found]]:
    """What the keys of a group share, and the group; in the order of the ledger."""
    groups: dict[str, Found] = {}
    for key, result in found:
        groups.setdefault(repr([key[name] for name in names]), []).append((key, result))
    for group in groups.values():
        yield {name: group[0][0][name] for name in names}, group


def _ablations(found: Found) -> list[dict]:
    rows = [_ablation(setting, group) for setting, group in _grouped(found, _SETTING)]
    for row in rows:
        causal = next((other for other in rows if _is_causal_twin(other, row)), row)
        row["gain"] = None if causal is row else _gain(row["runs"], causal["runs"])
    return rows


def _ablation(setting: dict, group: Found) -> dict[str, Any]:
    of_seed = {key["seed"]: {"seed": key["seed"]} | _run(result) for key, result in group}
    values = [run["spearman"] for run in of_seed.values()]
    return setting | {
        "runs": list(of_seed.values()),
        "mean": statistics.fmean(values),
        "deviation": statistics.stdev(values) if len(values) > 1 else None,
    }


def _is_causal_twin(other: dict, row: dict) -> bool:
    """Whether in `other` no layer looks back and all else is as in `row`."""
    alike = (name for name in _SETTING if name not in ("looking_back", "strategy"))
    return not other["looking_back"] and all(other[name] == row[name] for name in alike)


def _gain(ours: list[dict], theirs: list[dict]) -> dict[str, Any] | None:
    """The mean of the differences seed by seed, with its interval by Student's t."""
    before = {run["seed"]: run["spearman"] for run in theirs}
    gains = [run["spearman"] - before[run["seed"]] for run in ours if run["seed"] in before]
    if len(gains) < 2:
        return None
    mean, error = statistics.fmean(gains), statistics.stdev(gains) / len(gains) ** 0.5
    half = float(stdtrit(len(gains) - 1, 0.975)) * error
    return {"value": mean, "low": mean - half, "high": mean + half, "n": len(gains)}


def _run(result: dict) -> dict[str, Any]:
    return {name: result[name] for name in ("spearman", "train_pairs", "seconds")}
