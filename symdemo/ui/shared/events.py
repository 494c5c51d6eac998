"""How events run: their queues and deadlines, and what a visitor sees of an error."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import gradio as gr
from markupsafe import Markup

from symdemo.errors import SymdemoError
from symdemo.files.storage import explaining_disk_errors
from symdemo.jobs.deadline import run_aside, within

logger = logging.getLogger(__name__)

NO_ANSWER = "Couldn’t reach the server. Try again."
Result = TypeVar("Result")
Updates = dict[Any, Any]  # component → its new value; components left out stay as they are

MODEL_QUEUE: dict[str, Any] = {"concurrency_id": "model", "concurrency_limit": 24}
"""For every event that asks a model a question: 24 are read at a time and answered in batches of
12, so that the next batch is full when one ends. One visitor gets at most half of a queue's places,
rounded up."""

TEACH_QUEUE: dict[str, Any] = {"concurrency_id": "teaching", "concurrency_limit": 2}
"""For events that teach or ask about every row; single questions do not wait for them."""

_PRIVATE: dict[str, Any] = {"api_visibility": "private"}
MODEL = MODEL_QUEUE | _PRIVATE
TEACH = TEACH_QUEUE | _PRIVATE
TRANSFER: dict[str, Any] = {"concurrency_id": "away", "concurrency_limit": 2} | _PRIVATE
"""For events that wait for the disk or the hub."""

_HIDDEN = _PRIVATE | {"show_progress": "hidden"}

SENTENCE_QUEUE: dict[str, Any] = {"concurrency_id": "sentences", "concurrency_limit": 2}
"""A separate queue, so that other tabs do not wait for a language model to load."""
SENTENCES = SENTENCE_QUEUE | _HIDDEN
WATCHING = _HIDDEN | {"concurrency_id": "lists", "concurrency_limit": 24}
"""For events that only watch the job of a list."""

ROWS: dict[str, Any] = {"concurrency_id": "rows", "concurrency_limit": 3} | _HIDDEN
"""For events that parse the sentences of rows."""

QUICK: dict[str, Any] = {"concurrency_id": "quick", "concurrency_limit": 8} | _HIDDEN
"""For quick events, such as looking up the state of a training. They have a queue too: an event
without one could be posted directly, any number of times."""

IN_PAGE: dict[str, Any] = {"fn": None} | _PRIVATE
"""For events that run in the page's own script, without a request."""

SECONDS, LONG_SECONDS = 30.0, 180.0  # deadline of an event, and of one that teaches or packs

UNEXPECTED = "Something went wrong on our side and was logged. Please try again."
PROBLEM = Markup(
    '<div class="problem" role="alert"><span class="problem__sign" aria-hidden="true">!</span>'
    "<p>{}</p></div>"
)


@dataclass(frozen=True)
class Problem:
    """Why nothing was done."""

    message: str  # in one sentence
    guess: tuple[str, str, str] | None = None  # fills the boxes for subject, relation and object


def attempt(function: Callable[..., Result], *args: Any) -> Result | Problem:
    """Call a function; turn an error into a `Problem`, so that no traceback reaches a visitor."""
    try:
        with explaining_disk_errors():
            return function(*args)
    except SymdemoError as error:
        return Problem(str(error), getattr(error, "guess", None))
    except Exception:
        logger.exception("Unexpected error in %s", function)
        return Problem(UNEXPECTED)


def attempt_all(
    check: Callable[[Any], Any], items: Iterable[Any], run: Callable[[list[Any]], Iterable[Result]]
) -> list[Result | Problem]:
    """Return a result or a `Problem` for each item, in order.

    `run` is called once, with all items that pass `check`; what it raises is not caught.
    """
    checked = [attempt(check, item) for item in items]
    fit = [one for one in checked if not isinstance(one, Problem)]
    results = iter(run(fit) if fit else ())
    return [one if isinstance(one, Problem) else next(results) for one in checked]


def problem_panel(problem: Problem | None) -> str:
    """Draw a problem; empty if there is none."""
    return PROBLEM.format(problem.message) if problem else ""


def bounded(function: Callable[..., Result], *args: Any, long: bool = False) -> Result | Problem:
    """Call `attempt` with a deadline; a long call runs at low priority."""
    with within(LONG_SECONDS if long else SECONDS):
        return run_aside(attempt, function, *args) if long else attempt(function, *args)


def guarded(
    place: gr.HTML | None, function: Callable[..., Updates], quiet: bool = False, long: bool = False
) -> Callable[..., Any]:
    """Wrap the function of an event: return its updates, or show a problem and change nothing else.

    `function` gets the name of the open page and the values of the event's inputs. A problem is
    shown in `place`, or nowhere if that is None; success clears it, except after a `quiet` event,
    which happens by itself. A `long` event has more time and runs at low priority.
    """

    def run(request: gr.Request, *inputs: Any) -> Any:
        found = bounded(function, getattr(request, "session_hash", None), *inputs, long=long)
        if isinstance(found, Problem):
            return gr.skip() if place is None else {place: problem_panel(found)}
        cleared = {} if quiet or place is None else {place: ""}
        return cleared | found or gr.skip()

    return run
