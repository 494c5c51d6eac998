"""The queue of long work: order, places, stopping, failing, and what is kept of it."""

import logging
import os
import threading
import time
from pathlib import Path

import pytest

from symdemo.errors import InputError, ModelError
from symdemo.teaching import job_state, jobs, memory
from symdemo.teaching.jobs import JobQueue, StoppedError
from symdemo.teaching.limits import Limits


@pytest.fixture
def queues():
    """Make queues that are closed after the test."""
    made = []

    def make(**options) -> JobQueue:
        made.append(JobQueue(**options))
        return made[-1]

    yield make
    for queue in made:
        queue.close(1)


class Gate:
    """Work that begins when it may and ends when it is let go."""

    def __init__(self, result="done"):
        self.begun, self.let_go, self.result = threading.Event(), threading.Event(), result

    def __call__(self, handle):
        self.begun.set()
        while not self.let_go.wait(0.005):
            if handle.stopped():
                return "the best so far"
        return self.result


def test_a_job_gives_its_result_and_its_reports(queues):
    queue = queues()

    def work(handle):
        handle.progress(1, 4, eta=30)
        handle.event({"step": 1, "loss": 0.5})
        handle.log("half way")
        handle.progress(4, 4, eta=0)
        return {"answer": 42}

    view = queue.wait(queue.submit("ann", "Teaching", work), "ann", 5)
    assert (view.title, view.state, view.result, view.error) == (
        "Teaching",
        "done",
        {"answer": 42},
        None,
    )
    assert (view.progress, view.place, view.eta_seconds) == ((4, 4), 0, None)
    assert view.events == ({"step": 1, "loss": 0.5},)
    assert view.log == ("half way",)
    assert view.finished


def test_eight_owners_at_once_are_served_in_order_and_see_their_place(queues):
    queue, gate = queues(), Gate()
    queue.submit("first", "First", gate)
    assert gate.begun.wait(5)
    ids, served, barrier = {}, [], threading.Barrier(8)

    def come(owner):
        barrier.wait(5)
        ids[owner] = queue.submit(owner, owner, lambda handle: served.append(owner))

    comers = [threading.Thread(target=come, args=(f"owner {n}",)) for n in range(8)]
    for comer in comers:
        comer.start()
    for comer in comers:
        comer.join(5)
    places = {owner: queue.get(job, owner).place for owner, job in ids.items()}
    assert sorted(places.values()) == list(range(1, 9))
    assert queue.current("first").place == 0
    gate.let_go.set()
    for owner, job in ids.items():
        assert queue.wait(job, owner, 5).state == "done"
    assert served == sorted(places, key=places.get)


def test_an_owner_has_one_job_at_a_time(queues):
    queue, gate = queues(), Gate()
    job = queue.submit("ann", "One", gate)
    with pytest.raises(InputError, match="The project would have 2 jobs at once; 1 is allowed"):
        queue.submit("ann", "Two", gate)
    other = Gate()
    other.let_go.set()
    queue.submit("ben", "Another's", other)
    gate.let_go.set()
    assert queue.wait(job, "ann", 5).state == "done"
    assert queue.wait(queue.submit("ann", "Two", other), "ann", 5).title == "Two"


def test_a_full_queue_refuses(queues):
    queue, gate = queues(limits=Limits(waiting_jobs=2)), Gate()
    queue.submit("0", "", gate)
    assert gate.begun.wait(5)
    queue.submit("1", "", gate)
    queue.submit("2", "", gate)
    with pytest.raises(InputError, match="There would be 3 jobs waiting; the queue holds 2"):
        queue.submit("3", "", gate)
    gate.let_go.set()


def test_nobody_sees_or_stops_the_job_of_another(queues):
    queue, gate = queues(), Gate()
    job = queue.submit("ann", "Ann's", gate)
    for ask in (queue.get, queue.stop, queue.wait):
        with pytest.raises(InputError, match="There is no such job") as refused:
            ask(job, "ben")
        with pytest.raises(InputError) as unknown:
            ask("no such id", "ben")
        assert str(refused.value) == str(unknown.value)
    assert queue.current("ben") is None
    assert not queue.get(job, "ann").finished
    gate.let_go.set()


