"""Results files: reports of what was measured, as JSON in `RESULTS`, validated when read.

Rows stay plain dictionaries, as `experiments` writes them. Accuracies are shares in [0, 1] unless
said otherwise; correlations in `SentenceReport` are in points, from −100 to 100.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, cast

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from symdemo.errors import InputError
from symdemo.files.paths import RESULTS

VERSIONS = ("lexicalized", "delexicalized")
"""Test sentences with names, and with ids in their place."""

Row = dict[str, Any]
Spread = dict[str, float] | None
"""The `median`, `least` and `most` of `n` measurements; None without any."""


def _type(form: Any) -> Any:
    """Return the type of a form: {field: form}, more fields allowed, {str: form} or [form]."""
    if isinstance(form, dict) and str in form:
        return dict.__class_getitem__((str, _type(form[str])))
    if isinstance(form, dict):
        return TypedDict("Form", {name: _type(own) for name, own in form.items()})  # type: ignore
    return list.__class_getitem__(_type(form[0])) if isinstance(form, list) else form


def _maybe(form: Any) -> Any:
    return _type(form) | None


_ANY = {str: Any}
_SPREAD = _maybe({"median": float, "least": float, "most": float, "n": int})
_SHARE = dict.fromkeys(("mean", "low", "high"), _maybe(float))
_SCORED = {"value": float, "low": float, "high": float, "n": int}
_BOTH = dict.fromkeys(VERSIONS, _SPREAD)
_COST = _BOTH | dict.fromkeys(("sts_loss", "drift", "neighbours_kept"), _SPREAD)
_CURVE = _BOTH | {"encoder": str, "method": str, "samples": int}
_ENCODER = {"encoder": str, "label": str, "baseline": bool}
_ORIGIN = {"command": str, "made_by": {"commit": str, "machine": _ANY, "versions": {str: str}}}


@dataclass(frozen=True)
class ResultsFile:
    """A results file; another `stamp` means another state of the file."""

    NAME: ClassVar[str]
    COMMAND: ClassVar[str]
    FORM: ClassVar[dict[str, Any]]

    stamp: str
    values: dict[str, Any]

    @property
    def summary(self) -> dict[str, Any]:
        """All figures."""
        return self.values["summary"]

    @classmethod
    def find(cls, folder: Path = RESULTS) -> Self | None:
        """Return the report in a folder, or None if there is none; read again when it changed.

        Raises:
            InputError: the file is not such a report.
        """
        path = folder / cls.NAME
        try:
            state = path.stat()
        except OSError:
            return None
        stamp = f"{state.st_mtime_ns}-{state.st_size}"
        return cls(stamp, _read(path, stamp, cast(Any, cls)))


@lru_cache(maxsize=8)
def _read(path: Path, stamp: str, kind: Any) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        values = None
    try:
        TypeAdapter(_type(kind.FORM)).validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise InputError(
            f"{kind.NAME} is not a report of “{kind.COMMAND}” ({place}: {first['msg']}); "
            "run it again."
        ) from None
    return values


class PaperReport(ResultsFile):
    """The report of `symdemo reproduce`."""

    NAME = "reproduce.json"
    COMMAND = "symdemo reproduce"
    FORM = _ORIGIN | {
        "rows_made_by": [{"commit": _maybe(str), "processor": _maybe(str), "rows": int}],
        "finished": bool,
        "summary": {
            "plan": {
                "encoders": [str], "seeds": [int], "other_seeds": _maybe([int]),
                "search_seeds": [int], "ablation_seeds": [int], "settings": {str: {str: _ANY}},
                "chosen_at": str,
            },
            "reading_nothing": [{"answer": str, "samples": int, "accuracy": _SPREAD}],
            "beyond": [_CURVE],
            "missing_encoders": [str],
            "cross_encoder": _maybe(_BOTH | {"model": str, "paper": [float]}),
            "probes": [_BOTH | {"encoder": str, "paper": _maybe([float])}],
            "methods": [
                _CURVE | {
                    "perfect_seeds": int, "steps": _SPREAD, "seconds": _SPREAD,
                    "smallest_perfect": _maybe(_ANY), "without_names": _maybe(_ANY),
                    "forgetting": {"with retention": _COST, "without": _COST},
                    "nli": _maybe(_ANY), "paper": _maybe([float]),
                }
            ],
            "nli": _maybe(_ANY),
            "new_label": [{"examples": int, "neutral": _SPREAD, "others": _SPREAD}],
            "ablations": [_BOTH | {"changes": _ANY, "sts_loss": _SPREAD, "drift": _SPREAD}],
            "accuracy_by_samples": [_CURVE],
        },
    }  # fmt: skip

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
    FORM = _ORIGIN | {
        "finished": bool,
        "data": {str: str},
        "summary": {
            "sts": [
                _ENCODER | {
                    "tasks": {str: _SCORED | {"subset_mean": float}}, "average": _maybe(float)
                }
            ],
            "conditional": [_ANY], "transfer": [_ANY], "retrieval": [_ANY],
            "degradation": [
                _ENCODER | {
                    "data": str, "pairs": int, "layers": [int], "spearman": [float],
                    "turning_point": int,
                }
            ],
            "dependencies": [
                _ENCODER | {
                    "data": str, "pivot": str, "n": int, "mean": float, "quartiles": [float],
                    "whiskers": [float],
                }
            ],
            "ablation": [
                {
                    "encoder": str, "looking_back": Any, "strategy": str, "pooling": str,
                    "prompt": _maybe(str), "config": _ANY, "mean": float,
                    "runs": [
                        {"seed": int, "spearman": float, "train_pairs": int, "seconds": float}
                    ],
                    "deviation": _maybe(float), "gain": _maybe(_SCORED),
                }
            ],
            "missing": {str: str},
        },
    }  # fmt: skip


class UnseenReport(ResultsFile):
    """The report on relations never taught."""

    NAME = "general.json"
    COMMAND = "python -m experiments.general"
    FORM = _ORIGIN | {
        "data": {"pairs": int, "relations": int},
        "rows": {
            str: {
                "three": _SHARE, "unjoined": _SHARE, "matched": _SHARE,
                "by_kind": {str: [float]}, "seeds": int,
            }
        },
    }  # fmt: skip


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
