"""Find faults of the relation bank and of assets/facts.csv: `python -m experiments.checks`.

With a label file of Wikidata5m's shape (lines of id, label and aliases, separated by tabs) as an
argument, also find entities of the facts that have another label there.
"""

from __future__ import annotations

import csv
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from symdemo.data.bank import BankRelation, RelationBank, load_bank
from symdemo.data.bank_phrasings import same_sentence
from symdemo.data.relations import LABEL_OF_PATTERN, RELATION_BY_ID
from symdemo.errors import InputError, SymdemoError
from symdemo.files.paths import ASSETS

PHRASINGS, ENTITIES, FACTS = 4, 40, 25
"""Fewest phrasings of a relation, entities of a type, and facts of one of the 14 relations."""

MODIFIERS = ("date", "place", "adverb", "frame")
HEADER = ["relation", "head_id", "head", "tail_id", "tail"]


# The bank


def bank_faults(bank: RelationBank) -> list[str]:
    """Return one sentence for each fault of the bank."""
    return [
        *relation_faults(bank),
        *phrasing_faults(bank.relations),
        *repeated_phrasings(bank.relations),
        *group_faults(bank.relations),
        *entity_faults(bank),
    ]


def relation_faults(bank: RelationBank) -> Iterator[str]:
    """Find faulty ids, patterns, types and lookalikes, and relations with too few phrasings."""
    ids = Counter(relation.id for relation in bank.relations)
    for own in bank.relations:
        if ids[own.id] > 1:
            yield f"{own.id}: {ids[own.id]} relations have this id."
        if own.pattern not in LABEL_OF_PATTERN:
            expected = ", ".join(LABEL_OF_PATTERN)
            yield f"{own.id}: unknown pattern “{own.pattern}”; expected: {expected}."
        for side, types in (("head", own.head), ("tail", own.tail)):
            if not types:
                yield f"{own.id}: no type for the {side}."
            for name in set(types) - bank.entities.keys():
                yield f"{own.id}: unknown type “{name}” for the {side}."
        if own.lookalike is not None and (own.lookalike == own.id or own.lookalike not in ids):
            yield f"{own.id}: “{own.lookalike}” is no other relation that could be its lookalike."
        if (n := len(own.phrasings)) < PHRASINGS:
            yield f"{own.id}: {n} phrasings; at least {PHRASINGS} are expected."


def phrasing_faults(relations: Iterable[BankRelation]) -> Iterator[str]:
    """Find phrasings with wrong places, full stop or white space."""
    for own in relations:
        for phrasing in own.phrasings:
            where = f"{own.id}: “{phrasing}”"
            if sorted(re.findall(r"\[[^\]]*\]", phrasing)) != ["[X]", "[Y]"]:
                yield f"{where} must hold [X] once and [Y] once, and no other place."
            if not phrasing.endswith(".") or phrasing.endswith(".."):
                yield f"{where} does not end in one full stop."
            if phrasing != " ".join(phrasing.split()) or phrasing[:1].islower():
                yield f"{where} has stray white space or begins with a small letter."


def repeated_phrasings(relations: Iterable[BankRelation]) -> Iterator[str]:
    """Find phrasings that occur twice, also with [X] and [Y] exchanged."""
    seen: dict[str, BankRelation] = {}
    for own in relations:
        for phrasing in own.phrasings:
            if first := seen.get(key := same_sentence(phrasing)):
                where = f"{first.id} ({first.pattern})"
                yield f"{own.id}: “{phrasing}” ({own.pattern}) occurs in {where} already."
            seen.setdefault(key, own)


def group_faults(relations: Iterable[BankRelation]) -> Iterator[str]:
    """Find groups of two patterns without a note, and groups of one relation."""
    groups: dict[str, list[BankRelation]] = defaultdict(list)
    for relation in relations:
        groups[relation.group or relation.id].append(relation)
    for name, members in groups.items():
        patterns = {relation.pattern for relation in members}
        if len(patterns) > 1 and not all(relation.note for relation in members):
            listed = ", ".join(f"{relation.id} ({relation.pattern})" for relation in members)
            yield f"group {name}: contradictory patterns without a note: {listed}."
        if len(members) == 1 and members[0].id != name:
            yield f"{members[0].id}: unknown group “{name}”; no other relation is in it."


def entity_faults(bank: RelationBank) -> Iterator[str]:
    """Find types with too few entities, repeated entities, and unknown kinds of modifier."""
    for name, own in bank.entities.items():
        if len(own) < ENTITIES:
            yield f"type {name}: {len(own)} entities; at least {ENTITIES} are expected."
    for name in bank.modifiers.keys() - set(MODIFIERS):
        yield f"unknown kind of modifier “{name}”; expected: {', '.join(MODIFIERS)}."
    for name, own in (*bank.entities.items(), *bank.modifiers.items()):
        counts = Counter(one.strip().casefold() for one in own)
        yield from (f"{name}: “{one}” occurs {n} times." for one, n in counts.items() if n > 1)


