"""The kinds: sound, apart from the bank and from what is measured, and each partly held out."""

import csv
from collections import defaultdict

import pytest

from symdemo.data.bank import shipped_bank
from symdemo.data.bank_check import phrasing_faults, same_sentence
from symdemo.data.bank_kinds import REPLACED, TAUGHT, load_kinds, never_taught, part_of
from symdemo.data.relations import LABEL_OF_PATTERN
from symdemo.errors import InputError
from symdemo.files.paths import ASSETS

BANK = shipped_bank()
KINDS = load_kinds(bank=BANK)
NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
)
FEWEST_ENTITIES = 8


def test_the_shipped_kinds_are_sound():
    relations = [relation for kind in KINDS for relation in kind.relations()]
    assert len(relations) > 400
    assert phrasing_faults(relations) == []
    assert {relation.id for relation in BANK.relations} >= REPLACED
    for kind in KINDS:
        for relation in kind.relations():
            assert relation.pattern in LABEL_OF_PATTERN, relation.id
            assert len(relation.phrasings) >= 2, relation.id
            for name in (*relation.head, *relation.tail):
                assert len(kind.bank.entities[name]) >= FEWEST_ENTITIES, name


def test_every_kind_has_a_part_that_is_never_taught():
    for kind in KINDS:
        held, taught = kind.relations("held out"), kind.relations(*TAUGHT)
        assert len(held) >= 3, kind.name
        assert sorted(r.id for r in held + taught) == sorted(r.id for r in kind.relations())
        assert not {r.group for r in held} & {r.group for r in taught}
        assert len({relation.pattern for relation in kind.relations(*TAUGHT)}) == 3, kind.name


def test_what_is_measured_is_taught_nowhere():
    taught = [*BANK.relations, *(r for kind in KINDS for r in kind.relations(*TAUGHT))]
    known = {same_sentence(p) for r in taught for p in r.phrasings}
    measured = never_taught(KINDS, BANK)
    for kind in KINDS:
        own = [p for r in measured[kind.name] for p in r.phrasings]
        assert len(own) >= 4, kind.name
        assert not {same_sentence(p) for p in own} & known
        assert {r.id for r in measured[kind.name]} <= {r.id for r in kind.relations("held out")}


def test_the_part_is_by_group_and_for_ever():
    parts = defaultdict(set)
    for kind in KINDS:
        for relation in kind.relations():
            parts[relation.group].add(part_of(relation))
    assert all(len(part) == 1 for part in parts.values())
    known = {r.id: part_of(r) for kind in KINDS for r in kind.relations()}
    assert known["brother-of-a-woman"] == "development"
    assert known["boyfriend-of"] == "held out"
    assert known["ex-wife-of"] == "taught"


def test_arithmetic_is_true():
    (kind,) = (kind for kind in KINDS if kind.name == "arithmetic")
    for name, pool in kind.bank.entities.items():
        if name.startswith("makes_"):
            for text in pool:
                assert value(text) == pytest.approx(float(name.removeprefix("makes_"))), text


def value(text: str) -> float:
    """What a sum in words comes to."""
    words = {word: str(number) for number, word in enumerate(NUMBERS)}
    text = " ".join(words.get(word, word) for word in text.split())
    for start, sign in (("the sum of ", "+"), ("the product of ", "*")):
        if text.startswith(start):
            text = text.removeprefix(start).replace(" and ", f" {sign} ")
    for start, made in (("half of ", 2), ("a third of ", 3), ("a quarter of ", 4)):
        if text.startswith(start):
            text = f"{text.removeprefix(start)} / {made}"
    if text.startswith("the square root of "):
        text = f"{text.removeprefix('the square root of ')} ** 0.5"
    for word, sign in (
        ("divided by", "/"),
        ("plus", "+"),
        ("minus", "-"),
        ("less", "-"),
        ("times", "*"),
        (" x ", " * "),
    ):
        text = text.replace(word, sign)
    assert not set(text) - set("0123456789.+-*/ "), text
    return eval(text)  # digits and signs alone


@pytest.mark.parametrize("name", ["free_sentences.csv", "blind_sentences.csv"])
def test_no_sentence_held_out_for_measuring_is_among_the_kinds(name):
    with (ASSETS / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    premises = {row["premise"] for row in rows}
    known = {same_sentence(p) for kind in KINDS for r in kind.relations() for p in r.phrasings}
    assert len(premises) > 150
    assert [row["pattern"] for row in rows if same_sentence(row["pattern"]) in known] == []
    shown = {p.premise for kind in KINDS for seed in range(3) for p in kind.bank.pairs(seed=seed)}
    assert not shown & premises


def test_types_and_relations_that_are_there_already_are_refused(tmp_path):
    block = '[[relation]]\nid = "{}"\npattern = "symmetric"\nhead = ["city"]\ntail = ["city"]\n'
    block += 'phrasings = ["[X] is near [Y]."]\n'
    (tmp_path / "own.toml").write_text('[types]\ncity = ["Rome"]\n' + block.format("near-it"))
    with pytest.raises(InputError, match=r"own\.toml: the type city is there already"):
        load_kinds(tmp_path, BANK)
    (tmp_path / "own.toml").write_text(block.format(BANK.relations[0].id))
    with pytest.raises(InputError, match=f"the relation {BANK.relations[0].id} is there already"):
        load_kinds(tmp_path, BANK)
    with pytest.raises(InputError, match="holds no kinds"):
        load_kinds(tmp_path / "none", BANK)
