"""The sentences of a list that are nearest to one sentence, as each reader sees it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from symdemo.data.pasted import split_lines
from symdemo.data.tables import csv_text
from symdemo.errors import InputError, ModelError
from symdemo.jobs.queue import StoppedError
from symdemo.jobs.reporting import Reporter
from symdemo.text import MIB
from symdemo.ui.sentences.comparing import BATCH, tidy_sentence
from symdemo.ui.sentences.readers import READERS, Reader, loading_seconds
from symdemo.ui.shared.encoders import SharedEncoders

MOST_LINES = 500
MAX_PASTED = 150_000
"""Characters of a whole list."""
SHOWN = 10
TRUST_SECONDS = 4.0
"""For so long what was expected counts as much as the pace that is seen."""


@dataclass(frozen=True)
class Request:
    """A tidy sentence, and the tidy lines that it is looked up among, with their numbers."""

    query: str
    numbers: tuple[int, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Found:
    """How far each line is from the sentence.

    Attributes:
        request: what was asked.
        distances: reader → (n,), 1 minus the cosine for each line; a reader that is not here is
            left out.
        missing: the readers that are not here.
    """

    request: Request
    distances: dict[Reader, np.ndarray]
    missing: tuple[Reader, ...]

    def nearest(self, reader: Reader, count: int = SHOWN) -> list[tuple[int, str, float]]:
        """The nearest lines: number, text and distance, the nearest first; of equals the upper."""
        far = self.distances[reader]
        order = np.argsort(far, kind="stable")[:count]
        return [(self.request.numbers[i], self.request.lines[i], float(far[i])) for i in order]

    def to_csv(self) -> str:
        """All lines as CSV, with their distance and their place under each reader."""
        places = {
            reader: np.argsort(np.argsort(far, kind="stable")) + 1
            for reader, far in self.distances.items()
        }
        head = [f"{part} {r.name}" for r in self.distances for part in ("distance", "place")]
        rows = []
        for i, (number, line) in enumerate(
            zip(self.request.numbers, self.request.lines, strict=True)
        ):
            cells = ((f"{far[i]:.4f}", int(places[r][i])) for r, far in self.distances.items())
            rows.append([number, line, *(cell for two in cells for cell in two)])
        return csv_text([["line", "sentence", *head], *rows])


def read_request(query: object, pasted: object) -> Request:
    """What is looked for, and among which lines; empty lines are passed over.

    Raises:
        InputError: nothing or too much was given, or a line that cannot be read, by its number.
    """
    sentence = tidy_sentence(query, "sentence to look for")
    text = str(pasted or "")
    if len(text) > MAX_PASTED:
        raise InputError(
            f"The list has {len(text):,} characters; at most {MAX_PASTED:,} are read at once."
        )
    numbered = [(i, line) for i, line in enumerate(split_lines(text), 1) if line.strip()]
    if not numbered:
        raise InputError("The list is empty; give at least one sentence, each on its own line.")
    if len(numbered) > MOST_LINES:
        raise InputError(
            f"The list has {len(numbered):,} lines; at most {MOST_LINES:,} are compared at once."
        )
    lines = tuple(tidy_sentence(line, f"sentence in line {i}") for i, line in numbered)
    return Request(sentence, tuple(i for i, _ in numbered), lines)


def read_list(path: str | Path) -> str:
    """The text of an uploaded file, a sentence a line.

    Raises:
        InputError: too large, or no text.
    """
    path = Path(path)
    if (size := path.stat().st_size) > MIB:
        raise InputError(f"The file has {size / MIB:.1f} MiB; a list of up to 1 MiB is read.")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(
            f"{path.name} is no UTF-8 text; a text file with a sentence on each line is expected."
        ) from None


def expected_seconds(encoders: SharedEncoders, lines: int) -> float:
    """About how long a list of so many lines takes all readers."""
    return sum(
        loading_seconds(reader, encoders) + _reading_seconds(reader, encoders, lines)
        for reader in READERS
    )


def _reading_seconds(reader: Reader, encoders: SharedEncoders, lines: int) -> float:
    return 0.0 if encoders.gone(reader.name) else lines * reader.line_seconds


def find_nearest(encoders: SharedEncoders, request: Request, handle: Reporter) -> Found:
    """How far each line is under each reader that is here; it reports and may be stopped.

    Raises:
        InputError: a line that a reader cannot read.
        ModelError: no reader is here.
        StoppedError: it was stopped.
    """
    meter = _Meter(encoders, len(request.lines) + 1, handle)
    distances, missing = {}, []
    for reader, advance in meter.readers():
        try:
            encoder = encoders.get(reader.name)
        except ModelError:
            missing.append(reader)
            continue
        for number, line in zip(request.numbers, request.lines, strict=True):
            encoder.check(line, f"sentence in line {number}")
        encoder.check(request.query, "sentence to look for")
        rows = encoder.encode([request.query, *request.lines], BATCH, progress=advance)
        distances[reader] = 1 - rows[1:] @ rows[0]
    if not distances:
        raise ModelError("None of the models is installed here.")
    kept = {reader: distances[reader] for reader in READERS if reader in distances}
    return Found(request, kept, tuple(missing))


class _Meter:
    """How far the readers are: each counts by what it is expected to take."""

    def __init__(self, encoders: SharedEncoders, lines: int, handle: Reporter):
        self._handle, self._began = handle, time.perf_counter()
        self._order = sorted(READERS, key=lambda reader: reader.seconds)
        self._loading = {reader: loading_seconds(reader, encoders) for reader in self._order}
        self._reading = {
            reader: _reading_seconds(reader, encoders, lines) for reader in self._order
        }

    def readers(self) -> Iterator[tuple[Reader, Callable[[int, int], None]]]:
        """The readers, the quickest first, each with whom to tell of its batches."""
        before = 0.0
        for reader in self._order:
            self._tell(before)
            before += self._loading[reader]
            yield reader, self._advancer(before, self._reading[reader])
            before += self._reading[reader]

    def _advancer(self, before: float, share: float) -> Callable[[int, int], None]:
        return lambda done, total: self._tell(before + share * done / total)

    def _tell(self, done: float) -> None:
        """So many of the expected seconds are behind; what is left is as slow as what was."""
        if self._handle.stopped():
            raise StoppedError
        total = sum(self._loading.values()) + sum(self._reading.values())
        took = time.perf_counter() - self._began
        pace = (took + TRUST_SECONDS) / (done + TRUST_SECONDS)
        self._handle.progress(int(100 * done), int(100 * total), pace * (total - done))
