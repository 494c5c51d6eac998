"""Where requests come from: a page and a network address, and what was begun from each.

Kept in memory only, and no longer than the program runs: addresses are written nowhere.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from gradio.context import LocalContext

from symdemo.ui.shared.traffic.callers import address_of


@dataclass(frozen=True, slots=True)
class Origin:
    """Who asks.

    Attributes:
        page: the name of the open page, or of a program's session; empty where none is known.
        address: the network address; empty for whoever calls from inside the program.
    """

    page: str = ""
    address: str = ""


def current_origin() -> Origin:
    """Who asks for what is being done; Gradio carries the request through all that answers it."""
    request = LocalContext.request.get(None)
    request = request[0] if isinstance(request, list) and request else request
    if request is None:
        return Origin()
    client = getattr(request, "client", None)
    headers = getattr(request, "headers", None) or {}
    peer, forwarded = getattr(client, "host", "") or "", headers.get("x-forwarded-for") or ""
    return Origin(getattr(request, "session_hash", None) or "", address_of(peer, forwarded))


Id = TypeVar("Id", bound=Hashable)
_MOST_REMEMBERED = 2_000


class Begun(Generic[Id]):
    """What was begun from which page and address: projects by their ids, or jobs by theirs.

    Args:
        is_there: whether one is there still; what is not is forgotten.
    """

    def __init__(self, is_there: Callable[[Id], bool]):
        self._is_there = is_there
        self._lock = threading.Lock()
        self._origins: dict[Id, Origin] = {}

    def note(self, id: Id, origin: Origin) -> None:
        """Note what was begun; what comes from inside the program is nobody's."""
        if origin.page or origin.address:
            with self._lock:
                self._origins[id] = origin
                crowded = len(self._origins) > _MOST_REMEMBERED
            if crowded:
                self._those(lambda _: True)

    def of_page(self, origin: Origin) -> list[Id]:
        """What was begun from the same page and is there still, the oldest first."""
        return self._those(lambda other: bool(origin.page) and other.page == origin.page)

    def of_address(self, origin: Origin) -> list[Id]:
        """What was begun from the same address and is there still, the oldest first."""
        return self._those(lambda other: bool(origin.address) and other.address == origin.address)

    def crowd(self, id: Id) -> int:
        """How many were begun from the address that began one of them; 1 where that is unknown."""
        with self._lock:
            address = self._origins[id].address if id in self._origins else None
            return sum(origin.address == address for origin in self._origins.values()) or 1

    def _those(self, wanted: Callable[[Origin], bool]) -> list[Id]:
        with self._lock:
            found = [id for id, origin in self._origins.items() if wanted(origin)]
        gone = {id for id in found if not self._is_there(id)}
        with self._lock:
            for id in gone:
                self._origins.pop(id, None)
        return [id for id in found if id not in gone]
