"""Answered pairs of which everything is known, for the tests of suggestions."""

import numpy as np
import pytest

from symdemo.analysis.suggestions import Answered

LABELS = ("entailment", "contradiction", "neutral")
RELATIONS = 30
PER_RELATION = 12


def make_answered(labels, premises=None, hypotheses=None, verdicts=None, **columns):
    """Columns in which only what is given is known; a premise that nothing resembles otherwise."""
    n = len(labels)
    premises = premises or [f"Sentence{row} {'word' * row}." for row in range(n)]
    verdicts = verdicts or list(labels)
    return Answered(
        premises=premises,
        hypotheses=hypotheses or [f"Then {premise}" for premise in premises],
        labels=labels,
        verdicts=verdicts,
        right=[
            None if label is None else label == verdict
            for label, verdict in zip(labels, verdicts, strict=True)
        ],
        **columns,
    )


def shares_for(labels, sure=0.9):
    """(n, 3) with `sure` for each label and the rest for the others alike."""
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
