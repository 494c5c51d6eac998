"""What is kept of the runs of `experiments/general.py`, so that every figure can be made again.

A finished run is one file, with its answers at every temperature. Once an arm's runs are there, the
temperature of each fold is chosen by log loss on the *other* folds, and its answers at that one are
put into `experiments/results/general/ARM.parquet`, beside `rows.parquet`, which says what was asked.
Every figure is made from these two files, for anybody with pandas.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.general_arms import fingerprint
from experiments.general_bench import FOLDS, SPLIT_SEED, Answers, Bench, Run
from symdemo.classifier.calibration import log_loss
from symdemo.errors import InputError
from symdemo.files.atomic import replacing, write_text
from symdemo.files.paths import RESULTS
from symdemo.pairs import LABELS

KEPT = RESULTS / "general"
ROWS = "rows.parquet"


@dataclass(frozen=True)
class Finished:
    """A run with its answers and with where it was made."""

    run: Run
    answers: Answers
    about: Mapping[str, Any]


def write_run(path: Path, answers: Answers, about: Mapping[str, Any]) -> None:
    """Put a run into one file, whole or not at all."""
    arrays: dict[str, Any] = {
        "temperatures": np.array(answers.temperatures),
        "shares": _half(answers.shares),
        "swapped": answers.swapped.astype(np.int8),
    }
    arrays |= {f"set {name}": _half(own) for name, own in answers.sentences.items()}
    if answers.near is not None:
        arrays["near"] = _half(answers.near)
    with replacing(path) as draft, draft.open("wb") as file:
        np.savez_compressed(file, about=json.dumps(dict(answers.about) | dict(about)), **arrays)


def read_run(path: Path, run: Run) -> Finished:
    """A run that `write_run` wrote.

    Raises:
        InputError: it cannot be read.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            own = {name: file[name] for name in file.files}
        about = json.loads(str(own.pop("about")))
        answers = Answers(
            own["temperatures"].tolist(),
            own["shares"],
            own["swapped"],
            {name[4:]: array for name, array in own.items() if name.startswith("set ")},
            own.get("near"),
            about,
        )
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{path.name} cannot be read as a run: {error}.") from error
    return Finished(run, answers, about)


def finished(bench: Bench, wanted: Iterable[Run]) -> list[Finished]:
    """The runs that are there and were made of today's data and settings."""
    found = []
    for run in wanted:
        path = path_of(bench, run)
        if path.is_file():
            found.append(read_run(path, run))
    return found


def path_of(bench: Bench, run: Run) -> Path:
    """Of a run's file; with other data or settings it is another one."""
    return bench.folder / f"{run.name}-{fingerprint(bench, run)}.npz"


def chosen_place(
    own: Finished, all_runs: Sequence[Finished], labels: Mapping[int, np.ndarray]
) -> int:
    """Which temperature: that of the least log loss on all folds but the run's own.

    Args:
        own: the run.
        all_runs: of its arm.
        labels: fold → places of the labels in LABELS, (n,).
    """
    others = [one for one in all_runs if one.run.fold != own.run.fold] or list(all_runs)
    losses = [
        [log_loss(own, labels[one.run.fold].tolist()) for own in one.answers.shares.astype(float)]
        for one in others
    ]
    return int(np.mean(losses, axis=0).argmin())


def keep(bench: Bench, arm: str, found: Sequence[Finished], folder: Path = KEPT) -> None:
    """Write an arm's answers, at the chosen temperatures, and where its runs were made."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = bench.rows
    place_of = {label: place for place, label in enumerate(LABELS)}
    asked = {one.run: bench.asked_rows(one.run) for one in found}
    labels = {run.fold: rows.label.map(place_of).to_numpy()[own] for run, own in asked.items()}
    parts, about = [], []
    for one in found:
        place = chosen_place(one, found, labels)
        answers = one.answers
        bank = _frame(answers.shares[place], asked[one.run], one.run)
        bank["swapped"] = answers.swapped[place]
        bank["near"] = np.nan if answers.near is None else answers.near
        parts.append(bank)
        for name, own in answers.sentences.items():
            where = rows.row[rows.set == name].to_numpy()
            parts.append(_frame(own[place], where, one.run))
        run = {"fold": one.run.fold, "seed": one.run.seed, "data": bench.data_hash}
        about.append(run | {"temperature": answers.temperatures[place]} | dict(one.about))
    frame = pd.concat(parts, ignore_index=True)
    frame = frame.astype({"near": np.float16, "swapped": "Int8"})
    _write(folder / f"{arm}.parquet", frame)
    write_text(folder / f"{arm}.json", json.dumps(about, indent=1) + "\n")
    data = {"data": bench.data_hash, "folds": FOLDS, "split_seed": SPLIT_SEED, "by": "group"}
    if data != rows_about(folder):
        _write(folder / ROWS, rows)
        write_text(folder / "rows.json", json.dumps(data) + "\n")


def read(folder: Path, name: str) -> pd.DataFrame:
    """A kept table.

    Raises:
        InputError: it is not there.
    """
    path = folder / f"{name}.parquet"
    if not path.is_file():
        raise InputError(f"{path} is not there; python experiments/general.py makes it.")
    return pd.read_parquet(path)


def rows_about(folder: Path) -> dict:
    """Which data the kept rows are of, and how they were dealt."""
    path = folder / "rows.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def runs_of(folder: Path, arm: str) -> list[dict]:
    """Where an arm's runs were made; none where it was not kept."""
    path = folder / f"{arm}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []


def _frame(shares: np.ndarray, rows: np.ndarray, run: Run) -> pd.DataFrame:
    frame = pd.DataFrame({"row": rows.astype(np.int32)})
    frame["fold"], frame["seed"] = np.int8(run.fold), np.int8(run.seed)
    for place, label in enumerate(LABELS):
        frame[label] = _half(shares[:, place])
    return frame


def _half(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float16)


def _write(path: Path, frame: pd.DataFrame) -> None:
    with replacing(path) as draft:
        frame.to_parquet(draft, compression="zstd", index=False)
