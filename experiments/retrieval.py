"""Caption retrieval on Flickr30k's test part: BeLLM, section 5.4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symdemo.encoders import Encoder
from symdemo.errors import InputError
from symdemo.evaluation.intervals import wilson
from symdemo.evaluation.sentences.sts import tf_idf
from symdemo.files.paths import measuring_data

FLICKR = "Flickr30k"
PER_IMAGE = 5


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Share of cases in which a picture's first caption finds its other four, in percent.

    Attributes:
        strict: share of queries whose top four are exactly the other four.
        low, high: 95% Wilson interval of `strict`.
        recall: share of the other four found in the top four.
        n: number of queries.
    """

    strict: float
    low: float
    high: float
    recall: float
    n: int


def find_captions() -> list[str] | None:
    """Return the captions in the folder SYMDEMO_DATA, five in a row a picture; None if not there.

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


def retrieve(encoder: Encoder, captions: Sequence[str]) -> Retrieval:
    """Search all other captions by inner product of embeddings (exact search)."""
    import faiss

    embeddings = encoder.encode(captions)
    index = faiss.IndexFlatIP(embeddings.shape[1])
    index.add(embeddings)
    found = index.search(embeddings[::PER_IMAGE], PER_IMAGE)[1]
    return score_retrieval(found)


def retrieve_by_words(captions: Sequence[str]) -> Retrieval:
    """Search by the cosine of TF-IDF rows fitted on the captions: the baseline."""
    rows = tf_idf(captions)
    similar = (rows[::PER_IMAGE] @ rows.T).toarray()
    return score_retrieval(np.argsort(-similar, axis=1, kind="stable")[:, :PER_IMAGE])


def score_retrieval(found: np.ndarray) -> Retrieval:
    """Score the row numbers (queries, 5) of the captions nearest to each query, nearest first.

    Query i is caption 5i and is removed from its own results. If duplicates push it out of its top
    five, the fifth result is dropped instead.
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
