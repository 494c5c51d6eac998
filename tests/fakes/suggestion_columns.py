"""Answered pairs for the tests of suggestions."""

import numpy as np
import pandas as pd
import pytest

from symdemo.analysis.suggestions import Answered

LABELS = ("entailment", "contradiction", "neutral")
RELATIONS = 30
PER_RELATION = 12


COLUMNS = (
    "premise", "hypothesis", "label", "relation", "head", "tail", "construction", "verdict",
    "familiar", "right", "probability",
)  # fmt: skip


def make_answered(labels, premises=None, hypotheses=None, verdicts=None, **known):
    """Return answered pairs in which only what is given is known; by default no two are alike."""
    premises = premises or [f"Sentence{row} {'word' * row}." for row in range(len(labels))]
    verdicts = verdicts or list(labels)
    columns = {
        "premise": premises,
        "hypothesis": hypotheses or [f"Then {premise}" for premise in premises],
        "label": labels,
        "verdict": verdicts,
        "right": [
            None if label is None else label == verdict
            for label, verdict in zip(labels, verdicts, strict=True)
        ],
    }
    columns |= {name: known.pop(name) for name in COLUMNS if name in known}
    rows = pd.DataFrame(columns, dtype=object).reindex(columns=list(COLUMNS))
    rows = rows.astype(object).where(rows.notna(), None).astype({"probability": float})
    if "probabilities" in known:
        rows["probability"] = known["probabilities"].max(axis=1)
    return Answered(rows, known.pop("swaps", np.ones(len(rows), bool)), **known)


def shares_for(labels, sure=0.9):
    """Return (n, 3) probabilities: `sure` for each label, the rest shared by the others."""
    shares = np.full((len(labels), len(LABELS)), (1 - sure) / 2)
    shares[np.arange(len(labels)), [LABELS.index(label) for label in labels]] = sure
    return shares


@pytest.fixture
def clean():
    """360 pairs of 30 relations: true labels, relations, and embeddings near their relation's."""
    rng = np.random.default_rng(0)
    labels = [LABELS[r % 3] for r in range(RELATIONS) for _ in range(PER_RELATION)]
    relations = [f"relation {r}" for r in range(RELATIONS) for _ in range(PER_RELATION)]
    centres = rng.standard_normal((RELATIONS, 16))
    vectors = np.repeat(centres, PER_RELATION, axis=0) + 0.2 * rng.standard_normal((360, 16))
    return labels, relations, vectors.astype(np.float16)
