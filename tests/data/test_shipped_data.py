"""The relation bank, the kinds and the facts are sound."""

import csv
import re
import unicodedata
from collections import Counter, defaultdict

from experiments.splits import REPLACED
from symdemo.data.bank import load_kinds, shipped_bank
from symdemo.data.bank_phrasings import same_sentence
from symdemo.data.relations import LABEL_OF_PATTERN, RELATION_BY_ID
from symdemo.files.paths import ASSETS

MODIFIERS = ("date", "place", "adverb", "frame")


def relation_faults(bank):
    ids = Counter(relation.id for relation in bank.relations)
    groups, seen = defaultdict(list), {}
    for own in bank.relations:
        groups[own.group or own.id].append(own)
        if ids[own.id] > 1:
            yield f"{own.id}: used {ids[own.id]} times"
        if own.pattern not in LABEL_OF_PATTERN:
            yield f"{own.id}: unknown pattern {own.pattern}"
        if not own.head or not own.tail or {*own.head, *own.tail} - bank.entities.keys():
            yield f"{own.id}: unknown types or none: {own.head}, {own.tail}"
        if own.lookalike is not None and (own.lookalike == own.id or own.lookalike not in ids):
            yield f"{own.id}: lookalike {own.lookalike} is no other relation"
        if len(own.phrasings) < 4:
            yield f"{own.id}: {len(own.phrasings)} phrasings"
        for phrasing in own.phrasings:  # also with [X] and [Y] exchanged
            if first := seen.get(key := same_sentence(phrasing)):
                yield f"{own.id}: {phrasing} occurs in {first.id} already"
            seen.setdefault(key, own)
    for name, members in groups.items():
        if len({one.pattern for one in members}) > 1 and not all(one.note for one in members):
            yield f"group {name}: contradictory patterns without a note"
        if len(members) == 1 and members[0].id != name:
            yield f"{members[0].id}: alone in group {name}"


def phrasing_faults(relations):
    for own in relations:
        for phrasing in own.phrasings:
            if sorted(re.findall(r"\[[^\]]*\]", phrasing)) != ["[X]", "[Y]"]:
                yield f"{phrasing} must hold [X] once and [Y] once"
            if not phrasing.endswith(".") or phrasing.endswith(".."):
                yield f"{phrasing} does not end in one full stop"
            if phrasing != " ".join(phrasing.split()) or phrasing[:1].islower():
                yield f"{phrasing} has stray white space or a small first letter"


def bank_faults(bank):
    faults = [*relation_faults(bank), *phrasing_faults(bank.relations)]
    faults += [f"type {name}: {len(own)} entities" for name, own in bank.entities.items()
               if len(own) < 40]  # fmt: skip
    faults += [f"unknown modifier {name}" for name in bank.modifiers if name not in MODIFIERS]
    for own in (*bank.entities.values(), *bank.modifiers.values()):
        counts = Counter(one.strip().casefold() for one in own)
        faults += [f"{one} is there {n} times" for one, n in counts.items() if n > 1]
    return faults


def test_the_shipped_bank_is_sound():
    patterns = Counter(relation.pattern for relation in shipped_bank().relations)
    assert patterns.keys() == LABEL_OF_PATTERN.keys()
    assert min(patterns.values()) >= 100
    assert bank_faults(shipped_bank()) == []


def test_the_shipped_kinds_are_sound():
    kinds, own_bank = load_kinds(), shipped_bank()
    relations = [relation for kind in kinds for relation in kind.relations()]
    assert len(relations) > 400
    assert list(phrasing_faults(relations)) == []
    ids = [relation.id for relation in (*own_bank.relations, *relations)]
    assert len(ids) == len(set(ids))
    assert set(ids) >= REPLACED
    for kind in kinds:
        for name, pool in own_bank.entities.items():
            assert kind.bank.entities[name] == pool  # a kind's own types have their own names
        for own in kind.relations():
            assert own.pattern in LABEL_OF_PATTERN, own.id
            assert len(own.phrasings) >= 2, own.id
            assert all(len(kind.bank.entities[name]) >= 8 for name in (*own.head, *own.tail))


def test_the_facts_are_sound():
    with (ASSETS / "facts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    labels, pairs = defaultdict(set), Counter()
    for row in rows:
        ends = [(row["head_id"], row["head"]), (row["tail_id"], row["tail"])]
        for id, label in ends:
            assert label.strip(), row
            assert re.fullmatch(r"(Q[1-9][0-9]*)?", id), row
            labels[id].add(label)
        folded = (unicodedata.normalize("NFKC", label).casefold() for _, label in ends)
        keys = (id for id, _ in ends) if all(id for id, _ in ends) else folded
        pairs[frozenset(keys)] += 1
    assert all(len(pair) == 2 and n == 1 for pair, n in pairs.items())
    assert not {id: own for id, own in labels.items() if id and len(own) > 1}
    counts = Counter(row["relation"] for row in rows)
    assert counts.keys() == RELATION_BY_ID.keys()
    assert min(counts.values()) >= 25
