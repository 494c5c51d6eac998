"""What the Try tab draws, and the examples that it offers."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("gradio")

from ui_fakes import ask, make_store

from symdemo.asking import read
from symdemo.relations import RELATIONS
from symdemo.ui.shared.examples import OTHER, example_buttons, load_examples
from symdemo.ui.shared.projection import Projection
from symdemo.ui.try_it.figures import RING, draw_map, draw_rotation, rotation_caption, scale_of


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
    for place, ring in enumerate(rings):
        radius = 1 - RING * place
        assert np.allclose(np.hypot(ring["x"], ring["y"]), radius, atol=1e-3)
        assert len(ring["x"]) == len(found.prediction.phases)


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


def test_projection_of_points_on_a_line():
    rows = np.array([[1, 0, 0, 0], [3, 0, 0, 0], [5, 0, 0, 0]], np.float32)
    projection = Projection.fit(rows)
    assert projection.points[:, 0].tolist() == [-2, 0, 2]
    assert np.allclose(projection.points[:, 1], 0)
    assert projection.share == pytest.approx(1)
    assert Projection.fit(rows[:1]).points.shape == (1, 2)


def test_projection_is_fitted_once_per_model():
    model = make_store().get()
    assert model.projection is model.projection


def test_examples_cover_the_14_relations_and_as_many_others():
    kinds = [example.kind for example in load_examples()]
    assert sorted(set(kinds) - {OTHER}) == sorted(relation.id for relation in RELATIONS)
    assert kinds.count(OTHER) == 14


@pytest.mark.parametrize("example", load_examples(), ids=lambda example: example.sentence)
def test_every_example_can_be_swapped(example):
    question = read(example.sentence, example.hypothesis)
    assert question.is_swap
    assert question.pair.hypothesis != example.sentence


def test_every_example_is_a_button_that_asks_it():
    html = example_buttons()
    assert html.count("data-ask=") == len(load_examples())
    assert "Kenya borders Uganda." in html
