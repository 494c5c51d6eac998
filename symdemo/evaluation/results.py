"""Results files: reports of what was measured, as JSON in `RESULTS`.

Rows stay plain dictionaries, as `experiments` writes them. Accuracies are shares in [0, 1] unless
said otherwise; correlations in `SentenceReport` are in points, from −100 to 100.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from symdemo.errors import InputError
from symdemo.files.paths import RESULTS

VERSIONS = ("lexicalized", "delexicalized")
"""Test sentences with names, and with ids in their place."""

Row = dict[str, Any]
Spread = dict[str, float] | None
"""The `median`, `least` and `most` of `n` measurements; None without any."""


@dataclass(frozen=True)
class ResultsFile:
    """A results file; its `stamp` changes when the file does."""

    NAME: ClassVar[str]
    COMMAND: ClassVar[str]
    PARTS: ClassVar[tuple[str, ...]] = ("command", "made_by", "summary")

    stamp: str
    values: dict[str, Any]

    @property
    def summary(self) -> dict[str, Any]:
        """All figures."""
        return self.values["summary"]

    @classmethod
    def find(cls, folder: Path = RESULTS) -> Self | None:
        """Return the report in a folder, or None if there is none.

        Raises:
            InputError: the file is not such a report.
        """
        path = folder / cls.NAME
        try:
            state = path.stat()
        except OSError:
            return None
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            values = None
        if not isinstance(values, dict) or not values.keys() >= set(cls.PARTS):
            raise InputError(
                f"{path.name} is not a report of “{cls.COMMAND}” (a JSON object with "
                f"{', '.join(cls.PARTS)}); run it again."
            )
        return cls(f"{state.st_mtime_ns}-{state.st_size}", values)


class PaperReport(ResultsFile):
    """The report of `symdemo reproduce`."""

    NAME = "reproduce.json"
    COMMAND = "symdemo reproduce"

    @property
    def encoders(self) -> list[str]:
        """The encoders with figures, in the order of the plan."""
        rows = (*self.summary["probes"], *self.summary["methods"])
        return list(dict.fromkeys(row["encoder"] for row in rows))

    def seeds(self, encoder: str | None) -> Sequence[int]:
        """Return the seeds planned for an encoder; the first encoder may have more."""
        plan = self.summary["plan"]
        others = plan["other_seeds"]
        first = encoder in plan["encoders"][:1]
        return plan["seeds"] if first or others is None else others

    def encoder(self, wanted: object) -> str | None:
        """Return the wanted encoder if the report has it, else the first."""
        return wanted if wanted in self.encoders else next(iter(self.encoders), None)

    def rows(
        self, part: Literal["probes", "methods", "accuracy_by_samples"], encoder: str | None
    ) -> list[Row]:
        """Return an encoder's rows of a part of the summary."""
        return [row for row in self.summary[part] if row["encoder"] == encoder]

    def curve(self, encoder: str | None, method: str) -> list[Row]:
        """Return a method's accuracy by number of samples, ascending."""
        rows = self.rows("accuracy_by_samples", encoder)
        return sorted((r for r in rows if r["method"] == method), key=lambda r: r["samples"])


class SentenceReport(ResultsFile):
    """The report of `symdemo sts` and `symdemo bellm compare`."""

    NAME = "bellm.json"
    COMMAND = "symdemo sts"


class UnseenReport(ResultsFile):
    """The report on relations never taught."""

    NAME = "general.json"
    COMMAND = "python -m experiments.general"
    PARTS = ("command", "made_by", "data", "rows")


def origins_in_words(origins: Sequence[Row]) -> str:
    """Say in a sentence at which commits rows were measured; empty if none is known.

    Args:
        origins: numbers of `rows` by `commit` and `processor`, as `Ledger.origins` has them.
    """
    known = [origin for origin in origins if origin["commit"]]
    parts = [f"{o['rows']:,} at commit {o['commit']} ({o['processor']})" for o in known]
    if rest := sum(o["rows"] for o in origins) - sum(o["rows"] for o in known):
        parts.append(f"{rest:,} before commits were recorded")
    return f"Measurements: {'; '.join(parts)}." if known else ""
