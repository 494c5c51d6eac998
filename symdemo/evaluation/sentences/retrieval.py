"""Captions of one picture found by another: BeLLM, section 5.4, on Flickr30k's test part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from symdemo.encoders import Encoder
from symdemo.errors import InputError
from symdemo.evaluation.intervals import wilson
from symdemo.evaluation.sentences.baselines import tf_idf
from symdemo.files.paths import measuring_data

FLICKR = "Flickr30k"
PER_IMAGE = 5
_FILE = "retrieval/flickr30k_test_captions.txt"


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How often the first caption of a picture finds the four others; figures in points.

    Attributes:
        strict: share of queries whose first four are exactly the four others.
        low, high: its 95% interval (Wilson).
        recall: share of the others that are among the first four.
        n: queries.
    """

    strict: float
    low: float
    high: float
    recall: float
    n: int


def load_captions(path: str | Path) -> list[str]:
    """Read captions, one a line, five to a picture, in order.

    Raises:
        InputError: no such file, or a number of lines that is not a multiple of five.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"There is no file {path}; captions, one a line, are expected.")
    captions = [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    if not captions or len(captions) % PER_IMAGE:
        raise InputError(
            f"{path.name} has {len(captions)} captions; five to a picture are expected."
        )
    return captions


def find_captions() -> list[str] | None:
    """The captions among the public data to measure against; None where they are not here."""
    path = measuring_data(_FILE)
    return load_captions(path) if path else None


def retrieve(
    encoder: Encoder,
    captions: Sequence[str],
    progress: Callable[[int, int], None] | None = None,
) -> Retrieval:
    """Search by the inner product of embeddings, exactly, among all other captions."""
    import faiss

    embeddings = encoder.encode(captions, progress=progress)
    index = faiss.IndexFlatIP(embeddings.shape[1])
    index.add(embeddings)
    found = index.search(embeddings[::PER_IMAGE], PER_IMAGE)[1]
    return score_retrieval(found)


def retrieve_by_words(captions: Sequence[str]) -> Retrieval:
    """The same by the cosine of TF-IDF rows that are fitted on the captions."""
    rows = tf_idf(captions)
    similar = (rows[::PER_IMAGE] @ rows.T).toarray()
    return score_retrieval(np.argsort(-similar, axis=1, kind="stable")[:, :PER_IMAGE])


def score_retrieval(found: np.ndarray) -> Retrieval:
    """Figures from the places (queries, 5) of what is nearest to each query, the nearest first.

    Query i is at place 5i, and it is no answer to itself; where it is not among its five nearest,
    as others are equal to it, the fifth is left out.
    """
    hits = strict = 0
    for query, row in enumerate(found.tolist()):
        own = query * PER_IMAGE
        answers = [place for place in row if place != own][: PER_IMAGE - 1]
        right = len(set(answers) & set(range(own + 1, own + PER_IMAGE)))
        hits += right
        strict += right == PER_IMAGE - 1
    n = len(found)
    low, high = wilson(strict, n)
    return Retrieval(100 * strict / n, 100 * low, 100 * high, 100 * hits / (n * (PER_IMAGE - 1)), n)
