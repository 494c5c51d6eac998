"""The transfer tasks' data, in their usual files as SentEval (Conneau and Kiela 2018) has them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from symdemo.errors import InputError
from symdemo.evaluation.sentences.sts import hash_rows
from symdemo.files.paths import measuring_folder

TRANSFER_TASKS = ("MR", "CR", "SUBJ", "MPQA", "SST2", "TREC", "MRPC")
"""The seven of BeLLM's Table 3."""

_POLAR = {
    "MR": ("rt-polarity.pos", "rt-polarity.neg"),
    "CR": ("custrev.pos", "custrev.neg"),
    "SUBJ": ("subj.objective", "subj.subjective"),
    "MPQA": ("mpqa.pos", "mpqa.neg"),
}
SST_FROM_DEV = "learnt from the dev part: the train part is not here"


@dataclass(frozen=True)
class TransferData:
    """Labelled sentences or pairs of them.

    Attributes:
        name: of the task.
        first: the sentences, or the first of each pair.
        second: the second of each pair; empty where there are no pairs.
        labels: of each, as numbers from 0.
        parts: “train”, “dev” or “test” of each; empty where folds are made.
        note: what is not as SentEval has it.
    """

    name: str
    first: tuple[str, ...]
    labels: np.ndarray
    second: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    note: str = ""

    @property
    def sentences(self) -> list[str]:
        """The distinct sentences."""
        return list(dict.fromkeys([*self.first, *self.second]))

    @property
    def hash(self) -> str:
        """The first 16 signs of the SHA-256 of all texts, labels and parts."""
        columns = [self.first, self.second, self.parts, self.labels.tolist()]
        return hash_rows(map(repr, columns))

    def rows(self, part: str) -> np.ndarray:
        """The places of a part."""
        return np.flatnonzero(np.array(self.parts) == part)


def find_transfer(task: str) -> TransferData | None:
    """A task among the public data to measure against; None where it is not here.

    Raises:
        InputError: an unknown task, or files that cannot be read as one.
    """
    if task not in TRANSFER_TASKS:
        expected = ", ".join(TRANSFER_TASKS)
        raise InputError(f"The transfer task “{task}” is unknown; expected: {expected}.")
    folder = measuring_folder(f"transfer/{task}")
    return load_transfer(task, folder) if folder else None


def load_transfer(task: str, folder: str | Path) -> TransferData:
    """Read a task from a folder with its usual files, as SentEval has them.

    MRPC comes as train, validation and test; the first two are what is learnt from. SST2 is learnt
    from its dev part where the folder has no `sentiment-train`, and the note then says so.

    Raises:
        InputError: a file is missing, or a line has no label.
    """
    folder = Path(folder)
    if task in _POLAR:
        sides = [_lines(folder / name) for name in _POLAR[task]]
        labels = np.repeat([1, 0], [len(side) for side in sides])
        return TransferData(task, tuple(text for side in sides for text in side), labels)
    rows = {"SST2": _sst, "TREC": _trec, "MRPC": _mrpc}[task](folder)
    names = sorted({label for _, label, *_ in rows})
    labels = np.array([names.index(label) for _, label, *_ in rows])
    parts = tuple(part for part, *_ in rows)
    note = SST_FROM_DEV if task == "SST2" and "train" not in parts else ""
    first, second = (tuple(row[k] for row in rows if len(row) > k) for k in (2, 3))
    return TransferData(task, first, labels, second, parts, note)


def _lines(path: Path, encoding: str = "utf-8") -> list[str]:
    try:
        text = path.read_text(encoding=encoding)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name} cannot be read ({type(error).__name__}).") from None
    return [line.strip() for line in text.split("\n") if line.strip()]


def _sst(folder: Path) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for part in ("train", "dev", "test"):
        path = folder / f"sentiment-{part}"
        if part == "train" and not path.is_file():
            continue
        for number, line in enumerate(_lines(path), start=1):
            text, tab, label = line.rpartition("\t")
            if not tab or label not in ("0", "1"):
                raise InputError(f"{path.name}, line {number}: a label 0 or 1 is expected.")
            rows.append((part, label, text.strip()))
    return rows


def _trec(folder: Path) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for part, name in (("train", "train_5500.label"), ("test", "TREC_10.label")):
        for number, line in enumerate(_lines(folder / name, "latin-1"), start=1):
            label, space, text = line.partition(" ")
            if not space or ":" not in label:
                raise InputError(f"{name}, line {number}: a label such as NUM:dist is expected.")
            rows.append((part, label.partition(":")[0], text))
    return rows


def _mrpc(folder: Path) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for part, name in (("train", "train"), ("train", "validation"), ("test", "test")):
        path = folder / f"{name}.tsv"
        try:
            with path.open(encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file, delimiter="\t"):
                    rows.append((part, row["label"], row["sentence1"], row["sentence2"]))
        except (OSError, KeyError, UnicodeDecodeError) as error:
            raise InputError(
                f"{path.name} cannot be read as MRPC ({type(error).__name__}); the columns label, "
                "sentence1 and sentence2 are expected."
            ) from None
    return rows
