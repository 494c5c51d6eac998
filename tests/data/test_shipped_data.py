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


def repeated(values):
    return [value for value, n in Counter(values).items() if n > 1]


def check_phrasings(relations):
    for own in relations:
        assert own.pattern in LABEL_OF_PATTERN, own.id
        for phrasing in own.phrasings:
            assert sorted(re.findall(r"\[[^\]]*\]", phrasing)) == ["[X]", "[Y]"], phrasing
            assert re.search(r"[^.]\.$", phrasing), phrasing
            assert phrasing == " ".join(phrasing.split()), phrasing
            assert not phrasing[:1].islower(), phrasing


def test_the_shipped_bank_is_sound():
    bank = shipped_bank()
    patterns, groups = Counter(one.pattern for one in bank.relations), defaultdict(list)
    assert patterns.keys() == LABEL_OF_PATTERN.keys()
    assert min(patterns.values()) >= 100
    check_phrasings(bank.relations)
    ids = [own.id for own in bank.relations]
    assert not repeated(ids)
    # also with [X] and [Y] exchanged
    assert not repeated(same_sentence(text) for own in bank.relations for text in own.phrasings)
    for own in bank.relations:
        groups[own.group or own.id].append(own)
        assert own.head, own.id
        assert own.tail, own.id
        assert {*own.head, *own.tail} <= bank.entities.keys(), own.id
        assert own.lookalike is None or own.lookalike in {*ids} - {own.id}, own.id
        assert len(own.phrasings) >= 4, own.id
    for name, members in groups.items():  # patterns that contradict each other need a note
        assert len({one.pattern for one in members}) == 1 or all(one.note for one in members), name
        assert len(members) > 1 or members[0].id == name, name
    assert bank.modifiers.keys() <= {"date", "place", "adverb", "frame"}
    for name, own in (*bank.entities.items(), *bank.modifiers.items()):
        assert not repeated(one.strip().casefold() for one in own), name
        assert len(own) >= 40 or name in bank.modifiers, name


def test_the_shipped_kinds_are_sound():
    kinds, own_bank = load_kinds(), shipped_bank()
    relations = [relation for kind in kinds for relation in kind.relations()]
    assert len(relations) > 400
    check_phrasings(relations)
    ids = [relation.id for relation in (*own_bank.relations, *relations)]
    assert not repeated(ids)
    assert set(ids) >= REPLACED
    for kind in kinds:
        for name, pool in own_bank.entities.items():
            assert kind.bank.entities[name] == pool  # a kind's own types have their own names
        for own in kind.relations():
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
