"""What is wrong with collected facts in themselves, whatever a label file says of them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from symdemo.data import relations

HEADER = ("relation", "head_id", "head", "tail_id", "tail")
SYMMETRIC = frozenset(r.id for r in relations.RELATIONS if r.pattern == "symmetric")
ANTISYMMETRIC = frozenset(relations.RELATION_BY_ID) - SYMMETRIC
RELATIONS = frozenset(relations.RELATION_BY_ID)
MINIMUM = 25
ID = re.compile(r"Q[1-9][0-9]*")


@dataclass(frozen=True)
class Row:
    """One line of the facts file: its line number and its fields as they stand."""

    line: int
    fields: tuple[str, ...]


def normalise(label: str) -> str:
    """Return a label as it is compared: composed unicode, single spaces, no case."""
    folded = unicodedata.normalize("NFKC", label).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def structural_faults(rows: Sequence[Row], minimum: int = MINIMUM) -> tuple[str, ...]:
    """Return what is wrong with the rows in themselves, one sentence for each fault."""
    complete = complete_rows(rows)
    return (
        *_field_faults(rows),
        *_pair_faults(complete),
        *_id_faults(complete),
        *_count_faults(complete, minimum),
    )


def complete_rows(rows: Sequence[Row]) -> list[Row]:
    """The rows with as many fields as there should be."""
    return [row for row in rows if len(row.fields) == len(HEADER)]


def entities_of(complete: Iterable[Row]) -> list[tuple[str, str]]:
    """Id and label of every head and tail, in the order of the rows."""
    return [
        entity
        for row in complete
        for entity in ((row.fields[1], row.fields[2]), (row.fields[3], row.fields[4]))
    ]


def _key(identifier: str, label: str) -> str:
    return identifier or normalise(label)


def _same(row: Row) -> bool:
    _, head_id, head, tail_id, tail = row.fields
    if head_id and tail_id:
        return head_id == tail_id
    return normalise(head) == normalise(tail)


def _field_faults(rows: Iterable[Row]) -> list[str]:
    faults = []
    for row in rows:
        if len(row.fields) != len(HEADER):
            faults.append(f"Line {row.line}: {len(row.fields)} fields instead of {len(HEADER)}.")
            continue
        relation, head_id, head, tail_id, tail = row.fields
        if relation not in RELATIONS:
            faults.append(f"Line {row.line}: unknown relation '{relation}'.")
        faults.extend(
            f"Line {row.line}: '{identifier}' is not an id (Q and a number)."
            for identifier in (head_id, tail_id)
            if identifier and not ID.fullmatch(identifier)
        )
        if not normalise(head) or not normalise(tail):
            faults.append(f"Line {row.line}: an empty label.")
        elif _same(row):
            faults.append(f"Line {row.line}: head and tail are the same ('{head}').")
    return faults


def _pair_faults(complete: Iterable[Row]) -> list[str]:
    faults = []
    seen: dict[frozenset[str], list[tuple[Row, tuple[str, str]]]] = {}
    for row in complete:
        if _same(row):
            continue
        relation, head_id, head, tail_id, tail = row.fields
        pair = (_key(head_id, head), _key(tail_id, tail))
        earlier = seen.setdefault(frozenset(pair), [])
        for first, ordered in earlier:
            other = first.fields[0]
            where = f"Line {row.line}: '{head}' and '{tail}'"
            if relation != other:
                if (relation in SYMMETRIC) != (other in SYMMETRIC):
                    where += f" stand under {other} (line {first.line}), of the other pattern, too."
                else:
                    where += f" stand under {other} (line {first.line}) too."
            elif relation in ANTISYMMETRIC and ordered == pair[::-1]:
                where += f" swap the antisymmetric fact of line {first.line}."
            else:
                where += f" repeat the pair of line {first.line}."
            faults.append(where)
        earlier.append((row, pair))
    return faults


def _id_faults(complete: Iterable[Row]) -> list[str]:
    labels: dict[str, set[str]] = {}
    for identifier, label in entities_of(complete):
        if identifier:
            labels.setdefault(identifier, set()).add(label)
    return [
        f"{identifier} has {len(names)} labels: {' / '.join(sorted(names))}."
        for identifier, names in sorted(labels.items())
        if len(names) > 1
    ]


def _count_faults(complete: Iterable[Row], minimum: int) -> list[str]:
    counts = Counter(row.fields[0] for row in complete)
    return [
        f"{relation} has {counts[relation]} facts, fewer than {minimum}."
        for relation in sorted(RELATIONS, key=lambda name: (len(name), name))
        if counts[relation] < minimum
    ]
