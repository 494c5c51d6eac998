"""What one visitor at their worst does to the others: each trial bounded in time.

Each trial gets the app in a process of its own. Linux only: every visitor has an address in
127.0.0.0/8. Kills, a full disk, and bodies and archives that would fill the memory are tests; their
rows in the ledger are those of the commit that they name, and the trials of the last two are under
the tag `studies-0.2`. This kills 196 times instead of 14:

    SYMDEMO_KILLS=120 pytest -m slow tests/teaching tests/analysis -k kill
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import numpy as np

from experiments.runner import main

REPOSITORY = Path(__file__).resolve().parents[1]
SENTENCES = (
    "Kenya borders Uganda.", "Ann is Bob's mother.", "Paris is the capital of France.",
    "The dog chased the cat.", "Leo is married to Mia.", "Oslo is north of Rome.",
)  # fmt: skip
SECONDS, LIMIT = 120.0, 3_600
"""Limits of an answer and of a trial, in seconds."""


class RefusedError(Exception):
    """The app answered with an error; the message says which."""


# The app and its visitors


class App:
    """The app as `python app.py` starts it, on the projects in `folder`."""

    def __init__(self, folder: Path):
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self._process = subprocess.Popen(
            [sys.executable, "app.py", "--host", "127.0.0.1", "--port", str(port)],
            cwd=REPOSITORY,
            env={**os.environ, "SYMDEMO_PROJECTS": str(folder)},
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def wait(self) -> None:
        """Wait until the app answers."""
        while True:
            with suppress(httpx.HTTPError, RefusedError):
                return self.ask(0)
            if self._process.poll() is not None:
                raise RuntimeError(f"The app ended with exit code {self._process.returncode}.")
            time.sleep(0.5)

    def stop(self) -> None:
        """End the app and all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def mebibytes(self) -> float:
        """Return the resident memory of the app's processes, in MiB."""
        found, processes = 0.0, [str(self._process.pid)]
        for pid in processes:
            with suppress(OSError):
                for path in Path(f"/proc/{pid}/task").glob("*/children"):
                    processes += path.read_text().split()
                status = Path(f"/proc/{pid}/status").read_text()
                found += int(status.split("VmRSS:")[1].split()[0]) / 1024
        return found

    def ask(self, number: int, place: int = 0) -> None:
        """Ask for the verdict on a sentence as visitor `number`."""
        with Visitor(self, number) as visitor:
            visitor.call("predict", SENTENCES[place % len(SENTENCES)], "", "", "")


