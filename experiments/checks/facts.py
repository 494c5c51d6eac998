"""Find faults of assets/facts.csv, alone and against a label file of Wikidata5m's shape.

    python -m experiments.checks.facts --entities wikidata5m_entity.txt

The label file has an entity a line: its id, label and aliases, separated by tabs.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from symdemo.data.relations import RELATION_BY_ID
from symdemo.errors import InputError
from symdemo.files.paths import ASSETS

HEADER = ["relation", "head_id", "head", "tail_id", "tail"]
MINIMUM = 25
_ID = re.compile(r"Q[1-9][0-9]*")


class FactRow(NamedTuple):
    """A line of the facts file with its number."""

    line: int
    relation: str
    head_id: str
    head: str
    tail_id: str
    tail: str

    @property
    def keys(self) -> tuple[str, str]:
        """What tells head and tail apart: their ids, or their labels without one."""
        return self.head_id or normalise(self.head), self.tail_id or normalise(self.tail)

    @property
    def is_same(self) -> bool:
        """True if head and tail are the same entity."""
        if self.head_id and self.tail_id:
            return self.head_id == self.tail_id
        return normalise(self.head) == normalise(self.tail)


class Comparison(NamedTuple):
    """Entities as the label file knows them: agreeing, disagreeing, absent, and without an id."""

    checked: int
    disagreements: list[str]
    absent: list[str]
    without_id: list[str]


def normalise(label: str) -> str:
    """Return a label as it is compared: composed Unicode, single spaces, no case."""
    folded = unicodedata.normalize("NFKC", label).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def parse_facts(lines: Iterable[str]) -> tuple[list[FactRow], list[str]]:
    """Return the rows of a facts file, and a sentence for each row with a wrong number of fields.

    Raises:
        InputError: another header, or no CSV.
    """
    reader = csv.reader(lines, strict=True)
    rows, faults = [], []
    try:
        if next(reader, None) != HEADER:
            raise InputError(f"The facts file must begin with the header {','.join(HEADER)}.")
        for fields in filter(None, reader):
            if len(fields) == len(HEADER):
                rows.append(FactRow(reader.line_num, *fields))
            else:
                faults.append(f"Line {reader.line_num}: {len(fields)} fields instead of 5.")
    except csv.Error as error:
        raise InputError(f"The facts file is not readable as CSV: {error}.") from error
    return rows, faults


def find_faults(rows: Sequence[FactRow], minimum: int = MINIMUM) -> list[str]:
    """Return a sentence for each fault that the rows have in themselves."""
    faults = []
    for row in rows:
        where = f"Line {row.line}"
        if row.relation not in RELATION_BY_ID:
            faults.append(f"{where}: unknown relation '{row.relation}'.")
        ids = [id for id in (row.head_id, row.tail_id) if id and not _ID.fullmatch(id)]
        faults += [f"{where}: '{id}' is not an id (Q and a number)." for id in ids]
        if not normalise(row.head) or not normalise(row.tail):
            faults.append(f"{where}: an empty label.")
        elif row.is_same:
            faults.append(f"{where}: head and tail are the same ('{row.head}').")
    faults += _repeated_pairs(rows)
    labels: dict[str, set[str]] = {}
    for id, label in entities_of(rows):
        labels.setdefault(id, set()).add(label)
    faults += [
        f"{id} has {len(names)} labels: {' / '.join(sorted(names))}."
        for id, names in sorted(labels.items())
        if id and len(names) > 1
    ]
    counts = Counter(row.relation for row in rows)
    few = [name for name in RELATION_BY_ID if counts[name] < minimum]
    return [*faults, *(f"{n} has {counts[n]} facts, fewer than {minimum}." for n in few)]


def _repeated_pairs(rows: Sequence[FactRow]) -> list[str]:
    faults = []
    seen: dict[frozenset[str], list[FactRow]] = {}
    for row in rows:
        if row.is_same:
            continue
        earlier = seen.setdefault(frozenset(row.keys), [])
        for first in earlier:
            patterns = {
                RELATION_BY_ID[r.relation].pattern if r.relation in RELATION_BY_ID else ""
                for r in (row, first)
            }
            if row.relation != first.relation:
                other = ", of the other pattern," if len(patterns) > 1 else ""
                what = f"are under {first.relation}{other} too (line {first.line})"
            elif patterns == {"antisymmetric"} and first.keys == row.keys[::-1]:
                what = f"swap the antisymmetric fact of line {first.line}"
            else:
                what = f"repeat the pair of line {first.line}"
            faults.append(f"Line {row.line}: '{row.head}' and '{row.tail}' {what}.")
        earlier.append(row)
    return faults


def entities_of(rows: Iterable[FactRow]) -> list[tuple[str, str]]:
    """Return id and label of every head and tail."""
    return [e for row in rows for e in ((row.head_id, row.head), (row.tail_id, row.tail))]


def parse_labels(lines: Iterable[str], wanted: Iterable[str]) -> dict[str, list[str]]:
    """Return label and aliases of the wanted ids.

    Raises:
        InputError: no line has a tab.
    """
    sought, tabs = set(wanted), False
    found: dict[str, list[str]] = {}
    for line in lines:
        id, tab, rest = line.rstrip("\r\n").partition("\t")
        tabs = tabs or bool(tab)
        if tab and id in sought:
            found[id] = found.get(id, []) + rest.split("\t")
    if not tabs:
        raise InputError("The label file has no line of the shape: id, tab, label.")
    return found


def compare(rows: Iterable[FactRow], labels: Mapping[str, Sequence[str]]) -> Comparison:
    """Compare the entities of the rows with the labels by id."""
    result = Comparison(0, [], [], [])
    checked = 0
    for id, label in sorted(set(entities_of(rows))):
        if not id:
            result.without_id.append(label)
        elif id not in labels:
            result.absent.append(f"{id} ({label})")
        elif normalise(label) in map(normalise, labels[id]):
            checked += 1
        else:
            known = " / ".join(labels[id])
            result.disagreements.append(f"{id} is '{label}' here but '{known}' in the label file.")
    return result._replace(checked=checked)


def main(argv: Sequence[str] | None = None) -> int:
    """Print what was found; return 0 if all is well, 1 with faults, 2 for unusable input."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entities", type=Path, required=True, help="label file, as Wikidata5m's")
    parser.add_argument("--facts", type=Path, default=ASSETS / "facts.csv")
    arguments = parser.parse_args(argv)
    try:
        with arguments.facts.open(encoding="utf-8-sig", newline="") as lines:
            rows, faults = parse_facts(lines)
        with arguments.entities.open(encoding="utf-8", newline="\n") as lines:
            found = compare(rows, parse_labels(lines, (id for id, _ in entities_of(rows))))
    except (InputError, OSError, UnicodeDecodeError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    faults += find_faults(rows)
    for title, items in (
        ("Disagreements", found.disagreements),
        ("Ids not in the label file", found.absent),
        ("Entities without id", found.without_id),
        ("Faults", faults),
    ):
        sys.stdout.write("\n".join([f"{title}: {len(items) or 'none'}", *items, ""]))
    sys.stdout.write(f"{len(rows)} facts, {found.checked} entities agree\n")
    return 1 if faults or found.disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
