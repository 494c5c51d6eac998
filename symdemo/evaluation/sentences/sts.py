"""Semantic textual similarity (STS): Spearman's correlation of cosines with human scores.

The data come in SentEval's files (Conneau and Kiela 2018). The figure is Spearman's correlation
times 100 over all pairs of a task (SentEval's setting "all"); the mean over a task's subsets (its
setting "mean") is reported beside it.

C-STS (Deshpande et al. 2023, arXiv 2305.15093) scores similarity under a condition. The condition
becomes part of the text, so any encoder can be measured. An encoder with a prompt of its own wraps
that text in it; to follow BeLLM, measure an encoder without one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from symdemo.encoders import Encoder
from symdemo.errors import InputError
from symdemo.evaluation.intervals import rank_correlation, resampled_correlations
from symdemo.files.paths import measuring_data
from symdemo.training.triplets import TripletData, load_triplets

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

STS_B, SICK = "STS-B", "SICK-R"
TASKS = ("STS12", "STS13", "STS14", "STS15", "STS16", STS_B, SICK)
"""The seven tasks of BeLLM's Table 1."""

CONDITIONAL = "C-STS"

Rows = TypeVar("Rows", bound=Any)
"""Data with a row for each of `first`."""


@dataclass(frozen=True)
class SimilarityData:
    """Sentence pairs with human similarity scores."""

    first: tuple[str, ...]  # n sentences on each side
    second: tuple[str, ...]
    scores: np.ndarray  # human scores, (n,)
    subsets: tuple[str, ...] = ()  # the subset of each pair; empty if the task has only one

    @property
    def sentences(self) -> list[str]:
        """The distinct sentences, in the order of the pairs."""
        pairs = zip(self.first, self.second, strict=True)
        return list(dict.fromkeys(text for pair in pairs for text in pair))

    @property
    def hash(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of sentences and scores."""
        return hash_rows(map(repr, zip(self.first, self.second, self.scores.tolist(), strict=True)))


@dataclass(frozen=True, slots=True)
class StsScore:
    """Spearman's correlation times 100, with a bootstrap interval over pairs."""

    value: float  # over all pairs
    low: float  # to `high`: the 95% percentile interval
    high: float
    n: int  # number of pairs
    subset_mean: float  # mean of the correlations of the subsets


def find_sts(task: str, download: bool = False) -> SimilarityData | None:
    """Return the test pairs of a task from the folder SYMDEMO_DATA; None if they are not there.

    Args:
        task: one of `TASKS`.
        download: fetch SICK-R from the hub if it is neither in the folder nor in the hub's cache.

    Raises:
        InputError: an unknown task, or files in another format.
    """
    if task not in TASKS:
        raise InputError(f"The STS task “{task}” is unknown; expected: {', '.join(TASKS)}.")
    if task == STS_B:
        return sts_at_hand()
    if task == SICK:
        name = "SICK_test_annotated.txt"
        path = measuring_data(f"sts/SICK/{name}") or measuring_data(f"sts/{name}")
        return _read_table(path, 3, 1, 2, header=1) if path else _sick_from_hub(download)
    folder = measuring_data(f"sts/{task}")
    return load_sts_year(folder) if folder else None


def sts_at_hand(part: str = "test") -> SimilarityData | None:
    """Return a part of STS-B ("train", "dev", "test") from SYMDEMO_DATA; None if not there."""
    path = measuring_data(f"sts/sts-{part}.csv")
    return _read_table(path, 4, 5, 6) if path else None


def load_sts_year(folder: Path) -> SimilarityData:
    """Read a year of STS in SentEval's layout: `STS.input.NAME.txt` and `STS.gs.NAME.txt`.

    Pairs without a human score (an empty line in the second file) are skipped, and so are subsets
    that lack one of the two files.

    Raises:
        InputError: no subset, files of different lengths, or a line without a score or a pair.
    """
    rows: list[tuple[str, str, float, str]] = []
    try:
        for path in sorted(folder.glob("STS.input.*.txt")):
            subset = path.name.removeprefix("STS.input.").removesuffix(".txt")
            if (gold := folder / f"STS.gs.{subset}.txt").is_file():
                for line, score in zip(_lines(path), _lines(gold), strict=True):
                    if score.strip():
                        first, second, *_ = line.split("\t")
                        rows.append((first, second, float(score), subset))
        firsts, seconds, scores, subsets = zip(*rows, strict=True)
    except ValueError as error:
        raise InputError(
            f"The folder {folder.name} is not a year of STS ({error}); STS.input.NAME.txt with two "
            "sentences a line and STS.gs.NAME.txt with as many lines are expected."
        ) from None
    return SimilarityData(firsts, seconds, np.array(scores), subsets)


def find_conditional() -> SimilarityData | None:
    """Return C-STS's validation part from the folder SYMDEMO_DATA, in BeLLM's prompt (section 5.1).

    None if it is not there.

    Raises:
        InputError: a missing column, or a label that is not a number from 1 to 5.
    """
    path = measuring_data("csts/csts_validation.csv")  # the labels of the test part are not public
    if path is None:
        return None
    columns = ["sentence1", "sentence2", "condition", "label"]
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, usecols=columns)
        labels = pd.to_numeric(frame.label).to_numpy(float)
        if wrong := [label for label in labels if not 1 <= label <= 5]:
            raise ValueError(f"a label is {wrong[0]}")
    except ValueError as error:
        raise InputError(
            f"{path.name} is not C-STS as CSV in UTF-8 ({error}); expected: {', '.join(columns)}, "
            "with labels from 1 to 5."
        ) from None
    first, second = (
        tuple(
            f'Given the context {condition}, summarize the sentence {sentence} in one word:"'
            for sentence, condition in zip(frame[side], frame.condition, strict=True)
        )
        for side in ("sentence1", "sentence2")
    )
    return SimilarityData(first, second, labels)


