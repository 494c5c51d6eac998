"""The report of `benchmarks/general.py`: a row for each model, and the README's table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symdemo.pairs import LABELS
from symdemo.recipes.general import CONFIG
from symdemo.reproduction.experiments import provenance
from symdemo.reproduction.tables import table


def summarise(found: Mapping[Any, dict], data: dict, splits: dict) -> dict:
    """A row for each method; where all taught pairs vote, the temperature is by the other folds.

    Args:
        found: run (with `method`, `fold` and `seed`) → its figures.
        data: what the relations and sentences were.
        splits: how they were dealt.
    """
    methods = dict.fromkeys(run.method for run in found)
    made_by = provenance()
    processor = {"processor": made_by["machine"]["processor"]}
    return {
        "command": "python benchmarks/general.py",
        "made_by": made_by,
        "data": data,
        "splits": splits,
        "config": CONFIG.values(),
        "rows": {
            method: processor
            | _row({run: own for run, own in found.items() if run.method == method})
            for method in methods
        },
    }


def with_earlier_rows(report: dict, earlier: Mapping[str, Any]) -> dict:
    """`report` with the rows of an earlier one that it lacks, if both are over the same pairs."""
    if any(report[name] != earlier[name] for name in ("data", "splits")):
        return report
    processor = {"processor": earlier["made_by"]["machine"]["processor"]}
    kept = {method: processor | row for method, row in earlier["rows"].items()}
    return report | {"rows": kept | report["rows"]}


def _row(own: Mapping[Any, dict]) -> dict:
    chosen = {run: figures["by_temperature"][_place(run, own)] for run, figures in own.items()}
    seeds = sorted({run.seed for run in own})
    names = ("three", "two", "calibration_error", "swap_consistency", "free", "blind", "log_loss")
    row = {"runs": len(own), "seeds": len(seeds)}
    row["commits"] = sorted({f["commit"] for f in own.values() if "commit" in f})
    for name in names:
        by_seed = [_mean(c[name] for r, c in chosen.items() if r.seed == seed) for seed in seeds]
        row[name] = {"mean": _mean(by_seed), "by_seed": by_seed}
    row["by_label"] = {
        label: _mean(c["by_label"][label] for c in chosen.values()) for label in LABELS
    }
    kinds = sorted({kind for c in chosen.values() for kind in c["by_kind"]})
    row["by_kind"] = {
        kind: _pooled([c["by_kind"].get(kind) for c in chosen.values()]) for kind in kinds
    }
    row["temperature"] = [c["temperature"] for c in chosen.values()]
    row["seconds"] = _mean(figures["seconds"] for figures in own.values())
    lost = [f["sts_before"] - f["sts_after"] for f in own.values() if "sts_after" in f]
    row["sts_loss"] = {"mean": _mean(lost), "most": max(lost)} if lost else None
    wrong: dict[str, int] = {}
    for c in chosen.values():
        for relation, n in c["wrong"].items():
            wrong[relation] = wrong.get(relation, 0) + n
    row["most_often_wrong"] = sorted(wrong.items(), key=lambda item: -item[1])[:30]
    nearest = [f["nearest"] for f in own.values() if "nearest" in f]
    if nearest:
        row["nearest_95"] = float(np.mean([quantiles[95] for quantiles in nearest]))
        row["false_alarms"] = _mean(_false_alarms(run, own) for run in own)
    return row


BEGIN, END = "<!-- general: begin -->", "<!-- general: end -->"
NAMES = {
    "general": "**general**: learnt metric, softmax over prototypes, all taught pairs vote",
    "averaged": "the mean of three such models' weights",
    "knn": "k-NN with Eq. 5 on the same pairs",
    "fine-tuning": "fine-tuning on the same relations, each phrasing once, without retention",
    "setfit": "SetFit on the same relations",
    "wikidata14": "`wikidata14`, which knows 14 relations and two answers",
    "untouched": "untouched encoder, all taught pairs vote",
    "phrasings": "general, all relations known, the phrasing new",
}


def markdown(report: dict) -> str:
    """The README's table."""
    rows = [
        [
            name,
            _percent(row["two"]),
            _percent(row["three"]),
            f"{row['calibration_error']['mean']:.3f}",
            f"{row['swap_consistency']['mean']:.1%}",
            _percent(row["free"]),
            _percent(row["blind"]),
            f"{row['sts_loss']['mean']:.2f}".replace("-", "−") if row["sts_loss"] else "–",
            f"{row['seconds']:.0f}",
            str(row["runs"]),
        ]
        for method, name in NAMES.items()
        if (row := report["rows"].get(method))
    ]
    header = [
        "Model",
        "Holds or contradicts",
        "Three answers",
        "Calibration error",
        "Same answer read the other way",
        "Free sentences",
        "Blind sentences",
        "STS-B lost",
        "Seconds of training",
        "Runs",
    ]
    made_by, data = report["made_by"], report["data"]
    return (
        f"Made by `{report['command']}`, put together at commit {made_by['commit']}, "
        f"{made_by['machine']['processor']}: {report['splits']['folds']} folds over groups of "
        f"relations, {data['pairs']:,} pairs, each judged by a model that was taught none of the "
        f"relations of its fold. The {data['sentences']['free']} free sentences were written by "
        "hand and looked at while the model was chosen; the "
        f"{data['sentences']['blind']} blind ones were written without a look at the bank or the "
        "model, and not looked at since; a second reading, labels hidden, agreed on all of them. "
        "Both hold relations that the bank has too, in other words. In brackets: least to most "
        "over the seeds; a row with fewer than five runs covers the first folds alone, or, in the "
        "last one, as many choices of the phrasings that are withheld."
        + _elsewhere(report)
        + "\n\n"
        + table(header, rows)
        + "\n"
    )


