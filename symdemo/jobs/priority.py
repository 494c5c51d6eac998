"""A share of the processor for those who wait: long work steps back."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from typing import Any, TypeVar

Result = TypeVar("Result")

NICE = 8
"""What the system calls niceness: of two threads that want one core, the one of 0 gets 86%. Less
would be left to a training by fifty who ask without a pause."""


def give_way() -> None:
    """Let this thread, and those that it starts, compute where nobody else wants to.

    Only Linux knows a priority of threads; elsewhere nothing is changed. There is no way back for
    a thread, so it should be one of its own.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


def run_aside(function: Callable[..., Result], *args: Any) -> Result:
    """Run long work in a thread of its own that gives way, and wait for it; errors are passed on.

    It sees the same deadline.
    """
    done: Future[Result] = Future()
    context = copy_context()

    def work() -> None:
        give_way()
        try:
            done.set_result(context.run(function, *args))
        except BaseException as error:  # whatever it is, it is the caller's
            done.set_exception(error)

    threading.Thread(target=work, name="aside", daemon=True).start()
    return done.result()
