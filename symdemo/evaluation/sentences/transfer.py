"""Transfer tasks: accuracy of a logistic regression on fixed embeddings (SentEval).

As in SentEval (Conneau and Kiela 2018): MR, CR, SUBJ and MPQA by ten folds, with the regulariser
chosen on the other nine; TREC and MRPC learnt from the train part, with the regulariser chosen by
ten folds of it; SST2 with the regulariser chosen on the dev part. A pair of MRPC is |u − v| beside
u · v. Embeddings have unit length here, unlike SentEval's, so they are multiplied by √d, which
makes coordinates about 1. Two more differences: the regression is scikit-learn's, and the choice
inside a fold uses three folds instead of ten. The data come in the tasks' usual files.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from symdemo.encoders import Encoder
from symdemo.errors import InputError
from symdemo.evaluation.intervals import wilson
from symdemo.evaluation.sentences.sts import hash_rows
from symdemo.files.paths import measuring_data

TRANSFER_TASKS = ("MR", "CR", "SUBJ", "MPQA", "SST2", "TREC", "MRPC")
"""The seven tasks of BeLLM's Table 3."""

STRENGTHS = (2.0**-10, 2.0**-8, 2.0**-6, 2.0**-4, 2.0**-2)
"""Values of scikit-learn's C to choose from; a small C regularises strongly."""

FOLDS, INNER_FOLDS, SEED = 10, 3, 1111
"""SentEval's, except for the inner folds."""

_POLAR = {
    "MR": ("rt-polarity.pos", "rt-polarity.neg"),
    "CR": ("custrev.pos", "custrev.neg"),
    "SUBJ": ("subj.objective", "subj.subjective"),
    "MPQA": ("mpqa.pos", "mpqa.neg"),
}
SST_FROM_DEV = "learnt from the dev part: the train part is not here"

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class TransferData:
    """Labelled sentences or sentence pairs.

    Attributes:
        name: the task.
        first: the sentences, or the first of each pair.
        labels: class numbers from 0, (n,).
        second: the second of each pair; empty for single sentences.
        parts: "train", "dev" or "test" of each; empty if folds are made.
        note: how it differs from SentEval.
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
        """The first 16 hexadecimal digits of the SHA-256 of texts, labels and parts."""
        return hash_rows(map(repr, [self.first, self.second, self.parts, self.labels.tolist()]))

    def rows(self, part: str) -> np.ndarray:
        """Return the row numbers of a part."""
        return np.flatnonzero(np.array(self.parts) == part)


@dataclass(frozen=True, slots=True)
class TransferScore:
    """Accuracy in percent with its 95% Wilson interval.

    Attributes:
        value: the accuracy.
        low, high: the interval.
        n: number of test sentences or pairs.
        f1: of label 1, in percent; MRPC only.
        learnt_from: the smallest training set.
        note: how it differs from SentEval.
    """

    value: float
    low: float
    high: float
    n: int
    f1: float | None
    learnt_from: int
    note: str


def transfer(
    encoder: Encoder, data: TransferData, progress: Progress | None = None
) -> TransferScore:
    """Score a logistic regression on an encoder's embeddings."""
    embeddings = encoder.encode([*data.first, *data.second], progress=progress)
    return score_features(features(embeddings, bool(data.second)), data)


def features(embeddings: np.ndarray, pairs: bool) -> np.ndarray:
    """Return embeddings (n, d) times √d, or, for n/2 pairs, |u − v| beside u · v: (n/2, 2d)."""
    scaled = embeddings * np.sqrt(embeddings.shape[1], dtype=embeddings.dtype)
    if not pairs:
        return scaled
    first, second = np.split(scaled, 2)
    return np.hstack([np.abs(first - second), first * second])


def bag_of_words(data: TransferData) -> TransferScore:
    """Score the same regression on word counts; of a pair, on its shared and its other words."""
    from scipy.sparse import hstack
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer: Any = CountVectorizer(token_pattern=r"(?u)\b\w+\b", min_df=2, binary=True)
    vectorizer.fit([*data.first, *data.second])
    first = vectorizer.transform(data.first)
    if not data.second:
        return score_features(first.astype(np.float64), data)
    second = vectorizer.transform(data.second)
    both = first.multiply(second)
    return score_features(hstack([first + second - 2 * both, both]).tocsr().astype(float), data)


