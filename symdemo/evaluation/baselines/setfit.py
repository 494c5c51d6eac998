"""SetFit (Tunstall et al. 2022, arXiv 2209.11055), by its library, on the same encoder and pairs.

Needs `pip install setfit`. SetFit reads one text, so premise and hypothesis are joined by the
encoder's separator token.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symdemo.encoders import Encoder
from symdemo.errors import ModelError
from symdemo.evaluation.baselines.skeleton import phrasing_key, refuse_leaks
from symdemo.pairs import LABELS, Pair

SETTINGS: Mapping[str, Any] = {
    "num_iterations": 20,
    "num_epochs": 1,
    "batch_size": 16,
    "body_learning_rate": 2e-5,
}
"""The paper's (R = 20, section 4.1) and its library's, with a logistic head.

On all phrasings of the bank this makes about 1.3 million text pairs a fold: hours on a GPU.
"""


def setfit_shares(
    encoder: Encoder,
    taught: Sequence[Pair],
    asked: Sequence[Pair],
    unchecked: Sequence[Sequence[Pair]] = (),
    seed: int = 0,
    settings: Mapping[str, Any] = SETTINGS,
) -> tuple[list[np.ndarray], float]:
    """Train SetFit; return probabilities (n, 3) for each list of test pairs, and training seconds.

    Args:
        encoder: a `SentenceEncoder` to start from.
        taught: labelled training pairs.
        asked: test pairs of other phrasings.
        unchecked: more lists of test pairs, of any phrasing.
        seed: the seed of the text pairs.
        settings: arguments of the library's `TrainingArguments`.

    Raises:
        InputError: a phrasing is in both `taught` and `asked`.
        ModelError: the library is not installed.
    """
    try:
        from setfit import SetFitModel, Trainer, TrainingArguments
    except ImportError as error:
        raise ModelError(f"SetFit is not installed ({error}); pip install setfit.") from error
    from datasets import Dataset
    from sklearn.linear_model import LogisticRegression

    refuse_leaks({phrasing_key(pair) for pair in taught}, asked)
    body: Any = encoder.clone()
    model = SetFitModel(model_body=body.model.train(), model_head=LogisticRegression())
    separator = body.model.tokenizer.sep_token
    labels = [LABELS.index(str(pair.label)) for pair in taught]
    data = Dataset.from_dict({"text": _texts(taught, separator), "label": labels})
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(output_dir=folder, seed=seed, report_to="none", **settings)
        began = time.perf_counter()
        Trainer(model=model, args=arguments, train_dataset=data).train()
        seconds = time.perf_counter() - began
    found = [np.zeros((len(pairs), len(LABELS))) for pairs in (asked, *unchecked)]
    for shares, pairs in zip(found, (asked, *unchecked), strict=True):
        known = [int(label) for label in model.model_head.classes_]
        shares[:, known] = np.asarray(model.predict_proba(_texts(pairs, separator)))
    return found, seconds


def _texts(pairs: Sequence[Pair], separator: str) -> list[str]:
    return [f"{pair.premise} {separator} {pair.hypothesis}" for pair in pairs]
