"""Questions that arrive together are answered in one batch, each with its own answer or error."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from refusals import refusal
from ui_fakes import ask

from symdemo.ui.shared.answers import BATCH_SIZE, Batches


def test_items_that_arrive_during_a_run_form_batches():
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
        others = [pool.submit(batches.ask, n) for n in range(2 * BATCH_SIZE)]
        assert [future.result() for future in others] == [n * n for n in range(2 * BATCH_SIZE)]
        assert first.result() == 1_000_000
    assert sizes[0] == 1
    assert max(sizes) <= BATCH_SIZE
    assert len(sizes) <= 6


def test_no_item_gets_the_error_of_another():
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


@pytest.mark.parametrize("k", [2.5, True, "3", 0, 16])
def test_neighbours_are_a_whole_number(k):
    assert "a whole number between 1 and 15" in refusal(ask, k=k)
