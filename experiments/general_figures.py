"""What the benchmarks of the general model take from its answers: shares, accuracy, calibration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.calibration import expected_calibration_error, log_loss
from symdemo.pairs import CONTRADICTION, ENTAILMENT, LABELS, Pair

TWO = (ENTAILMENT, CONTRADICTION)


class Judged:
    """Pairs embedded once by a model, to be judged at any temperature."""

    def __init__(self, model: SymmetryClassifier, pairs: Sequence[Pair]):
        self.model, self.pairs, self.embeddings = model, pairs, model.embed(pairs)
        near = model.index.search(self.embeddings, k=1)
        self.nearest = np.array([neighbours[0].distance for neighbours in near])

    def shares(self, temperature: float | None) -> np.ndarray:
        """(n, 3) in the order of LABELS; without a temperature the model answers as it does."""
        model = self.model
        if temperature is not None:
            columns = model.index.labels
            found = model.index.kernel_vote(self.embeddings, temperature)
        else:
            columns = LABELS
            predictions = model.predict_embedded(self.pairs, self.embeddings)
            found = np.array([[p.probabilities.get(c, 0.0) for c in columns] for p in predictions])
        return np.stack([_column(found, columns, label) for label in LABELS], axis=1)


def _column(found: np.ndarray, columns: Sequence[str], label: str) -> np.ndarray:
    return found[:, list(columns).index(label)] if label in columns else np.zeros(len(found))


def label_rows(pairs: Sequence[Pair]) -> np.ndarray:
    """(n,), the places of the pairs' labels in LABELS."""
    return np.array([LABELS.index(pair.label) for pair in pairs])


def figures_at(temperature: float | None, test: Sequence[Pair], shares: np.ndarray) -> dict:
    """Accuracy, calibration and log loss of shares (n, 3) at one temperature."""
    rows = label_rows(test)
    right = shares.argmax(1) == rows
    two = rows < len(TWO)  # LABELS begins with these two
    return {
        "temperature": temperature,
        "three": float(right.mean()),
        "two": float((shares[two][:, : len(TWO)].argmax(1) == rows[two]).mean()),
        "by_label": {label: float(right[rows == n].mean()) for n, label in enumerate(LABELS)},
        "calibration_error": expected_calibration_error(shares, rows.tolist()),
        "log_loss": log_loss(shares, rows.tolist()),
    }
