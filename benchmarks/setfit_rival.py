"""SetFit (Tunstall et al. 2022) on the same encoder and pairs, by its own library.

Needs `pip install setfit`. SetFit reads one text, so premise and hypothesis are joined by the
encoder's separator.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence

import numpy as np

from symdemo.encoders import DEFAULT_ENCODER, load_encoder
from symdemo.errors import ModelError
from symdemo.pairs import LABELS, Pair

ITERATIONS = 1
"""Positive and negative partners drawn for each text; SetFit's own default of 20 is for few-shot
sets, and would take an hour and a half on the bank."""


def setfit_probabilities(
    taught: Sequence[Pair], asked: Sequence[Sequence[Pair]], seed: int
) -> tuple[list[np.ndarray], float]:
    """Probabilities (n, 3) in the order of LABELS for each list of `asked`; seconds of training.

    Raises:
        ModelError: the library is not installed.
    """
    try:
        from setfit import SetFitModel, Trainer, TrainingArguments
    except ImportError as error:
        raise ModelError(f"SetFit is not here ({error}); pip install setfit.") from error
    from datasets import Dataset
    from sklearn.linear_model import LogisticRegression

    encoder = load_encoder(DEFAULT_ENCODER).clone()
    model = SetFitModel(model_body=encoder.model.train(), model_head=LogisticRegression())
    separator = encoder.model.tokenizer.sep_token
    data = Dataset.from_dict(
        {
            "text": _texts(taught, separator),
            "label": [LABELS.index(pair.label) for pair in taught],
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            batch_size=16,
            num_epochs=1,
            num_iterations=ITERATIONS,
            seed=seed,
            report_to="none",
        )
        began = time.perf_counter()
        Trainer(model=model, args=arguments, train_dataset=data).train()
        seconds = time.perf_counter() - began
    shares = [np.asarray(model.predict_proba(_texts(pairs, separator))) for pairs in asked]
    return shares, seconds


def _texts(pairs: Sequence[Pair], separator: str) -> list[str]:
    return [f"{pair.premise} {separator} {pair.hypothesis}" for pair in pairs]
