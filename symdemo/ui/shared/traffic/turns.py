"""Whose turn it is: Gradio's queue with a share for each visitor, and little kept of each page.

Gradio's own queue is first come, first served, and holds as many events as it holds for whoever
comes first. Its private parts that are used here are tried out by the tests of this module.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from copy import copy
from datetime import datetime
from typing import TYPE_CHECKING, Any

from gradio.components import State
from gradio.queueing import Event, Queue
from gradio.state_holder import SessionState, StateHolder

from symdemo.ui.shared.traffic.callers import CALLER, caller_of

if TYPE_CHECKING:
    import fastapi
    from gradio.blocks import Blocks
    from gradio.data_classes import PredictBodyInternal
    from gradio.routes import App

MAX_WAITING = 512
"""Events in the queue, of all visitors."""

SHARE = 64
"""Events of one visitor in the queue. A page that opens has five; a school has one address."""

PAGES = 128
"""Pages of one visitor that anything is kept of; of more, the one longest silent is forgotten."""

MAX_PAGES = 2_000
MAX_NAME = 200
"""Characters of the name of a page; Gradio's own have eleven."""

REST = 0.01
"""Seconds between two looks into an empty queue. Gradio looks every millisecond, which costs 5% of
a core while nobody asks anything; so it is 2%."""

TOLD = 1.0
"""Seconds between two messages of their place to those who wait. Gradio tells all of them whenever
one has its turn: with fifty who wait, most of what the app then does is telling."""

FULL = "Too many are asking at once; try again in a moment."
BUSY = "{} questions of yours are waiting already; wait for their answers."


