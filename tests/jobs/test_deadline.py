"""Deadlines and giving way: time that is up is told, and long work steps back."""

import os
import sys
import threading
import time

import pytest
from job_fakes import finished

from symdemo.jobs.deadline import NICE, DeadlineError, check_time, run_aside, uncounted, within


def test_time_is_up_after_so_many_seconds_and_not_before():
    check_time()
    with within(60):
        check_time()
        with within(0.0):
            time.sleep(0.01)
            with pytest.raises(DeadlineError, match="longer than one request"), within(60):
                check_time()
        check_time()


def test_what_is_not_counted_is_given_back_and_no_more():
    with within(0.5):  # more than a busy machine lets pass between two lines
        with uncounted():
            time.sleep(0.6)
            check_time()
        check_time()
        time.sleep(0.6)
        with pytest.raises(DeadlineError):
            check_time()
    with pytest.raises(ZeroDivisionError), within(0.05), uncounted():
        raise ZeroDivisionError
    check_time()


def test_work_aside_gives_its_result_or_its_error_and_sees_the_deadline():
    assert run_aside(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        run_aside(divmod, 7, 0)
    with within(0.0):
        time.sleep(0.01)
        with pytest.raises(DeadlineError):
            run_aside(check_time)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux knows a priority of threads")
def test_work_aside_gives_way_and_so_do_jobs_where_that_is_asked_for(queues):
    def niceness(_handle=None):
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    before = niceness()
    assert run_aside(niceness) == NICE
    assert niceness() == before
    for gives_way in (True, False):
        found = finished(queues(low_priority=gives_way), niceness).result
        assert (found == NICE) is gives_way
