"""What the Try tab draws, and the examples that it offers."""

import numpy as np
import pytest

pytest.importorskip("gradio")

from ui_fakes import ask, make_store

from symdemo.relations import RELATIONS
from symdemo.ui import figures
from symdemo.ui.examples import OTHER, group_titles, load_examples
from symdemo.ui.projection import Projection
from symdemo.ui.try_handlers import fill_in


def test_scale_is_the_smallest_that_holds_the_amplitude():
    phases = np.radians([0.1, -4.0, 170.0])
    assert figures.scale_of(phases, np.array([1, 1, 0.001])) == 5
    assert figures.scale_of(phases, np.array([1, 1, 1])) == 180
    assert figures.scale_of(np.zeros(3), np.zeros(3)) == 180


def test_rotation_puts_a_phase_where_its_scale_says():
    found = ask()
    figure = figures.draw_rotation(found.prediction)
    points = figure["data"][0]
    assert np.allclose(np.hypot(points["x"], points["y"]), 1, atol=1e-3)
    assert len(points["x"]) == len(found.prediction.phases)
    assert f"{found.prediction.symmetry:.4f}" in figures.rotation_caption(found.prediction)


def test_map_joins_the_query_to_each_neighbour():
    found = ask(k=4)
    lines, *clouds, query = figures.draw_map(found)["data"]
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
    swapped_from = example.sentence if example.hypothesis else ""
    draft = fill_in(example.sentence, example.hypothesis, swapped_from)
    assert draft.problem is None
    assert draft.hypothesis != example.sentence


def test_a_group_is_called_taught_only_where_that_is_known():
    basic = [relation.id for relation in RELATIONS]
    assert group_titles(basic) == ("Relations it was taught", "Relations it was not taught")
    assert group_titles([*basic, "x"]) == ("Relations it was taught", "Other relations")
    assert group_titles(["x"]) == ("The fourteen Wikidata relations", "Other relations")
