"""The project's own data is sound, and the checks find each kind of fault."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from experiments import checks
from experiments.checks import HEADER, bank_faults, fact_faults, label_faults, read_facts
from symdemo.data.bank import REPLACED, BankRelation, RelationBank, load_kinds, shipped_bank
from symdemo.data.relations import LABEL_OF_PATTERN, RELATION_BY_ID
from symdemo.errors import InputError


def relation(name="near", pattern="symmetric", **fields):
    phrasings = tuple(f"[X] {name} number {n} [Y]." for n in "abcd")
    start = BankRelation(name, pattern, ("thing",), ("thing",), phrasings, group=name)
    return replace(start, **fields)


def bank(*relations, **fields):
    things = tuple(f"thing {n}" for n in range(40))
    start = RelationBank(relations or (relation(),), {"thing": things}, {"adverb": ("clearly",)})
    return replace(start, **fields)


def with_phrasing(phrasing):
    return bank(relation(phrasings=(*relation().phrasings, phrasing)))


OPPOSED = relation("far", "antisymmetric", group="near")


@pytest.mark.parametrize(
    ("faulty", "says"),
    [
        (bank(relation(), relation()), "2 relations have this id"),
        (
            bank(relation(), relation("far", "antisymmetric", phrasings=relation().phrasings)),
            "(antisymmetric) occurs in near (symmetric) already",
        ),
        (with_phrasing("[Y] near number a [X]."), "occurs in near (symmetric) already"),
        (with_phrasing("[X] is alone."), "must hold [X] once"),
        (with_phrasing("[X] is between [Y] and [Y]."), "and [Y] once"),
        (with_phrasing("[X] gave [Y] to [Z]."), "no other place"),
        (with_phrasing("[X] is near [Y]"), "does not end in one full stop"),
        (with_phrasing("in town, [X] is near [Y]."), "begins with a small letter"),
        (bank(relation(pattern="reflexive")), "unknown pattern “reflexive”"),
        (bank(relation(head=("star",))), "unknown type “star” for the head"),
        (bank(relation(tail=())), "no type for the tail"),
        (bank(relation(phrasings=relation().phrasings[:3])), "3 phrasings; at least 4"),
        (bank(relation(lookalike="farr")), "“farr” is no other relation"),
        (bank(relation(lookalike="near")), "“near” is no other relation"),
        (bank(relation(), OPPOSED), "contradictory patterns without a note"),
        (bank(relation(group="places")), "unknown group “places”"),
        (bank(entities={"thing": tuple("abc")}), "3 entities; at least 40"),
        (bank(entities={"thing": ("t 1", "T 1")}), "“t 1” occurs 2 times"),
        (bank(modifiers={"mood": ("gladly",)}), "unknown kind of modifier"),
    ],
)
def test_each_fault_of_a_bank_is_found(faulty, says):
    assert any(says in fault for fault in bank_faults(faulty)), bank_faults(faulty)


def test_the_shipped_bank_is_sound():
    assert bank_faults(bank()) == []
    assert bank_faults(bank(relation(note="why"), replace(OPPOSED, note="why not"))) == []
    patterns = Counter(relation.pattern for relation in shipped_bank().relations)
    assert patterns.keys() == LABEL_OF_PATTERN.keys()
    assert min(patterns.values()) >= 100
    assert bank_faults(shipped_bank()) == []


def test_the_shipped_kinds_are_sound():
    kinds, own_bank = load_kinds(), shipped_bank()
    relations = [relation for kind in kinds for relation in kind.relations()]
    assert len(relations) > 400
    assert list(checks.phrasing_faults(relations)) == []
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


def fact_rows(*extra):
    lines = [f"{r},,{r} head {n},,{r} tail {n}" for r in RELATION_BY_ID for n in range(25)]
    return read_facts([",".join(HEADER), *lines, *extra])


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        (["P9,,a,,b"], "unknown relation “P9”"),
        (["P40,Q07,a,,b"], "“Q07” is not an id"),
        (["P40,,a,,A"], "head and tail are the same"),
        (["P40,Q1,a,Q1,a"], "head and tail are the same"),
        (["P40,,,,b"], "an empty label"),
        (["P3373,,a,,b", "P3373,,b,,a"], "(P3373) again"),
        (["P40,,a,,b", "P3373,,b,,a"], "(P40) again"),
        (["P40,,a,,b", "P40,,b,,a"], "(P40) again"),
        (["P40,Q5,a,,b", "P40,Q5,c,,d"], "Q5 has 2 labels: a / c"),
    ],
)
def test_each_fault_of_facts_is_found_alone(extra, says):
    (fault,) = fact_faults(fact_rows(*extra))
    assert says in fault


@pytest.mark.parametrize(
    "lines", [["head,tail"], [",".join(HEADER), "P40,,a"], [",".join(HEADER), "P40,,a,,b,c"]]
)
def test_another_facts_file_is_refused(lines):
    with pytest.raises(InputError, match="facts file"):
        read_facts(lines)


def test_facts_are_compared_with_labels():
    rows = fact_rows()
    assert list(fact_faults(rows)) == []
    (fault,) = fact_faults([row for row in rows if row.head != "P25 head 3"])
    assert fault == "P25 has 24 facts, fewer than 25."
    rows = read_facts([",".join(HEADER), "P361,Q1,E\u0301tienne  X,Q2,Moon", "P361,Q3,x,,y"])
    labels = checks.read_labels(["Q1\tother\tétienne x\n", "Q2\tEarth\n"], ["Q1", "Q2"])
    (fault,) = label_faults(rows, labels)
    assert fault == "Q2 is “Moon” here but “Earth” in the label file."
    with pytest.raises(InputError, match="no id of the facts"):
        checks.read_labels(["Q1 A\n"], ["Q1"])


def test_the_facts_are_sound(shared_data, capsys):
    labels = shared_data / "wikidata" / "entity.txt"
    assert checks.main([str(labels)]) == 0
    assert capsys.readouterr().out == ""
    assert checks.main(["none.txt"]) == 2


def test_every_requirement_is_pinned_to_one_version():
    text = (Path(__file__).resolve().parents[2] / "requirements.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line[:1] not in ("#", "")]
    assert all("==" in line for line in lines)
