"""The figures of `experiments/general.py`, made from kept answers and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from experiments.general_kept import read, rows_about, runs_of
from symdemo.classifier.calibration import expected_calibration_error, log_loss
from symdemo.errors import InputError
from symdemo.evaluation.intervals import GroupBootstrap
from symdemo.evaluation.scores import matched_weights
from symdemo.pairs import LABELS

TWO = LABELS[:2]
"""Holds or contradicts: what an oracle has said of before that is not neutral."""

HEADLINES = ("three", "unjoined", "matched", "two")
"""Three answers on all rows; without “[X] and [Y] …”; within one skeleton, labels weighing alike;
and entailment or contradiction, where an oracle sets the third answer aside."""

RIVALS = {
    "more": "words",
    "more_than_head": "fine-tuning-scaled",
    "more_than_stage": "first-stage",
}
"""What the differences are taken to, by their names in the report: the best that has no encoder,
the strongest that has ours, and ours with the same lessons."""

LISTED = 10


@dataclass(frozen=True)
class Arm:
    """The kept answers of an arm on the bank, and those on the sentences of each set."""

    bank: pd.DataFrame
    sentences: Mapping[str, pd.DataFrame]
    runs: Sequence[Mapping[str, Any]]

    @cached_property
    def right(self) -> pd.DataFrame:
        """By row, mean over seeds: `three` and, of the rows that are not neutral, `two`."""
        own = self.bank
        found = pd.DataFrame({"row": own.row, "three": is_right(own), "two": is_right(own, TWO)})
        return found.groupby("row").mean()


def is_right(frame: pd.DataFrame, labels: Sequence[str] = LABELS) -> pd.Series:
    """Whether the largest share among `labels`, the first of equals, is that of the true one."""
    return pd.Series(
        np.array(labels)[frame[list(labels)].to_numpy(np.float64).argmax(1)] == frame.label,
        index=frame.index,
    ).astype(float)


class Kept:
    """What stands in a folder: the rows, and the arms that were asked them.

    Raises:
        InputError: the rows are not there.
    """

    def __init__(self, folder: Path):
        self.folder, self.rows = folder, read(folder, "rows")
        bank = self.rows[self.rows.set == "bank"].set_index("row")
        self.bank = bank.assign(matched=0.0)
        where = bank.fold.astype(str) + " " + bank.skeleton  # a model for each fold
        self.bank["matched"] = matched_weights(where.tolist(), bank.label.tolist())
        self.bootstrap = GroupBootstrap(bank.group.to_numpy())

    def arm(self, name: str) -> Arm | None:
        """An arm's answers; None where none are kept, or only on other data."""
        runs = runs_of(self.folder, name)
        if not runs or any(run["data"] != rows_about(self.folder)["data"] for run in runs):
            return None
        frame = read(self.folder, name).merge(self.rows.drop(columns="fold"), on="row")
        parts = {str(key): own for key, own in frame.groupby("set")}
        return Arm(parts.pop("bank"), parts, runs)

    def weights(self, name: str) -> np.ndarray:
        """What each row of the bank weighs in a figure, (n,)."""
        bank = self.bank
        return {
            "three": np.ones(len(bank)),
            "unjoined": (bank.kind != "joined").to_numpy(float),
            "matched": bank.matched.to_numpy(),
            "two": (bank.label != LABELS[2]).to_numpy(float),
        }[name]

    def figure(self, right: pd.Series, weights: np.ndarray) -> dict | None:
        """A mean over all rows of the bank and its interval; None where not all were asked."""
        values = right.reindex(self.bank.index).to_numpy()
        if np.isnan(values).any():
            return None
        return asdict(self.bootstrap.interval(values, weights))


def row_of(kept: Kept, name: str, rivals: Mapping[str, Arm] = MappingProxyType({})) -> dict:
    """All figures of an arm, and by how much they are more than those of `rivals`.

    Raises:
        InputError: nothing is kept of it.
    """
    arm = kept.arm(name)
    if arm is None:
        raise InputError(f"No answers of {name} are kept on today's rows.")
    row: dict[str, Any] = {"runs": len(arm.runs), "kept": True}
    for headline in HEADLINES:
        of = "two" if headline == "two" else "three"
        figure = kept.figure(arm.right[of], kept.weights(headline))
        row[headline] = figure or _without_interval(kept, arm, headline, of)
        for more, rival in rivals.items() if figure else ():
            difference = arm.right[of] - rival.right[of]
            row[headline][more] = kept.figure(difference, kept.weights(headline))
    bank = arm.bank.assign(right=is_right(arm.bank))
    row["three"]["by_seed"] = bank.groupby("seed").right.mean().tolist()
    row["by_label"] = {label: float(bank.right[bank.label == label].mean()) for label in LABELS}
    row["by_kind"] = {
        str(kind): [float(own.right.mean()), own.row.nunique()]
        for kind, own in bank.groupby("kind")
    }
    row["calibration_error"] = {"mean": _by_run(bank, _calibration_error)}
    row["log_loss"] = {"mean": _by_run(bank, _log_loss)}
    answers = bank[list(LABELS)].to_numpy(np.float64).argmax(1)
    row["swap_consistency"] = {"mean": float((answers == bank.swapped.to_numpy(int)).mean())}
    for name_of_set, own in arm.sentences.items():
        row[name_of_set] = {"mean": float(is_right(own).mean())}
    wrong = (1 - bank.right).groupby(bank.relation).sum()  # by name; a processor of other lanes
    wrong = wrong.sort_values(ascending=False, kind="stable")  # would order equals in another way
    row["most_often_wrong"] = [[str(k), int(n)] for k, n in wrong.head(30).items() if n]
    return row | _familiarity(bank) | _about(arm)


