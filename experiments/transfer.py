"""Transfer tasks: accuracy of a logistic regression on fixed embeddings (SentEval).

As in SentEval (Conneau and Kiela 2018): MR, CR, SUBJ and MPQA by ten folds, with the regulariser
chosen on the other nine; TREC and MRPC learnt from the train part, with the regulariser chosen by
ten folds of it; SST2 with the regulariser chosen on the dev part. A pair of MRPC is |u − v| beside
u · v. Embeddings have unit length here, unlike SentEval's, so they are multiplied by √d, which
makes coordinates about 1. Two more differences: the regression is scikit-learn's, and the choice
inside a fold uses three folds instead of ten. The data come in the tasks' usual files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.scoring import points
from symdemo.encoders import Encoder
from symdemo.errors import InputError
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
_LABELLED = {
    "SST2": (
        {part: f"sentiment-{part}" for part in ("train", "dev", "test")},
        r"(?P<text>.*)\t(?P<label>[01])", "0 or 1", "utf-8",
    ),
    "TREC": (
        {"train": "train_5500.label", "test": "TREC_10.label"},
        r"(?P<label>[^: ]+):[^ ]* (?P<text>.+)", "such as NUM:dist", "latin-1",
    ),
}  # fmt: skip
"""Task → files by part; what a line is, and its label; encoding."""

SST_FROM_DEV = "learnt from the dev part: the train part is not here"


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
    def hash(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of texts, labels and parts."""
        return hash_rows(map(repr, [self.first, self.second, self.parts, self.labels.tolist()]))

    def rows(self, part: str) -> np.ndarray:
        """Return the row numbers of a part."""
        return np.flatnonzero(np.array(self.parts) == part)

    def split(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the row numbers to learn from and to test on; all for both if folds are made."""
        if not self.parts:
            return np.arange(len(self.labels)), np.arange(len(self.labels))
        return self.rows("train" if "train" in self.parts else "dev"), self.rows("test")


def transfer(encoder: Encoder, data: TransferData) -> dict[str, Any]:
    """Score a logistic regression on an encoder's embeddings."""
    embeddings = encoder.encode([*data.first, *data.second])
    return score_features(features(embeddings, bool(data.second)), data)


def features(embeddings: np.ndarray, pairs: bool) -> np.ndarray:
    """Return embeddings (n, d) times √d, or, for n/2 pairs, |u − v| beside u · v: (n/2, 2d)."""
    scaled = embeddings * np.sqrt(embeddings.shape[1], dtype=embeddings.dtype)
    if not pairs:
        return scaled
    first, second = np.split(scaled, 2)
    return np.hstack([np.abs(first - second), first * second])


def bag_of_words(data: TransferData) -> dict[str, Any]:
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


def majority(data: TransferData) -> dict[str, Any]:
    """Score always answering the most frequent training label."""
    learn, test = data.split()
    usual = np.bincount(data.labels[learn]).argmax()
    return _score(data, test, np.full(len(test), usual), len(learn))


def score_features(rows: Any, data: TransferData) -> dict[str, Any]:
    """Train on features (n, any), dense or sparse, and test as the task prescribes."""
    from sklearn.linear_model import LogisticRegression

    labels, (learn, test) = data.labels, data.split()
    if not data.parts:
        answers, fewest = np.empty_like(labels), len(labels)
        for learn, test in _folds(FOLDS).split(labels, labels):
            answers[test] = _regression(INNER_FOLDS, rows[learn], labels[learn]).predict(rows[test])
            fewest = min(fewest, len(learn))
        return _score(data, np.arange(len(labels)), answers, fewest)
    if {"train", "dev"} <= set(data.parts):
        dev = data.rows("dev")
        tried = [
            LogisticRegression(C=strength, max_iter=300).fit(rows[learn], labels[learn])
            for strength in STRENGTHS
        ]
        model = max(tried, key=lambda model: model.score(rows[dev], labels[dev]))
    else:
        model = _regression(FOLDS, rows[learn], labels[learn])
    return _score(data, test, model.predict(rows[test]), len(learn))


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
) -> dict[str, Any]:
    """Return accuracy with its 95% Wilson interval and, of pairs, F1 of label 1; in percent."""
    from sklearn.metrics import f1_score

    labels = data.labels[test]
    f1 = 100 * float(f1_score(labels, answers, zero_division=0.0)) if data.second else None
    accuracy = points(int((answers == labels).sum()), len(labels))
    return accuracy | {"f1": f1, "learnt_from": learnt_from, "note": data.note}


def find_transfer(task: str) -> TransferData | None:
    """Load a task from its usual files in the folder SYMDEMO_DATA; None if it is not there.

    MRPC's train and validation files together are its train part. SST2 is learnt from its dev part
    if there is no `sentiment-train`; its note then says so.

    Raises:
        InputError: an unknown task, a missing file, or a line without a label.
    """
    if task not in TRANSFER_TASKS:
        expected = ", ".join(TRANSFER_TASKS)
        raise InputError(f"The transfer task “{task}” is unknown; expected: {expected}.")
    if (folder := measuring_data(f"transfer/{task}")) is None:
        return None
    if task in _POLAR:
        sides = [_lines(folder / name) for name in _POLAR[task]]
        labels = np.repeat([1, 0], [len(side) for side in sides])
        return TransferData(task, tuple(text for side in sides for text in side), labels)
    rows = list(_pairs(folder) if task == "MRPC" else _labelled(folder, *_LABELLED[task]))
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


def _labelled(
    folder: Path, files: dict[str, str], line_of: str, expected: str, encoding: str
) -> Iterator[tuple[str, ...]]:
    """Yield part, label and text of each line; a missing train part is left out."""
    for part, name in files.items():
        if part == "train" and "dev" in files and not (folder / name).is_file():
            continue
        for number, line in enumerate(_lines(folder / name, encoding), start=1):
            if not (found := re.fullmatch(line_of, line)):
                raise InputError(f"{name}, line {number}: a label {expected} is expected.")
            yield part, found["label"], found["text"].strip()


def _pairs(folder: Path) -> Iterator[tuple[str, ...]]:
    columns = ["label", "sentence1", "sentence2"]
    for part, name in (("train", "train"), ("train", "validation"), ("test", "test")):
        path = folder / f"{name}.tsv"
        try:
            frame = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, usecols=columns)
        except (OSError, ValueError) as error:
            raise InputError(
                f"{path.name} cannot be read as MRPC ({type(error).__name__}); the columns "
                f"{', '.join(columns)} are expected."
            ) from None
        yield from ((part, *row) for row in frame[columns].itertuples(index=False))
