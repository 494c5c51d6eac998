"""What needs no encoder: how alike two sentences are by their words alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from symdemo.evaluation.sentences.sts import SimilarityData

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

WORD_OVERLAP, TF_IDF, BAG_OF_WORDS = "word overlap", "TF-IDF", "bag of words"
MAJORITY = "most frequent label"


def word_overlap(data: SimilarityData) -> np.ndarray:
    """The share of the words of either sentence that are in both (Jaccard), for each pair."""
    from sklearn.feature_extraction.text import CountVectorizer

    words = CountVectorizer(token_pattern=r"(?u)\b\w+\b").build_analyzer()
    found = []
    for first, second in zip(data.first, data.second, strict=True):
        own, other = set(words(first)), set(words(second))
        found.append(len(own & other) / max(len(own | other), 1))
    return np.array(found)


def tf_idf(sentences: Sequence[str]) -> csr_matrix:
    """Rows of unit length; a word weighs less, the more of these very sentences have it."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer: Any = TfidfVectorizer(token_pattern=r"(?u)\b\w+\b", sublinear_tf=True)
    return vectorizer.fit_transform(sentences)


def tf_idf_cosines(data: SimilarityData) -> np.ndarray:
    """The cosine of each pair's TF-IDF rows, fitted on the data's own distinct sentences."""
    row = {text: number for number, text in enumerate(data.sentences)}
    rows = tf_idf(data.sentences)
    first, second = (rows[[row[text] for text in side]] for side in (data.first, data.second))
    return np.asarray(first.multiply(second).sum(1)).ravel()


STS_BASELINES: dict[str, Callable[[SimilarityData], np.ndarray]] = {
    WORD_OVERLAP: word_overlap,
    TF_IDF: tf_idf_cosines,
}