def _without_interval(kept: Kept, arm: Arm, headline: str, of: str) -> dict:
    """Of an arm that was asked a part of the rows alone."""
    right = arm.right[of]
    weights = pd.Series(kept.weights(headline), index=kept.bank.index).loc[right.index]
    known = headline != "matched" and weights.any()
    mean = float(np.average(right, weights=weights)) if known else None
    return {"mean": mean, "low": None, "high": None}


def _by_run(bank: pd.DataFrame, figure) -> float:
    """The mean over folds and seeds, each of which has a model of its own."""
    places = {label: place for place, label in enumerate(LABELS)}
    own = [
        figure(run[list(LABELS)].to_numpy(np.float64), run.label.map(places).to_numpy())
        for _, run in bank.groupby(["fold", "seed"])
    ]
    return float(np.mean(own))


_calibration_error, _log_loss = expected_calibration_error, log_loss


def _familiarity(bank: pd.DataFrame) -> dict:
    """How near 95% of the asked lie to something taught, and how often the other folds' limit
    would call one of a fold unfamiliar."""
    if bank.near.isna().any():
        return {}
    limits = bank.near.astype(float).groupby(bank.fold).quantile(0.95)
    alarms = [
        float((own.near > (limits.drop(fold).mean() if len(limits) > 1 else limits[fold])).mean())
        for fold, own in bank.groupby("fold")
    ]
    return {"nearest_95": float(limits.mean()), "false_alarms": float(np.mean(alarms))}


def _about(arm: Arm) -> dict:
    """Where and how the runs were made."""
    runs, made_by = arm.runs, [run["made_by"] for run in arm.runs]
    lost = [run["sts_before"] - run["sts_after"] for run in runs if "sts_after" in run]
    chosen = sorted({run["C"] for run in runs if "C" in run})
    return {
        "folds": len({run["fold"] for run in runs}),
        "seeds": len({run["seed"] for run in runs}),
        "temperature": [run["temperature"] for run in runs],
        "seconds": float(np.mean([run.get("seconds", 0.0) for run in runs])),
        "sts_loss": {"mean": float(np.mean(lost)), "most": max(lost)} if lost else None,
        "commits": sorted({own["commit"] for own in made_by}),
        "machines": sorted({_machine(own["machine"]) for own in made_by}),
        "versions": sorted({_versions(own["versions"]) for own in made_by}),
        "fingerprints": [run["fingerprint"] for run in runs],
        "precision": sorted({run["precision"] for run in runs if "precision" in run}),
    } | ({"C": chosen} if chosen else {})


def _versions(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _machine(machine: Mapping[str, Any]) -> str:
    return str(machine["accelerator"] or machine["processor"])


def errors(kept: Kept, name: str, n: int = LISTED) -> dict[str, list[dict]]:
    """The most and the least certain wrong answers of an arm's first seed.

    Raises:
        InputError: nothing is kept of it.
    """
    arm = kept.arm(name)
    if arm is None:
        raise InputError(f"No answers of {name} are kept on today's rows.")
    bank = arm.bank[(arm.bank.seed == arm.bank.seed.min())]
    wrong = bank[is_right(bank) == 0]
    shares = wrong[list(LABELS)].to_numpy(np.float64)
    wrong = wrong.assign(answer=np.array(LABELS)[shares.argmax(1)], sure=shares.max(1))
    wrong = wrong.sort_values(["sure", "row"], ascending=[False, True])
    columns = ["phrasing", "relation", "label", "answer", "sure"]
    return {
        "most certain": wrong[columns].head(n).round({"sure": 3}).to_dict("records"),
        "least certain": wrong[columns].tail(n)[::-1].round({"sure": 3}).to_dict("records"),
    }
