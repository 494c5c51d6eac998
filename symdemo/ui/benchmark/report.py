"""What the tab “Benchmark” reads: the report of `symdemo reproduce`, and the files to take home."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from symdemo.errors import InputError
from symdemo.files.paths import PACKAGE, RESULTS
from symdemo.reproduction.paper import TABLE_2_ENCODER
from symdemo.ui.shared.csv_text import csv_text

REPORT = "reproduce.json"
VERSIONS = ("lexicalized", "delexicalized")

_OF_TABLE_2 = TABLE_2_ENCODER.lower().replace("-", "_")
"""In the names of columns that the paper has for one encoder alone."""

Spread = Mapping[str, float] | None
"""Median, least, most and n of some measurements; None where there are none."""


@dataclass(frozen=True)
class Report:
    """A report under the stamp of its file; whatever a study left out reads as empty."""

    stamp: str
    values: Mapping[str, Any]

    @property
    def summary(self) -> Mapping[str, Any]:
        """The figures of the study, by the part of it that they belong to."""
        return self.values["summary"]

    @property
    def encoders(self) -> list[str]:
        """The encoders with figures, in the order of the plan."""
        rows = (*self.summary.get("probes", ()), *self.summary.get("methods", ()))
        return list(dict.fromkeys(row["encoder"] for row in rows))

    def seeds(self, encoder: str | None) -> Sequence[int]:
        """The seeds that an encoder was to be measured with; the first one may have more."""
        plan = self.summary.get("plan") or {}
        others = plan.get("other_seeds")
        first = encoder in plan.get("encoders", ())[:1]
        return plan.get("seeds", ()) if first or others is None else others

    def encoder(self, asked: Any) -> str | None:
        """The encoder that was asked for where it is in the report, or the first."""
        return asked if asked in self.encoders else next(iter(self.encoders), None)

    def rows(self, part: str, encoder: str | None) -> list[Mapping[str, Any]]:
        """The rows of a part of the summary that belong to an encoder."""
        return [row for row in self.summary.get(part) or () if row["encoder"] == encoder]

    def curve(self, encoder: str | None, method: str) -> list[Mapping[str, Any]]:
        """Accuracy against samples of one method, ascending."""
        rows = self.rows("accuracy_by_samples", encoder)
        return sorted((r for r in rows if r["method"] == method), key=lambda r: r["samples"])


def find_report(folder: Path = RESULTS) -> Report | None:
    """The report in a folder, read again only when its file has changed; None where there is none.

    Raises:
        InputError: the file is no report.
    """
    path = folder / REPORT
    try:
        state = path.stat()
    except OSError:
        return None
    return _read(path, f"{state.st_mtime_ns}-{state.st_size}")


@lru_cache(maxsize=4)
def _read(path: Path, stamp: str) -> Report:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        values = None
    if not isinstance(values, dict) or not isinstance(values.get("summary"), dict):
        raise InputError(f"{path.name} is not a report of “symdemo reproduce”; run it again.")
    return Report(stamp, values)


def way_to_make(folder: Path = RESULTS) -> tuple[str, str]:
    """The command that makes a report, and what else it needs for the tab to find it.

    Nothing is written into an installed package: there the app is told where to look.
    """
    folder = folder.resolve()
    if folder.is_relative_to(Path.cwd()) and not folder.is_relative_to(PACKAGE):
        return f"symdemo reproduce --out {folder.relative_to(Path.cwd()).as_posix()}", ""
    return "symdemo reproduce", "SYMDEMO_RESULTS=runs/reproduce symdemo serve"


def to_csv(report: Report) -> str:
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
    paper, forgetting = row.get("paper") or {}, row.get("forgetting") or {}
    accuracy = paper.get("accuracy") or (None, None)
    nli = row.get("nli") or {}
    loss = nli.get("loss") or {}
    kept, lost = (forgetting.get(name) or {} for name in ("with retention", "without"))
    smallest = row.get("smallest_perfect") or {}
    cells = {name: row.get(name) for name in ("encoder", "method", "samples")}
    cells |= {f"paper_{name}_percent": accuracy[i] for i, name in enumerate(VERSIONS)}
    cells |= {f"paper_{name}_{_OF_TABLE_2}": paper.get(name) for name in ("samples", "forgetting")}
    cells |= _columns({name: row.get(name) for name in (*VERSIONS, "steps", "seconds")})
    cells |= {"perfect_seeds": row.get("perfect_seeds")}
    cells |= _columns({"smallest_perfect": smallest.get("spread")})
    cells |= {"smallest_perfect_seeds": smallest.get("reached")}
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


def _columns(spreads: Mapping[str, Spread]) -> dict[str, Any]:
    return {
        f"{name}_{part}": (values or {}).get(part)
        for name, values in spreads.items()
        for part in ("median", "least", "most")
    }


class Exports:
    """Writes the files to take home, once for each report, into a folder of its own."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="symdemo-benchmark-")

    def files(self, report: Report) -> tuple[str, str]:
        """Paths of the JSON report and of the CSV table."""
        folder = Path(self._folder.name) / report.stamp
        folder.mkdir(parents=True, exist_ok=True)
        whole = json.dumps(report.values, indent=1, ensure_ascii=False) + "\n"
        texts = {REPORT: whole, "reproduce.csv": to_csv(report)}
        return tuple(_write_once(folder / name, text) for name, text in texts.items())


def _write_once(path: Path, text: str) -> str:
    if not path.exists():
        handle, draft = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(draft).replace(path)
    return str(path)
