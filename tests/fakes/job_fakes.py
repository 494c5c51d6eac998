"""A job that a test starts and ends, and a reporter made of functions."""

import threading

from symdemo.jobs.reporting import Reporter


class Reports(Reporter):
    def __init__(self, progress=None, stopped=None):
        self.progress = progress or self.progress
        self.stopped = stopped or self.stopped


class Gate:
    """A job that ends when `let_go` is set; `begun` is set when it starts."""

    def __init__(self):
        self.begun, self.let_go = threading.Event(), threading.Event()

    def __call__(self, handle):
        self.begun.set()
        while not self.let_go.wait(0.005):
            if handle.stopped():
                return "the best so far"
        return "done"


def finished(queue, work, owner="ann", **options):
    return queue.wait(queue.submit(owner, "", work, **options), owner, 5)