def _elsewhere(report: Mapping[str, Any]) -> str:
    """Which rows have their seconds from another machine."""
    here = report["made_by"]["machine"]["processor"]
    made_on = {m: row["processor"] for m, row in report["rows"].items() if "processor" in row}
    other = {method: processor for method, processor in made_on.items() if processor != here}
    if not other:
        return ""
    machines = ", ".join(sorted({*other.values()}))
    return f" The seconds of {', '.join(other)} are of another machine ({machines})."


def _percent(figure: Mapping[str, Any]) -> str:
    """The mean and, over several seeds, the least and the most of their means."""
    least, most = min(figure["by_seed"]), max(figure["by_seed"])
    spread = f" [{100 * least:.1f}–{100 * most:.1f}]" if len(figure["by_seed"]) > 1 else ""
    return f"{figure['mean']:.1%}{spread}"


VARIANTS_BEGIN, VARIANTS_END = "<!-- variants: begin -->", "<!-- variants: end -->"
APART_BEGIN, APART_END = "<!-- apart: begin -->", "<!-- apart: end -->"


def variants_markdown(report: dict, lead: str = "What else was tried, small, by") -> str:
    """The README's table of what was tried."""
    rows = [
        [
            name,
            f"{row['two']:.1%}",
            f"{row['three']:.1%}",
            f"{row['by_label']['neutral']:.1%}",
            f"{row['sts_loss']:.2f}".replace("-", "−") if "sts_loss" in row else "–",
            f"{row['seconds']:.0f}",
        ]
        for name, row in report["rows"].items()
    ]
    header = ["Variant", "Holds or contradicts", "Three answers", "Of them neutral"]
    header += ["STS-B (dev) lost", "Seconds of training"]
    taught = report["taught"]
    times = "once" if taught["rounds"] == 1 else f"{taught['rounds']} times"
    return (
        f"{lead} `{report['command']}`, put together at commit "
        f"{report['made_by']['commit']} (seconds are of more than one machine): one fold "
        f"({report['relations']} relations) of another split than above; {taught['share']:.0%} of "
        f"the other relations taught, each phrasing shown {times}, one seed.\n\n"
        + table(header, rows)
        + "\n"
    )


def _place(run: Any, own: Mapping[Any, dict]) -> int:
    """Which temperature: the best on all folds but the run's own."""
    others = [f for other, f in own.items() if other.fold != run.fold] or list(own.values())
    losses = np.array([[c["log_loss"] for c in f["by_temperature"]] for f in others])
    return int(losses.mean(0).argmin())


def _false_alarms(run: Any, own: Mapping[Any, dict]) -> float:
    """Share of a fold's pairs beyond the limit of familiarity that the other folds set."""
    others = [f for other, f in own.items() if other.fold != run.fold] or list(own.values())
    limit = np.mean([figures["nearest"][95] for figures in others])
    quantiles = own[run]["nearest"]  # at 0, 1, … 100 percent
    return 1 - float(np.interp(limit, quantiles, np.linspace(0, 1, len(quantiles))))


def _mean(values) -> float:
    values = list(values)
    return float(sum(values) / len(values))


def _pooled(shares: Sequence[tuple[float, int] | None]) -> tuple[float, int]:
    known = [share for share in shares if share]
    n = sum(count for _, count in known)
    return sum(value * count for value, count in known) / n, n
