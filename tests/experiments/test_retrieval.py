"""Retrieval of captions: by hand, and on rows that are known."""

import numpy as np
import pytest
from sentence_data import FakeEncoder

from experiments.retrieval import retrieve, score_retrieval
from symdemo.evaluation.intervals import wilson


def test_figures_by_hand():
    similar = np.zeros((3, 15))
    similar[0, :5] = 9, 8, 7, 6, 5  # all four
    similar[1, [5, 6, 7, 8, 0]] = 9, 8, 7, 6, 5  # three of four
    similar[2, [1, 2, 3, 4, 10]] = 9, 8, 7, 6, 9  # none, as a duplicate is as near as itself
    result = score_retrieval(similar)
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
