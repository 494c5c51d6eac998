"""Similarity under a condition: C-STS (Deshpande et al. 2023, arXiv 2305.15093).

A condition is given to an encoder as part of what it reads: the text around a sentence is made
here, so any encoder can be asked. One that puts every sentence into a prompt of its own does so
around that text too; to follow BeLLM, measure an encoder without one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from symdemo.encoders import Encoder
from symdemo.errors import InputError
from symdemo.evaluation.sentences.sts import SimilarityData, StsScore, cosines, score_sts
from symdemo.files.paths import measuring_data

CONDITIONAL = "C-STS"
PROMPT = 'Given the context {condition}, summarize the sentence {sentence} in one word:"'
"""BeLLM, section 5.1."""

_FILE = "csts/csts_validation.csv"
"""The labels of the test part are not public."""
_COLUMNS = ("sentence1", "sentence2", "condition", "label")


def load_conditional(path: str | Path, prompt: str = PROMPT) -> SimilarityData:
    """Read a CSV file of C-STS: each sentence comes in the prompt, with the condition of its pair.

    Args:
        path: with the columns sentence1, sentence2, condition and label.
        prompt: a text with `{condition}` and `{sentence}` in it; “{sentence}” leaves the condition
            out.

    Raises:
        InputError: no such file, a missing column, or a label that is none from 1 to 5.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"There is no file {path}; a CSV file of C-STS is expected.")
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name} is not a CSV file in UTF-8 ({error}).") from None
    if lost := [name for name in _COLUMNS if name not in frame]:
        raise InputError(f"{path.name} has no column {lost[0]}; expected: {', '.join(_COLUMNS)}.")
    labels = pd.to_numeric(frame.label, errors="coerce").to_numpy(float)
    if (wrong := ~((labels >= 1) & (labels <= 5))).any():
        row = int(wrong.argmax())
        raise InputError(
            f"{path.name}, row {row + 1}: the label is “{frame.label[row][:20]}”; a number from 1 "
            "to 5 is expected."
        )

    before, _, after = prompt.partition("{sentence}")

    def put(sentence: str, condition: str) -> str:
        # not str.format: braces in a sentence stay as they are
        left, right = (part.replace("{condition}", condition) for part in (before, after))
        return left + sentence + right

    first, second = (
        tuple(map(put, frame[name], frame.condition)) for name in ("sentence1", "sentence2")
    )
    return SimilarityData(first, second, labels)


def find_conditional() -> SimilarityData | None:
    """C-STS's validation part among the public data to measure against; None where not here."""
    path = measuring_data(_FILE)
    return load_conditional(path) if path else None


def score_conditional(
    encoder: Encoder,
    data: SimilarityData,
    progress: Callable[[int, int], None] | None = None,
) -> StsScore:
    """Spearman's correlation times 100 of cosines with what people say under each condition."""
    similar: np.ndarray = cosines(encoder, data, progress)
    return score_sts(similar, data)
