"""Faults of the relation bank, and what is in it: ``python -m symdemo.data.bank_check``."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from symdemo.data.bank import BANK, BankRelation, RelationBank, load_bank
from symdemo.data.relations import LABEL_OF_PATTERN
from symdemo.errors import InputError

MINIMUM_PHRASINGS = 4
MINIMUM_ENTITIES = 40
MODIFIERS = ("date", "place", "adverb", "frame")
_ANY_PLACE = re.compile(r"\[[^\]]*\]")


@dataclass(frozen=True)
class BankReport:
    """What a check found: counts by name, and one sentence for each fault."""

    by_pattern: tuple[tuple[str, int], ...]
    groups: int
    phrasings: int
    by_kind: tuple[tuple[str, int], ...]
    by_type: tuple[tuple[str, int], ...]
    by_modifier: tuple[tuple[str, int], ...]
    faults: tuple[str, ...]

    @property
    def relations(self) -> int:
        """How many relations there are."""
        return sum(count for _, count in self.by_pattern)

    @property
    def ok(self) -> bool:
        """Whether there is no fault."""
        return not self.faults


def check(bank: RelationBank) -> BankReport:
    """Count what the bank holds and find its faults."""
    phrasings = [phrasing for relation in bank.relations for phrasing in relation.phrasings]
    return BankReport(
        by_pattern=_counts(relation.pattern for relation in bank.relations),
        groups=len({relation.group or relation.id for relation in bank.relations}),
        phrasings=len(phrasings),
        by_kind=_counts(map(kind_of, phrasings)),
        by_type=tuple((kind, len(names)) for kind, names in bank.entities.items()),
        by_modifier=tuple((kind, len(names)) for kind, names in bank.modifiers.items()),
        faults=(
            *relation_faults(bank),
            *phrasing_faults(bank.relations),
            *repeated_phrasings(bank.relations),
            *group_faults(bank.relations),
            *entity_faults(bank),
        ),
    )


def kind_of(phrasing: str) -> str:
    """What a phrasing begins with."""
    if re.match(r"\[X\] and \[Y\]|\[Y\] and \[X\]", phrasing):
        return "begins with both places"
    if phrasing.startswith("[X]"):
        return "begins with [X]"
    return "begins with [Y]" if phrasing.startswith("[Y]") else "begins with other words"


def same_sentence(phrasing: str) -> str:
    """What two phrasings share that say the same, whichever of their places is called [X]."""
    plain = " ".join(re.sub(r"[^\w\[\]]+", " ", phrasing.casefold()).split())
    exchanged = plain.replace("[x]", "[]").replace("[y]", "[x]").replace("[]", "[y]")
    return min(plain, exchanged)


def relation_faults(bank: RelationBank) -> list[str]:
    """Faults of the fields: ids, patterns, types, lookalikes, number of phrasings."""
    faults = []
    ids = Counter(relation.id for relation in bank.relations)
    faults += [
        f"{name}: {count} relations have this id." for name, count in ids.items() if count > 1
    ]
    for relation in bank.relations:
        if relation.pattern not in LABEL_OF_PATTERN:
            faults.append(
                f"{relation.id}: unknown pattern “{relation.pattern}”; "
                f"expected: {', '.join(LABEL_OF_PATTERN)}."
            )
        for side, kinds in (("head", relation.head), ("tail", relation.tail)):
            if not kinds:
                faults.append(f"{relation.id}: no type for the {side}.")
            faults += [
                f"{relation.id}: unknown type “{kind}” for the {side}."
                for kind in kinds
                if kind not in bank.entities
            ]
        if relation.lookalike is not None and relation.lookalike not in ids:
            faults.append(f"{relation.id}: unknown lookalike “{relation.lookalike}”.")
        if relation.lookalike == relation.id:
            faults.append(f"{relation.id}: is its own lookalike.")
        if len(relation.phrasings) < MINIMUM_PHRASINGS:
            faults.append(
                f"{relation.id}: {len(relation.phrasings)} phrasings; "
                f"at least {MINIMUM_PHRASINGS} are expected."
            )
    return faults


def phrasing_faults(relations: Iterable[BankRelation]) -> list[str]:
    """Faults of single phrasings: their places, their full stop, their white space."""
    faults = []
    for relation in relations:
        for phrasing in relation.phrasings:
            where = f"{relation.id}: “{phrasing}”"
            if sorted(_ANY_PLACE.findall(phrasing)) != ["[X]", "[Y]"]:
                faults.append(f"{where} must hold [X] once and [Y] once, and no other place.")
            if not phrasing.endswith(".") or phrasing.endswith(".."):
                faults.append(f"{where} does not end in a full stop.")
            if phrasing != " ".join(phrasing.split()) or phrasing[:1].islower():
                faults.append(f"{where} has stray white space or begins with a small letter.")
    return faults


def repeated_phrasings(relations: Iterable[BankRelation]) -> list[str]:
    """Phrasings that stand twice, also with [X] and [Y] exchanged; worst with two patterns."""
    seen: dict[str, BankRelation] = {}
    faults = []
    for relation in relations:
        for phrasing in relation.phrasings:
            first = seen.setdefault(key := same_sentence(phrasing), relation)
            if first is not relation:
                what = (
                    "stands in"
                    if first.pattern == relation.pattern
                    else f"is {relation.pattern} here and {first.pattern} in"
                )
                faults.append(f"{relation.id}: “{phrasing}” {what} {first.id}, too.")
            elif [same_sentence(other) for other in relation.phrasings].count(key) > 1:
                faults.append(f"{relation.id}: “{phrasing}” stands there twice.")
    return faults


def group_faults(relations: Iterable[BankRelation]) -> list[str]:
    """Groups of two patterns without a note that says why, and groups that nothing else is in."""
    groups: dict[str, list[BankRelation]] = defaultdict(list)
    for relation in relations:
        groups[relation.group or relation.id].append(relation)
    faults = []
    for name, members in groups.items():
        patterns = Counter(relation.pattern for relation in members)
        if len(patterns) > 1 and not all(relation.note for relation in members):
            listed = ", ".join(f"{relation.id} ({relation.pattern})" for relation in members)
            faults.append(f"group {name}: contradictory patterns without a note: {listed}.")
        if len(members) == 1 and members[0].id != name:
            faults.append(f"{members[0].id}: unknown group “{name}”; no other relation is in it.")
    return faults


def entity_faults(bank: RelationBank) -> list[str]:
    """Types with too few entities, entities that stand twice, kinds of modifier nobody knows."""
    faults = []
    for kind, names in bank.entities.items():
        if len(names) < MINIMUM_ENTITIES:
            faults.append(
                f"type {kind}: {len(names)} entities; at least {MINIMUM_ENTITIES} are expected."
            )
        faults += _doubles(f"type {kind}", names)
    for kind, names in bank.modifiers.items():
        if kind not in MODIFIERS:
            faults.append(f"unknown kind of modifier “{kind}”; expected: {', '.join(MODIFIERS)}.")
        faults += _doubles(f"modifier {kind}", names)
    return faults


def render(report: BankReport) -> str:
    """The report as text, the counts before the faults."""
    lines = [
        f"{report.relations} relations in {report.groups} groups, {report.phrasings} phrasings"
    ]
    for title, counts in (
        ("Patterns", report.by_pattern),
        ("Phrasings", report.by_kind),
        ("Types", report.by_type),
        ("Modifiers", report.by_modifier),
    ):
        lines += [f"{title}:", *(f"  {count:5} {name}" for name, count in counts)]
    lines += [f"Faults: {len(report.faults) or 'none'}", *(f"  {text}" for text in report.faults)]
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; 0 all well, 1 faults, 2 unusable input."""
    parser = argparse.ArgumentParser(prog="python -m symdemo.data.bank_check", description=__doc__)
    parser.add_argument("--folder", type=Path, default=BANK, help="the bank's folder")
    arguments = parser.parse_args(argv)
    try:
        report = check(load_bank(arguments.folder))
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(render(report))
    return 0 if report.ok else 1


def _counts(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(names).most_common())


def _doubles(where: str, names: Iterable[str]) -> list[str]:
    counts = Counter(name.strip().casefold() for name in names)
    return [
        f"{where}: “{name}” stands {count} times."
        for name, count in counts.items()
        if count > 1 or not name
    ]


if __name__ == "__main__":
    sys.exit(main())
