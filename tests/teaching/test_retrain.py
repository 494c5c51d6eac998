"""Retraining: what it learns, keeps, reports and refuses; its duration, lent GPUs, and kills."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from killing import LINUX
from lent_gpu import teach
from programs import run_python
from refusals import refusal
from retrain_tools import QUICK, Listener, own_pairs
from teach_fakes import edit, make_cells
from ui_fakes import make_tiny_store

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.index import LabelIndex
from symdemo.jobs.reporting import StoppedError
from symdemo.pairs import Pair
from symdemo.teaching.comparison import judge
from symdemo.teaching.plan import RetrainingData, estimate
from symdemo.teaching.retraining import retrain
from symdemo.training.loop import TrainingRun
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.teach.training import find_training, plan_training, start_training

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small_measurements")]

TESTS = Path(__file__).resolve().parents[1]
WITH_FAKES = os.environ | {"PYTHONPATH": f"{TESTS.parent}{os.pathsep}{TESTS / 'fakes'}"}


def test_retraining_learns_a_new_label_and_keeps_the_old_ones(base, own, retrained):
    model, comparison, _, _ = retrained
    assert comparison.how_held_out == "held out"
    assert comparison.own_n == 2
    assert comparison.own_before < comparison.own_after == 1.0
    assert set(model.labels) == {"entailment", "contradiction", "depends"}
    assert [p.label for p in model.predict(own)] == [pair.label for pair in own]
    old = base.index.pairs
    right = sum(p.label == q.label for p, q in zip(model.predict(old), old, strict=True))
    assert right / len(old) > 0.9


def test_a_comparison_is_json_with_probes_of_every_relation(retrained):
    comparison = retrained[1]
    values = json.loads(json.dumps(comparison.to_json()))
    assert values["own_after"] == 1.0
    assert {probe["label"] for probe in values["probes"]} == {"entailment", "depends"}
    for probe in values["probes"]:
        assert probe["after"]["label"] == probe["label"]
        assert sum(probe["after"]["probabilities"].values()) == pytest.approx(1)
        near = probe["before"]["neighbours"][0]
        assert set(near) == {"premise", "hypothesis", "label", "relation", "distance"}
    assert values["benchmark_n"] == 28
    assert 0 < values["drift"] < 1


def test_the_base_stays_and_the_card_describes_the_retraining(base, own, retrained):
    model = retrained[0]
    assert base.labels == ("entailment", "contradiction")
    assert model.encoder is not base.encoder
    assert model.encoder.changed_weights(base.encoder)
    card = model.card
    assert (card.parent, card.name, card.k) == ("tiny", "tiny, retrained", 5)
    assert (card.quotient, card.base_hash) == (base.card.quotient, base.card.base_hash)
    assert (card.training["replay"], card.training["epochs"]) == (24, 3)
    assert card.data["pairs"] == len(base.index) + 8
    assert "100.0% of 2, before " in card.scores["own pairs, held out"]
    assert card.familiar_within is None  # two held-out pairs are too few
    again = retrain(model, own, QUICK)[0].card
    assert (again.name, again.parent) == ("tiny, retrained", "tiny, retrained")


def test_with_a_temperature_all_pairs_of_other_entities_vote(fitted, pairs):
    base = fitted["knn"]
    warm = SymmetryClassifier(base.encoder, base.index, base.card.with_(temperature=0.2))
    asked = list(pairs[:6])
    for pair, verdict in zip(asked, judge(warm, asked), strict=True):
        rows = [n for n, p in enumerate(base.index.pairs) if p.entity_pair != pair.entity_pair]
        others = LabelIndex([base.index.pairs[n] for n in rows], base.index.embeddings[rows])
        expected = others.kernel_vote(warm.embed([pair]), 0.2)[0]
        found = [verdict.probabilities[label] for label in others.labels]
        assert found == pytest.approx(expected.tolist(), abs=1e-4)


def test_the_curve_has_every_step_and_an_accuracy_every_few(retrained):
    _, _, curve, listener = retrained
    assert listener.events == curve
    total = curve[0]["total"]
    assert [point["step"] for point in curve] == list(range(1, total + 1))
    measured = [point["step"] for point in curve if point["accuracy"] is not None]
    assert 2 <= len(measured) <= 6
    assert measured[-1] == total
    assert set(curve[0]) == {"step", "total", "loss", "retention", "accuracy", "seconds"}
    assert listener.reports[0] == (0, total, None)
    assert listener.reports[-1][:2] == (total, total)
    assert 0 < listener.reports[-1][2] < 600  # what measuring takes is counted in
    assert "6 pairs to learn from, 2 held out to check, and 24 that" in listener.lines[0]


def test_a_stopped_retraining_keeps_the_whole_memory_and_measures_no_more(base, own):
    model, comparison, _ = retrain(base, own, QUICK, Listener(stop_after=3, cut_after=1))
    assert model.card.training["stopped"]
    assert model.index.pairs == (*base.index.pairs, *own)
    assert (comparison.benchmark_before, comparison.benchmark_after, comparison.drift) == (
        None,
    ) * 3
    expected = model.embed(model.index.pairs)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.allclose(model.index.embeddings, expected, atol=1e-5)


def test_stopping_keeps_the_best_so_far(base, own, monkeypatch):
    """Accuracies are made up, so that the second measurement is the best: its state is kept."""
    made_up = iter([0.5, 1.0, 0.5, 0.5])
    kept, learnt = [], TrainingRun.learnt

    def spy(run):
        kept.append(run.step)
        return learnt(run)

    monkeypatch.setattr("symdemo.teaching.retraining.accuracy_of", lambda *_: next(made_up, 0.5))
    monkeypatch.setattr(TrainingRun, "learnt", spy)
    listener = Listener(stop_after=10)
    model, _, curve = retrain(base, own, replace(QUICK, epochs=4), listener)
    measured = [point["step"] for point in curve if point["accuracy"] is not None]
    assert len(curve) == measured[-1] == 10 < curve[0]["total"]  # the last state is measured too
    training = model.card.training
    assert training["stopped"]
    assert training["steps made"] == 10
    assert kept == measured[:2]
    assert training["steps"] == measured[1] < 10
    with pytest.raises(StoppedError, match="before its first step"):
        retrain(base, own, QUICK, Listener(stop_after=0))


def test_retraining_keeps_the_rotations_of_labels(base, own):
    settings = replace(QUICK, method="random-label-embeddings", epochs=1)
    once = retrain(base, own, settings)[0]
    twice = retrain(once, own, replace(settings, seed=1))[0]
    assert twice.labels == once.labels
    assert np.array_equal(twice.readout.rotations, once.readout.rotations)


@pytest.mark.parametrize("method", ["random-label-embeddings", "knn-learnt-metric", "fine-tuning"])
def test_every_method_can_be_retrained_to(base, own, method):
    model, comparison, _ = retrain(base, own, replace(QUICK, method=method, epochs=6))
    assert (model.method, model.card.method) == (method, method)
    assert set(model.labels) == {"entailment", "contradiction", "depends"}
    assert (model.readout is not None) == (method != "knn-learnt-metric")
    assert comparison.own_n == 2
    if method == "random-label-embeddings":  # slower to learn than the others
        assert model.readout.rotations.shape == (3, 32)
    else:
        assert comparison.own_after >= 0.5
    assert comparison.benchmark_after is not None


def test_an_untaught_model_can_be_retrained(tiny_encoder, own):
    start = SymmetryClassifier.from_encoder(tiny_encoder, name="fresh")
    model, comparison, _ = retrain(start, own, QUICK)
    assert (comparison.own_before, comparison.benchmark_before) == (None, None)
    assert comparison.own_after is not None
    assert (len(model.index), model.index.later) == (8, 0)  # than nothing
    assert model.card.parent is None
    assert "before untaught" in model.card.scores["own pairs, held out"]


def test_familiarity_is_measured_if_enough_is_held_out(base):
    pairs, more = own_pairs(6), own_pairs(6, number=88)
    pairs += [p.reversed() for p in pairs]
    more += [p.reversed() for p in more]
    settings = replace(QUICK, epochs=1)
    few = retrain(base, pairs, settings)[0]
    assert few.card.familiar_within is None
    more = [replace(p, relation=f"{p.relation} once") for p in more]
    model = retrain(base, [*pairs, *more], settings)[0]
    assert 0 < model.card.familiar_within < 2
    assert model.predict(pairs[:1])[0].familiar is True
    plain = SymmetryClassifier(base.encoder, base.index, base.card.with_(familiar_within=None))
    assert retrain(plain, pairs, settings)[0].card.familiar_within is None


def test_what_cannot_be_retrained_is_refused(base, own, tiny_encoder):
    assert "no pairs to teach" in refusal(retrain, base, [], QUICK)
    start = SymmetryClassifier.from_encoder(tiny_encoder)
    assert "at least two labels" in refusal(retrain, start, own[:4], QUICK)
    assert "control character" in refusal(retrain, base, [Pair("a\x00 b", "c d", "x")], QUICK)


def test_an_estimate_is_of_two_steps(base, own):
    first = estimate(base, RetrainingData.of(base, own, QUICK))
    assert (first.device, first.seconds > 0) == ("cpu", True)
    longer = estimate(base, RetrainingData.of(base, own, replace(QUICK, epochs=60)))
    assert longer.steps == 20 * first.steps
    _, _, curve = retrain(base, own, QUICK)
    assert curve[-1]["total"] == first.steps


def test_teaching_runs_on_zero_gpus_own_package(fitted, tmp_path):
    """It forks, pickles and pretends to have CUDA as on a Space; no GPU and no server is there."""
    pytest.importorskip("spaces", reason="the package `spaces` is not installed")
    for how in ("own", "lent"):
        fitted["knn"].save_pretrained(tmp_path / how / "model")
    own = teach(tmp_path / "own")
    run = run_python(TESTS / "fakes" / "lent_gpu.py", tmp_path / "lent", env=WITH_FAKES)
    assert run.returncode == 0, run.stderr[-3000:]
    lent = json.loads(run.stdout.splitlines()[-1])
    assert (own.pop("estimated"), lent.pop("estimated")) == ("cpu", "lent GPU")
    assert lent.pop("asked")[:3] == ["/schedule", "/allow", "/release"]
    assert lent.pop("losses") == pytest.approx(own.pop("losses"), abs=1e-4)
    assert lent == own


def lines_until_killed(place, key, is_time) -> list[list[str]]:
    """Start the server, kill it once it is time, and return the words of its log."""
    log = place / "log"
    log.touch()
    arguments = [place / "projects", place / "model", key, log]
    server = subprocess.Popen(
        [sys.executable, TESTS / "fakes" / "training_server.py", *arguments],
        env=WITH_FAKES,
        stderr=(place / "errors").open("w"),
    )

    def lines() -> list[list[str]]:
        return [line.split() for line in log.read_text().splitlines()]

    try:
        limit = time.monotonic() + 90
        while not is_time(lines()):
            assert server.poll() is None, (place / "errors").read_text()[-2000:]
            assert time.monotonic() < limit, lines()[-3:]
            time.sleep(0.001)
    finally:
        server.send_signal(signal.SIGKILL)  # nothing is tidied up
    assert server.wait(10) == -signal.SIGKILL
    return lines()


@LINUX
def test_a_kill_in_the_middle_of_a_training_is_told_of_and_loses_nothing_else(fitted, tmp_path):
    """Of kills while a version is written see `test_project_safety.py`."""
    fitted["knn"].save_pretrained(tmp_path / "model")
    store = make_tiny_store(fitted["knn"])
    project = edit(Sessions(store, tmp_path / "projects"), "", "page", make_cells()).save().project

    def well_under_way(lines):
        since = [line for line in lines if line[0] != "begun"]
        finished = [n for n, line in enumerate(since) if line[0] == "version"]
        steps = since[finished[0] + 1 :] if finished else []
        return any(int(line[1]) >= 5 for line in steps if line[0] == "step")

    lines = lines_until_killed(tmp_path, project, well_under_way)
    done, total = (int(lines[-1][n]) for n in (1, 3))
    assert 5 <= done < total
    sessions = Sessions(store, tmp_path / "projects")
    found = sessions.find(project)
    (version,) = found.versions()
    assert ["version", version.id] in lines
    assert [path.name for path in (found.folder / "versions").iterdir()] == [version.id]
    assert found.selected == version.id
    assert len(found.rows) == 8
    (verdict,) = found.model(version.id).predict([Pair("Ann borders Ben.", "Ben borders Ann.")])
    assert verdict.label in version.labels
    assert len(version.curve) == version.training["steps made"] > 0
    view = find_training(sessions, project)
    assert view.state == "broken off"
    shown = draw("teach/job.html", view=view)
    assert "interrupted because the program ended" in shown
    assert "start it again" in shown

    form = {"epochs": "1", "retention": "0", "replay": "24"}
    plan = plan_training(edit(sessions, project, "page", make_cells()), form)[1]
    again = sessions.queue.wait(start_training(sessions, project, plan).id, project, 60)
    assert (again.state, again.result.name) == ("done", "Version 2")
    sessions.queue.close(2)