def test_a_waiting_job_stops_at_once_and_its_followers_move_up(queues):
    queue, gate = queues(), Gate()
    queue.submit("first", "", gate)
    assert gate.begun.wait(5)
    never = Gate()
    waiting = queue.submit("ann", "", never)
    behind = queue.submit("ben", "", gate)
    assert queue.get(behind, "ben").place == 2
    queue.stop(waiting, "ann")
    assert queue.get(waiting, "ann").state == "stopped"
    assert queue.get(behind, "ben").place == 1
    gate.let_go.set()
    assert queue.wait(behind, "ben", 5).state == "done"
    assert not never.begun.is_set()


def test_a_running_job_stops_at_its_next_look_and_keeps_what_it_has(queues):
    queue, gate = queues(), Gate()
    job = queue.submit("ann", "", gate)
    assert gate.begun.wait(5)
    queue.stop(job, "ann")
    view = queue.wait(job, "ann", 5)
    assert (view.state, view.result) == ("stopped", "the best so far")
    queue.stop(job, "ann")  # once more does nothing
    assert queue.get(job, "ann").state == "stopped"


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
        view = queue.wait(queue.submit("ann", "Doomed", fail), "ann", 5)
    assert (view.state, view.error, view.result) == ("failed", sentence, None)
    own = isinstance(error, InputError | ModelError)
    assert bool([r for r in caplog.records if r.exc_info]) != own  # others leave a traceback
    assert queue.wait(queue.submit("ann", "", lambda handle: 1), "ann", 5).result == 1


def test_a_job_ends_when_its_time_is_up(queues):
    queue, gate = queues(limits=Limits(job_minutes=0.05 / 60)), Gate()
    view = queue.wait(queue.submit("ann", "", gate), "ann", 5)
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
        name: queue.submit(name, "", gate, expected_seconds=expected)
        for name, expected in (("a", 20), ("b", None), ("c", 5))
    }
    ahead = {name: queue.get(job, name).ahead_seconds for name, job in ids.items()}
    assert ahead["a"] == pytest.approx(100, abs=2)
    assert ahead["b"] == pytest.approx(120, abs=2)
    assert ahead["c"] is None  # nobody knows how long b takes
    assert queue.current("first").eta_seconds == pytest.approx(100, abs=2)
    gate.let_go.set()


def test_two_workers_share_the_waiting():
    jobs = [job_state.Job(str(n), "", "", None, expected=s) for n, s in enumerate((30, 10, 15))]
    assert job_state.seconds_ahead(jobs, 2) == 25
    assert job_state.seconds_ahead(jobs, 1) == 55
    assert job_state.seconds_ahead([], 1) == 0


def test_every_change_of_state_is_told_and_the_last_word_is_the_last(queues):
    queue, told = queues(), []

    def slow(state):
        told.append(state)
        if state["state"] == "waiting":
            time.sleep(0.05)  # the job is done before this is

    job = queue.submit("ann", "Told", lambda handle: None, on_change=slow)
    queue.wait(job, "ann", 5)
    queue.close(5)
    assert told[-1] == {
        "id": job,
        "title": "Told",
        "state": "done",
        "progress": [0, 0],
        "error": None,
    }
    assert {state["state"] for state in told} <= {"waiting", "running", "done"}


def test_a_listener_that_fails_does_no_harm(queues):
    def fail(state):
        raise OSError("disk full")

    queue = queues()
    job = queue.submit("ann", "", lambda handle: "fine", on_change=fail)
    assert queue.wait(job, "ann", 5).result == "fine"


