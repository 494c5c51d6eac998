"""The queue of long work: order, places, stopping and failing; what it tells, keeps and closes."""

import logging
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context

import pytest
from job_fakes import Gate, finished
from refusals import refusal

from symdemo.errors import InputError, ModelError
from symdemo.jobs.deadline import seconds_left, within
from symdemo.jobs.queue import MOST, KindPolicy
from symdemo.jobs.reporting import StoppedError


def test_a_job_runs_in_the_context_of_its_request_but_for_the_deadline(queues):
    queue, visitor = queues(), ContextVar("visitor", default="nobody")

    def request():
        visitor.set("ann")
        with within(1.0):
            return queue.submit("ann", "Teaching", lambda _: (visitor.get(), seconds_left()))

    view = queue.wait(copy_context().run(request), "ann", 5)
    assert view.result == ("ann", float("inf"))


@pytest.fixture
def busy(queues):
    """A queue whose one place is taken by the job "first" until the gate opens."""
    queue, gate = queues(), Gate()
    queue.submit("first", "First", gate)
    assert gate.begun.wait(5)
    yield queue, gate
    gate.let_go.set()


def test_eight_owners_at_once_are_served_in_order_and_see_their_place(busy):
    (queue, gate), ids, served, barrier = busy, {}, [], threading.Barrier(8)

    def come(owner):
        barrier.wait(5)
        ids[owner] = queue.submit(owner, owner, lambda handle: served.append(owner))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(come, [f"owner {n}" for n in range(8)]))
    places = {owner: queue.get(job, owner).place for owner, job in ids.items()}
    assert sorted(places.values()) == list(range(1, 9))
    assert queue.current("first").place == 0
    gate.let_go.set()
    for owner, job in ids.items():
        assert queue.wait(job, owner, 5).state == "done"
    assert served == sorted(places, key=places.get)


def test_nobody_sees_or_stops_the_job_of_another(busy):
    queue, _ = busy
    job = queue.current("first").id
    for ask in (queue.get, queue.stop, queue.wait):
        assert refusal(ask, job, "ben") == refusal(ask, "no such id", "ben")
        assert "There is no such job" in refusal(ask, job, "ben")
    assert queue.current("ben") is None
    assert not queue.get(job, "first").finished


def test_a_waiting_job_stops_at_once_and_its_followers_move_up(busy):
    (queue, gate), never = busy, Gate()
    waiting = queue.submit("ann", "", never)
    behind = queue.submit("ben", "", gate)
    assert queue.get(behind, "ben").place == 2
    queue.stop(waiting, "ann")
    assert queue.get(waiting, "ann").state == "stopped"
    assert queue.get(behind, "ben").place == 1
    gate.let_go.set()
    assert queue.wait(behind, "ben", 5).state == "done"
    assert not never.begun.is_set()


def test_a_running_job_stops_at_its_next_look_and_keeps_what_it_has(busy):
    queue, _ = busy
    job = queue.current("first").id
    for _ in range(2):  # once more does nothing
        queue.stop(job, "first")
        view = queue.wait(job, "first", 5)
        assert (view.state, view.result) == ("stopped", "the best so far")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (InputError("There are 0 rows."), "There are 0 rows."),
        (ModelError("The model is gone."), "The model is gone."),
        (ValueError("secret"), "Something unforeseen went wrong here (ValueError); try again."),
        (MemoryError(), "There was not enough memory for this; ask for fewer rows."),
        (SystemExit(3), "Something unforeseen went wrong here (SystemExit); try again."),
    ],
)
def test_a_failed_job_keeps_its_cause_and_the_next_one_runs(queues, error, sentence, caplog):
    queue = queues()

    def fail(handle):
        raise error

    with caplog.at_level(logging.ERROR):
        view = finished(queue, fail)
    assert (view.state, view.error, view.result) == ("failed", sentence, None)
    own = isinstance(error, InputError | ModelError)
    assert bool([r for r in caplog.records if r.exc_info]) != own  # others leave a traceback
    assert finished(queue, lambda handle: 1).result == 1


