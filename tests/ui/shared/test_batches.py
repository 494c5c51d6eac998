"""Questions at the same time are answered together, each with its own answer or its own error."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from symdemo.ui.shared.batches import MOST, Batches


def test_one_alone_is_answered_at_once():
    seen = []
    batches = Batches(lambda items: seen.append(list(items)) or [2 * item for item in items])
    assert [batches.ask(n) for n in range(3)] == [0, 2, 4]
    assert seen == [[0], [1], [2]]


def test_all_who_come_meanwhile_are_answered_together_and_each_gets_its_own():
    began, sizes = threading.Event(), []

    def run(items):
        sizes.append(len(items))
        began.set()
        time.sleep(0.2)
        return [item * item for item in items]

    batches = Batches(run)
    with ThreadPoolExecutor(30) as pool:
        first = pool.submit(batches.ask, 1_000)
        began.wait()
        others = [pool.submit(batches.ask, n) for n in range(2 * MOST)]
        assert [future.result() for future in others] == [n * n for n in range(2 * MOST)]
        assert first.result() == 1_000_000
    assert sizes[0] == 1
    assert max(sizes) <= MOST
    assert len(sizes) <= 6


def test_nobody_gets_the_error_of_another():
    began = threading.Event()

    def run(items):
        began.set()
        time.sleep(0.1)
        return [10 // item for item in items]

    batches = Batches(run)
    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(batches.ask, 1)
        began.wait()
        found = [pool.submit(batches.ask, n) for n in (1, 0, 2, 5)]
        with pytest.raises(ZeroDivisionError):
            found.pop(1).result()
        assert [future.result() for future in (first, *found)] == [10, 10, 5, 2]
    assert not batches._waiting
