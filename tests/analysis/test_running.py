"""Runs of a model over many pairs: parts, unreadable pairs, keys, what is asked again, damage."""

import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from job_fakes import Reports
from refusals import refusal

from symdemo import SymmetryClassifier
from symdemo.analysis import analyse, running
from symdemo.analysis.built_in import EXAMPLE, EXAMPLE_MODELS, EXAMPLE_RUNS, load_built_in
from symdemo.analysis.loaded import LoadedPairs
from symdemo.analysis.running import ModelRun, RunCache, assemble, model_key, run_model
from symdemo.classifier.checkpoints import list_models
from symdemo.classifier.index import LabelIndex
from symdemo.jobs.reporting import StoppedError
from symdemo.pairs import Pair
from symdemo.training.methods import METHODS

LONG = Pair("Ann is the mother of Ben. " * 60, "Ben is the mother of Ann.", "entailment")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(running, "PART", 5)


@pytest.fixture
def asked(monkeypatch):
    """How often a model was asked all pairs."""
    calls = []

    def ask(*args):
        calls.append(args)
        return run_model(*args)

    monkeypatch.setattr(running, "run_model", ask)
    return calls


@pytest.fixture
def cache(tmp_path):
    return RunCache(tmp_path / "runs")


def equal(one, other):
    pd.testing.assert_frame_equal(one.rows, other.rows)
    np.testing.assert_array_equal(one.probabilities, other.probabilities)
    np.testing.assert_array_equal(one.embeddings, other.embeddings)
    for name in ("key", "labels", "word_answers", "taught", "unread", "any_pair"):
        assert getattr(one, name) == getattr(other, name), name


@pytest.mark.slow
@pytest.mark.parametrize("damage", [b"no array", None, "narrow"])
def test_a_damaged_part_is_encoded_again(fitted, pairs, counted, tmp_path, damage):
    run_model(fitted["knn"], pairs[:12], exchanged=False, parts=tmp_path)
    path = tmp_path / "00001.npy"
    if damage == "narrow":
        np.save(path, np.zeros((5, 3), np.float32))
    else:
        path.write_bytes(path.read_bytes()[:-7] if damage is None else damage)
    run = run_model(fitted["knn"], pairs[:12], exchanged=False, parts=tmp_path)
    assert counted == [5, 5, 2, 5]
    plain = run_model(fitted["knn"], pairs[:12], exchanged=False)
    np.testing.assert_array_equal(run.embeddings, plain.embeddings)


def test_a_pair_that_cannot_be_read_has_no_verdict_and_counts_as_wrong(fitted, pairs, tmp_path):
    model = fitted["knn"].with_card(familiar_within=0.1)
    asked = [LONG, pairs[0], replace(LONG, label=None), pairs[1]]
    run = run_model(model, asked)
    assert sorted(run.unread) == [0, 2]
    assert run.unread[0] == refusal(model.check, LONG)
    assert [run.rows.verdict[0], run.rows.verdict[2]] == [None, None]
    assert [run.rows.right[0], run.rows.right[2]] == [False, None]
    for figures in (run.rows.probability, run.probabilities, run.embeddings):
        assert np.isnan(figures[[0, 2]]).all()
    plain = run_model(model, [pairs[0], pairs[1]])
    assert list(run.rows.verdict[[1, 3]]) == list(plain.rows.verdict)
    np.testing.assert_array_equal(run.probabilities[[1, 3]], plain.probabilities)
    for own in (run, run_model(model, [replace(pairs[0], label=None)])):
        own.save(tmp_path / "kept")
        equal(ModelRun.load(tmp_path / "kept"), own)


def test_the_key_is_of_all_that_a_verdict_depends_on(fitted):
    model = fitted["knn"]
    later = LabelIndex(model.index.pairs, model.index.embeddings, later=3)
    other = [replace(model.index.pairs[0], relation="another"), *model.index.pairs[1:]]
    bent = model.index.embeddings.copy()
    bent[0, :2] = bent[0, 1::-1]
    head = fitted["fine-tuning"]
    models = [
        model,
        model.with_card(temperature=0.5),
        model.with_card(familiar_within=0.2),
        model.teach([Pair("Ann likes Ben.", "Ben likes Ann.", "neutral")]),
        replace(model, index=later),
        replace(model, index=LabelIndex(other, model.index.embeddings)),
        replace(model, index=LabelIndex(model.index.pairs, bent)),
        *(fitted[method] for method in METHODS if method != "knn"),
        replace(head, readout=replace(head.readout, bias=head.readout.bias + 1)),
        replace(model, encoder=head.encoder),
    ]
    assert len({model_key(one) for one in models}) == len(models)
    assert model_key(model) == model_key(replace(model))


@pytest.mark.parametrize("method", METHODS)
def test_the_key_outlives_the_disk(saved, tmp_path, method):
    once = SymmetryClassifier.from_pretrained(saved[method])
    assert model_key(once) == model_key(SymmetryClassifier.from_pretrained(saved[method]))
    once.save_pretrained(tmp_path / "again")
    again = SymmetryClassifier.from_pretrained(tmp_path / "again")
    assert model_key(once.with_card(made_with=again.card.made_with)) == model_key(again)


