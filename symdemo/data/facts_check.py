"""Check the collected facts against a label file, and for faults of their own.

``python -m symdemo.data.facts_check --entities wikidata5m_entity.txt`` compares every id in
``assets/facts.csv`` with the label file of Wikidata5m's shape (one entity a line: id, then its
label and aliases, separated by tabs), says what could not be checked, and lists structural faults.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from symdemo.data.facts_faults import (
    HEADER,
    ID,
    MINIMUM,
    Row,
    complete_rows,
    entities_of,
    normalise,
    structural_faults,
)
from symdemo.errors import InputError
from symdemo.files.paths import ASSETS

DEFAULT_FACTS = ASSETS / "facts.csv"
_SHOWN = 20


@dataclass(frozen=True)
class Report:
    """What a check found: sentences for people, and the counts behind them."""

    facts: int
    entities: int
    checked: int
    per_relation: tuple[tuple[str, int], ...]
    disagreements: tuple[str, ...]
    absent_ids: tuple[str, ...]
    without_id: tuple[str, ...]
    faults: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether there is neither a disagreement nor a fault."""
        return not self.disagreements and not self.faults


def parse_facts(text: str) -> tuple[Row, ...]:
    """Return the rows below the header of a facts file's text; InputError on another header."""
    try:
        reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
        header = next(reader, None)
        if header is None or tuple(header) != HEADER:
            raise InputError(f"The facts file must begin with the header {','.join(HEADER)}.")
        return tuple(Row(reader.line_num, tuple(fields)) for fields in reader if fields)
    except csv.Error as error:
        raise InputError(f"The facts file is not readable as CSV: {error}.") from error


def parse_entities(lines: Iterable[str], wanted: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return label and aliases of the wanted ids; the other lines are read past."""
    sought = set(wanted)
    found: dict[str, tuple[str, ...]] = {}
    tabs = False
    for line in lines:
        identifier, tab, rest = line.rstrip("\r\n").partition("\t")
        tabs = tabs or bool(tab)
        if tab and identifier in sought:
            found[identifier] = found.get(identifier, ()) + tuple(rest.split("\t"))
    if not tabs:
        raise InputError("The label file has no line of the shape: id, tab, label.")
    return found


def ids_of(rows: Sequence[Row]) -> frozenset[str]:
    """Return every well-formed id that the rows name."""
    return frozenset(
        identifier for identifier, _ in entities_of(complete_rows(rows)) if ID.fullmatch(identifier)
    )


def check(
    rows: Sequence[Row], labels: Mapping[str, Sequence[str]], minimum: int = MINIMUM
) -> Report:
    """Compare the rows with the labels (id to label and aliases) and with one another."""
    complete = complete_rows(rows)
    entities = sorted(set(entities_of(complete)), key=lambda entity: (entity[0], entity[1]))
    disagreements, absent = [], []
    checked = 0
    for identifier, label in entities:
        if not ID.fullmatch(identifier):
            continue
        if identifier not in labels:
            absent.append(f"{identifier} ({label})")
        elif normalise(label) in {normalise(known) for known in labels[identifier]}:
            checked += 1
        else:
            known = " / ".join(labels[identifier])
            disagreements.append(f"{identifier} is '{label}' here but '{known}' in the label file.")
    counts = Counter(row.fields[0] for row in complete)
    return Report(
        facts=len(rows),
        entities=len(entities),
        checked=checked,
        per_relation=tuple(sorted(counts.items(), key=lambda item: (len(item[0]), item[0]))),
        disagreements=tuple(disagreements),
        absent_ids=tuple(absent),
        without_id=tuple(label for identifier, label in entities if not identifier),
        faults=structural_faults(rows, minimum),
    )


def summary(report: Report) -> str:
    """Return the report's counts as one line."""
    share = report.checked / report.entities if report.entities else 0.0
    return (
        f"{report.facts} facts of {len(report.per_relation)} relations, "
        f"{report.entities} entities: {report.checked} checked ({share:.1%}), "
        f"{len(report.disagreements)} disagreements, "
        f"{len(report.absent_ids)} ids not in the label file, "
        f"{len(report.without_id)} without id, {len(report.faults)} faults"
    )


def render(report: Report) -> str:
    """Return the report as text, the summary last."""
    lines: list[str] = []
    for title, items, shown in (
        ("Disagreements", report.disagreements, None),
        ("Ids not in the label file", report.absent_ids, None),
        ("Entities without id", report.without_id, _SHOWN),
        ("Structural faults", report.faults, None),
    ):
        lines.append(f"{title}: {len(items) or 'none'}")
        lines.extend(f"  {item}" for item in items[:shown])
        if shown is not None and len(items) > shown:
            lines.append(f"  … and {len(items) - shown} more (--json lists them all)")
    return "\n".join([*lines, summary(report)]) + "\n"


def render_json(report: Report) -> str:
    """Return the report as JSON, with the summary's verdict in ``ok``."""
    content = {
        **asdict(report),
        "per_relation": dict(report.per_relation),
        "ok": report.ok,
        "summary": summary(report),
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def read_text(path: Path, what: str) -> str:
    """Return a UTF-8 file's text; InputError names the file that cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The {what} {path} cannot be read as UTF-8 text: {error}.") from error


def check_files(facts: Path, entities: Path) -> Report:
    """Check a facts file against a label file, which may be large: it is read line by line."""
    rows = parse_facts(read_text(facts, "facts file"))
    try:
        with entities.open(encoding="utf-8", newline="\n") as lines:
            labels = parse_entities(lines, ids_of(rows))
    except (OSError, UnicodeDecodeError) as error:
        message = f"The label file {entities} cannot be read as UTF-8 text: {error}."
        raise InputError(message) from error
    return check(rows, labels)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; 0 all well, 1 disagreements or faults, 2 unusable input."""
    parser = argparse.ArgumentParser(prog="python -m symdemo.data.facts_check", description=__doc__)
    parser.add_argument("--entities", type=Path, required=True, help="label file, as Wikidata5m's")
    parser.add_argument("--facts", type=Path, default=DEFAULT_FACTS, help="facts file to check")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    arguments = parser.parse_args(argv)
    try:
        report = check_files(arguments.facts, arguments.entities)
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(render_json(report) if arguments.json else render(report))
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
