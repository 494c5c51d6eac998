"""The files that the tab “Benchmark” offers: the report as JSON, its main table as CSV."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from symdemo.data.text_rows import csv_text
from symdemo.evaluation.results import VERSIONS, PaperReport
from symdemo.files.storage import write_text
from symdemo.ui.shared.temporary import temporary_files


def to_csv(report: PaperReport) -> str:
    """Return a row for each encoder's probe and methods; accuracies are shares in [0, 1]."""
    probe = {"method": "untouched encoder, 1-NN", "samples": 48}
    rows = [_columns(_cells({**row, **probe})) for row in report.summary["probes"]]
    rows += [_columns(_cells(row)) for row in report.summary["methods"]]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return csv_text([names, *([row.get(name) for name in names] for row in rows)], "\n")


def _cells(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of a row by name; a spread becomes three columns."""
    unnamed, nli = row.get("without_names") or {}, row.get("nli") or {}
    kept, lost = ((row.get("forgetting") or {}).get(n, {}) for n in ("with retention", "without"))
    smallest, own = (d.get("smallest_perfect") or {} for d in (row, unnamed))
    loss = nli.get("loss") or {}
    paper = row["paper"] or (None, None)
    return {
        **{name: row[name] for name in ("encoder", "method", "samples")},
        **{f"paper_{v}_percent": own for v, own in zip(VERSIONS, paper, strict=True)},
        **{name: row.get(name) for name in (*VERSIONS, "steps", "seconds", "perfect_seeds")},
        "smallest_perfect": smallest.get("spread"),
        "smallest_perfect_seeds": smallest.get("reached"),
        **{f"without_names_{version}": unnamed.get(version) for version in VERSIONS},
        "without_names_smallest_perfect": own.get("spread"),
        "without_names_smallest_perfect_seeds": own.get("reached"),
        "sts_loss_with_retention": kept.get("sts_loss"),
        "sts_loss_without": lost.get("sts_loss"),
        "drift_with_retention": kept.get("drift"),
        "drift_without": lost.get("drift"),
        "nli_before": nli.get("before"),
        "nli_loss_with_retention": loss.get("with"),
        "nli_loss_without": loss.get("without"),
        **{f"nli_{version}": nli.get(version) for version in VERSIONS},
    }


def _columns(cells: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in cells.items():
        if isinstance(value, Mapping):
            found |= {f"{name}_{part}": value.get(part) for part in ("median", "least", "most")}
        elif value is not None:
            found[name] = value
    return found


def write_files(report: PaperReport) -> tuple[str, str]:
    """Write a report as JSON and its table as CSV, once; return their paths."""
    folder = temporary_files().folder / "benchmark" / report.stamp
    whole, table = folder / PaperReport.NAME, folder / "reproduce.csv"
    if not (whole.exists() and table.exists()):  # they are swept, as all temporary files are
        write_text(whole, json.dumps(report.values, indent=1, ensure_ascii=False) + "\n")
        write_text(table, to_csv(report))
    return str(whole), str(table)