def test_a_job_ends_when_its_time_is_up(queues):
    view = finished(queues(kinds={"job": KindPolicy(seconds=0.05)}), Gate())
    assert (view.state, view.result) == ("stopped", "the best so far")
    assert "time for one job is up" in view.log[-1]


def test_the_waiting_time_adds_up(queues):
    queue, gate = queues(), Gate()

    def work(handle):
        handle.progress(1, 2, eta=100)
        return gate(handle)

    queue.submit("first", "", work, expected_seconds=500)
    assert gate.begun.wait(5)
    ids = {
        name: queue.submit(name, "", gate, expected_seconds=expected, group=name[0])
        for name, expected in (("a", 20), ("b", None), ("c", 15), ("b again", 500))
    }
    ahead = {name: queue.get(job, name).ahead_seconds for name, job in ids.items()}
    assert ahead["c"] == 10  # the first one rests when it looks
    assert ahead["a"] == 15
    assert ahead["b"] == pytest.approx(100 + 20 + 15, abs=2)
    assert ahead["b again"] is None  # nobody knows how long b takes
    assert queue.current("first").eta_seconds == pytest.approx(100, abs=2)
    gate.let_go.set()


KINDS = {"teaching": KindPolicy(), "analysis": KindPolicy(per_owner=2)}


@pytest.fixture
def quick_turns(monkeypatch):
    for name, seconds in (("TURN_SECONDS", 0.05), ("SHORTEST_TURN", 0.01), ("LOOK_SECONDS", 0)):
        monkeypatch.setattr(f"symdemo.jobs.queue.{name}", seconds)


class Long:
    """Jobs that last until `let_go` is set; counts the steps of each, 2 ms apart."""

    def __init__(self):
        self.let_go, self.steps = threading.Event(), Counter()

    def job(self, name):
        def work(handle):
            while not self.let_go.is_set():
                if handle.stopped():
                    return "stopped"
                self.steps[name] += 1
                time.sleep(0.002)
            return name

        return work


def test_a_line_of_a_stranger_is_not_behind_the_long_jobs_of_another(queues):
    queue, long = queues(workers=2), Long()
    jobs = [
        queue.submit(f"a{n}", "", long.job(n), expected_seconds=7_200, group="eve")
        for n in range(2)
    ]
    jobs += [queue.submit(f"a{n}", "", long.job(n), group="eve") for n in range(2, 8)]
    time.sleep(1.1)  # a running job looks once a second
    began = time.monotonic()
    mine = queue.submit("ann", "", lambda handle: "found", expected_seconds=0.1, group="ann")
    told = queue.get(mine, "ann").ahead_seconds
    assert queue.wait(mine, "ann", 10).result == "found"
    assert time.monotonic() - began < 5
    assert told is None or told <= 60
    long.let_go.set()
    assert [queue.wait(job, f"a{n}", 10).state for n, job in enumerate(jobs)] == ["done"] * 8


@pytest.mark.parametrize(
    ("names", "shares"),
    [
        ([("eve", "p"), ("eve", "p"), ("eve", "p"), ("ann", "q")], {"eve": 1, "ann": 1}),
        ([("school", "a"), ("school", "a"), ("school", "b")], {"a": 1, "b": 1}),
    ],
)
def test_visitors_and_the_members_of_one_group_get_equal_shares(queues, quick_turns, names, shares):
    queue, long = queues(), Long()
    for n, (group, member) in enumerate(names):
        name = group if group in shares else member
        queue.submit(f"owner {n}", "", long.job(name), group=group, member=member)
    time.sleep(1.5)
    long.let_go.set()
    least, most = sorted(long.steps[name] for name in shares)
    assert least > 0.6 * most, long.steps


def test_a_resting_job_stops_and_its_rest_does_not_count(queues, quick_turns):
    queue, long = queues(kinds={"job": KindPolicy(seconds=1.2)}), Long()
    ids = {name: queue.submit(name, "", long.job(name)) for name in "abc"}
    time.sleep(0.3)
    queue.stop(ids["a"], "a")
    assert queue.wait(ids["a"], "a", 1).result == "stopped"
    time.sleep(1.0)  # of which b and c had half each
    assert [queue.get(ids[name], name).state for name in "bc"] == ["running", "running"]
    long.let_go.set()