def majority(data: TransferData) -> TransferScore:
    """Score always answering the most frequent training label."""
    learn, test = _learnt_and_tested(data)
    usual = np.bincount(data.labels[learn]).argmax()
    return _score(data, test, np.full(len(test), usual), len(learn))


def score_features(rows: Any, data: TransferData) -> TransferScore:
    """Train on features (n, any), dense or sparse, and test as the task prescribes."""
    from sklearn.linear_model import LogisticRegression

    if not data.parts:
        answers = np.empty_like(data.labels)
        fewest = len(data.labels)
        for learn, test in _folds(FOLDS).split(np.zeros(len(data.labels)), data.labels):
            model = _regression(INNER_FOLDS, rows[learn], data.labels[learn])
            answers[test] = model.predict(rows[test])
            fewest = min(fewest, len(learn))
        return _score(data, np.arange(len(answers)), answers, fewest)
    learn, test = _learnt_and_tested(data)
    if {"train", "dev"} <= set(data.parts):
        dev = data.rows("dev")
        tried = [
            LogisticRegression(C=strength, max_iter=300).fit(rows[learn], data.labels[learn])
            for strength in STRENGTHS
        ]
        model = max(tried, key=lambda model: model.score(rows[dev], data.labels[dev]))
    else:
        model = _regression(FOLDS, rows[learn], data.labels[learn])
    return _score(data, test, model.predict(rows[test]), len(learn))


def _learnt_and_tested(data: TransferData) -> tuple[np.ndarray, np.ndarray]:
    if not data.parts:
        everything = np.arange(len(data.labels))
        return everything, everything
    return data.rows("train" if "train" in data.parts else "dev"), data.rows("test")


def _folds(number: int) -> Any:
    from sklearn.model_selection import StratifiedKFold

    return StratifiedKFold(number, shuffle=True, random_state=SEED)


def _regression(folds: int, rows: Any, labels: np.ndarray) -> Any:
    """Fit a regression with the strength that is most accurate over the folds."""
    from scipy.sparse import issparse
    from sklearn.linear_model import LogisticRegressionCV

    # liblinear takes a fifth of the time for word counts, but handles two labels only
    solver = "liblinear" if issparse(rows) and len(np.unique(labels)) == 2 else "lbfgs"
    return LogisticRegressionCV(
        Cs=list(STRENGTHS), cv=_folds(folds), scoring="accuracy", l1_ratios=(0.0,), max_iter=300,
        use_legacy_attributes=False, solver=solver, random_state=SEED,
    ).fit(rows, labels)  # fmt: skip


def _score(
    data: TransferData, test: np.ndarray, answers: np.ndarray, learnt_from: int
) -> TransferScore:
    from sklearn.metrics import f1_score

    labels = data.labels[test]
    hits, n = int((answers == labels).sum()), len(labels)
    low, high = wilson(hits, n)
    f1 = 100 * float(f1_score(labels, answers, zero_division=0.0)) if data.second else None
    return TransferScore(100 * hits / n, 100 * low, 100 * high, n, f1, learnt_from, data.note)


def find_transfer(task: str) -> TransferData | None:
    """Load a task from the folder SYMDEMO_DATA; None if it is not there.

    Raises:
        InputError: an unknown task, or files in another format.
    """
    if task not in TRANSFER_TASKS:
        expected = ", ".join(TRANSFER_TASKS)
        raise InputError(f"The transfer task “{task}” is unknown; expected: {expected}.")
    folder = measuring_data(f"transfer/{task}")
    return load_transfer(task, folder) if folder else None


def load_transfer(task: str, folder: str | Path) -> TransferData:
    """Read a task from a folder with its usual files.

    MRPC's train and validation files together are its train part. SST2 is learnt from its dev part
    if the folder has no `sentiment-train`; its note then says so.

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