def sts_part(part: str) -> SimilarityData:
    """Return a part of STS-B, as `sts_at_hand`.

    Raises:
        InputError: it is not there.
    """
    if (data := sts_at_hand(part)) is None:
        raise InputError(
            f"There is no sts/sts-{part}.csv in the folder SYMDEMO_DATA; STS-B is expected there."
        )
    return data


def take(data: Rows, rows: Sequence[int]) -> Rows:
    """Return some rows of similarity or transfer data."""
    taken: dict[str, Any] = {}
    for name, own in vars(data).items():
        if isinstance(own, np.ndarray):
            taken[name] = own[list(rows)]
        elif isinstance(own, tuple) and own:
            taken[name] = tuple(own[row] for row in rows)
    return replace(data, **taken)


def some_of(data: Rows, n: int) -> Rows:
    """Return about `n` evenly spaced rows (STS-B is sorted by source).

    Raises:
        InputError: n is below 2.
    """
    if n < 2:
        raise InputError(f"{n} rows are asked for; at least 2 are expected.")
    return take(data, range(0, len(data.first), max(1, len(data.first) // n)))


def triplets_unseen(source: str) -> TripletData:
    """Load triplets without any sentence of STS-B's dev and test parts, if these are available.

    SNLI and STS-B both contain captions and news, so a few sentences occur in both.

    Raises:
        InputError: as `load_triplets`.
    """
    parts = [part for part in map(sts_at_hand, ("dev", "test")) if part is not None]
    return load_triplets(source, [text for p in parts for text in (*p.first, *p.second)])


def cosines(encoder: Encoder, data: SimilarityData) -> np.ndarray:
    """Return the cosine of each pair, (n,); equal sentences are encoded once."""
    embeddings = encoder.encode([*data.first, *data.second])
    first, second = np.split(embeddings, 2)
    return (first * second).sum(-1)


def sts_spearman(encoder: Encoder, data: SimilarityData) -> float:
    """Return Spearman's correlation, times 100, of cosines with human scores."""
    return 100 * rank_correlation(cosines(encoder, data), data.scores)


def score_sts(similarities: np.ndarray, data: SimilarityData) -> StsScore:
    """Compare similarities (n,), from any method, with human scores."""
    value = 100 * rank_correlation(similarities, data.scores)
    drawn = 100 * resampled_correlations(similarities, data.scores)
    low, high = np.quantile(drawn, (0.025, 0.975))
    subset = np.array(data.subsets or [""] * len(data.scores))
    within = [
        rank_correlation(similarities[subset == name], data.scores[subset == name])
        for name in dict.fromkeys(subset.tolist())
    ]
    mean = 100 * float(np.mean(within))
    return StsScore(value, float(low), float(high), len(data.scores), mean)


WORD_OVERLAP, TF_IDF, BAG_OF_WORDS = "word overlap", "TF-IDF", "bag of words"
MAJORITY = "most frequent label"


def word_overlap(data: SimilarityData) -> np.ndarray:
    """Return each pair's Jaccard similarity of word sets, (n,)."""
    from sklearn.feature_extraction.text import CountVectorizer

    words = CountVectorizer(token_pattern=r"(?u)\b\w+\b").build_analyzer()
    sets = (
        [set(words(text)) for text in pair] for pair in zip(data.first, data.second, strict=True)
    )
    return np.array([len(a & b) / max(len(a | b), 1) for a, b in sets])


def tf_idf(sentences: Sequence[str]) -> csr_matrix:
    """Return TF-IDF rows of unit length, fitted on these sentences."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer: Any = TfidfVectorizer(token_pattern=r"(?u)\b\w+\b", sublinear_tf=True)
    return vectorizer.fit_transform(sentences)


def tf_idf_cosines(data: SimilarityData) -> np.ndarray:
    """Return the cosine of each pair's TF-IDF rows, (n,), fitted on the distinct sentences."""
    row = {text: number for number, text in enumerate(data.sentences)}
    rows = tf_idf(data.sentences)
    first, second = (rows[[row[text] for text in side]] for side in (data.first, data.second))
    return np.asarray(first.multiply(second).sum(1)).ravel()


STS_BASELINES: dict[str, Callable[[SimilarityData], np.ndarray]] = {
    WORD_OVERLAP: word_overlap,
    TF_IDF: tf_idf_cosines,
}


def hash_rows(rows: Iterable[str]) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of texts, one a line."""
    return hashlib.sha256("".join(f"{row}\n" for row in rows).encode()).hexdigest()[:16]


def _lines(path: Path) -> list[str]:
    """Split at line feeds only: some sentences contain other characters that end a line."""
    text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n")


def _read_table(path: Path, score: int, first: int, second: int, header: int = 0) -> SimilarityData:
    """Read a tab-separated file of which these columns have score and sentences."""
    rows = [line.split("\t") for line in _lines(path)[header:] if line]
    try:
        scores = np.array([float(row[score]) for row in rows])
        return SimilarityData(
            tuple(row[first] for row in rows), tuple(row[second] for row in rows), scores
        )
    except (ValueError, IndexError) as error:
        raise InputError(
            f"{path.name} is not tab-separated, with a score in column {score + 1} and sentences "
            f"in {first + 1} and {second + 1} ({error})."
        ) from None


def _sick_from_hub(download: bool) -> SimilarityData | None:
    """Return SICK-R as MTEB has it, from the hub's cache or (if `download`) the hub."""
    from huggingface_hub import hf_hub_download

    place: Any = {"repo_id": "mteb/sickr-sts", "filename": "test.jsonl.gz", "repo_type": "dataset"}
    try:
        path = hf_hub_download(**place, etag_timeout=5, local_files_only=not download)
    except Exception:  # the hub's client raises many types; all mean that it is not available
        return None
    frame = pd.read_json(path, lines=True)
    return SimilarityData(
        tuple(frame.sentence1), tuple(frame.sentence2), frame.score.to_numpy(float)
    )
