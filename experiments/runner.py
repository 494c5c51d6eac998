"""Run studies: measure cells, keep each result in a ledger, continue after a stop.

A cell names a measurement by JSON values: method, encoder, data, seed, or what else decides it. A
ledger is a JSONL file of finished cells, `{"key": cell, "result": …, "made_by": …}` a line; files
of several machines may be concatenated.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from symdemo.errors import InputError, SymdemoError
from symdemo.evaluation.results import ResultsFile, Row
from symdemo.files.paths import RESULTS
from symdemo.files.provenance import provenance
from symdemo.files.storage import write_text
from symdemo.jobs.reporting import StopAsked

Cell = Mapping[str, Any]
Result = dict[str, Any]
STOPPED = 130
HERE = Path(__file__).parent


def name_of(cell: Cell) -> str:
    """Return a cell as one line of JSON, independent of the order of its values."""
    return json.dumps(cell, sort_keys=True, ensure_ascii=False)


class Ledger:
    """Results by cell, in memory and in a JSONL file.

    Raises:
        InputError: a line other than the last cannot be read; a broken last line is dropped.
    """

    def __init__(self, path: Path, made_by: Cell | None = None):
        self.path, self._made_by = path, made_by or {}
        self._rows: dict[str, dict[str, Any]] = {}
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
                self._rows[name_of(row["key"])] = {"made_by": {}, "result": row["result"]} | row
            except (ValueError, KeyError, TypeError):
                if number < len(lines):
                    raise InputError(
                        f"Line {number} of {path} is not a row with “key” and “result”; "
                        "delete the line or the file to start again."
                    ) from None
                write_text(path, "".join(f"{whole}\n" for whole in lines[:-1]))

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, cell: Cell) -> bool:
        return name_of(cell) in self._rows

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Iterate over the cells in the order of their measurement."""
        return (row["key"] for row in self._rows.values())

    def get(self, cell: Cell) -> Result | None:
        """Return the result of a cell, or None if it was not measured."""
        row = self._rows.get(name_of(cell))
        return row["result"] if row else None

    def made_by(self, cell: Cell) -> dict[str, Any]:
        """Return where a cell was measured; empty if that was not recorded."""
        return self._rows[name_of(cell)]["made_by"]

    def add(self, cell: Cell, result: Cell, made_by: Cell | None = None) -> None:
        """Keep a result, on disk first."""
        row = {"key": cell, "result": result, "made_by": made_by or self._made_by}
        line = json.dumps(row, ensure_ascii=False)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._rows[name_of(cell)] = json.loads(line)  # as a continued study reads it

    def origins(self) -> list[Row]:
        """Return the number of rows by commit and processor, largest first."""
        every = [self.made_by(cell) for cell in self]
        made = Counter((by.get("commit"), by.get("machine", {}).get("processor")) for by in every)
        return [{"commit": c, "processor": p, "rows": n} for (c, p), n in made.most_common()]


def finished_study(name: str) -> dict[str, Any]:
    """Return a study whose code left main: what it found, and the commit that has the code."""
    path = HERE / "results" / "finished.json"
    studies = json.loads(path.read_text(encoding="utf-8"))["studies"]
    return next(study for study in studies if study["study"] == name)


def run(
    cells: Sequence[Cell],
    measure: Callable[[Any], Cell],
    ledger: Ledger,
    should_stop: Callable[[], bool] = lambda: False,
) -> bool:
    """Measure the cells that the ledger lacks; return False if stopped before the last."""
    missing = tqdm([cell for cell in cells if cell not in ledger])
    for cell in missing:
        if should_stop():
            sys.stderr.write(
                f"\nstopped after {len(ledger)} measurements; run again to continue.\n"
            )
            return False
        values = (value for value in cell.values() if value not in (None, "", {}, True, False))
        missing.write(", ".join(map(str, values)), file=sys.stderr)
        ledger.add(cell, measure(cell))
    return True


