"""Retrieval of captions: by hand, and on rows that are known."""

import numpy as np
import pytest
from sentence_data import FakeEncoder

from experiments.retrieval import retrieve, score_retrieval
from symdemo.evaluation.intervals import wilson


def test_figures_by_hand():
    found = np.array([
        [0, 1, 2, 3, 4],  # all four
        [5, 6, 7, 8, 0],  # three of four
        [1, 2, 3, 4, 0],  # none, and itself not among the nearest
    ])  # fmt: skip
    result = score_retrieval(found)
    low, high = wilson(1, 3)
    strict = {"value": 100 / 3, "low": 100 * low, "high": 100 * high, "n": 3}
    assert result["strict"] == pytest.approx(strict)
    assert result["recall"] == pytest.approx(100 * 7 / 12)


def test_two_pictures_apart_and_one_caption_astray():
    angles = [0, 1, 2, 3, 4, 90, 91, 92, 93, -20]  # the last caption is far from its picture
    captions = [f"caption {n}" for n in range(10)]
    rows = [[np.cos(np.radians(a)), np.sin(np.radians(a)), 0, 0] for a in angles]
    encoder = FakeEncoder(dict(zip(captions, rows, strict=True)))
    found = retrieve(encoder, captions)
    assert (found["strict"]["value"], found["recall"]) == (50, 100 * 7 / 8)