# Facts


class FactRow(NamedTuple):
    """A line of the facts file with its number."""

    line: int
    relation: str
    head_id: str
    head: str
    tail_id: str
    tail: str

    @property
    def ends(self) -> tuple[tuple[str, str], ...]:
        """Id and label of head and tail."""
        return (self.head_id, self.head), (self.tail_id, self.tail)

    @property
    def keys(self) -> tuple[str, ...]:
        """Return ids of head and tail, or their labels if an id is missing."""
        ids = tuple(id for id, _ in self.ends)
        return ids if all(ids) else tuple(normalise(label) for _, label in self.ends)


def normalise(label: str) -> str:
    """Return a label in composed Unicode, with single spaces and without case."""
    folded = unicodedata.normalize("NFKC", label).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def read_facts(lines: Iterable[str]) -> list[FactRow]:
    """Return the rows of a facts file.

    Raises:
        InputError: another header, another number of fields, or no CSV.
    """
    reader = csv.reader(lines, strict=True)
    try:
        if next(reader, None) != HEADER:
            raise InputError(f"The facts file must begin with the header {','.join(HEADER)}.")
        return [FactRow(reader.line_num, *fields) for fields in reader]
    except (csv.Error, TypeError) as error:
        raise InputError(f"Line {reader.line_num} of the facts file: {error}.") from error


def fact_faults(rows: Sequence[FactRow], minimum: int = FACTS) -> Iterator[str]:
    """Find unknown relations, faulty ids and labels, repeated pairs, and too few facts."""
    labels: dict[str, set[str]] = defaultdict(set)
    seen: dict[frozenset[str], FactRow] = {}
    for row in rows:
        if row.relation not in RELATION_BY_ID:
            yield f"Line {row.line}: unknown relation “{row.relation}”."
        for id, label in row.ends:
            labels[id].add(label)
            if id and not re.fullmatch(r"Q[1-9][0-9]*", id):
                yield f"Line {row.line}: “{id}” is not an id (Q and a number)."
            if not normalise(label):
                yield f"Line {row.line}: an empty label."
        pair = frozenset(row.keys)
        if len(pair) == 1:
            yield f"Line {row.line}: head and tail are the same (“{row.head}”)."
        elif first := seen.get(pair):
            where = f"line {first.line} ({first.relation})"
            yield f"Line {row.line}: “{row.head}” and “{row.tail}” are the pair of {where} again."
        seen.setdefault(pair, row)
    for id, own in labels.items():
        if id and len(own) > 1:
            yield f"{id} has {len(own)} labels: {' / '.join(sorted(own))}."
    counts = Counter(row.relation for row in rows)
    for name in RELATION_BY_ID:
        if counts[name] < minimum:
            yield f"{name} has {counts[name]} facts, fewer than {minimum}."


def read_labels(lines: Iterable[str], wanted: Iterable[str]) -> dict[str, list[str]]:
    """Return label and aliases of the wanted ids.

    Raises:
        InputError: no wanted id is in the file.
    """
    wanted, found = set(wanted), dict[str, list[str]]()
    for line in lines:
        id, *labels = line.rstrip("\r\n").split("\t")
        if labels and id in wanted:
            found[id] = found.get(id, []) + labels
    if not found:
        raise InputError("The label file has no id of the facts in lines of id, tab, label.")
    return found


def label_faults(rows: Iterable[FactRow], labels: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Find entities whose label is not among those of their id; unknown ids are left out."""
    for id, label in sorted({end for row in rows for end in row.ends}):
        if id in labels and normalise(label) not in map(normalise, labels[id]):
            known = " / ".join(labels[id])
            yield f"{id} is “{label}” here but “{known}” in the label file."


def main(paths: Sequence[str]) -> int:
    """Print all faults; return 0 if there are none, 1 if there are some, 2 for bad input."""
    try:
        with (ASSETS / "facts.csv").open(encoding="utf-8-sig", newline="") as lines:
            rows = read_facts(lines)
        faults = [*bank_faults(load_bank()), *fact_faults(rows)]
        for path in paths:
            with Path(path).open(encoding="utf-8", newline="\n") as lines:
                labels = read_labels(lines, {id for row in rows for id, _ in row.ends})
            faults += label_faults(rows, labels)
    except (SymdemoError, OSError, UnicodeDecodeError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
