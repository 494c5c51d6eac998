"""The files that the tab “Benchmark” offers: the report as JSON, its main table as CSV."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from symdemo.data.tables import csv_text
from symdemo.evaluation.results import VERSIONS, PaperReport
from symdemo.files.storage import write_text


def to_csv(report: PaperReport) -> str:
    """Return a row for each encoder's probe and methods; accuracies are shares in [0, 1]."""
    rows = [
        {
            "encoder": row["encoder"],
            "method": "untouched encoder, 1-NN",
            "samples": 48,
            **_paper(row),
            **_columns({version: row[version] for version in VERSIONS}),
        }
        for row in report.summary["probes"]
    ]
    rows += [dict(_cells(row)) for row in report.summary["methods"]]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return csv_text([names, *([row.get(name) for name in names] for row in rows)], "\n")


def _cells(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    unnamed, nli = row["without_names"] or {}, row["nli"] or {}
    kept, lost = row["forgetting"]["with retention"], row["forgetting"]["without"]
    smallest, own = row["smallest_perfect"] or {}, unnamed.get("smallest_perfect") or {}
    loss = nli.get("loss") or {}
    yield from ((name, row[name]) for name in ("encoder", "method", "samples"))
    yield from _paper(row).items()
    yield from _columns({name: row[name] for name in (*VERSIONS, "steps", "seconds")}).items()
    yield "perfect_seeds", row["perfect_seeds"]
    yield from _columns({"smallest_perfect": smallest.get("spread")}).items()
    yield "smallest_perfect_seeds", smallest.get("reached")
    names = {f"without_names_{version}": unnamed.get(version) for version in VERSIONS}
    yield from _columns(names | {"without_names_smallest_perfect": own.get("spread")}).items()
    yield "without_names_smallest_perfect_seeds", own.get("reached")
    more = {
        "sts_loss_with_retention": kept["sts_loss"],
        "sts_loss_without": lost["sts_loss"],
        "drift_with_retention": kept["drift"],
        "drift_without": lost["drift"],
        "nli_before": nli.get("before"),
        "nli_loss_with_retention": loss.get("with"),
        "nli_loss_without": loss.get("without"),
    }
    more |= {f"nli_{version}": nli.get(version) for version in VERSIONS}
    yield from _columns(more).items()


def _paper(row: Mapping[str, Any]) -> dict[str, Any]:
    paper = row["paper"] or (None, None)
    return {f"paper_{version}_percent": paper[i] for i, version in enumerate(VERSIONS)}


def _columns(spreads: Mapping[str, Any]) -> dict[str, Any]:
    parts = ("median", "least", "most")
    return {f"{name}_{p}": (own or {}).get(p) for name, own in spreads.items() for p in parts}


class Exports:
    """Writes the files once for each state of the report, into a folder of its own."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="symdemo-benchmark-")

    def files(self, report: PaperReport) -> tuple[str, str]:
        """Return the paths of the JSON report and the CSV table."""
        folder = Path(self._folder.name) / report.stamp
        whole = json.dumps(report.values, indent=1, ensure_ascii=False) + "\n"
        texts = {PaperReport.NAME: whole, "reproduce.csv": to_csv(report)}
        for name, text in texts.items():
            if not (folder / name).exists():
                write_text(folder / name, text)
        first, second = (str(folder / name) for name in texts)
        return first, second