class FairQueue(Queue):
    """A queue in which visitors take turns, and no one takes more than half of what runs at once.

    Args:
        blocks: the app that it is of.
    """

    def __init__(self, blocks: Blocks):
        super().__init__(False, blocks.max_threads, TOLD, MAX_WAITING, blocks)
        self.sleep_when_free = self.progress_update_sleep_when_free = REST
        self._callers: dict[str, str] = {}  # event → address
        self._pages: OrderedDict[str, OrderedDict[str, None]] = OrderedDict()

    def set_server_app(self, app: App) -> None:
        """Take the place of what keeps pages' states, too."""
        super().set_server_app(app)
        LightStates().set_blocks(self.blocks)
        app.state_holder = self.blocks.state_holder

    async def push(
        self, body: PredictBodyInternal, request: fastapi.Request, username: str | None
    ) -> Any:
        """Let an event wait for its turn, or say why not."""
        caller = caller_of(request.headers.raw, request.client.host if request.client else None)
        if problem := self._problem(body):
            return False, problem, "error"
        if self._waiting()[caller] >= SHARE:
            return False, BUSY.format(SHARE), "queue_full"
        if len(self) >= MAX_WAITING:
            return False, FULL, "queue_full"
        if body.session_hash:
            self.remember(caller, body.session_hash)
        done = await super().push(body, request, username)
        if done[0]:
            self._callers[done[1]] = caller
            self.remember(caller, body.session_hash or done[1])
        return done

    def _problem(self, body: PredictBodyInternal) -> str | None:
        """Why an event cannot be what the page or a program sends; None where it can."""
        fns = self.blocks.fns
        if len(body.session_hash or "") > MAX_NAME:
            return "The name of the session is too long."
        if body.fn_index not in fns:
            return "There is no such event."
        needed, sent = len(fns[body.fn_index].inputs), len(body.data)
        if sent < needed:
            return f"{sent} values were sent; {needed} are expected."
        return None

    def get_events(self) -> Any:
        """What runs next: of each queue the event of whoever had the fewest turns."""
        running: dict[str, Counter[str]] = {}
        for event in (event for events in self.active_jobs if events for event in events):
            own = running.setdefault(str(event.concurrency_id), Counter())
            own[self._callers.get(event._id, "")] += 1
        over: list[tuple[Any, list[Event]]] = []
        for name, queue in self.event_queue_per_concurrency_id.items():
            busy = running.get(name, Counter())
            ready, late = self._in_turn(queue.queue, busy, queue.concurrency_limit)
            queue.queue = ready
            over.append((queue, late))
        try:
            return super().get_events()
        finally:
            for queue, late in over:
                queue.queue += late

    def _in_turn(
        self, events: list[Event], busy: Counter[str], limit: int | None
    ) -> tuple[list[Event], list[Event]]:
        """The events in order of turns, and those whose visitor has enough at work."""
        most = -(-limit // 2) if limit else None
        had, turns, late = Counter(busy), [], []
        for event in events:
            caller = self._callers.get(event._id, "")
            if most is not None and busy[caller] >= most:
                late.append(event)
            else:
                turns.append((had[caller], event))
                had[caller] += 1
        turns.sort(key=lambda turn: turn[0])  # stable: of the same turn, who came first
        return [event for _, event in turns], late

    def _waiting(self) -> Counter[str]:
        queues = self.event_queue_per_concurrency_id.values()
        return Counter(self._callers.get(event._id, "") for q in queues for event in q.queue)

    def remember(self, caller: str, page: str) -> None:
        """Note that a visitor's page asked something, and forget those of theirs that are too many.

        Those with an event in the queue or at work stay.
        """
        pages = self._pages.setdefault(caller, OrderedDict())
        pages[page] = None
        pages.move_to_end(page)
        self._pages.move_to_end(caller)
        if len(pages) > PAGES:
            active = {event.session_hash for event in self.event_ids_to_events.values()}
            for old in [page for page in pages if page not in active][: len(pages) - PAGES]:
                del pages[old]
                self._forget(old)
        while len(self._pages) > MAX_PAGES:
            for old in self._pages.popitem(last=False)[1]:
                self._forget(old)
        alive = self.event_ids_to_events
        self._callers = {id: own for id, own in self._callers.items() if id in alive}

    def _forget(self, page: str) -> None:
        self.pending_messages_per_session.pop(page, None)
        self.pending_event_ids_session.pop(page, None)
        states = self.blocks.state_holder
        states.session_data.pop(page, None)
        states.time_last_used.pop(page, None)

    def compute_analytics_summary(self, records: Any) -> dict[str, Any]:
        """Nothing: Gradio would make a table of all events after each of them, for nobody."""
        return self.cached_event_analytics_summary


class LightState(SessionState):
    """What is kept of one page: its states, and which components look otherwise than at first.

    Gradio keeps besides what all components are, and what was last sent to each: 0.36 MB, for
    links into the middle of an app, of which there are none here.
    """

    def __init__(self, blocks: Blocks):
        self.blocks_config = copy(blocks.default_config)
        self.config_values: dict[int, Any] = {}
        self.state_data: dict[int, Any] = {}
        self._state_ttl: dict[int, Any] = {}
        self.is_closed = False
        self.STATE_TTL_WHEN_CLOSED = 3600

    def __setitem__(self, key: int, value: Any) -> None:
        block = self.blocks_config.blocks.get(key)
        if isinstance(block, State):
            self._state_ttl[key] = (block.time_to_live, datetime.now())
            self.state_data[key] = value
        else:
            self.blocks_config.blocks[key] = value

    def _update_config(self, key: int) -> None:
        """Nothing is kept."""

    def _update_value_in_config(self, key: int, value: Any) -> None:
        """Nothing is kept."""


class LightStates(StateHolder):
    """The states of all pages; the longest silent are forgotten first."""

    def set_blocks(self, blocks: Blocks) -> None:
        """Take the place of what holds the states so far."""
        super().set_blocks(blocks)
        self.capacity = MAX_PAGES

    def __getitem__(self, session_id: str) -> SessionState:
        """The state of a page, which is begun with the first look at it."""
        if session_id not in self.session_data:
            self.session_data[session_id] = LightState(self.blocks)
            if caller := CALLER.get():
                self.blocks._queue.remember(caller, session_id)
        return super().__getitem__(session_id)
