"""The app in a process of its own, and visitors from addresses of their own."""

from __future__ import annotations

import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import httpx

REPOSITORY = Path(__file__).resolve().parents[2]
SENTENCES = (
    "Kenya borders Uganda.", "Ann is Bob's mother.", "Paris is the capital of France.",
    "The dog chased the cat.", "Leo is married to Mia.", "Oslo is north of Rome.",
)  # fmt: skip
START_SECONDS = 120.0
ANSWER_SECONDS = 120.0
PACE = 1.0
"""Seconds that one of the others reads an answer before asking again."""


class RefusedError(Exception):
    """The app answered with an error; the sentence says which."""


@dataclass
class App:
    """The app as `python app.py` starts it, on projects of its own.

    Attributes:
        root: the folder of its projects; it outlives the process.
        small: whether a part is to do a tenth of its work.
        environment: what its process gets besides.
    """

    root: Path
    small: bool = False
    environment: dict[str, str] = field(default_factory=dict)
    port: int = 0
    process: subprocess.Popen | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it answers a question."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [sys.executable, "app.py", "--host", "127.0.0.1", "--port", str(self.port)],
            cwd=REPOSITORY,
            env={**os.environ, "SYMDEMO_PROJECTS": str(self.root), **self.environment},
            stdout=subprocess.DEVNULL,
            stderr=(self.root.parent / "app.log").open("ab"),
            start_new_session=True,
        )
        until = time.monotonic() + START_SECONDS
        while True:
            with suppress(httpx.HTTPError, RefusedError), Visitor(self.url) as visitor:
                visitor.predict(SENTENCES[0])
                return
            if time.monotonic() > until or self.process.poll() is not None:
                raise RuntimeError(self._silent())
            time.sleep(0.5)

    def stop(self, number: int = signal.SIGTERM) -> None:
        """End its process and all that it started."""
        if self.process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)
        self.process = None

    def _silent(self) -> str:
        """Why it did not start, as far as it told."""
        assert self.process is not None
        ended = self.process.poll()
        how = "did not answer" if ended is None else f"ended with {ended}"
        log = (self.root.parent / "app.log").read_text(encoding="utf-8", errors="replace")
        return f"The app {how} within {START_SECONDS:.0f} s of its start; it told: {log[-2000:]}"

    def mebibytes(self) -> float:
        """What its processes hold in memory now."""
        assert self.process is not None
        return sum(map(_resident, _family(self.process.pid)))

    def visitor(self, number: int = 1, timeout: float = ANSWER_SECONDS) -> Visitor:
        """Somebody with an address of their own; Linux has all of 127.0.0.0/8."""
        return Visitor(self.url, f"127.0.{number // 250}.{1 + number % 250}", timeout)

    def times(self, number: int) -> int:
        """So many, or a tenth of it in the small form."""
        return max(1, number // 10) if self.small else number


def _family(pid: int) -> list[int]:
    found = [pid]
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in path.read_text().split():
                found += _family(int(child))
    return found


def _resident(pid: int) -> float:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    return 0.0


class Visitor:
    """Somebody who asks the app over HTTP, as the page or a program does."""

    def __init__(self, url: str, address: str = "127.0.0.1", timeout: float = ANSWER_SECONDS):
        self.client = httpx.Client(
            base_url=f"{url}/gradio_api",
            transport=httpx.HTTPTransport(local_address=address, verify=False),  # without TLS
            timeout=timeout,
        )
        self.url, self.session = url, f"v{time.monotonic_ns():x}{address.replace('.', '')}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.client.close()

    def call(self, name: str, *values: Any, session: str | None = None) -> Any:
        """What a public endpoint answers.

        Raises:
            RefusedError: an error, told in its sentence.
        """
        body = {"data": list(values)} | ({"session_hash": session} if session else {})
        event = _checked(self.client.post(f"/call/{name}", json=body)).json()["event_id"]
        with self.client.stream("GET", f"/call/{name}/{event}") as stream:
            kind = ""
            for line in stream.iter_lines():
                if line.startswith("event:"):
                    kind = line[6:].strip()
                elif line.startswith("data:") and kind in ("complete", "error"):
                    data = json.loads(line[5:])
                    if kind == "error":
                        raise RefusedError(str((data or {}).get("error") or data))
                    return data[0] if data else None
        raise RefusedError("The answer broke off.")

    def predict(self, sentence: str, session: str | None = None) -> dict:
        """The verdict on a sentence."""
        return self.call("predict", sentence, "", "", "", session=session)

    def act(self, name: str, event: str, *values: Any) -> list[Any]:
        """What an event of the page's component `name` gives, through the queue.

        Raises:
            RefusedError: an error, told in its sentence.
        """
        number = self.event(name, event)
        body = {"fn_index": number, "data": list(values), "session_hash": self.session}
        _checked(self.client.post("/queue/join", json=body))
        with self.client.stream("GET", "/queue/data", params={"session_hash": self.session}) as s:
            for line in s.iter_lines():
                message = json.loads(line[5:]) if line.startswith("data:") else {}
                if message.get("msg") == "process_completed":
                    if not message["success"]:
                        raise RefusedError(str(message["output"].get("error")))
                    return message["output"]["data"]
        raise RefusedError("The answer broke off.")

    def post(self, name: str, event: str, *values: Any) -> httpx.Response:
        """Post straight to an event of the page, beside the queue.

        Raises:
            RefusedError: an error, told in its sentence.
        """
        number = self.event(name, event)
        body = {"fn_index": number, "data": list(values), "session_hash": self.session}
        return _checked(self.client.post("/run/predict", json=body))

    def event(self, name: str, event: str) -> int:
        """The number of an event of the page."""
        config = _checked(httpx.get(f"{self.url}/config", timeout=60)).json()
        ids = [c["id"] for c in config["components"] if c["props"].get("elem_id") == name]
        return next(
            found["id"]
            for found in config["dependencies"]
            if any(target in found["targets"] for target in ([id, event] for id in ids))
        )

    def upload(self, path: Path) -> dict:
        """Upload a file; what an event takes for it."""
        with path.open("rb") as file:
            answer = _checked(self.client.post("/upload", files={"files": (path.name, file)}))
        return {"path": answer.json()[0], "meta": {"_type": "gradio.FileData"}}


def _checked(answer: httpx.Response) -> httpx.Response:
    if answer.status_code != httpx.codes.OK:
        raise RefusedError(f"{answer.status_code}: {answer.text[:200]}")
    return answer


@dataclass
class Attempts:
    """What came of many calls: refused with a sentence, broken off, and the seconds of all."""

    refused: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def make(self, call: Callable[..., object], *values: Any) -> bool:
        """Whether a call with some values was answered."""
        began = time.perf_counter()
        try:
            call(*values)
            return True
        except RefusedError as error:
            self.refused.append(str(error)[:300])
        except httpx.HTTPError as error:
            self.broken.append(f"{type(error).__name__}: {error}"[:300])
        finally:
            self.seconds.append(time.perf_counter() - began)
        return False

    def to_json(self) -> dict[str, Any]:
        """Counts and seconds; only what broke off has failed."""
        return {
            "tried": len(self.seconds),
            "failed": len(self.broken),
            "failures": sorted(set(self.broken))[:3],
            "refused": len(self.refused),
            "refusals": sorted(set(self.refused))[:3],
            "slowest_seconds": max(self.seconds, default=None),
        }


@dataclass
class Others:
    """What the other visitors met meanwhile, and how much memory the app took."""

    calls: Attempts = field(default_factory=Attempts)
    mebibytes: list[float] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Counts and seconds."""
        seconds, failures = self.calls.seconds, self.calls.refused + self.calls.broken
        return {
            "tried": len(seconds),
            "failed": len(failures),
            "failures": sorted(set(failures))[:5],
            "median_seconds": percentile(seconds, 50),
            "p95_seconds": percentile(seconds, 95),
            "slowest_seconds": max(seconds, default=None),
            "peak_mebibytes": max(self.mebibytes, default=None),
        }


def percentile(values: Sequence[float], percent: int) -> float | None:
    """The value that so many percent do not exceed; None where there is none."""
    if len(values) < 2:
        return values[0] if values else None
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


@contextmanager
def others(app: App, people: int = 4, pace: float = PACE) -> Iterator[Others]:
    """Let other visitors ask all the while, each from an address of their own."""
    found, over = Others(), threading.Event()

    def ask(number: int) -> None:
        with app.visitor(1_000 + number) as visitor:
            sentence = SENTENCES[number % len(SENTENCES)]
            while not over.is_set():
                found.calls.make(lambda: visitor.predict(sentence, visitor.session))
                over.wait(pace)

    def weigh() -> None:
        while not over.wait(0.25):
            found.mebibytes.append(app.mebibytes())

    threads = [threading.Thread(target=ask, args=(n,), daemon=True) for n in range(people)]
    threads.append(threading.Thread(target=weigh, daemon=True))
    for thread in threads:
        thread.start()
    try:
        yield found
    finally:
        over.set()
        for thread in threads:
            thread.join(ANSWER_SECONDS)
