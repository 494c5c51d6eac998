"""Semantic textual similarity: how well cosines of embeddings agree with what people say.

The data are read as SentEval (Conneau and Kiela 2018) has them; the figure is Spearman's
correlation times 100 over all pairs of a task at once, its setting “all”. The mean over a task's
sub-sets, its setting “mean”, stands beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from symdemo.encoders import Encoder
from symdemo.errors import InputError
from symdemo.evaluation.intervals import rank_correlation, resampled_correlations
from symdemo.files.paths import measuring_data, measuring_folder

YEARS = ("STS12", "STS13", "STS14", "STS15", "STS16")
STS_B, SICK = "STS-B", "SICK-R"
TASKS = (*YEARS, STS_B, SICK)
"""The seven of BeLLM's Table 1."""

_SICK_FILE = "SICK_test_annotated.txt"
_SICK_ON_HUB = "mteb/sickr-sts"


@dataclass(frozen=True)
class SimilarityData:
    """Sentence pairs with human similarity scores.

    Attributes:
        first, second: the sentences of each pair.
        scores: what people gave each pair.
        subsets: which sub-set of its task each pair is of; empty where there is but one.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    scores: np.ndarray
    subsets: tuple[str, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """The distinct sentences, in the order of the pairs."""
        pairs = zip(self.first, self.second, strict=True)
        return list(dict.fromkeys(text for pair in pairs for text in pair))

    @property
    def hash(self) -> str:
        """The first 16 signs of the SHA-256 of sentences and scores."""
        rows = zip(self.first, self.second, self.scores.tolist(), strict=True)
        return hash_rows(map(repr, rows))


@dataclass(frozen=True, slots=True)
class StsScore:
    """Spearman's correlation times 100, with the interval of resampled pairs.

    Attributes:
        value: over all pairs at once.
        low, high: of 95% of the resamplings.
        n: pairs.
        subset_mean: the mean of the sub-sets' own correlations.
    """

    value: float
    low: float
    high: float
    n: int
    subset_mean: float


def load_sts(path: str | Path) -> SimilarityData:
    """Read an STS-B file: tab-separated, the score in column 5, sentences in columns 6 and 7.

    Raises:
        InputError: no such file, or a line without seven columns or a number.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"There is no file {path}; an STS-B file is expected.")
    rows = [line.split("\t") for line in _lines(path) if line]
    for number, row in enumerate(rows, start=1):
        if len(row) < 7:
            raise InputError(f"{path.name}, line {number}: {len(row)} columns; 7 are expected.")
    try:
        scores = np.array([float(row[4]) for row in rows])
    except ValueError as error:
        raise InputError(f"{path.name}: {error}; column 5 holds a score.") from None
    return SimilarityData(tuple(r[5] for r in rows), tuple(r[6] for r in rows), scores)


def load_sts_year(folder: str | Path) -> SimilarityData:
    """Read a year of STS in SentEval's layout: `STS.input.NAME.txt` and `STS.gs.NAME.txt`.

    A pair whose line in the second file is empty was not scored by people and is left out; so is a
    sub-set with one of the two files alone.

    Raises:
        InputError: no sub-set, files of different lengths, or a line without a score or a pair.
    """
    folder = Path(folder)
    first, second, scores, subsets = [], [], [], []
    for path in sorted(folder.glob("STS.input.*.txt")):
        subset = path.name.removeprefix("STS.input.").removesuffix(".txt")
        gold = folder / f"STS.gs.{subset}.txt"
        if not gold.is_file():
            continue
        pairs, given = _lines(path), _lines(gold)
        if len(pairs) != len(given):
            raise InputError(
                f"{folder.name}: {path.name} has {len(pairs)} lines and {gold.name} {len(given)}; "
                "as many are expected."
            )
        for number, (pair, score) in enumerate(zip(pairs, given, strict=True), start=1):
            if not score.strip():
                continue
            columns = pair.split("\t")
            if len(columns) < 2:
                raise InputError(f"{path.name}, line {number}: two sentences are expected.")
            first.append(columns[0])
            second.append(columns[1])
            scores.append(_number(score, gold, number))
            subsets.append(subset)
    if not scores:
        raise InputError(
            f"The folder {folder.name} has no scored pairs; STS.input.NAME.txt and STS.gs.NAME.txt "
            "are expected."
        )
    return SimilarityData(tuple(first), tuple(second), np.array(scores), tuple(subsets))


