"""Caption retrieval on Flickr30k's test part: BeLLM, section 5.4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from experiments.scoring import points
from symdemo.encoders import Encoder
from symdemo.errors import InputError
from symdemo.evaluation.sentences.sts import tf_idf
from symdemo.files.paths import measuring_data

FLICKR = "Flickr30k"
PER_IMAGE = 5


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


def retrieve(encoder: Encoder, captions: Sequence[str]) -> dict[str, Any]:
    """Search all other captions by inner product of embeddings (exact search)."""
    import faiss

    embeddings = encoder.encode(captions)
    index = faiss.IndexFlatIP(embeddings.shape[1])
    index.add(embeddings)
    found = index.search(embeddings[::PER_IMAGE], PER_IMAGE)[1]
    return score_retrieval(found)


def retrieve_by_words(captions: Sequence[str]) -> dict[str, Any]:
    """Search by the cosine of TF-IDF rows fitted on the captions: the baseline."""
    rows = tf_idf(captions)
    similar = (rows[::PER_IMAGE] @ rows.T).toarray()
    return score_retrieval(np.argsort(-similar, axis=1, kind="stable")[:, :PER_IMAGE])


def score_retrieval(found: np.ndarray) -> dict[str, Any]:
    """Score the row numbers (queries, 5) of the captions nearest to each query, nearest first.

    Query i is caption 5i and is removed from its own results. If duplicates push it out of its top
    five, the fifth result is dropped instead.

    Returns:
        In percent: `strict`, queries whose top four are exactly the other four captions of their
        picture, with its 95% Wilson interval; `recall`, of the other four those in the top four.
    """
    right = []
    for query, row in enumerate(found.tolist()):
        own = query * PER_IMAGE
        answers = [place for place in row if place != own][: PER_IMAGE - 1]
        right.append(len(set(answers) & set(range(own + 1, own + PER_IMAGE))))
    others = PER_IMAGE - 1
    recall = 100 * sum(right) / (len(right) * others)
    return {"strict": points(right.count(others), len(right)), "recall": recall}
