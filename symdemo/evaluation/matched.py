"""The matched score: accuracy where how a sentence is built says nothing of its label.

Rows are compared within one skeleton (`baselines.skeleton`) alone, and there each label weighs the
same: of a skeleton's rows as many count of each label as there are of its rarest. A skeleton that
does not show all labels cannot be matched, so its rows do not count. Whatever answers by the
skeleton alone then gives all rows of a skeleton the same answer, and is right on one label of
three, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from symdemo.errors import InputError
from symdemo.pairs import LABELS


def matched_weights(
    skeletons: Sequence[str], labels: Sequence[str], expected: Sequence[str] = LABELS
) -> np.ndarray:
    """Weights (n,) in [0, 1]: a row of skeleton s and label l has min_l n(s, l) / n(s, l).

    Raises:
        InputError: another number of skeletons than of labels, or no skeleton with all labels.
    """
    if len(skeletons) != len(labels):
        raise InputError(
            f"{len(skeletons)} skeletons and {len(labels)} labels were given; as many are expected."
        )
    frame = pd.DataFrame({"skeleton": list(skeletons), "label": list(labels)})
    counts = (
        frame.value_counts().unstack(fill_value=0).reindex(columns=list(expected), fill_value=0)
    )
    rarest = counts.min(axis=1)
    if not rarest.any():
        raise InputError(f"No skeleton has all of the labels {', '.join(expected)}.")
    own = frame.groupby(["skeleton", "label"])["label"].transform("size")
    return np.asarray(frame.skeleton.map(rarest) / own, dtype=float)