def load_sick(path: str | Path) -> SimilarityData:
    """Read SICK's `SICK_test_annotated.txt`: a header, then id, two sentences and a score.

    Raises:
        InputError: a line without these columns.
    """
    path = Path(path)
    first, second, scores = [], [], []
    for number, line in enumerate(_lines(path)[1:], start=2):
        columns = line.split("\t")
        if len(columns) < 4:
            raise InputError(f"{path.name}, line {number}: {len(columns)} columns; 4 are expected.")
        first.append(columns[1])
        second.append(columns[2])
        scores.append(_number(columns[3], path, number))
    return SimilarityData(tuple(first), tuple(second), np.array(scores))


def find_sts(task: str, download: bool = False) -> SimilarityData | None:
    """The test pairs of a task among the public data to measure against; None where not here.

    Args:
        task: one of `TASKS`.
        download: get SICK-R from the hub where it is neither here nor in the hub's cache.

    Raises:
        InputError: an unknown task, or files that cannot be read as one.
    """
    if task not in TASKS:
        raise InputError(f"The STS task “{task}” is unknown; expected: {', '.join(TASKS)}.")
    if task == STS_B:
        return sts_at_hand()
    if task == SICK:
        path = measuring_data(f"sts/SICK/{_SICK_FILE}") or measuring_data(f"sts/{_SICK_FILE}")
        return load_sick(path) if path else _sick_from_hub(download)
    folder = measuring_folder(f"sts/{task}")
    return load_sts_year(folder) if folder else None


def sts_at_hand(part: str = "test") -> SimilarityData | None:
    """A part of STS-B, where it is among the public data to measure against."""
    path = measuring_data(f"sts/sts-{part}.csv")
    return load_sts(path) if path else None


def cosines(
    encoder: Encoder,
    data: SimilarityData,
    progress: Callable[[int, int], None] | None = None,
) -> np.ndarray:
    """The cosine of each pair; equal sentences are encoded once, and the shortest first."""
    embeddings = encoder.encode([*data.first, *data.second], progress=progress)
    first, second = np.split(embeddings, 2)
    return (first * second).sum(-1)


def sts_spearman(encoder: Encoder, data: SimilarityData) -> float:
    """Spearman correlation, times 100, of cosine similarity with human scores."""
    return 100 * rank_correlation(cosines(encoder, data), data.scores)


def score_sts(similarities: np.ndarray, data: SimilarityData, seed: int = 0) -> StsScore:
    """How well similarities agree with people, whatever they were made with."""
    value = 100 * rank_correlation(similarities, data.scores)
    drawn = 100 * resampled_correlations(similarities, data.scores, seed=seed)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return StsScore(
        value, float(low), float(high), len(data.scores), _subset_mean(similarities, data)
    )


def _subset_mean(similarities: np.ndarray, data: SimilarityData) -> float:
    of_pair = np.array(data.subsets or [""] * len(data.scores))
    own = [
        rank_correlation(similarities[of_pair == name], data.scores[of_pair == name])
        for name in dict.fromkeys(of_pair.tolist())
    ]
    return 100 * float(np.mean(own))


def hash_rows(rows: Iterable[str]) -> str:
    """The first 16 signs of the SHA-256 of texts, in their order."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(f"{row}\n".encode())
    return digest.hexdigest()[:16]


def _lines(path: Path) -> Sequence[str]:
    """The lines of a file, ended by line feeds alone: some sentences have other signs that end."""
    text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n")


def _number(text: str, path: Path, line: int) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{path.name}, line {line}: “{text[:20]}” is no score.") from None


def _sick_from_hub(download: bool) -> SimilarityData | None:
    """SICK-R as the MTEB benchmark has it, from the hub or its cache; None without either."""
    import pandas
    from huggingface_hub import hf_hub_download

    try:
        path = hf_hub_download(
            _SICK_ON_HUB,
            "test.jsonl.gz",
            repo_type="dataset",
            etag_timeout=5,
            local_files_only=not download,
        )
    except Exception:  # the hub's client raises many types; all mean that it is not to be had
        return None
    frame = pandas.read_json(path, lines=True)
    return SimilarityData(
        tuple(frame.sentence1), tuple(frame.sentence2), frame.score.to_numpy(float)
    )