def shown_name(encoder: str) -> str:
    """Return the name to record for an encoder: the last part of a folder."""
    folder, sign, options = encoder.partition("?")
    return Path(folder).resolve().name + sign + options if Path(folder).is_dir() else encoder


def command_line(command: str, arguments: argparse.Namespace, options: Sequence[str]) -> str:
    """Return a command with those of its options that were given."""
    words = command.split()
    for name in options:
        if value := getattr(arguments, name):
            values = value if isinstance(value, list) else [value] * (value is not True)
            words += [f"--{name.replace('_', '-')}", *(shown_name(str(own)) for own in values)]
    return shlex.join(words)


@dataclass(frozen=True)
class Report:
    """The report on a study that a command of symdemo measures, with its tables.

    Attributes:
        ledger: the file's name.
        kind: name and command of the report.
        options: those of the command that decide what is measured.
        figures: returns what the report says of a ledger, as JSON values.
        tables: draws the report.
    """

    ledger: str
    kind: type[ResultsFile]
    options: Sequence[str]
    figures: Callable[[Ledger], Result]
    tables: Callable[[Result], str]

    def run(
        self,
        arguments: argparse.Namespace,
        cells: Callable[[Ledger], Sequence[Cell]],
        measure: Callable[[Any], Cell],
    ) -> int:
        """Measure what is missing and write the report, as the options say; 130 if stopped.

        Raises:
            InputError: there is no checkout to publish in.
        """
        if arguments.publish and not RESULTS.is_relative_to(HERE):
            raise InputError("--publish writes into a checkout; SYMDEMO_RESULTS names a folder.")
        out = Path(arguments.out)
        made_by = provenance(command_line(self.kind.COMMAND, arguments, self.options))
        ledger = Ledger(out / self.ledger, made_by)
        stop = StopAsked("measurement")
        whole = arguments.report_only or run(cells(ledger), measure, ledger, stop)
        text = self.write(out, ledger, made_by)
        tables = self.tables(json.loads(text))
        write_text(out / "tables.md", tables)
        if arguments.publish and len(ledger):
            from experiments.make_tables import write_tables  # which reads ledgers

            published = Ledger(RESULTS / self.ledger)
            for cell in ledger:  # what else was published stays
                if published.get(cell) != (result := ledger.get(cell)):
                    published.add(cell, result or {}, ledger.made_by(cell))
            self.write(RESULTS, published, made_by)
            write_tables()
        sys.stdout.write(text if arguments.json else tables)
        return 0 if whole else STOPPED

    def write(self, folder: Path, ledger: Ledger, made_by: Cell) -> str:
        """Write the report into a folder, and return it."""
        origin = {"command": made_by["command"], "made_by": made_by}
        report = origin | {"rows_made_by": ledger.origins()} | self.figures(ledger)
        text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
        write_text(folder / self.kind.NAME, text)
        return text


def main(
    doc: str | None,
    name: str,
    cells: Callable[[], Sequence[Cell]],
    measure: Callable[[Any], Cell],
    out: Path = RESULTS,
) -> int:
    """Run a study from the command line: `--list`, `--only KEY=VALUE`, `--out`.

    Several machines share a study by a value, such as `--only seed=0`.

    Returns:
        0; 2 for bad input; 130 if Ctrl-C stopped it, to be continued by the same command.
    """
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="print the cells, measure nothing")
    parser.add_argument("--only", nargs="+", default=[], metavar="KEY=VALUE", help="some cells")
    parser.add_argument("--out", type=Path, default=out, help="folder of the ledger")
    options = parser.parse_args()
    try:
        wanted = [
            cell
            for cell in cells()
            if all(str(cell.get(k)) == v for k, _, v in (o.partition("=") for o in options.only))
        ]
        if options.list:
            sys.stdout.writelines(f"{name_of(cell)}\n" for cell in wanted)
            return 0
        ledger = Ledger(options.out / f"{name}.jsonl", provenance(f"python -m experiments.{name}"))
        whole = run(wanted, measure, ledger, StopAsked("measurement"))
    except SymdemoError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0 if whole else STOPPED