def test_few_long_jobs_rest_at_a_time_and_a_short_one_still_begins(queues, quick_turns):
    queue, long = queues(), Long()
    ids = [queue.submit(f"a{n}", "", long.job(n), expected_seconds=60) for n in range(8)]

    def states():
        return [queue.get(job, f"a{n}").state for n, job in enumerate(ids)]

    few = ["running"] * 4 + ["waiting"] * 4
    limit = time.monotonic() + 20
    while states() != few and time.monotonic() < limit:
        time.sleep(0.01)
    time.sleep(0.3)
    assert states() == few  # and no more begin
    assert queue.get(ids[5], "a5").ahead_seconds == pytest.approx(60 * 4, rel=0.1)
    assert finished(queue, lambda handle: 1, expected_seconds=0.01).result == 1
    long.let_go.set()


@pytest.mark.parametrize(
    ("share", "sentence"),
    [
        ({"group": 2}, "would be 3 jobs from your network at once; at most 2"),
        ({"member": 2}, "This browser would have 3 jobs at once; at most 2"),
        ({"minutes": 4}, "your network would take 5 minutes; at most 4 are allowed"),
        ({"waiting": 1}, "There would be 2 jobs waiting; the queue holds 1"),
    ],
)
def test_one_visitor_has_a_share_of_all_kinds_together(queues, share, sentence, monkeypatch):
    for name, most in share.items():
        monkeypatch.setitem(MOST, name, most)
    queue, gate = queues(kinds=KINDS), Gate()
    options = {"expected_seconds": 100, "group": "one network", "member": "page"}
    first = queue.submit("ann", "", gate, **options)
    queue.submit("ben", "", gate, kind="analysis", **options)
    assert sentence in refusal(queue.submit, "cem", "", gate, **options)
    if "waiting" not in share:
        queue.submit("dan", "", gate, group="another network")
        queue.submit("eve", "", gate)  # of no group
    gate.let_go.set()
    assert queue.wait(first, "ann", 5).state == "done"
    queue.close(5)


def test_each_kind_has_a_limit_for_each_owner(queues):
    queue, gate = queues(kinds=KINDS), Gate()
    taught = queue.submit("ann", "", gate)
    asked = [queue.submit("ann", "", gate, kind="analysis") for _ in range(2)]
    said = refusal(queue.submit, "ann", "", gate, kind="analysis")
    assert said.startswith("You would have 3 jobs at once; 2 is allowed")
    with pytest.raises(KeyError):
        queue.submit("cora", "", gate, kind="dancing")
    assert queue.current("ann").id == taught  # the first kind is meant where none is named
    assert queue.current("ann", "analysis").id == asked[0]
    queue.close(5)
    assert queue.get(taught, "ann").finished


def test_finished_jobs_of_one_kind_do_not_drive_out_those_of_another(queues, monkeypatch):
    monkeypatch.setattr("symdemo.jobs.queue.KEEP_FINISHED", 2)
    queue = queues(kinds=KINDS)
    taught = finished(queue, lambda handle: 1)
    for owner in "bcdef":
        finished(queue, lambda handle: 1, owner, kind="analysis")
    assert queue.get(taught.id, "ann").state == "done"
    kept = [queue.current(owner, "analysis") is not None for owner in "bcdef"]
    assert kept == [False] * 3 + [True] * 2


def test_stopping_shows_while_it_lasts(queues):
    queue, looking, go_on = queues(), threading.Event(), threading.Event()

    def work(handle):
        looking.set()
        go_on.wait(5)
        raise StoppedError("nothing to give")

    job = queue.submit("ann", "", work)
    assert looking.wait(5)
    queue.stop(job, "ann")
    assert queue.get(job, "ann").state == "stopping"
    go_on.set()
    view = queue.wait(job, "ann", 5)
    assert (view.state, view.result, view.error) == ("stopped", None, None)


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
    monkeypatch.setattr("symdemo.jobs.queue.KEEP_SECONDS", 0.0)
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
    monkeypatch.setattr("symdemo.jobs.queue.trim_heap", given.release)
    queue = queues()
    for work in (lambda handle: 1, lambda handle: 1 / 0):
        finished(queue, work)
        assert given.acquire(timeout=5)
