"""Predict the rows of many Parquet files part by part, in this process or on a Ray cluster.

A part is some rows of one file. Its answers are a Parquet file of their own, written completely or
not at all; a part whose file exists is not predicted again. Rows of a part are encoded together and
in one thread, so that the answers do not depend on where that happens.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import torch
from pyarrow.parquet import ParquetFile, read_table, write_table
from threadpoolctl import threadpool_limits

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.asking import find_swap
from symdemo.classifier.checkpoints import CONFIG, find_model
from symdemo.data.columns import SENTENCES, label_meanings, read_label
from symdemo.data.pair_files import MAX_KEPT, MAX_LABEL
from symdemo.data.tables import TableFile, cell_text
from symdemo.data.text_rows import PARQUET
from symdemo.encoders.backends import TORCH
from symdemo.errors import InputError
from symdemo.evaluation.scores import Evaluation, score_counts
from symdemo.files.storage import read_json, replacing, write_json
from symdemo.pairs import Pair, check_pair
from symdemo.text import shorten, tidy_text

ROWS = 4_096  # rows of a part
_VERDICT = {"label": "verdict"}
_ABOUT = "_parts.json"  # skipped when the folder is read as a data set


def predict_parts(
    files: str,
    out: Path,
    model: str,
    *,
    labelled: bool = False,
    label_names: Mapping[str, str | None] | None = None,
    device: str | None = None,
    backend: str = TORCH,
    engine: str = "local",
    progress: Callable[[int, int], None] = lambda *_: None,
) -> list[Path]:
    """Write the answers to all rows of some Parquet files, and return the paths of the parts.

    `files` is a pattern such as “folder/*.parquet”; columns are found by name. A stopped run in the
    folder `out` continues. If `labelled`, rows are pairs with labels, and `label_names` says what
    the words for labels mean; else a missing second sentence is made by swapping. Model, device and
    backend are those of `SymmetryClassifier.from_pretrained`. The engine is “local” for this
    process, or “ray” for a cluster whose nodes all see files and folder. `progress` is called with
    (parts done, all parts).

    Raises:
        InputError: no such files, a column that is missing, another run in the folder, no Ray.
        ModelError: there is no such model, or it is damaged.
    """
    paths = [Path(path).resolve() for path in sorted(glob(files))]  # noqa: PTH207 (may be absolute)
    if not paths:
        raise InputError(f"There is no file {files}; Parquet files are expected.")
    out = out.resolve()
    found = [_about_file(path, labelled, label_names) for path in paths]
    parts = [
        {
            **file,
            "out": str(out / f"{number:05d}-{first:09d}.parquet"),
            "first": first,
            "rows": min(ROWS, file["rows"] - first),
        }
        for number, file in enumerate(found)
        for first in range(0, file["rows"], ROWS)
    ]
    if Path(model).is_dir():
        model = str(Path(model).resolve())
    about = {
        "model": model,
        "backend": backend,
        "model's files": hashlib.sha256((find_model(model) / CONFIG).read_bytes()).hexdigest(),
        "rows of a part": ROWS,
        "files": found,
    }
    _claim(out / _ABOUT, about)
    left = [part for part in parts if not Path(part["out"]).exists()]
    done = len(parts) - len(left)
    for number, _ in enumerate(_run(left, (model, device, backend), engine), start=done + 1):
        progress(number, len(parts))
    return [Path(part["out"]) for part in parts]


def _about_file(
    path: Path, labelled: bool, label_names: Mapping[str, str | None] | None
) -> dict[str, Any]:
    """Return the column of each field of a file, and its size."""
    if path.suffix.lower() != PARQUET:
        raise InputError(f"{path.name} ends in “{path.suffix}”; {PARQUET} is expected.")
    table = TableFile(path, max_bytes=None)
    columns = table.guess((*SENTENCES, "relation", "label") if labelled else SENTENCES)
    needed = (*SENTENCES, "label") if labelled else SENTENCES[:1]
    if missing := [name for name in needed if name not in columns]:
        seen = shorten(", ".join(table.columns), 120)
        raise InputError(f"{table.name} has no column {' and no '.join(missing)}; seen: {seen}.")
    if labelled and "pid" in table.columns:
        columns["relation"] = "pid"
    meanings = {}
    if labelled:
        words = read_table(path, columns=[columns["label"]]).column(0).unique().to_pylist()
        named = table.label_names | dict(label_names or {})
        meanings = label_meanings(
            [cell_text(word) or "" for word in words], table.columns, table.name, named
        )
    size = {"rows": table.count(), "bytes": path.stat().st_size}
    return {"file": str(path), "columns": columns, "meanings": meanings, **size}


def _claim(path: Path, about: dict[str, Any]) -> None:
    """Record in a folder which run it is of; `InputError` if it is of another one."""
    if path.exists():
        known = read_json(path, path.stat().st_size)
        if changed := [name for name, own in about.items() if known.get(name) != own]:
            raise InputError(
                f"The folder {path.parent} has answers of another run, with another "
                f"{' and another '.join(changed)}; choose another --out."
            )
    elif path.parent.exists() and any(path.parent.iterdir()):
        raise InputError(f"The folder {path.parent} is not empty; choose another --out.")
    write_json(path, about)


def _run(
    parts: list[dict[str, Any]], model: tuple[str, str | None, str], engine: str
) -> Iterator[dict[str, Any]]:
    """Yield the path of each part once it is written, under “out”."""
    if not parts:
        return
    rows = [{"part": json.dumps(part)} for part in parts]
    if engine == "local":
        threads = torch.get_num_threads()
        try:
            yield from map(PartPredictor(*model), rows)
        finally:
            torch.set_num_threads(threads)
        return
    try:
        import ray.data
    except ModuleNotFoundError:
        raise InputError("Ray is not installed: pip install 'symdemo[ray]'.") from None
    ours = not ray.is_initialized()
    if ours:  # RAY_ADDRESS names a cluster; without it, one of this machine is started
        ray.init(log_to_driver=False, logging_level=logging.ERROR)
    try:
        there = ray.cluster_resources()
        on_gpu = model[1] != "cpu" and there.get("GPU", 0) >= 1
        actors = int(there["GPU" if on_gpu else "CPU"])
        ray.data.DataContext.get_current().enable_progress_bars = False
        given: Any = ray.data.from_items(rows, override_num_blocks=len(rows))
        yield from given.map(
            PartPredictor,
            fn_constructor_args=model,
            concurrency=min(actors, len(rows)),
            **{"num_gpus" if on_gpu else "num_cpus": 1},
        ).iter_rows()
    finally:
        if ours:
            ray.shutdown()


class PartPredictor:
    """Predicts parts with a model, and writes the answers."""

    def __init__(self, model: str, device: str | None, backend: str):
        torch.set_num_threads(1)
        self._model = SymmetryClassifier.from_pretrained(model, device, True, backend)

    def __call__(self, row: Mapping[str, str]) -> dict[str, str]:
        """Predict a part, given as JSON, and return its path."""
        part = json.loads(row["part"])
        pairs: list[Pair] = []
        rows: list[dict[str, Any]] = []
        file = Path(part["file"]).name
        for number, cells in enumerate(_cells(part), start=part["first"] + 1):
            rows.append({"file": file, "row": number, **cells})
            try:
                pair = self._pair(cells, part["meanings"])
            except InputError as error:
                rows[-1]["error"] = str(error)
            else:
                sentences = {"premise": pair.premise, "hypothesis": pair.hypothesis}
                rows[-1] |= {**sentences, "label": pair.label}
                pairs.append(pair)
        with threadpool_limits(1):  # sums of more threads may differ in the last bit
            found = self._model.predict_checked(pairs)
        answers = found.to_pandas().drop(columns=list(SENTENCES)).rename(columns=_VERDICT)
        texts = (*dict.fromkeys((*SENTENCES, *part["columns"])), "verdict")
        kinds = {"file": pa.string(), "row": pa.int64()} | dict.fromkeys(texts, pa.string())
        kinds |= {f"p({label})": pa.float64() for label in found.labels}
        kinds |= {"judged": pa.bool_(), "familiar": pa.bool_(), "error": pa.string()}
        frame = pd.DataFrame(rows).reindex(columns=[name for name in kinds if name not in answers])
        answers.index = frame.index[frame.error.isna()]
        frame = frame.join(answers.astype({"judged": object}))
        path = Path(part["out"])
        with replacing(path) as draft:
            table = pa.Table.from_pandas(frame, pa.schema(kinds.items()), preserve_index=False)
            write_table(table.replace_schema_metadata(None), draft)
        return {"out": str(path)}

    def _pair(self, cells: Mapping[str, str], meanings: Mapping[str, str]) -> Pair:
        if "label" in cells:
            label = read_label(tidy_text("label", cells["label"], MAX_LABEL), meanings)
            relation = cells.get("relation") or None
            return check_pair(Pair(cells["premise"], cells["hypothesis"], label, relation))
        if hypothesis := cells.get("hypothesis", "").strip():
            return self._model.check(Pair(cells["premise"], hypothesis))
        swapped = find_swap(cells["premise"])
        return self._model.check(Pair(swapped.premise, swapped.hypothesis))


def _cells(part: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    columns = part["columns"]
    with ParquetFile(part["file"]) as file:
        groups = [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)]
        begins = np.cumsum([0, *groups])
        last = part["first"] + part["rows"]
        read = np.flatnonzero((begins[:-1] < last) & (begins[1:] > part["first"])).tolist()
        table = file.read_row_groups(read, list(columns.values()))
    for row in table.slice(part["first"] - int(begins[read[0]]), part["rows"]).to_pylist():
        yield {field: cell_text(row[column]) or "" for field, column in columns.items()}


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of the answers in parts."""

    labels: tuple[str, ...]  # those that the model can answer
    answers: Counter[tuple[str, str, str | None]]
    """(label, relation, verdict) → number of rows with an answer; "" for no label."""
    familiar: int | None
    """Number of labelled rows that are like something taught; None if the model cannot tell."""
    errors: int  # number of rows without an answer
    reasons: dict[str, str]  # row of a file → why it has none, for the first `MAX_KEPT`

    @classmethod
    def of(cls, paths: Iterable[Path]) -> Tally:
        """Read parts, one at a time."""
        answers: Counter[tuple[str, str, str | None]] = Counter()
        reasons: dict[str, str] = {}
        labels: tuple[str, ...] = ()
        familiar, errors = 0.0, 0
        for path in paths:
            rows = pd.read_parquet(path)
            labels = tuple(name[2:-1] for name in map(str, rows) if name.startswith("p("))
            failed, known = rows[rows.error.notna()], rows[rows.error.isna()]
            errors += len(failed)
            for row in failed.head(MAX_KEPT - len(reasons)).to_dict("records"):
                reasons[f"{row['file']}, row {row['row']}"] = row["error"]
            keys = known.reindex(columns=["label", "relation"]).astype(object).fillna("")
            answers.update(zip(keys.label, keys.relation, known.verdict, strict=True))
            familiar += known.familiar[keys.label != ""].astype(float).sum(skipna=False)
        return cls(labels, answers, None if np.isnan(familiar) else int(familiar), errors, reasons)

    @property
    def unlabelled(self) -> int:
        """Number of rows with an answer and without a label."""
        return sum(n for (label, *_), n in self.answers.items() if not label)

    def score(self, seconds: float = 0.0) -> Evaluation:
        """Score the answers to labelled rows; `InputError` if there are none."""
        labelled = {key: n for key, n in self.answers.items() if key[0]}
        if not labelled:
            raise InputError("No row has a label and an answer; at least one is expected.")
        result = score_counts(labelled, seconds)
        if self.familiar is None:
            return result
        return replace(result, unfamiliar=1 - self.familiar / result.n)
