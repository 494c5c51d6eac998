"""What fixed embeddings are good for: transfer tasks, and finding captions (BeLLM, section 5.4).

A transfer task is the accuracy of a logistic regression. As in SentEval (Conneau and Kiela 2018):
MR, CR, SUBJ and MPQA by ten folds, with the regulariser chosen on the other nine; TREC and MRPC
learnt from the train part, with the regulariser chosen by ten folds of it; SST2 with the
regulariser chosen on the dev part. A pair of MRPC is |u − v| beside u · v. Embeddings have unit
length here, unlike SentEval's, so they are multiplied by √d, which makes coordinates about 1. Two
more differences: the regression is scikit-learn's, and the choice inside a fold uses three folds
instead of ten. The data come in the tasks' usual files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.scoring import points
from experiments.sts_tasks import tf_idf
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


@dataclass(frozen=True)
class TransferData:
    """Labelled sentences or sentence pairs.

    Attributes:
        first: the sentences, or the first of each pair.
        labels: class numbers from 0, (n,).
        second: the second of each pair; empty for single sentences.
        parts: "train", "dev" or "test" of each; empty if folds are made.
    """

    first: tuple[str, ...]
    labels: np.ndarray
    second: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of texts, labels and parts."""
        return hash_rows(map(repr, [self.first, self.second, self.parts, self.labels.tolist()]))

    @property
    def learnt_part(self) -> str:
        """The part to learn from: SST2's train part may be missing, and then it is the dev part."""
        return "dev" if "dev" in self.parts and "train" not in self.parts else "train"

    def rows(self, part: str) -> np.ndarray:
        """Return the row numbers of a part; all without parts, since folds are made."""
        return np.flatnonzero([own == part for own in self.parts or [part] * len(self.first)])


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
    learn, test = data.rows(data.learnt_part), data.rows("test")
    usual = np.bincount(data.labels[learn]).argmax()
    return _score(data, test, np.full(len(test), usual), len(learn))


def score_features(rows: Any, data: TransferData) -> dict[str, Any]:
    """Train on features (n, any), dense or sparse, and test as the task prescribes."""
    from scipy.sparse import issparse
    from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    labels, test = data.labels, data.rows("test")

    def folds(number: int) -> StratifiedKFold:
        return StratifiedKFold(number, shuffle=True, random_state=SEED)

    def regression(number: int) -> LogisticRegressionCV:
        """Return a regression with the strength that is most accurate over this many folds."""
        # liblinear takes a fifth of the time for word counts, but handles two labels only
        solver = "liblinear" if issparse(rows) and len(np.unique(labels)) == 2 else "lbfgs"
        return LogisticRegressionCV(
            Cs=list(STRENGTHS), cv=folds(number), scoring="accuracy", l1_ratios=(0.0,),
            max_iter=300, use_legacy_attributes=False, solver=solver, random_state=SEED,
        )  # fmt: skip

    if not data.parts:
        answers = cross_val_predict(regression(INNER_FOLDS), rows, labels, cv=folds(FOLDS))
        fewest = min(len(learn) for learn, _ in folds(FOLDS).split(labels, labels))
        return _score(data, test, answers, fewest)
    learn = data.rows(data.learnt_part)
    if {"train", "dev"} <= set(data.parts):
        dev = data.rows("dev")
        tried = [
            LogisticRegression(C=strength, max_iter=300).fit(rows[learn], labels[learn])
            for strength in STRENGTHS
        ]
        model = max(tried, key=lambda model: model.score(rows[dev], labels[dev]))
    else:
        model = regression(FOLDS).fit(rows[learn], labels[learn])
    return _score(data, test, model.predict(rows[test]), len(learn))


def _score(
    data: TransferData, test: np.ndarray, answers: np.ndarray, learnt_from: int
) -> dict[str, Any]:
    """Return accuracy with its 95% Wilson interval and, of pairs, F1 of label 1; in percent."""
    from sklearn.metrics import f1_score

    labels = data.labels[test]
    f1 = 100 * float(f1_score(labels, answers, zero_division=0.0)) if data.second else None
    by_dev = data.learnt_part == "dev"
    note = "learnt from the dev part: the train part is not here" if by_dev else ""
    accuracy = points(int((answers == labels).sum()), len(labels))
    return accuracy | {"f1": f1, "learnt_from": learnt_from, "note": note}


# Files

_FILES = {
    "MR": {"rt-polarity.pos": "1", "rt-polarity.neg": "0"},
    "CR": {"custrev.pos": "1", "custrev.neg": "0"},
    "SUBJ": {"subj.objective": "1", "subj.subjective": "0"},
    "MPQA": {"mpqa.pos": "1", "mpqa.neg": "0"},
    "SST2": {"sentiment-train": "train", "sentiment-dev": "dev", "sentiment-test": "test"},
    "TREC": {"train_5500.label": "train", "TREC_10.label": "test"},
    "MRPC": {"train.tsv": "train", "validation.tsv": "train", "test.tsv": "test"},
}
"""Task → file → the label of all its lines, or its part if the lines have labels."""

