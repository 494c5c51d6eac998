"""How events run: what they wait for, and what becomes of an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gradio as gr

from symdemo.ui.shared.html import problem_panel
from symdemo.ui.shared.problems import Problem, attempt

Updates = Mapping[Any, Any]
"""Component → its new value; what is left out stays as it is."""

MODEL_QUEUE: dict[str, Any] = {"concurrency_id": "model", "concurrency_limit": 2}
"""Shared by every event that runs a model: each event would have a limit of its own otherwise."""

MODEL_EVENT: dict[str, Any] = MODEL_QUEUE | {"api_visibility": "private"}
TRANSFER_EVENT: dict[str, Any] = {
    "concurrency_id": "away",
    "concurrency_limit": 2,
    "api_visibility": "private",
}
"""For what waits for a disk or for the hub: nobody who asks a model has to wait behind it."""

UNQUEUED: dict[str, Any] = {
    "queue": False,
    "api_visibility": "private",
    "show_progress": "hidden",
}
"""For what is done at once, such as saving rows: it waits for nobody."""


def guarded(
    place: gr.HTML | None, function: Callable[..., Updates], quiet: bool = False
) -> Callable[..., Any]:
    """An event's function that never fails: what `function(visit, …)` gives, or what was wrong.

    Args:
        place: where a problem is told, everything else staying as it is; None to tell it nowhere.
            A message there stays until the next press.
        function: given the name of the open page and the values of the event's inputs.
        quiet: whether it happens by itself: then a message in the place stays where it went well.
    """

    def run(request: gr.Request, *inputs: Any) -> Any:
        visit = getattr(request, "session_hash", None)
        found = attempt(function, visit, *inputs)
        if isinstance(found, Problem):
            return gr.skip() if place is None else {place: problem_panel(found)}
        cleared = {} if quiet or place is None else {place: ""}
        return cleared | found or gr.skip()

    return run


def by_component(widgets: Any, values: Mapping[str, Any]) -> Updates:
    """Values by the names of components as values of these components."""
    return {getattr(widgets, name): value for name, value in values.items()}
