"""Training data that share no sentence with what is measured on."""

from __future__ import annotations

from symdemo.errors import InputError
from symdemo.evaluation.sentences.sts import SimilarityData, sts_at_hand
from symdemo.training.contrastive.triplets import TripletData, load_triplets


def triplets_unseen(source: str) -> TripletData:
    """Triplets without any sentence of the dev and test parts of STS-B, where these are at hand.

    Both are made of captions and news, as SNLI is, so a few sentences stand in both.

    Raises:
        InputError: as `load_triplets`.
    """
    parts = [part for part in map(sts_at_hand, ("dev", "test")) if part is not None]
    return load_triplets(source, [text for p in parts for text in (*p.first, *p.second)])


def sts_part(part: str) -> SimilarityData:
    """A part of STS-B.

    Raises:
        InputError: it is not at hand.
    """
    if (data := sts_at_hand(part)) is None:
        raise InputError(
            f"There is no sts/sts-{part}.csv in the folder SYMDEMO_DATA; STS-B is expected there."
        )
    return data


def some_of(data: SimilarityData, n: int) -> SimilarityData:
    """About `n` pairs at even distances: a part of STS-B is ordered by where its pairs are from.

    Raises:
        InputError: fewer than 2 are asked for.
    """
    if n < 2:
        raise InputError(f"{n} pairs are asked for; at least 2 are expected.")
    rows = range(0, len(data.scores), max(1, len(data.scores) // n))
    first, second = (tuple(texts[i] for i in rows) for texts in (data.first, data.second))
    return SimilarityData(first, second, data.scores[list(rows)])
