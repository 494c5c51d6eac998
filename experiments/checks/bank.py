"""Find faults of the relation bank: ``python -m experiments.checks.bank``."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from symdemo.data.bank import BANK, BankRelation, RelationBank, load_bank
from symdemo.data.bank_phrasings import same_sentence
from symdemo.data.relations import LABEL_OF_PATTERN
from symdemo.errors import InputError

MINIMUM_PHRASINGS = 4
MINIMUM_ENTITIES = 40
MODIFIERS = ("date", "place", "adverb", "frame")


def find_faults(bank: RelationBank) -> list[str]:
    """Return one sentence for each fault of the bank."""
    return [
        *relation_faults(bank),
        *phrasing_faults(bank.relations),
        *repeated_phrasings(bank.relations),
        *group_faults(bank.relations),
        *entity_faults(bank),
    ]


def relation_faults(bank: RelationBank) -> list[str]:
    """Find faulty ids, patterns, types and lookalikes, and relations with too few phrasings."""
    ids = Counter(relation.id for relation in bank.relations)
    faults = [f"{name}: {n} relations have this id." for name, n in ids.items() if n > 1]
    for relation in bank.relations:
        if relation.pattern not in LABEL_OF_PATTERN:
            faults.append(
                f"{relation.id}: unknown pattern “{relation.pattern}”; "
                f"expected: {', '.join(LABEL_OF_PATTERN)}."
            )
        for side, kinds in (("head", relation.head), ("tail", relation.tail)):
            if not kinds:
                faults.append(f"{relation.id}: no type for the {side}.")
            unknown = [kind for kind in kinds if kind not in bank.entities]
            faults += [f"{relation.id}: unknown type “{kind}” for the {side}." for kind in unknown]
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
    """Find phrasings with wrong places, full stop or white space."""
    faults = []
    for relation in relations:
        for phrasing in relation.phrasings:
            where = f"{relation.id}: “{phrasing}”"
            if sorted(re.findall(r"\[[^\]]*\]", phrasing)) != ["[X]", "[Y]"]:
                faults.append(f"{where} must hold [X] once and [Y] once, and no other place.")
            if not phrasing.endswith(".") or phrasing.endswith(".."):
                faults.append(f"{where} does not end in a full stop.")
            if phrasing != " ".join(phrasing.split()) or phrasing[:1].islower():
                faults.append(f"{where} has stray white space or begins with a small letter.")
    return faults


def repeated_phrasings(relations: Iterable[BankRelation]) -> list[str]:
    """Find phrasings that occur twice, also with [X] and [Y] exchanged."""
    seen: dict[str, BankRelation] = {}
    faults = []
    for relation in relations:
        for phrasing in relation.phrasings:
            first = seen.setdefault(key := same_sentence(phrasing), relation)
            if first is not relation:
                is_same = first.pattern == relation.pattern
                what = "occurs" if is_same else f"is {relation.pattern} here and {first.pattern}"
                faults.append(f"{relation.id}: “{phrasing}” {what} in {first.id}, too.")
            elif [same_sentence(other) for other in relation.phrasings].count(key) > 1:
                faults.append(f"{relation.id}: “{phrasing}” occurs there twice.")
    return faults


def group_faults(relations: Iterable[BankRelation]) -> list[str]:
    """Find groups of two patterns without a note, and groups of one relation."""
    groups: dict[str, list[BankRelation]] = defaultdict(list)
    for relation in relations:
        groups[relation.group or relation.id].append(relation)
    faults = []
    for name, members in groups.items():
        patterns = {relation.pattern for relation in members}
        if len(patterns) > 1 and not all(relation.note for relation in members):
            listed = ", ".join(f"{relation.id} ({relation.pattern})" for relation in members)
            faults.append(f"group {name}: contradictory patterns without a note: {listed}.")
        if len(members) == 1 and members[0].id != name:
            faults.append(f"{members[0].id}: unknown group “{name}”; no other relation is in it.")
    return faults


def entity_faults(bank: RelationBank) -> list[str]:
    """Find types with too few entities, repeated entities, and unknown kinds of modifier."""
    faults = [
        f"type {kind}: {len(names)} entities; at least {MINIMUM_ENTITIES} are expected."
        for kind, names in bank.entities.items()
        if len(names) < MINIMUM_ENTITIES
    ]
    faults += [
        f"unknown kind of modifier “{kind}”; expected: {', '.join(MODIFIERS)}."
        for kind in bank.modifiers
        if kind not in MODIFIERS
    ]
    for kind, names in (*bank.entities.items(), *bank.modifiers.items()):
        counts = Counter(name.strip().casefold() for name in names)
        faults += [f"{kind}: “{name}” occurs {n} times." for name, n in counts.items() if n > 1]
    return faults


def main(argv: Sequence[str] | None = None) -> int:
    """Print counts and faults; return 0 without faults, 1 with some, 2 for unusable input."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=BANK, help="the bank's folder")
    try:
        bank = load_bank(parser.parse_args(argv).folder)
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    faults = find_faults(bank)
    patterns = Counter(relation.pattern for relation in bank.relations)
    counts = ", ".join(f"{n} {name}" for name, n in patterns.items())
    phrasings = sum(len(relation.phrasings) for relation in bank.relations)
    sys.stdout.write(f"{len(bank.relations)} relations ({counts}), {phrasings} phrasings\n")
    sys.stdout.write("\n".join([f"Faults: {len(faults) or 'none'}", *faults, ""]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
