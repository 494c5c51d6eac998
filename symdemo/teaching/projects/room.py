"""Room for projects: how many there may be, what all may take, and which gives way to a new one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from symdemo.errors import InputError
from symdemo.files.disk import check_free, folder_bytes
from symdemo.files.locks import is_job_alive
from symdemo.teaching.limits import Limits
from symdemo.teaching.projects import files

_MEASURED_SECONDS = 5.0
CONFIRM_SECONDS = 6 * 3600.0
"""How long before it goes an idle project was found idle for the first time."""

_CLOCK_SECONDS = 3600.0
"""A clock that goes wrong by more than that was set anew."""


class DiskRoom:
    """What all projects of a folder take together, measured anew every few seconds."""

    def __init__(self, root: Path, limits: Limits):
        self._root, self._limits = root, limits
        self._lock = threading.Lock()
        self._bytes, self._measured = 0, float("-inf")

    def check(self) -> None:
        """Raise where nothing more is to be written.

        Raises:
            InputError: all projects together take all that they may.
            DiskError: the disk is nearly full.
        """
        check_free(self._root, self._limits.free_bytes)
        with self._lock:
            if time.monotonic() - self._measured > _MEASURED_SECONDS:
                self._bytes, self._measured = folder_bytes(self._root), time.monotonic()
            self._limits.check_all_bytes(self._bytes)


def last_use(root: Path, id: str) -> datetime:
    """When a project was last used; where its file is damaged, when its folder was changed.

    Raises:
        InputError: there is none.
    """
    try:
        return datetime.fromisoformat(files.read_project(root, id)["touched"])
    except InputError:
        try:
            return datetime.fromtimestamp((root / id).stat().st_mtime, UTC)
        except OSError:
            raise files.unknown_project() from None


def has_job(root: Path, id: str) -> bool:
    """Whether a job of a project waits or runs, in this process or another."""
    return is_job_alive(root / id / files.JOB_LOCK)


def is_untaught(root: Path, id: str) -> bool:
    """Whether nothing was taught in a project, and nothing is being taught."""
    return not files.has_versions(root / id) and not has_job(root, id)


def givers_of_way(root: Path, ids: Iterable[str], crowding: Callable[[str], int]) -> list[str]:
    """The untaught of some projects in the order in which they give way to a new one.

    Those of whoever has most of them come first, and of these the longest untouched.
    """
    found = []
    for id in ids:
        if is_untaught(root, id):
            try:
                found.append((-crowding(id), last_use(root, id), id))
            except InputError:  # it went meanwhile
                continue
    return [id for *_, id in sorted(found)]


@dataclass(frozen=True, slots=True)
class _Sighting:
    """A project as it was found idle."""

    last_use: datetime
    clock: float


class IdleWatch:
    """Which projects are idle beyond doubt: two looks, hours of running time apart, agree on it.

    The calendar alone is no evidence: a clock that is days ahead at one look would be the end of
    every project. Where it was set between two looks, the first of them counts for nothing.
    """

    def __init__(self) -> None:
        self._seen: dict[str, _Sighting] = {}
        self._last_look: tuple[datetime, float] | None = None

    def look(self, now: datetime, clock: float) -> None:
        """Begin a look at time `now`, and at `clock` by what no clock setting moves (seconds)."""
        if self._last_look is not None:
            then, before = self._last_look
            if abs((now - then).total_seconds() - (clock - before)) > _CLOCK_SECONDS:
                self._seen.clear()
        self._last_look = now, clock

    def is_sure(self, id: str, used: datetime, idle: bool, clock: float) -> bool:
        """Whether a project that is `idle` now, and was used last at `used`, may go."""
        seen = self._seen.get(id)
        if not idle or seen is None or seen.last_use != used:
            self._seen.pop(id, None)
            if idle:
                self._seen[id] = _Sighting(used, clock)
            return False
        return clock - seen.clock >= CONFIRM_SECONDS

    def forget(self, id: str) -> None:
        """Forget a project that is gone."""
        self._seen.pop(id, None)
