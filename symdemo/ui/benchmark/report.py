"""What the tab “Benchmark” reads: the report of `symdemo reproduce`, and the files to take home."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symdemo.data.tables import csv_text
from symdemo.evaluation.results import VERSIONS, PaperReport, Spread
from symdemo.files.paths import PACKAGE, RESULTS


def way_to_make(folder: Path = RESULTS) -> tuple[str, str]:
    """The command that makes a report, and what else it needs for the tab to find it.

    Nothing is written into an installed package: there the app is told where to look.
    """
    folder = folder.resolve()
    if folder.is_relative_to(Path.cwd()) and not folder.is_relative_to(PACKAGE):
        return f"symdemo reproduce --out {folder.relative_to(Path.cwd()).as_posix()}", ""
    return "symdemo reproduce", "SYMDEMO_RESULTS=runs/reproduce symdemo serve"


def to_csv(report: PaperReport) -> str:
    """The main table of all encoders, a row for each method; shares as in the report, in [0, 1]."""
    rows = [_probe_cells(row) for row in report.summary.get("probes", ())]
    rows += [_method_cells(row) for row in report.summary.get("methods", ())]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return csv_text([names, *([row.get(name) for name in names] for row in rows)], "\n")


def _probe_cells(row: Mapping[str, Any]) -> dict[str, Any]:
    paper = row.get("paper") or (None, None)
    cells = {"encoder": row["encoder"], "method": "untouched encoder, 1-NN", "samples": 48}
    cells |= {f"paper_{name}_percent": paper[i] for i, name in enumerate(VERSIONS)}
    return cells | _columns({name: row.get(name) for name in VERSIONS})


def _method_cells(row: Mapping[str, Any]) -> dict[str, Any]:
    paper, forgetting = row.get("paper") or (None, None), row.get("forgetting") or {}
    nli = row.get("nli") or {}
    loss = nli.get("loss") or {}
    kept, lost = (forgetting.get(name) or {} for name in ("with retention", "without"))
    smallest, unnamed = row.get("smallest_perfect") or {}, row.get("without_names") or {}
    cells = {name: row.get(name) for name in ("encoder", "method", "samples")}
    cells |= {f"paper_{name}_percent": paper[i] for i, name in enumerate(VERSIONS)}
    cells |= _columns({name: row.get(name) for name in (*VERSIONS, "steps", "seconds")})
    cells |= {"perfect_seeds": row.get("perfect_seeds")}
    cells |= _columns({"smallest_perfect": smallest.get("spread")})
    cells |= {"smallest_perfect_seeds": smallest.get("reached")}
    cells |= _columns({f"without_names_{name}": unnamed.get(name) for name in VERSIONS})
    smallest = unnamed.get("smallest_perfect") or {}
    cells |= _columns({"without_names_smallest_perfect": smallest.get("spread")})
    cells |= {"without_names_smallest_perfect_seeds": smallest.get("reached")}
    return cells | _columns(
        {
            "sts_loss_with_retention": kept.get("sts_loss"),
            "sts_loss_without": lost.get("sts_loss"),
            "drift_with_retention": kept.get("drift"),
            "drift_without": lost.get("drift"),
            "nli_before": nli.get("before"),
            "nli_loss_with_retention": loss.get("with"),
            "nli_loss_without": loss.get("without"),
            "nli_lexicalized": nli.get("lexicalized"),
            "nli_delexicalized": nli.get("delexicalized"),
        }
    )


def _columns(spreads: Mapping[str, Spread | None]) -> dict[str, Any]:
    return {
        f"{name}_{part}": values.get(part) if values else None
        for name, values in spreads.items()
        for part in ("median", "least", "most")
    }


class Exports:
    """Writes the files to take home, once for each report, into a folder of its own."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="symdemo-benchmark-")

    def files(self, report: PaperReport) -> tuple[str, str]:
        """Paths of the JSON report and of the CSV table."""
        folder = Path(self._folder.name) / report.stamp
        folder.mkdir(parents=True, exist_ok=True)
        whole = json.dumps(report.values, indent=1, ensure_ascii=False) + "\n"
        texts = {PaperReport.NAME: whole, "reproduce.csv": to_csv(report)}
        first, second = (_write_once(folder / name, text) for name, text in texts.items())
        return first, second


def _write_once(path: Path, text: str) -> str:
    if not path.exists():
        handle, draft = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(draft).replace(path)
    return str(path)
