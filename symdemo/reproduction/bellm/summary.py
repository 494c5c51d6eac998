"""Figures from a ledger. A pure function: the same ledger gives the same summary."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, cast

from symdemo.evaluation.sentences.sts import TASKS
from symdemo.evaluation.sentences.transfer_data import TRANSFER_TASKS
from symdemo.reproduction.bellm.keys import label_key
from symdemo.reproduction.bellm.report import Summary
from symdemo.reproduction.ledger import Key, Ledger
from symdemo.reproduction.summary import spread

Found = list[tuple[Key, dict]]

_SETTING = ("encoder", "looking_back", "strategy", "pooling", "prompt")


def summarise(ledger: Ledger, missing: Mapping[str, str] | None = None) -> Summary:
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
        "ablation": list(_ablations(parts.get("ablation", []))),
        "symmetry": list(_symmetry(ledger, parts.get("symmetry", []))),
        "training": [
            _named(ledger, key) | {"seed": key["seed"], "curve": result["curve"]}
            for key, result in parts.get("training", [])
        ],
        "missing": dict(missing or {}),
    }
    return cast(Summary, made)


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


def _ablations(found: Found) -> Iterator[dict]:
    for setting, group in _grouped(found, _SETTING):
        of_seed = {
            key["seed"]: {
                "seed": key["seed"],
                "spearman": result["spearman"],
                "train_pairs": result["train_pairs"],
                "seconds": result["seconds"],
            }
            for key, result in group
        }
        values = [run["spearman"] for run in of_seed.values()]
        yield setting | {
            "runs": list(of_seed.values()),
            "mean": statistics.fmean(values),
            "deviation": statistics.stdev(values) if len(values) > 1 else None,
        }


def _symmetry(ledger: Ledger, found: Found) -> Iterator[dict]:
    for shared, group in _grouped(found, ("encoder", "method", "samples")):
        yield (
            _named(ledger, group[0][0])
            | shared
            | {
                name: spread([result[name] for _, result in group])
                for name in ("lexicalized", "delexicalized", "forgetting")
            }
        )