def test_an_analysis_of_kept_runs_is_that_of_asking_at_once(fitted, pairs, tmp_path):
    own = tuple(["entailment", None] * 6)
    kinds = ("active", None) * 6
    data = LoadedPairs("made", "a test", tuple(pairs[:12]), kinds, {"other": own})
    models = {name: fitted[name] for name in ("knn", "fine-tuning")}
    runs = {}
    for name, model in models.items():
        run_model(model, data.pairs).save(tmp_path / name)
        runs[name] = ModelRun.load(tmp_path / name)
    found = assemble(data, runs)
    plain = analyse(data.pairs, models, exchanged=True, constructions=kinds)
    assert found.models == ("knn", "fine-tuning", "other")
    for name in models:
        pd.testing.assert_frame_equal(found.of(name), plain.of(name), atol=1e-5)
        one, other = found.overview(name, words=True), plain.overview(name, words=True)
        assert (one.accuracy, one.rules) == (other.accuracy, other.rules)
        pd.testing.assert_frame_equal(one.confusion, other.confusion)


def test_the_same_is_not_asked_twice_but_anything_else_is(fitted, pairs, cache, asked):
    model, data = fitted["knn"], list(pairs[:6])
    equal(*(cache.get(own, data, "data") for own in (model, replace(model))))
    assert len(asked) == 1
    cache.get(model, data, "another label")
    cache.get(model.with_card(temperature=0.3), data, "data")
    cache.get(fitted["knn-learnt-metric"], data, "data")
    assert len(asked) == 4
    assert not list(cache.root.glob("*.parts"))
    asked.clear()
    # A run with the exchanged pairs serves without them, but not the other way round.
    for name, exchanged, times in zip("aabb", (1, 0, 0, 1), (1, 1, 2, 3), strict=True):
        run = cache.get(model, pairs[:3], name, bool(exchanged))
        assert len(asked) == times
    assert run.rows.exchanged.notna().all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "file", ["run.json", "rows.parquet", "probabilities.npy", "embeddings.npy"]
)
@pytest.mark.parametrize("damage", ["gone", b"{}", "half", "another"])
def test_a_damaged_run_is_asked_again(fitted, pairs, cache, asked, file, damage):
    model = fitted["knn"]
    first = cache.get(model, pairs[:3], "data")
    (folder,) = cache.root.iterdir()
    path = folder / file
    if damage == "gone":
        path.unlink()
    elif damage == "half":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif damage == "another":  # of other pairs or another model
        run_model(fitted["fine-tuning"], pairs[:2]).save(cache.root / "other")
        shutil.copy(cache.root / "other" / file, path)
    else:
        path.write_bytes(damage)
    assert cache.find("data", model_key(model), exchanged=True) is None
    for _ in range(2):
        equal(cache.get(model, pairs[:3], "data"), first)
        assert len(asked) == 2


def test_shipped_runs_are_only_read(fitted, pairs, tmp_path, asked):
    model = fitted["knn"]
    RunCache(tmp_path / "shipped").get(model, pairs[:3], "data")
    (folder,) = (tmp_path / "shipped").iterdir()
    os.utime(folder, (1, 1))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    cache = RunCache(tmp_path / "own", [tmp_path / "shipped"])
    cache.get(model, pairs[:3], "data")
    assert len(asked) == 1
    assert not cache.root.exists()
    cache.get(model, pairs[:4], "other")
    assert folder.stat().st_mtime == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_two_threads_make_one_run_and_one_that_waits_can_be_stopped(
    fitted, pairs, cache, monkeypatch
):
    begun, let_go, calls = threading.Event(), threading.Event(), []

    def slow(*args):
        calls.append(args)
        begun.set()
        assert let_go.wait(10)
        return run_model(*args)

    monkeypatch.setattr(running, "run_model", slow)
    asked = fitted["knn"], pairs[:3], "data"
    with ThreadPoolExecutor(3) as pool:
        jobs = [pool.submit(cache.get, *asked) for _ in range(3)]
        try:
            assert begun.wait(10)
            with pytest.raises(StoppedError):
                cache.get(*asked, reports=Reports(stopped=lambda: True))
        finally:
            let_go.set()
        first, *_, last = (job.result(20) for job in jobs)
    assert len(calls) == 1
    equal(first, last)
    assert not any(lock.locked() for lock in cache._locks.values())


@pytest.mark.parametrize("name", EXAMPLE_MODELS)
def test_the_kept_run_is_of_the_shipped_model(name, tmp_path):
    if name not in {card.name for card in list_models()}:
        pytest.skip(f"the model {name} is not in models/")
    model, data = SymmetryClassifier.from_pretrained(name), load_built_in(EXAMPLE)
    run = RunCache(tmp_path, [EXAMPLE_RUNS]).find(data.key, model_key(model), exchanged=True)
    assert run is not None, "make it anew: python -m experiments.recipes.example"
    assert len(run.rows) == len(data.pairs)
    assert not list(tmp_path.iterdir())
    some = range(0, len(data.pairs), 40)
    fresh = model.predict([data.pairs[number] for number in some])
    assert [run.rows.verdict[number] for number in some] == fresh.verdict_labels
