"""The pictures of the tab “Try it”."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("gradio")

from ui_fakes import ask

from symdemo.classifier.explaining import rotation_likeness
from symdemo.ui.try_it.figures import (
    RING,
    WIDEST,
    draw_map,
    draw_rotation,
    rotation_caption,
    scale_of,
)


def test_scale_is_the_smallest_that_holds_the_amplitude():
    phases = np.radians([0.1, -4.0, 170.0])
    assert scale_of(phases, np.array([1, 1, 0.001])) == 5
    assert scale_of(phases, np.array([1, 1, 1])) == 180
    assert scale_of(np.zeros(3), np.zeros(3)) == 180


def test_rotation_is_drawn_beside_the_mean_of_each_label():
    found = ask()
    rings = draw_rotation(found)["data"]
    assert [ring["name"] for ring in rings[:2]] == ["your sentence", "entailment"]
    assert len(rings) == 1 + len(found.model.classifier.index.labels)
    likeness = rotation_likeness(found.model.classifier, found.prediction)
    drawn = [(found.prediction.phases, found.prediction.amplitudes)]
    drawn += [(likeness.phases(label), likeness.amplitudes(label)) for label in likeness.means]
    scale = max(scale_of(*own) for own in drawn)
    zoom = 1 if scale == 180 else WIDEST / scale
    for ring, (phases, _) in zip(rings, drawn, strict=True):
        angles = np.degrees(phases) * zoom
        angles = np.clip(angles, -WIDEST, WIDEST) if zoom > 1 else angles
        turned = np.exp(1j * np.radians(angles))  # zero is on top, to the right is positive
        seen = (np.array(ring["y"]) + 1j * np.array(ring["x"])) / np.hypot(ring["x"], ring["y"])
        assert np.allclose(seen, turned, atol=1e-3)
    radii = [np.hypot(ring["x"], ring["y"]).mean() for ring in rings]
    assert np.allclose(np.diff(radii), -RING, atol=1e-3)


def test_a_pair_is_most_like_the_label_whose_mean_it_is():
    found = ask()
    index = found.model.classifier.index
    rows = [row for row, pair in enumerate(index.pairs) if pair.label == "contradiction"]
    mean = index.embeddings[rows].mean(axis=0)
    same = replace(found, prediction=replace(found.prediction, label_embedding=mean))
    assert "Most like contradiction." in rotation_caption(same)
    assert "contradiction 1.00" in rotation_caption(same)


def test_a_model_that_reads_both_sentences_together_has_no_rotation():
    found = ask()
    classifier = found.model.classifier
    classifier.card = replace(classifier.card, method="knn-learnt-metric")
    assert draw_rotation(found) is None
    assert rotation_caption(found) == ""


def test_map_joins_the_query_to_each_neighbour():
    found = ask(k=4)
    lines, *clouds, query = draw_map(found)["data"]
    assert lines["x"].count(None) == 4
    assert sum(len(cloud["x"]) for cloud in clouds) == len(found.model.classifier.index)
    assert query["name"] == "your sentence"
    assert len({cloud["marker"]["symbol"] for cloud in clouds}) == len(clouds)
