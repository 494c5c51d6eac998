"""Caption retrieval on Flickr30k's test part: BeLLM, section 5.4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from experiments.scoring import points
from experiments.sts_tasks import tf_idf
from symdemo.encoders import Encoder
from symdemo.errors import InputError
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
