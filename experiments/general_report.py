"""Compute all figures on relations never taught, from the answers kept in `results/general` alone.

The code of `setfit-short`, of the two heads without a scale and of `wikidata14` is at the tag
`studies-0.2`; that of `scaled-votes`, where the head's encoder votes, is at commit 72da60739f41.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd

from experiments.scoring import (
    GroupBootstrap,
    expected_calibration_error,
    log_loss,
    matched_weights,
)
from symdemo.data.bank import shipped_bank
from symdemo.errors import InputError
from symdemo.files.paths import RESULTS
from symdemo.files.provenance import provenance
from symdemo.pairs import LABELS

KEPT = RESULTS / "general"
COMMAND = "python -m experiments.general --keep"
DIFFERENCES = {"more": "words", "more_than_head": "fine-tuning-scaled"}
"""Name in the report → the method that the others are compared with."""


def is_right(frame: pd.DataFrame, labels: Sequence[str] = LABELS) -> pd.Series:
    """Return 1.0 if the largest share among `labels`, the first of equals, is the true one's."""
    best = np.array(labels)[frame[list(labels)].to_numpy(np.float64).argmax(1)]
    return pd.Series(best == frame.label, index=frame.index).astype(float)


class Kept:
    """The kept rows with their weights, and the answers of each method.

    Raises:
        InputError: the rows are not there.
    """

    def __init__(self) -> None:
        if not (KEPT / "rows.parquet").is_file():
            raise InputError(f"{KEPT} has no rows.parquet; {COMMAND} writes it.")
        self.rows = pd.read_parquet(KEPT / "rows.parquet")
        self.bank = bank = self.rows[self.rows.set == "bank"].set_index("row")
        self.bootstrap = GroupBootstrap(bank.group)
        where = bank.fold.astype(str) + " " + bank.skeleton  # a model for each fold
        self.weights = {
            "three": np.ones(len(bank)),
            "unjoined": (bank.kind != "joined").to_numpy(float),
            "matched": matched_weights(where.tolist(), bank.label.tolist()),
            "two": (bank.label != LABELS[2]).to_numpy(float),
        }

    @cached_property
    def runs(self) -> dict[str, list[dict[str, Any]]]:
        """Method → where each of its cells was measured.

        Methods with a cell measured on other rows than these are left out.
        """
        files = sorted(KEPT.glob("*.json"))
        found = {path.stem: json.loads(path.read_text("utf-8")) for path in files}
        data = found.pop("rows")["data"]
        return {name: own for name, own in found.items() if all(r["data"] == data for r in own)}

    @cache  # noqa: B019  (one a report)
    def answers(self, name: str) -> pd.DataFrame:
        """Return the tested pairs, by row, with the probabilities of a method, and if it is right.

        `three` is of three answers, and `two` of those that are not neutral.
        """
        frame = pd.read_parquet(KEPT / f"{name}.parquet")
        frame = frame.merge(self.rows.drop(columns="fold"), on="row").set_index("row")
        return frame.assign(three=is_right(frame), two=is_right(frame, LABELS[:2]))

    def of_bank(self, name: str) -> pd.DataFrame:
        """Return a method's answers on the bank, in the order of `bank`."""
        return self.answers(name).query("set == 'bank'").loc[self.bank.index]

    def figure(self, headline: str, name: str, other: str = "") -> dict[str, float]:
        """Return a mean over the bank with its interval, or its difference to another method."""
        column = "two" if headline == "two" else "three"
        right = self.of_bank(name)[column]
        if other:
            right = right - self.of_bank(other)[column]
        return self.bootstrap.interval(right.to_numpy(), self.weights[headline])


