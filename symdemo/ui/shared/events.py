"""How events run: what they wait for, and what becomes of an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import gradio as gr

from symdemo.jobs.deadline import within
from symdemo.jobs.priority import run_aside
from symdemo.ui.shared.html import problem_panel
from symdemo.ui.shared.problems import Problem, attempt

Result = TypeVar("Result")
Updates = Mapping[Any, Any]
"""Component → its new value; what is left out stays as it is."""

MODEL_QUEUE: dict[str, Any] = {"concurrency_id": "model", "concurrency_limit": 24}
"""Shared by every event that asks a model a question: each would have a limit of its own otherwise.
So many are read at once, and answered in batches: with twice as many as one batch takes, the next
one is full when the last one ends.
One visitor has at most half of what runs at once of a queue, rounded up."""

LESSON_QUEUE: dict[str, Any] = {"concurrency_id": "lessons", "concurrency_limit": 2}
"""For what teaches, or asks about every row: nobody who asks one question waits behind it."""

_PRIVATE: dict[str, Any] = {"api_visibility": "private"}
MODEL_EVENT = MODEL_QUEUE | _PRIVATE
LESSON_EVENT = LESSON_QUEUE | _PRIVATE
TRANSFER_EVENT = {"concurrency_id": "away", "concurrency_limit": 2} | _PRIVATE
"""For what waits for a disk or for the hub."""

_HIDDEN = _PRIVATE | {"show_progress": "hidden"}
ROWS_EVENT = {"concurrency_id": "rows", "concurrency_limit": 3} | _HIDDEN
"""For what reads rows: each sentence is parsed."""

QUICK_EVENT = {"concurrency_id": "quick", "concurrency_limit": 8} | _HIDDEN
"""For what is done at once, such as looking how a training stands. It has a queue as all else has:
an event without one can be posted straight to, by anybody and any number of times."""

SECONDS = 30.0
LONG_SECONDS = 180.0
"""How long one event may work, and one of those that teach, pack or unpack."""


def guarded(
    place: gr.HTML | None,
    function: Callable[..., Updates],
    quiet: bool = False,
    long: bool = False,
) -> Callable[..., Any]:
    """An event's function that never fails: what `function(visit, …)` gives, or what was wrong.

    Args:
        place: where a problem is told, everything else staying as it is; None to tell it nowhere.
            A message there stays until the next press.
        function: given the name of the open page and the values of the event's inputs.
        quiet: whether it happens by itself: then a message in the place stays where it went well.
        long: whether it may work for minutes, giving way to all that is answered at once.
    """

    def run(request: gr.Request, *inputs: Any) -> Any:
        visit = getattr(request, "session_hash", None)
        found = bounded(function, visit, *inputs, long=long)
        if isinstance(found, Problem):
            return gr.skip() if place is None else {place: problem_panel(found)}
        cleared = {} if quiet or place is None else {place: ""}
        return cleared | found or gr.skip()

    return run


def bounded(function: Callable[..., Result], *args: Any, long: bool = False) -> Result | Problem:
    """`attempt` with a deadline; long work steps back for whatever else is asked."""
    with within(LONG_SECONDS if long else SECONDS):
        return run_aside(attempt, function, *args) if long else attempt(function, *args)


def by_component(widgets: Any, values: Mapping[str, Any]) -> Updates:
    """Values by the names of components as values of these components."""
    return {getattr(widgets, name): value for name, value in values.items()}
