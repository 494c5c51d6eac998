"""Fork a child: to kill it at work and read what it had finished, or to work beside it."""

import multiprocessing
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="a child is forked")


def kill_at_work(
    work: Callable, *given, log: Path, begun: str, within: float, halt: Callable | None = None
) -> list[list[str]]:
    """Run `work(*given, log)` in a forked child, kill it, and return the words of its log by line.

    The kill comes up to `within` seconds after a line with the word `begun`; `halt(pid)`, if given,
    first stops the child at a chosen place.
    """
    log.touch()
    written = log.stat().st_size
    child = multiprocessing.get_context("fork").Process(target=work, args=(*given, log))
    child.start()
    limit = time.monotonic() + 20
    while begun not in log.read_text()[written:] and time.monotonic() < limit:
        time.sleep(0.002)
    time.sleep(random.uniform(0, within))
    if halt:
        halt(child.pid)
    child.kill()  # SIGKILL: nothing is tidied up
    child.join()
    assert child.exitcode == -signal.SIGKILL
    return [line.split() for line in log.read_text()[written:].splitlines()]


@contextmanager
def beside(begin: Callable, *given) -> Iterator[None]:
    """Run `begin(*given)` in a forked child, which then lives until the block ends."""
    context = multiprocessing.get_context("fork")
    begun, end = context.Event(), context.Event()

    def live() -> None:
        begin(*given)
        begun.set()
        end.wait(20)
        os._exit(0)

    child = context.Process(target=live)
    child.start()
    assert begun.wait(20)
    try:
        yield
    finally:
        end.set()
        child.join(20)
