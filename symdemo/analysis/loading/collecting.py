"""From rows to loaded pairs: every row is checked first, then the missing hypotheses are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from symdemo.analysis.loading.cells import RowOfCells, RowReader, RowRefused
from symdemo.analysis.loading.constructions import guess_construction
from symdemo.analysis.loading.loaded import MAX_REFUSED, LoadedPairs, RefusedRow
from symdemo.analysis.loading.swapping import Swapper
from symdemo.data.tables import TableRow
from symdemo.errors import InputError
from symdemo.jobs.state import StoppedError
from symdemo.text import one_line, shorten

Progress = Callable[[int, int], None]
ShouldStop = Callable[[], bool]

_ASKED_EVERY = 256
"""Rows that are read between two questions whether to stop."""
_TOLD_EVERY = 32
"""Rows between two reports: half a second, where they have to be swapped."""


class Collector:
    """Gathers the rows of one table, and makes `LoadedPairs` of them.

    Args:
        reader: makes rows of cells.
        systems: names of the columns with other systems' labels.
        should_stop: asked now and then; once it is True, `StoppedError` is raised.
    """

    def __init__(
        self,
        reader: RowReader,
        systems: tuple[str, ...] = (),
        should_stop: ShouldStop | None = None,
    ):
        self._reader, self._systems = reader, systems
        self._should_stop = should_stop or (lambda: False)
        self._rows: list[tuple[int, RowOfCells]] = []
        self._refused: list[RefusedRow] = []
        self._most_refused = MAX_REFUSED  # of each pass, of which the first by line are kept
        self.reasons: Counter[str] = Counter()
        self._seen = 0

    def read(self, row: TableRow) -> None:
        """Take in one row; one that gives no pair is set aside."""
        self._seen += 1
        if self._seen % _ASKED_EVERY == 0:
            self._stop_if_asked()
        try:
            self._rows.append((row.number, self._reader.read(row)))
        except RowRefused as refused:
            self._refuse(row.number, row.text, refused)

    def pairs(self, name: str, source: str, progress: Progress | None = None) -> LoadedPairs:
        """Make the hypotheses that are missing, and give all pairs.

        Args:
            name: what people call them.
            source: where they come from, in words.
            progress: told (rows that are done, all rows).

        Raises:
            InputError: no row can be used.
            ModelError: a hypothesis has to be made, and the parser is not installed.
            StoppedError: `should_stop` said so.
        """
        missing = (row.pair.premise for _, row in self._rows if not row.pair.hypothesis)
        swapper, done = Swapper(missing), []
        self._most_refused += MAX_REFUSED
        for place, (number, row) in enumerate(self._rows, start=1):
            try:
                done.append(self._finished(row, swapper))
            except RowRefused as refused:
                self._refuse(number, row.pair.premise, refused)
            if place % _TOLD_EVERY == 0 or place == len(self._rows):
                self._stop_if_asked()
                if progress:
                    progress(place, len(self._rows))
        if not done:
            raise InputError(f"{name} has no row that can be used{self._first_reason()}")
        return LoadedPairs(
            name=name,
            source=source,
            pairs=tuple(row.pair for row in done),
            constructions=tuple(row.construction for row in done),
            systems={
                system: tuple(row.systems[place] for row in done)
                for place, system in enumerate(self._systems)
            },
            swapped=swapper.swapped,
            refused=tuple(sorted(self._refused, key=lambda row: row.number)[:MAX_REFUSED]),
            reasons=dict(self.reasons.most_common()),
            doubtful=swapper.doubtful,
        )

    def _finished(self, row: RowOfCells, swapper: Swapper) -> RowOfCells:
        """The row with its hypothesis, and with its construction where that can be told."""
        pair, template = row.pair, None
        if not pair.hypothesis:
            self._stop_if_asked()
            pair, template = swapper.complete(pair)
        kind = row.construction or guess_construction(pair, template)
        return row._replace(pair=pair, construction=kind)

    def _refuse(self, number: int, line: str, refused: RowRefused) -> None:
        self.reasons[refused.kind] += 1
        if len(self._refused) < self._most_refused:
            text = shorten(one_line(line[:200], "�"))
            self._refused.append(RefusedRow(number, text, str(refused)))

    def _first_reason(self) -> str:
        if not self._refused:
            return "; a sentence in each is expected."
        first = min(self._refused, key=lambda row: row.number)
        return f"; line {first.number}: {first.reason}"

    def _stop_if_asked(self) -> None:
        if self._should_stop():
            raise StoppedError("The loading was stopped.")