_LINE = {
    "SST2": (r"(?P<first>.*)\t(?P<label>[01])", "utf-8"),
    "TREC": (r"(?P<label>[^: ]+):[^ ]* (?P<first>.+)", "latin-1"),
}
"""Task whose lines have labels → what a line is, and the encoding."""


def find_transfer(task: str) -> TransferData | None:
    """Load a task from its usual files in the folder SYMDEMO_DATA; None if it is not there.

    SST2 is learnt from its dev part if there is no `sentiment-train`; the results then say so.

    Raises:
        InputError: an unknown task, a missing file, or a line without a label.
    """
    if task not in _FILES:
        expected = ", ".join(TRANSFER_TASKS)
        raise InputError(f"The transfer task “{task}” is unknown; expected: {expected}.")
    if (folder := measuring_data(f"transfer/{task}")) is None:
        return None
    files = []
    for name, value in _FILES[task].items():
        path = folder / name
        if name == "sentiment-train" and not path.is_file():
            continue
        lines = _pairs(path) if task == "MRPC" else _lines(path, *_LINE.get(task, ()))
        files.append(lines.assign(**{"part" if "label" in lines else "label": value}))
    rows = pd.concat(files)
    texts, second, parts = (tuple(rows.get(name, ())) for name in ("first", "second", "part"))
    return TransferData(texts, np.unique(rows.label, return_inverse=True)[1], second, parts)


def _lines(path: Path, line: str = "(?P<first>.*)", encoding: str = "utf-8") -> pd.DataFrame:
    """Return the named groups of `line` in each line of a file that is not empty."""
    try:
        text = path.read_text(encoding=encoding)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name} cannot be read ({type(error).__name__}).") from None
    lines = pd.Series(text.split("\n")).str.strip()
    lines = lines[lines != ""]
    rows = lines.str.extract(f"^{line}$")
    if (wrong := rows.isna().any(axis=1)).any():
        raise InputError(
            f"{path.name}, line {lines.index[wrong][0] + 1}: a text with a label is expected."
        )
    return rows.assign(first=rows["first"].str.strip())


def _pairs(path: Path) -> pd.DataFrame:
    names = {"label": "label", "sentence1": "first", "sentence2": "second"}
    try:
        rows = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, usecols=list(names))
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path.name} cannot be read as MRPC ({type(error).__name__}); the columns "
            f"{', '.join(names)} are expected."
        ) from None
    return rows.rename(columns=names)


# Captions

FLICKR, PER_IMAGE = "Flickr30k", 5
"""The data set, and its captions of a picture."""


def find_captions() -> list[str] | None:
    """Return Flickr30k's test captions in SYMDEMO_DATA, five in a row a picture; None if not there.

    Raises:
        InputError: not a multiple of five lines.
    """
    if (path := measuring_data("retrieval/flickr30k_test_captions.txt")) is None:
        return None
    captions = [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    if not captions or len(captions) % PER_IMAGE:
        raise InputError(
            f"{path.name} has {len(captions)} captions; five to a picture are expected."
        )
    return captions


def retrieve(encoder: Encoder, captions: Sequence[str]) -> dict[str, Any]:
    """Search all other captions by inner product of embeddings."""
    embeddings = encoder.encode(captions)
    return score_retrieval(embeddings[::PER_IMAGE] @ embeddings.T)


def retrieve_by_words(captions: Sequence[str]) -> dict[str, Any]:
    """Search by the cosine of TF-IDF rows fitted on the captions: the baseline."""
    rows = tf_idf(captions)
    return score_retrieval((rows[::PER_IMAGE] @ rows.T).toarray())


def score_retrieval(similar: np.ndarray) -> dict[str, Any]:
    """Score the similarity of each query to all captions, (queries, 5 · queries).

    Query i is caption 5i and is left out of its own results.

    Returns:
        In percent: `strict`, queries whose top four are exactly the other four captions of their
        picture, with its 95% Wilson interval; `recall`, of the other four those in the top four.
    """
    queries, others = np.arange(len(similar)), PER_IMAGE - 1
    similar[queries, queries * PER_IMAGE] = -np.inf
    nearest = np.argsort(-similar, axis=1, kind="stable")[:, :others]
    right = (nearest // PER_IMAGE == queries[:, None]).sum(axis=1)
    strict = points(int((right == others).sum()), len(right))
    return {"strict": strict, "recall": 100 * int(right.sum()) / (len(right) * others)}