def row_of(kept: Kept, name: str) -> dict[str, Any]:
    """Return all figures of a method, and its differences to others."""
    bank, answers = kept.of_bank(name), kept.answers(name)
    row: dict[str, Any] = {headline: kept.figure(headline, name) for headline in kept.weights}
    for more, other in DIFFERENCES.items():
        if other != name:
            for headline in kept.weights:
                row[headline][more] = kept.figure(headline, name, other)
    row["by_label"] = {label: float(bank.three[bank.label == label].mean()) for label in LABELS}
    row["by_kind"] = {
        str(kind): [float(own.three.mean()), len(own)] for kind, own in bank.groupby("kind")
    }
    row["calibration_error"] = {"mean": _by_model(bank, expected_calibration_error)}
    row["log_loss"] = {"mean": _by_model(bank, log_loss)}
    verdicts = bank[list(LABELS)].to_numpy(np.float64).argmax(1)
    row["swap_consistency"] = {"mean": float((verdicts == bank.swapped.to_numpy(int)).mean())}
    for name_of_set, some in answers[answers.set != "bank"].groupby("set"):
        row[str(name_of_set)] = {"mean": float(some.three.mean())}
    wrong = (1 - bank.three).groupby(bank.relation).sum()
    wrong = wrong.sort_values(ascending=False, kind="stable")  # the same order on every machine
    row["most_often_wrong"] = [[str(k), int(n)] for k, n in wrong.head(30).items() if n]
    return row | _familiarity(bank) | _about(kept.runs[name])


def _by_model(bank: pd.DataFrame, figure: Callable[[np.ndarray, np.ndarray], float]) -> float:
    """Return the mean of a figure over folds and seeds, each with a model of its own."""
    places = {label: place for place, label in enumerate(LABELS)}
    own = [
        figure(run[list(LABELS)].to_numpy(np.float64), run.label.map(places).to_numpy())
        for _, run in bank.groupby(["fold", "seed"])
    ]
    return float(np.mean(own))


def _familiarity(bank: pd.DataFrame) -> dict[str, float]:
    """Return how near 95% of the tested are to a taught pair, and how often that limit errs."""
    if bank.near.isna().any():
        return {}
    limits = bank.near.astype(float).groupby(bank.fold).quantile(0.95)
    alarms = [
        float((own.near > limits.drop(fold).mean()).mean()) for fold, own in bank.groupby("fold")
    ]
    return {"nearest_95": float(limits.mean()), "false_alarms": float(np.mean(alarms))}


def _about(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    lost = [run["sts_before"] - run["sts_after"] for run in runs if "sts_after" in run]
    made_by = [run["made_by"] for run in runs]
    machines = {str(m["machine"]["accelerator"] or m["machine"]["processor"]) for m in made_by}
    return {
        "folds": len({run["fold"] for run in runs}),
        "seeds": len({run["seed"] for run in runs}),
        "temperature": [run["temperature"] for run in runs],
        "seconds": float(np.mean([run.get("seconds", 0.0) for run in runs])),
        "sts_loss": {"mean": float(np.mean(lost))} if lost else None,
        "commits": sorted({made["commit"] for made in made_by}),
        "machines": sorted(machines),
        "precision": sorted({run["precision"] for run in runs if "precision" in run}),
    }


def errors(kept: Kept, name: str) -> dict[str, list[dict[Any, Any]]]:
    """Return the ten most and the ten least certain errors of a method."""
    wrong = kept.of_bank(name).query("three == 0")
    shares = wrong[list(LABELS)].to_numpy(np.float64)
    wrong = wrong.assign(answer=np.array(LABELS)[shares.argmax(1)], sure=shares.max(1))
    wrong = wrong.sort_values(["sure", "row"], ascending=[False, True])
    wrong = wrong[["phrasing", "relation", "label", "answer", "sure"]].round({"sure": 3})
    return {
        "most certain": wrong.head(10).to_dict("records"),
        "least certain": wrong.tail(10)[::-1].to_dict("records"),
    }


def make_report() -> dict[str, Any]:
    """Return all figures of the kept methods."""
    kept, now = Kept(), {relation.id: relation.label for relation in shipped_bank().relations}
    bank = kept.bank
    labels = dict(zip(bank.relation, bank.label, strict=True))
    return {
        "command": COMMAND,
        "made_by": provenance(COMMAND),
        "data": {
            "pairs": len(bank),
            "relations": int(bank.relation.nunique()),
            "groups": int(bank.group.nunique()),
            "labels_changed": sum(now.get(id, label) != label for id, label in labels.items()),
            "matched": {"share": float((kept.weights["matched"] > 0).mean())},
            "sentences": kept.rows[kept.rows.set != "bank"].set.value_counts().to_dict(),
        },
        "rows": {name: row_of(kept, name) for name in kept.runs},
        "errors": {"general": errors(kept, "general")},
    }
