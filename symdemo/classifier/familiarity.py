"""Is a sentence like anything that was taught? Judged by its distance from the nearest taught pair.

A trained encoder gathers what it was taught in tight clusters; the label embeddings of sentences it
knows nothing of fall between them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symdemo.classifier.symmetry import SymmetryClassifier
from symdemo.pairs import Pair

FALSE_ALARMS = 0.05
"""Share of held-out pairs of taught relations that may be called unfamiliar."""


def nearest_distances(model: SymmetryClassifier, pairs: Sequence[Pair]) -> np.ndarray:
    """Cosine distance (n,) from each pair's label embedding to the nearest taught one."""
    near = model.index.search(model.embed(pairs), k=1)
    return np.array([neighbours[0].distance for neighbours in near])


def calibrate(
    model: SymmetryClassifier, held_out: Sequence[Pair], false_alarms: float = FALSE_ALARMS
) -> SymmetryClassifier:
    """The same model with the distance beyond which it calls a pair unfamiliar.

    Args:
        model: a taught model.
        held_out: pairs of taught relations that the model has not seen.
        false_alarms: the share of them that may lie beyond.
    """
    limit = float(np.quantile(nearest_distances(model, held_out), 1 - false_alarms))
    return model.with_card(familiar_within=round(limit, 4))
