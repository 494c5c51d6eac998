"""The tasks of semantic textual similarity besides STS-B, and answers without an encoder.

C-STS (Deshpande et al. 2023, arXiv 2305.15093) scores similarity under a condition. The condition
becomes part of the text, so any encoder can be measured. An encoder with a prompt of its own wraps
that text in it; to follow BeLLM, measure an encoder without one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from symdemo.errors import InputError
from symdemo.evaluation.sentences.sts import SimilarityData, lines_of, read_table, sts_at_hand
from symdemo.files.paths import measuring_data

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

STS_B, SICK = "STS-B", "SICK-R"
TASKS = ("STS12", "STS13", "STS14", "STS15", "STS16", STS_B, SICK)
"""The seven tasks of BeLLM's Table 1."""

CONDITIONAL = "C-STS"


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
        return read_table(path, 3, 1, 2, header=1) if path else _sick_from_hub(download)
    folder = measuring_data(f"sts/{task}")
    return load_sts_year(folder) if folder else None


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
                for line, score in zip(lines_of(path), lines_of(gold), strict=True):
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
