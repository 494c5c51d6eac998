"""The files that the tab “Benchmark” offers: the report as JSON, its main table as CSV."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from symdemo.data.text_rows import csv_text
from symdemo.evaluation.results import VERSIONS, PaperReport
from symdemo.files.storage import write_text
from symdemo.ui.benchmark.words import KEPT, LOST, part
from symdemo.ui.shared.temporary import temporary_files

COLUMNS = {
    **{name: name for name in (*VERSIONS, "steps", "seconds", "perfect_seeds")},
    "smallest_perfect": "smallest_perfect/spread",
    "smallest_perfect_seeds": "smallest_perfect/reached",
    **{f"without_names_{version}": f"without_names/{version}" for version in VERSIONS},
    "without_names_smallest_perfect": "without_names/smallest_perfect/spread",
    "without_names_smallest_perfect_seeds": "without_names/smallest_perfect/reached",
    "sts_loss_with_retention": f"{KEPT}/sts_loss",
    "sts_loss_without": f"{LOST}/sts_loss",
    "drift_with_retention": f"{KEPT}/drift",
    "drift_without": f"{LOST}/drift",
    "nli_before": "nli/before",
    "nli_loss_with_retention": "nli/loss/with",
    "nli_loss_without": "nli/loss/without",
    **{f"nli_{version}": f"nli/{version}" for version in VERSIONS},
}
"""Column → where a row of the report has it."""


def to_csv(report: PaperReport) -> str:
    """Return a CSV with a row for each probe of an encoder and each of its methods.

    Accuracies are shares in [0, 1], except the paper's, in percent. A spread over seeds takes three
    columns: median, least and most.
    """
    probe = {"method": "untouched encoder, 1-NN", "samples": 48}
    probes, table = [row | probe for row in report.summary["probes"]], []
    for row in [*probes, *report.summary["methods"]]:
        cells: dict[str, Any] = {name: row[name] for name in ("encoder", "method", "samples")}
        paper = zip(VERSIONS, row["paper"] or (), strict=False)
        cells |= {f"paper_{version}_percent": share for version, share in paper}
        for name, path in COLUMNS.items():
            value = part(row, path)
            if isinstance(value, Mapping):
                cells |= {f"{name}_{end}": value.get(end) for end in ("median", "least", "most")}
            elif value is not None:
                cells[name] = value
        table.append(cells)
    names = list(dict.fromkeys(name for cells in table for name in cells))
    return csv_text([names, *([cells.get(name) for name in names] for cells in table)], "\n")


def write_files(report: PaperReport) -> tuple[str, str]:
    """Write a report as JSON and its table as CSV, once; return their paths."""
    folder = temporary_files().folder / "benchmark" / report.stamp
    whole, table = folder / PaperReport.NAME, folder / "reproduce.csv"
    if not (whole.exists() and table.exists()):  # they are swept, as all temporary files are
        write_text(whole, json.dumps(report.values, indent=1, ensure_ascii=False) + "\n")
        write_text(table, to_csv(report))
    return str(whole), str(table)
