"""The queue of long work: what it tells, what it keeps, and how it closes."""

import threading
import time

from job_fakes import Gate, finished
from refusals import refusal

from symdemo.jobs import queue as jobs


def test_every_change_of_state_is_told_and_the_last_word_is_the_last(queues):
    queue, told = queues(), []

    def slow(state):
        told.append(state)
        if state["state"] == "waiting":
            time.sleep(0.05)  # the job is done before this is

    job = queue.submit("ann", "Told", lambda handle: None, on_change=slow)
    queue.wait(job, "ann", 5)
    queue.close(5)
    last = {"id": job, "title": "Told", "state": "done", "progress": [0, 0], "error": None}
    assert told[-1] == last
    assert {state["state"] for state in told} <= {"waiting", "running", "done"}


def test_a_listener_that_fails_does_no_harm(queues):
    def fail(state):
        raise OSError("disk full")

    assert finished(queues(), lambda handle: "fine", on_change=fail).result == "fine"


def test_what_is_kept_is_bounded(queues):
    def chatter(handle):
        for step in range(1, 5001):
            handle.event({"step": step, "accuracy": 0.5 if step % 500 == 0 else None})
            handle.log(f"{step} " + "x" * 1000)

    view = finished(queues(), chatter)
    assert 200 <= len(view.events) <= 500
    steps = [event["step"] for event in view.events]
    assert steps == sorted(set(steps))
    assert steps[-1] == 5000
    assert set(range(500, 5001, 500)) <= set(steps)  # every accuracy is still there
    assert len(view.log) == 200
    assert view.log[-1].startswith("5000 ")
    assert max(map(len, view.log)) == 500


def test_finished_jobs_are_forgotten(queues, monkeypatch):
    queue = queues()
    job = finished(queue, lambda handle: None).id
    assert queue.current("ann").id == job
    monkeypatch.setattr(jobs, "KEEP_SECONDS", 0.0)
    time.sleep(0.01)
    assert queue.current("ann") is None
    assert "There is no such job" in refusal(queue.get, job, "ann")


def test_closing_breaks_off_what_waits_and_stops_what_runs(queues):
    queue, gate, told = queues(), Gate(), []
    running = queue.submit("ann", "", gate)
    assert gate.begun.wait(5)
    waiting = queue.submit("ben", "", gate, on_change=lambda state: told.append(state["state"]))
    queue.close(5)
    assert queue.get(running, "ann").state == "stopped"
    assert queue.get(waiting, "ben").state == "broken off"
    assert told == ["waiting", "broken off"]
    assert "No more jobs are taken" in refusal(queue.submit, "cora", "", gate)


def test_closing_does_not_wait_for_a_job_that_will_not_stop(queues):
    queue, release = queues(), threading.Event()
    job = queue.submit("ann", "", lambda handle: release.wait(5))
    time.sleep(0.02)
    queue.close(0.05)
    assert queue.get(job, "ann").state == "broken off"
    release.set()
    time.sleep(0.05)
    assert queue.get(job, "ann").state == "broken off"


def test_memory_is_given_back_after_every_job(queues, monkeypatch):
    given = threading.Semaphore(0)
    monkeypatch.setattr(jobs, "trim_heap", given.release)
    queue = queues()
    for work in (lambda handle: 1, lambda handle: 1 / 0):
        finished(queue, work)
        assert given.acquire(timeout=5)
