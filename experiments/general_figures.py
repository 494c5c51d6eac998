"""All figures on relations never taught, from the kept answers and nothing else.

    python -m experiments.general_figures

`results/general/rows.parquet` says what was tested; `METHOD.parquet` has three shares, fold and
seed of each row, and `swapped`, the verdict on the pair read in reverse (a place in LABELS).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from experiments.general import KEPT, METHODS
from symdemo.classifier.calibration import expected_calibration_error, log_loss
from symdemo.data.bank import load_bank
from symdemo.errors import InputError
from symdemo.evaluation.intervals import GroupBootstrap
from symdemo.evaluation.scores import matched_weights
from symdemo.files.paths import RESULTS
from symdemo.files.provenance import provenance
from symdemo.files.storage import write_text
from symdemo.pairs import LABELS

TWO = LABELS[:2]
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

    def __init__(self, folder: Path = KEPT):
        self.folder = folder
        if not (folder / "rows.parquet").is_file():
            raise InputError(f"{folder} has no rows.parquet; python -m experiments.general --keep.")
        self.rows = pd.read_parquet(folder / "rows.parquet")
        self.data = json.loads((folder / "rows.json").read_text(encoding="utf-8"))["data"]
        bank = self.rows[self.rows.set == "bank"].set_index("row")
        where = bank.fold.astype(str) + " " + bank.skeleton  # a model for each fold
        matched = matched_weights(where.tolist(), bank.label.tolist())
        self.bank, self.bootstrap = bank.assign(matched=matched), GroupBootstrap(bank.group.array)
        self.weights = {
            "three": np.ones(len(bank)),
            "unjoined": (bank.kind != "joined").to_numpy(float),
            "matched": self.bank.matched.to_numpy(),
            "two": (bank.label != LABELS[2]).to_numpy(float),
        }

    def runs(self, name: str) -> list[dict[str, Any]]:
        """Return where a method's cells were measured; empty if none is kept on these rows."""
        path = self.folder / f"{name}.json"
        runs = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
        return runs if all(run["data"] == self.data for run in runs) else []

    def answers(self, name: str) -> pd.DataFrame:
        """Return the probabilities that a method predicted, joined to the tested pairs."""
        frame = pd.read_parquet(self.folder / f"{name}.parquet")
        return frame.merge(self.rows.drop(columns="fold"), on="row")

    def right(self, name: str) -> pd.DataFrame:
        """Return the share of right verdicts by row of the bank, over seeds."""
        own = self.answers(name)
        own = own[own.set == "bank"]
        found = pd.DataFrame({"row": own.row, "three": is_right(own), "two": is_right(own, TWO)})
        return found.groupby("row").mean()

    def figure(self, right: pd.Series, headline: str) -> dict[str, Any] | None:
        """Return a mean over the bank with its interval; None if not all rows were tested."""
        values = right.reindex(self.bank.index).to_numpy()
        if np.isnan(values).any():
            return None
        return asdict(self.bootstrap.interval(values, self.weights[headline]))


def row_of(
    kept: Kept, name: str, others: Mapping[str, pd.DataFrame] = MappingProxyType({})
) -> dict[str, Any]:
    """Return all figures of a method, and its differences to `others`."""
    runs, right, answers = kept.runs(name), kept.right(name), kept.answers(name)
    row: dict[str, Any] = {}
    for headline, weights in kept.weights.items():
        of = "two" if headline == "two" else "three"
        figure = kept.figure(right[of], headline)
        if figure is None:  # only part of the rows was tested
            own = pd.Series(weights, index=kept.bank.index).loc[right.index]
            mean = float(np.average(right[of], weights=own)) if headline != "matched" else None
            row[headline] = {"mean": mean, "low": None, "high": None}
            continue
        row[headline] = figure
        for more, other in others.items():
            row[headline][more] = kept.figure(right[of] - other[of], headline)
    bank = answers[answers.set == "bank"]
    bank = bank.assign(right=is_right(bank))
    row["by_label"] = {label: float(bank.right[bank.label == label].mean()) for label in LABELS}
    row["by_kind"] = {
        str(kind): [float(own.right.mean()), own.row.nunique()]
        for kind, own in bank.groupby("kind")
    }
    row["calibration_error"] = {"mean": _by_model(bank, expected_calibration_error)}
    row["log_loss"] = {"mean": _by_model(bank, log_loss)}
    verdicts = bank[list(LABELS)].to_numpy(np.float64).argmax(1)
    row["swap_consistency"] = {"mean": float((verdicts == bank.swapped.to_numpy(int)).mean())}
    for name_of_set, some in answers[answers.set != "bank"].groupby("set"):
        row[str(name_of_set)] = {"mean": float(is_right(some).mean())}
    wrong = (1 - bank.right).groupby(bank.relation).sum()
    wrong = wrong.sort_values(ascending=False, kind="stable")  # the same order on every machine
    row["most_often_wrong"] = [[str(k), int(n)] for k, n in wrong.head(30).items() if n]
    return row | _familiarity(bank) | _about(runs)


def _by_model(bank: pd.DataFrame, figure) -> float:
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
        float((own.near > (limits.drop(fold).mean() if len(limits) > 1 else limits[fold])).mean())
        for fold, own in bank.groupby("fold")
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


def errors(kept: Kept, name: str, n: int = 10) -> dict[str, list[dict[str, Any]]]:
    """Return the most and the least certain errors of a method's first seed."""
    bank = kept.answers(name)
    bank = bank[(bank.set == "bank") & (bank.seed == bank.seed.min())]
    wrong = bank[is_right(bank) == 0]
    shares = wrong[list(LABELS)].to_numpy(np.float64)
    wrong = wrong.assign(answer=np.array(LABELS)[shares.argmax(1)], sure=shares.max(1))
    wrong = wrong.sort_values(["sure", "row"], ascending=[False, True])
    wrong = wrong[["phrasing", "relation", "label", "answer", "sure"]].round({"sure": 3})
    return {
        "most certain": wrong.head(n).to_dict("records"),
        "least certain": wrong.tail(n)[::-1].to_dict("records"),
    }


def make_report(folder: Path = KEPT) -> dict[str, Any]:
    """Return all figures of the methods kept in a folder."""
    kept = Kept(folder)
    names = [name for name in METHODS if kept.runs(name)]
    others = {more: (n, kept.right(n)) for more, n in DIFFERENCES.items() if n in names}
    bank, now = kept.bank, {relation.id: relation.label for relation in load_bank().relations}
    labels = dict(zip(bank.relation, bank.label, strict=True))
    return {
        "command": "python -m experiments.general --keep",
        "made_by": provenance("python -m experiments.general --keep"),
        "data": {
            "pairs": len(bank),
            "relations": int(bank.relation.nunique()),
            "groups": int(bank.group.nunique()),
            "labels_changed": sum(now.get(id, label) != label for id, label in labels.items()),
            "matched": {"share": float((bank.matched > 0).mean())},
            "sentences": kept.rows[kept.rows.set != "bank"].set.value_counts().to_dict(),
        },
        "rows": {
            name: row_of(kept, name, {k: own for k, (n, own) in others.items() if n != name})
            for name in names
        },
        "errors": {"general": errors(kept, "general")},
    }


def write_report() -> None:
    """Write `general.json`."""
    text = json.dumps(make_report(), indent=1, ensure_ascii=False) + "\n"
    write_text(RESULTS / "general.json", text)


if __name__ == "__main__":
    write_report()