class Visitor(httpx.Client):
    """One open page or program that asks the app over HTTP, from the address of its number."""

    def __init__(self, app: App, number: int = 1):
        address = f"127.0.{number // 250}.{1 + number % 250}"
        super().__init__(
            base_url=f"{app.url}/gradio_api",
            transport=httpx.HTTPTransport(local_address=address, verify=False),  # without TLS
            timeout=SECONDS,
        )
        self._app, self._session = app, f"v{time.monotonic_ns():x}{number}"

    def submit(self, path: str, **content: Any) -> httpx.Response:
        """Post to a path.

        Raises:
            RefusedError: the status is not 200.
        """
        answer = self.post(path, **content)
        if answer.status_code != httpx.codes.OK:
            raise RefusedError(f"{answer.status_code}: {answer.text[:200]}")
        return answer

    def call(self, name: str, *values: Any, keep_session: bool = False) -> Any:
        """Return the answer of a public endpoint."""
        session = {"session_hash": self._session} if keep_session else {}
        event = self.submit(f"/call/{name}", json={"data": values, **session}).json()["event_id"]
        kind = ""
        with self.stream("GET", f"/call/{name}/{event}") as stream:
            for line in stream.iter_lines():
                if line.startswith("event:"):
                    kind = line[6:].strip()
                elif line.startswith("data:") and kind in ("complete", "error"):
                    data = json.loads(line[5:])
                    if kind == "error":
                        raise RefusedError(str((data or {}).get("error") or data))
                    return data[0] if data else None
        raise RefusedError("The answer broke off.")

    def press(
        self, name: str, event: str, *values: Any, given: Mapping[str, Any] | None = None
    ) -> list[Any]:
        """Return the outputs of an event of the page's component `name`, through the queue.

        Raises:
            RefusedError: an error, or a panel with a problem among the outputs.
        """
        self.submit("/queue/join", json=self.event(name, event, *values, given=given))
        with self.stream("GET", "/queue/data", params={"session_hash": self._session}) as s:
            for line in s.iter_lines():
                message = json.loads(line[5:]) if line.startswith("data:") else {}
                if message.get("msg") == "process_completed":
                    output = message["output"]
                    if not message["success"]:
                        raise RefusedError(str(output.get("error")))
                    for text in map(str, output["data"]):
                        if 'class="problem"' in text:
                            raise RefusedError(text[:400])
                    return output["data"]
        raise RefusedError("The answer broke off.")

    def event(
        self, name: str, event: str, *values: Any, given: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the request for an event of the page's component `name`.

        With `given`, the inputs have the values of a fresh page, but those of these components.
        """
        config = httpx.get(f"{self._app.url}/config", timeout=60).json()
        props = {c["id"]: c["props"] for c in config["components"]}
        ids = {id for id, own in props.items() if own.get("elem_id") == name}
        number, inputs = next(
            (one["id"], one["inputs"])
            for one in config["dependencies"]
            if any(target in ids and kind == event for target, kind in one["targets"])
        )
        if given is not None:
            fresh = [(props[id].get("elem_id"), props[id].get("value")) for id in inputs]
            values = tuple(given.get(name, value) for name, value in fresh)
        return {"fn_index": number, "data": values, "session_hash": self._session}

    def write(self, rows: Sequence[Sequence[str]]) -> str:
        """Put rows into the table of a new project, and return its key."""
        return self.press("teach-grid", "input", "", _sheet(rows))[0]

    def retrain(self, rows: Sequence[Sequence[str]], key: str, short: bool = True) -> None:
        """Queue a retraining; a short one does eight rows once."""
        settings = ("", None, "1", "8", "", "", "8", "") if short else ("", None, *[""] * 6)
        self.press("retrain", "click", key, _sheet(rows), *settings)
        self.press("start", "click", key, None)


def _sheet(rows: Sequence[Sequence[str]]) -> str:
    headers = ["Subject", "Relation", "Object", "Label", "Whole sentence", "Swapped sentence"]
    return json.dumps({"headers": headers[: len(rows[0])], "rows": rows})


def _rows(mark: str, number: int = 4) -> list[list[str]]:
    """Return rows of two relations, about entities that no other mark has."""
    relations = (("is married to", "entailment"), ("is the boss of", "contradiction"))
    return [
        [f"Ann {mark}-{n}", relation, f"Ben {mark}-{n}", label]
        for relation, label in relations
        for n in range(number)
    ]


# Counting


class Attempt(NamedTuple):
    """A call that was answered, refused with a sentence, or broken off; what was said; seconds."""

    outcome: str
    said: str
    seconds: float


def attempt(call: Callable[[], object]) -> Attempt:
    """Make a call; a refusal for an error of the app's own is broken off."""
    began, outcome, said = time.perf_counter(), "answered", ""
    try:
        call()
    except RefusedError as error:
        said = str(error)[:300]
        outcome = "broken" if "500:" in said or "on our side" in said else "refused"
    except httpx.HTTPError as error:
        outcome, said = "broken", f"{type(error).__name__}: {error}"[:300]
    return Attempt(outcome, said, time.perf_counter() - began)


def counted(attempts: Sequence[Attempt], failures: Sequence[str] = ("broken",)) -> dict[str, Any]:
    """Return the counts of outcomes, some of which have failed, and the 95th percentile."""
    failed = [one for one in attempts if one.outcome in failures]
    return {
        "tried": len(attempts),
        "failed": len(failed),
        "failures": sorted({one.said or one.outcome for one in failed})[:5],
        "refused": sum(one.outcome == "refused" for one in attempts),
        "p95_seconds": float(np.percentile([one.seconds for one in attempts], 95)),
    }


@contextmanager
def others(app: App, people: int = 4, pause: float = 1.0) -> Iterator[dict[str, Any]]:
    """Let other visitors ask; the yielded dict then holds their answers and the peak memory."""
    attempts, over, found, peak = list[Attempt](), threading.Event(), dict[str, Any](), [0.0]

    def ask(number: int) -> None:
        sentence = SENTENCES[number % len(SENTENCES)]
        with Visitor(app, 1_000 + number) as visitor:
            call = partial(visitor.call, "predict", sentence, "", "", "", keep_session=True)
            while not over.is_set():
                attempts.append(attempt(call))
                over.wait(pause)

    def weigh() -> None:
        while not over.wait(0.25):
            peak[0] = max(peak[0], app.mebibytes())

    with ThreadPoolExecutor(people + 1) as pool:
        asking = [pool.submit(ask, number) for number in range(people)]
        weighing = pool.submit(weigh)
        time.sleep(3.0)
        try:
            yield found
            time.sleep(3.0)
        finally:
            over.set()
    for future in (*asking, weighing):
        future.result()
    found |= counted(attempts, ("broken", "refused")) | {"peak_mebibytes": peak[0]}


def beside_others(app: App, calls: Sequence[Callable[[], object]], at_once: int) -> dict[str, Any]:
    """Make calls while four others ask."""
    with others(app) as met, ThreadPoolExecutor(at_once) as pool:
        attempts = list(pool.map(attempt, calls))
    return counted(attempts) | {"others": met}


# Trials


def burst(app: App) -> dict[str, Any]:
    """150 requests at once from one visitor, while four others ask."""
    return beside_others(app, [partial(app.ask, 1, place) for place in range(150)], at_once=150)


def freeze(app: App) -> dict[str, Any]:
    """45 posts of a table of 1,000 long whole sentences from one visitor, while four others ask."""
    long = (
        "After the long council of the northern towns had ended in the old hall by the river, the "
        "{}th {}th governor of the upper valley quietly recommended the minister of the lower "
        "harbour to every merchant who had ever sold grain there."
    )

    def post(number: int) -> None:
        rows = [["", "", "", "yes", long.format(number, n), ""] for n in range(1_000)]
        with Visitor(app) as visitor:
            if number % 2:  # without the queue
                visitor.submit(
                    "/run/predict", json=visitor.event("teach-grid", "input", "", _sheet(rows))
                )
            else:
                visitor.press("teach-grid", "input", "", _sheet(rows))

    return beside_others(app, [partial(post, number) for number in range(45)], at_once=45)


def load(app: App) -> dict[str, Any]:
    """8 retrainings, 2 analyses of 100,000 rows, and 50 visitors who ask without a pause."""
    people, keys, done = 50, [], [False]
    for number in range(8):
        with Visitor(app, 100 + number) as visitor:
            rows = _rows(f"{number}", 9)
            keys.append(visitor.write(rows))
            visitor.retrain(rows, keys[-1], short=False)
    for number in range(2):
        lines = [f"Ann {number}-{n} likes Ben {n}." for n in range(100_000)]
        given = {"analyse-kind": "pasted", "analyse-pasted": "\n".join(lines)}
        with Visitor(app, 200 + number) as visitor:
            visitor.press("analyse-start", "click", given=given)
    began = time.monotonic()
    with others(app, people, pause=0.0) as met:
        while time.monotonic() - began < (30.0 if all(done) else 600.0):
            time.sleep(2.0)
            done = [_versions(app, key) > 0 for key in keys]
    trainings = {"begun": len(keys), "ended": sum(done)}
    return {"people": people, "trainings": trainings, "others": met}


def _versions(app: App, key: str) -> int:
    return len(list((app.folder / key / "versions").glob("v*/version.json")))


def locks(app: App) -> dict[str, Any]:
    """499 anonymous projects in seconds, and 33 trainings: whether others still find a place."""
    attempts, begun = [], {}

    def begin(number: int, mark: str, train: bool = False) -> None:
        rows = _rows(mark, 4 if train else 1)
        with Visitor(app, number) as visitor:
            key = visitor.write(rows)
            if train:
                visitor.retrain(rows, key)

    def teach(mark: str, key: str) -> str:
        lines = "\n".join(", ".join(row) for row in _rows(mark))
        with Visitor(app, 4_000) as visitor:
            return visitor.call("teach", lines, "", key)["project"]

    kept = teach("kept", "new")
    for name, addresses in (("one address", 1), ("twenty addresses", 20)):
        calls = [partial(begin, 100 + n % addresses, f"flood {addresses} {n}") for n in range(499)]
        with ThreadPoolExecutor(16) as pool:
            begun[name] = sum(one.outcome == "answered" for one in pool.map(attempt, calls))
        attempts += [attempt(partial(begin, 3_000 + n, f"{name} {n}")) for n in range(5)]
    attempts.append(attempt(partial(teach, "more", kept)))
    for n in range(33):
        attempt(partial(begin, 1, f"t{n}", train=True))
    attempts.append(attempt(partial(begin, 2_000, "other", train=True)))
    return counted(attempts, ("broken", "refused")) | {"begun_by_the_flood": begun}


def sessions(app: App) -> dict[str, Any]:
    """2,000 predictions without a session, one after the other from four visitors: what is kept."""
    calls = [partial(app.ask, 1 + n % 4, n) for n in range(2_000)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(attempt, calls[:200]))  # until it is warm
        before = app.mebibytes()
        attempts = list(pool.map(attempt, calls))
    return counted(attempts) | {"mebibytes": {"before": before, "after": app.mebibytes()}}


def trainings(app: App) -> dict[str, Any]:
    """25 retrainings one after the other: what of their memory is kept."""
    attempts, held = [], []

    def train(visitor: Visitor, rows: list[list[str]], key: str) -> None:
        number, until = _versions(app, key) + 1, time.monotonic() + 300.0
        visitor.retrain(rows, key)
        while _versions(app, key) < number:
            if time.monotonic() > until:
                raise httpx.ReadTimeout(f"Training {number} of {key} never ended.")
            time.sleep(0.5)

    for project in range(5):
        rows = _rows(f"{project}")
        with Visitor(app, 100 + project) as visitor:
            key = visitor.write(rows)
            for _ in range(5):
                attempts.append(attempt(partial(train, visitor, rows, key)))
                held.append(app.mebibytes())
    warm = held[4]  # from here on as many models are in memory as ever are
    return counted(attempts) | {"mebibytes": {"before": warm, "after": held[-1]}}


TRIALS = (burst, freeze, load, locks, sessions, trainings)


def cells() -> list[dict[str, str]]:
    """Return a cell for each trial."""
    return [{"part": trial.__name__} for trial in TRIALS]


def measure(cell: Mapping[str, str]) -> dict[str, Any]:
    """Run one trial; one that takes over an hour ends the study."""
    (trial,) = (trial for trial in TRIALS if trial.__name__ == cell["part"])
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"{cell['part']} takes over an hour."))
    signal.alarm(LIMIT)
    with tempfile.TemporaryDirectory() as folder:
        app = App(Path(folder))
        try:
            app.wait()
            return trial(app)
        finally:
            signal.alarm(0)
            app.stop()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the app is ended too
    sys.exit(main(__doc__, "trust", cells, measure))
