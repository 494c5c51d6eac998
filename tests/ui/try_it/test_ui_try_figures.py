"""The pictures of the tab “Try it”."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("gradio")

from ui_fakes import DIMENSION, ask

from symdemo.ui.try_it.figures import draw_map, draw_rotation, rotation_caption, scale_of


def test_scale_is_the_smallest_that_holds_the_amplitude():
    phases = np.radians([0.1, -4.0, 170.0])
    assert scale_of(phases, np.array([1, 1, 0.001])) == 5
    assert scale_of(phases, np.array([1, 1, 1])) == 180
    assert scale_of(np.zeros(3), np.zeros(3)) == 180


def turned_to(rotation: list[complex]):
    """An answer whose label embedding has these complex coordinates, the others being 1."""
    found = ask()
    whole = np.array(rotation + [1] * (DIMENSION // 2 - len(rotation)))
    vector = np.concatenate([whole.real, whole.imag]).astype(np.float32)
    return replace(found, prediction=replace(found.prediction, label_embedding=vector))


def test_zero_is_on_top_and_a_quarter_turn_is_to_the_right():
    ring = draw_rotation(turned_to([1, 1j, -1j, -1, 2 + 2j]))["data"][0]
    half = np.sqrt(0.5)
    assert np.allclose(ring["x"][:5], [0, 1, -1, 0, half], atol=1e-3)
    assert np.allclose(ring["y"][:5], [1, 0, 0, -1, half], atol=1e-3)
    assert ring["marker"]["size"][4] > ring["marker"]["size"][0], "what weighs more is larger"


def test_rotation_is_drawn_beside_the_mean_of_each_label():
    found = turned_to([1j])
    rings = draw_rotation(found)["data"]
    index = found.model.classifier.index
    labels = sorted({pair.label for pair in index.pairs}, key=index.labels.index)
    assert [ring["name"] for ring in rings[:2]] == ["your sentence", "entailment"]
    assert len(rings) == 1 + len(labels)
    for place, label in enumerate(labels, start=1):
        rows = [row for row, pair in enumerate(index.pairs) if pair.label == label]
        real, imaginary = np.split(index.embeddings[rows].mean(axis=0), 2)
        radius = (1 - 0.24 * place) / np.hypot(real, imaginary)
        assert np.allclose(rings[place]["y"], radius * real, atol=1e-3)
        assert np.allclose(rings[place]["x"], radius * imaginary, atol=1e-3)


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
