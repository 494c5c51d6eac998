"""Runs that are kept: what is asked again and what is not, damage, and threads."""

import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from job_fakes import Reports

from symdemo.analysis import run_cache
from symdemo.analysis.run_cache import RunCache, load_run, save_run
from symdemo.analysis.running import model_key, run_model
from symdemo.jobs.reporting import StoppedError


@pytest.fixture
def asked(monkeypatch):
    """How often a model was asked all pairs."""
    calls = []

    def ask(*args):
        calls.append(args)
        return run_model(*args)

    monkeypatch.setattr(run_cache, "run_model", ask)
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


def test_a_run_is_the_same_after_the_disk(fitted, pairs, tmp_path):
    long = replace(pairs[0], premise="Ann met Ben. " * 90)
    for number, data in enumerate(([long, *pairs[:5]], [replace(pairs[0], label=None)])):
        run = run_model(fitted["knn"].with_card(familiar_within=0.1), data)
        save_run(run, tmp_path / str(number))
        equal(load_run(tmp_path / str(number)), run)


def test_the_same_is_not_asked_twice_but_anything_else_is(fitted, pairs, cache, asked):
    model, data = fitted["knn"], list(pairs[:6])
    first = cache.get(model, data, "data")
    equal(cache.get(replace(model), data, "data"), first)
    assert len(asked) == 1
    cache.get(model, data, "another label")
    cache.get(model.with_card(temperature=0.3), data, "data")
    cache.get(fitted["knn-learnt-metric"], data, "data")
    assert len(asked) == 4
    assert not list(cache.root.glob("*.parts"))


def test_a_run_with_the_exchange_serves_without_it_not_the_other_way(fitted, pairs, cache, asked):
    model = fitted["knn"]
    cache.get(model, pairs[:3], "a", exchanged=True)
    cache.get(model, pairs[:3], "a", exchanged=False)
    assert len(asked) == 1
    cache.get(model, pairs[:3], "b", exchanged=False)
    both = cache.get(model, pairs[:3], "b", exchanged=True)
    assert len(asked) == 3
    assert both.rows.exchanged.notna().all()


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
        save_run(run_model(fitted["fine-tuning"], pairs[:2]), cache.root / "other")
        shutil.copy(cache.root / "other" / file, path)
    else:
        path.write_bytes(damage)
    assert cache.find("data", model_key(model), exchanged=True) is None
    again = cache.get(model, pairs[:3], "data")
    equal(again, first)
    assert len(asked) == 2
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

    monkeypatch.setattr(run_cache, "run_model", slow)
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
    assert not cache._at_work
