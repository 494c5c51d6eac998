"""Questions that arrive together are answered in one batch, each with its own answer or error."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from refusals import refusal
from teach_fakes import until
from ui_fakes import ask

from symdemo.ui.shared.answers import BATCH_SIZE, Batches


def test_items_that_arrive_during_a_run_form_batches_and_fail_alone():
    began, gate, sizes = threading.Event(), threading.Event(), []

    def run(items):
        sizes.append(len(items))
        began.set()
        gate.wait(10)
        return [100 // item for item in items]

    batches = Batches(run)
    with ThreadPoolExecutor(30) as pool:
        first = pool.submit(batches.ask, 50)
        began.wait()
        zero, *others = [pool.submit(batches.ask, n) for n in range(2 * BATCH_SIZE)]
        until(lambda: len(batches._waiting) == 2 * BATCH_SIZE)
        gate.set()
        with pytest.raises(ZeroDivisionError):
            zero.result()
        assert [found.result() for found in others] == [100 // n for n in range(1, 2 * BATCH_SIZE)]
        assert first.result() == 2
    # The first, two full batches, and one by one those beside the one that failed.
    assert sorted(sizes) == [1] * (1 + BATCH_SIZE) + [BATCH_SIZE] * 2
    assert not batches._waiting


@pytest.mark.parametrize("k", [2.5, True, "3", 0, 16])
def test_neighbours_are_a_whole_number(k):
    assert "a whole number between 1 and 15" in refusal(ask, k=k)
