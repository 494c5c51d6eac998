"""Search in a visitor's list: the lines most similar to a sentence, for each encoder."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import gradio as gr
import numpy as np
from markupsafe import Markup

from symdemo.data.pasted import split_lines
from symdemo.data.text_rows import csv_text
from symdemo.errors import InputError, ModelError
from symdemo.jobs.reporting import Reporter
from symdemo.jobs.state import JobView
from symdemo.text import MIB
from symdemo.ui.sentences import comparing as lab
from symdemo.ui.shared.events import Problem, attempt, problem_panel
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.store import SharedEncoders

KIND = "sentences"
LOOK_SECONDS = 0.4  # between two checks of a job's state
MOST_LINES = 500
MAX_PASTED = 150_000  # characters of a whole list
SHOWN = 10
PRIOR_SECONDS = 4.0  # weight of the expected pace beside the measured one
EXAMPLE_QUERY = "A child is playing by the water."


@dataclass(frozen=True, eq=False)
class RankedLines:
    """The distance of each line of a list from a sentence."""

    sentence: str
    lines: dict[int, str]  # number → text of the n lines
    distances: dict[lab.LabEncoder, np.ndarray]  # (n,), 1 minus the cosine for each line
    missing: tuple[lab.LabEncoder, ...] = ()  # encoders that are not available

    def nearest(self, encoder: lab.LabEncoder) -> list[tuple[int, str, float]]:
        """Return number, text and distance of the nearest lines; ties keep their order."""
        far, lines = self.distances[encoder], list(self.lines.items())
        return [(*lines[i], float(far[i])) for i in np.argsort(far, kind="stable")[:SHOWN]]

    def to_csv(self) -> str:
        """Write all lines as CSV, with their distance and place for each encoder."""
        head = ["line", "sentence"]
        columns: list[Iterable[object]] = [self.lines, self.lines.values()]
        for encoder, far in self.distances.items():
            head += [f"distance {encoder.name}", f"place {encoder.name}"]
            places = np.argsort(np.argsort(far, kind="stable")) + 1
            columns += [[f"{one:.4f}" for one in far], places.tolist()]
        return csv_text([head, *zip(*columns, strict=True)])


def example_list() -> tuple[str, str]:
    """Return a sentence to search for, and a list."""
    return EXAMPLE_QUERY, "\n".join(sentence for pair in lab.fixed_pairs() for sentence in pair)


def read_query(sentence: object, pasted: object) -> tuple[str, dict[int, str]]:
    """Return a tidy sentence and the lines of a list by number; `InputError` if one is unusable."""
    tidy = lab.tidy_sentence(sentence, "sentence to search for")
    text = str(pasted or "")
    if len(text) > MAX_PASTED:
        raise InputError(f"The list has {len(text):,} characters; at most {MAX_PASTED:,} are read.")
    lines = {i: line for i, line in enumerate(split_lines(text), 1) if line.strip()}
    if not lines:
        raise InputError("The list is empty; give at least one sentence, each on its own line.")
    if len(lines) > MOST_LINES:
        raise InputError(f"The list has {len(lines):,} lines; at most {MOST_LINES:,} are read.")
    return tidy, {i: lab.tidy_sentence(line, f"sentence in line {i}") for i, line in lines.items()}


def read_list(path: str | Path) -> str:
    """Read an uploaded text file, one sentence a line; `InputError` if too large, or no text."""
    path = Path(path)
    if (size := path.stat().st_size) > MIB:
        raise InputError(f"The file has {size / MIB:.1f} MiB; a list of up to 1 MiB is read.")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(
            f"{path.name} is no UTF-8 text; a text file with a sentence on each line is expected."
        ) from None


def expected_seconds(encoders: SharedEncoders, n: int) -> dict[lab.LabEncoder, tuple[float, float]]:
    """Return the expected seconds to load each encoder and to encode n lines, quickest first."""
    found = {}
    for own in lab.QUICKEST_FIRST:
        encoding = 0.0 if encoders.gone(own.name) else n * own.line_seconds
        found[own] = lab.loading_seconds(own, encoders), encoding
    return found


def rank_lines(
    encoders: SharedEncoders, sentence: str, lines: dict[int, str], handle: Reporter
) -> RankedLines:
    """Measure the distance of each line from the sentence, in each available encoder.

    Report progress to `handle`; `StoppedError` if it was stopped. `InputError` for a text that an
    encoder cannot read, `ModelError` if no encoder is available.
    """
    expected, began = expected_seconds(encoders, len(lines) + 1), time.perf_counter()
    total = sum(map(sum, expected.values()))

    def report(done: float) -> None:
        """Report expected seconds as done; the ETA takes the rest to go at the speed so far."""
        handle.check()
        pace = (time.perf_counter() - began + PRIOR_SECONDS) / (done + PRIOR_SECONDS)
        handle.progress(int(100 * done), int(100 * total), pace * (total - done))

    distances, behind = {}, 0.0
    for own, (loading, encoding) in expected.items():
        report(behind)
        loaded = behind + loading
        behind = loaded + encoding
        try:
            encoder = encoders.get(own.name)
        except ModelError:
            continue
        encoder.check(sentence, "sentence to search for")
        for number, line in lines.items():
            encoder.check(line, f"sentence in line {number}")

        def progress(done: int, n: int, start: float = loaded, own: float = encoding) -> None:
            report(start + own * done / n)

        rows = encoder.encode([sentence, *lines.values()], lab.BATCH, progress=progress)
        distances[own] = 1 - rows[1:] @ rows[0]
    if not distances:
        raise ModelError("None of the models is installed here.")
    ordered = {own: distances[own] for own in lab.LAB_ENCODERS if own in distances}
    missing = tuple(own for own in lab.LAB_ENCODERS if own not in distances)
    return RankedLines(sentence, lines, ordered, missing)


async def search(
    sessions: Sessions, visit: str, newest: list[str], sentence: Any, pasted: Any
) -> AsyncIterator[dict[str, Any]]:
    """Yield new values of components until the search has ended, or the page begins another.

    `newest` holds the id of the page's newest search, which replaces its older one.
    """
    job = attempt(_start, sessions, visit, newest, sentence, pasted)
    while isinstance(job, Problem) or newest == [job]:
        view = job if isinstance(job, Problem) else attempt(sessions.queue.get, job, visit)
        if isinstance(view, JobView) and view.state == "failed":
            view = Problem(view.error or "The search failed. Try again.")
        if isinstance(view, Problem):
            yield {"problem": problem_panel(view), "found": "", "stop": gr.Button(visible=False)}
            return
        done = view.state == "done"
        panel = found_panel(view.result) if done else draw("sentences/job.html", view=view)
        yield {"problem": "", "found": panel, "stop": gr.Button(visible=not view.finished)}
        if view.finished:
            return
        await asyncio.sleep(LOOK_SECONDS)


def stop(sessions: Sessions, visit: str, newest: list[str]) -> None:
    """Stop a page's search."""
    for job in newest:
        sessions.queue.stop(job, visit)


def _start(sessions: Sessions, visit: str, newest: list[str], sentence: Any, pasted: Any) -> str:
    tidy, lines = read_query(sentence, pasted)
    sessions.stop_current(visit, KIND)
    seconds = sum(map(sum, expected_seconds(sessions.encoders, len(lines)).values()))
    run = partial(rank_lines, sessions.encoders, tidy, lines)
    newest[:] = [sessions.submit(visit, "List search", run, KIND, seconds).id]
    return newest[0]


def found_panel(found: RankedLines) -> Markup:
    """Draw the nearest lines of each encoder side by side, and the file to download."""
    return draw(
        "sentences/nearest.html",
        query=found.sentence,
        total=len(found.lines),
        shown=min(SHOWN, len(found.lines)),
        columns=[(encoder, found.nearest(encoder)) for encoder in found.distances],
        missing=lab.missing_words(found.missing),
        file=quote("\ufeff" + found.to_csv()),
    )