def test_what_is_kept_is_bounded(queues):
    queue = queues()

    def chatter(handle):
        for step in range(1, 5001):
            handle.event({"step": step, "accuracy": 0.5 if step % 500 == 0 else None})
            handle.log(f"{step} " + "x" * 1000)

    view = queue.wait(queue.submit("ann", "", chatter), "ann", 10)
    assert 200 <= len(view.events) <= 500
    steps = [event["step"] for event in view.events]
    assert steps == sorted(set(steps))
    assert steps[-1] == 5000
    assert set(range(500, 5001, 500)) <= set(steps)  # every accuracy is still there
    assert len(view.log) == 200
    assert view.log[-1].startswith("5000 ")
    assert max(map(len, view.log)) == 500


def test_thinning_is_bounded_where_every_event_has_an_accuracy():
    events = [{"step": n, "accuracy": 0.1} for n in range(501)]
    assert len(job_state.thin(events)) == 251
    assert job_state.thin(events)[-1]["step"] == 500


def test_finished_jobs_are_forgotten(queues):
    queue = queues(keep_seconds=0.2)
    job = queue.submit("ann", "", lambda handle: None)
    queue.wait(job, "ann", 5)
    assert queue.current("ann").id == job
    time.sleep(0.25)
    assert queue.current("ann") is None
    with pytest.raises(InputError, match="There is no such job"):
        queue.get(job, "ann")


def test_only_so_many_finished_jobs_are_kept(queues, monkeypatch):
    monkeypatch.setattr("symdemo.teaching.jobs.KEEP_FINISHED", 3)
    queue = queues()
    ids = [queue.submit(str(n), "", lambda handle: None) for n in range(6)]
    queue.wait(ids[-1], "5", 5)
    assert queue.current("5").state == "done"
    assert [queue.current(str(n)) is None for n in range(6)] == [True] * 3 + [False] * 3


def test_the_last_finished_job_is_the_current_one_until_there_is_another(queues):
    queue, gate = queues(), Gate()
    for title in ("One", "Two"):
        queue.wait(queue.submit("ann", title, lambda handle: None), "ann", 5)
    assert queue.current("ann").title == "Two"
    queue.submit("ann", "Three", gate)
    assert queue.current("ann").title == "Three"
    gate.let_go.set()


def test_a_view_is_a_snapshot(queues):
    queue, gate = queues(), Gate()

    def work(handle):
        handle.event({"step": 1})
        gate(handle)
        handle.event({"step": 2})

    job = queue.submit("ann", "", work)
    assert gate.begun.wait(5)
    before = queue.get(job, "ann")
    before.events[0]["step"] = 99
    gate.let_go.set()
    after = queue.wait(job, "ann", 5)
    assert (len(before.events), before.state) == (1, "running")
    assert [event["step"] for event in after.events] == [1, 2]


def test_closing_breaks_off_what_waits_and_stops_what_runs(queues):
    queue, gate, told = queues(), Gate(), []
    running = queue.submit("ann", "", gate)
    assert gate.begun.wait(5)
    waiting = queue.submit("ben", "", gate, on_change=lambda state: told.append(state["state"]))
    queue.close(5)
    assert queue.get(running, "ann").state == "stopped"
    assert queue.get(waiting, "ben").state == "broken off"
    assert told == ["waiting", "broken off"]
    with pytest.raises(InputError, match="No more jobs are taken"):
        queue.submit("cora", "", gate)


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
    monkeypatch.setattr(jobs, "give_back", given.release)
    queue = queues()
    for work in (lambda handle: 1, lambda handle: 1 / 0):
        queue.wait(queue.submit("ann", "Teaching", work), "ann", 5)
        assert given.acquire(timeout=5)


@pytest.mark.skipif(memory._trim() is None, reason="there is no malloc_trim here")
def test_what_was_freed_goes_back_to_the_system():
    def resident() -> float:
        pages = Path("/proc/self/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1024**2

    blocks = [bytearray(os.urandom(100)) * 600 for _ in range(2_000)]  # each below 128 KiB
    blocks = blocks[-1:]  # the end of the heap stays in use, so nothing goes by itself
    kept = resident()
    assert memory.give_back()
    assert resident() < kept - 60
    assert blocks
