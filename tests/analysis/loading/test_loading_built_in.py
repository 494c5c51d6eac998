"""Built-in sets, pasted lines, guessed constructions, and what of a set was taught."""

import csv
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from row_samples import refusal

from symdemo.analysis.loading import (
    built_in_sets,
    load_built_in,
    load_pasted,
    taught_part,
)
from symdemo.analysis.loading.constructions import guess_construction
from symdemo.data.bank import shipped_bank
from symdemo.data.bank_phrasings import KINDS_OF_PHRASING, phrasing_kind
from symdemo.data.pasted import MAX_PASTED
from symdemo.data.relations import RELATIONS
from symdemo.files.paths import ASSETS
from symdemo.pairs import LABELS, Pair, check_pair

IDS = [known.id for known in built_in_sets()]


@pytest.mark.parametrize("known", built_in_sets(), ids=lambda known: known.id)
def test_built_in_sets_are_whole(known):
    loaded = load_built_in(known.id)
    assert (loaded.name, loaded.built_in) == (known.name, known.id)
    assert known.n in (None, len(loaded))
    assert len(loaded) == len(loaded.constructions) > 150
    assert {pair.label for pair in loaded.pairs} <= set(LABELS)
    assert all(pair.relation for pair in loaded.pairs)
    assert all(check_pair(pair) == pair for pair in loaded.pairs[::25])
    assert loaded.key == load_built_in.__wrapped__(known.id).key
    if known.id != "kinds":
        assert set(loaded.constructions) <= set(KINDS_OF_PHRASING)


def test_built_in_sets_hold_what_they_say():
    assert len(set(IDS)) == len(IDS)
    facts, ids = load_built_in("facts"), load_built_in("facts-delexicalized")
    assert {pair.relation for pair in facts.pairs} == {relation.id for relation in RELATIONS}
    assert len(facts) == len(ids)
    assert all("Q" in pair.head and pair.head != own.head
               for pair, own in zip(ids.pairs, facts.pairs, strict=True))  # fmt: skip
    bank, phrasings = (
        load_built_in("bank"),
        [p for r in shipped_bank().relations for p in r.phrasings],
    )
    assert len(bank) == len(phrasings)
    at = next(n for n, phrasing in enumerate(phrasings) if phrasing.startswith("[X] and [Y]"))
    assert bank.constructions[at] == "joined"
    assert (
        f"{bank.pairs[at].head} and {bank.pairs[at].tail}".casefold()
        in bank.pairs[at].premise.casefold()
    )
    assert Counter(load_built_in("kinds").constructions)["arithmetic"] > 20
    with (ASSETS / "blind_sentences.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    blind = load_built_in("blind-sentences")
    assert [pair.premise for pair in blind.pairs] == [row["premise"] for row in rows]
    assert "there are: facts, facts-delexicalized, bank" in refusal(load_built_in, "none")


# Constructions


@pytest.mark.parametrize(
    ("premise", "hypothesis", "kind"),
    [
        ("Ann met Ben.", "Ben met Ann.", "plain"),
        ("Ann and Ben are cousins.", "Ben and Ann are cousins.", "joined"),
        ("The bill was paid by the man.", "The man was paid by the bill.", "passive"),
        ("Ann is Ben's boss.", "Ben is Ann's boss.", "possessive"),
        ("In 1999, Ann met Ben.", "In 1999, Ben met Ann.", "framed"),
        ("Ann met Ben.", "Rain fell on the old town.", None),
        ("Ann met Ben.", "Ann met Cy.", None),
    ],
)
def test_the_construction_is_told_by_what_changes_places(premise, hypothesis, kind):
    assert guess_construction(Pair(premise, hypothesis)) == kind


def test_the_construction_is_that_of_the_phrasing_with_and_without_the_ends():
    bank = shipped_bank()
    relations = bank.relations[7::97]
    kinds = [phrasing_kind(phrasing) for own in relations for phrasing in own.phrasings]
    pairs = bank.pairs(relations, seed=5)
    assert len(set(kinds)) == len(KINDS_OF_PHRASING)
    for own in (pairs, [replace(pair, head=None, tail=None) for pair in pairs]):
        right = np.mean([guess_construction(p) == k for p, k in zip(own, kinds, strict=True)])
        assert right >= 0.98


# Pasted lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann met Ben.\nCy met Di.", [("Ann met Ben.", "Ben met Ann.", None),
                                       ("Cy met Di.", "Di met Cy.", None)]),
        ("If it rains, Ann meets Ben.", [("If it rains, Ann meets Ben.",
                                          "If it rains, Ben meets Ann.", None)]),
        ("Ann met Ben.\tBen met Ann.", [("Ann met Ben.", "Ben met Ann.", None)]),
        ("Ann met Ben. | maybe", [("Ann met Ben.", "Ben met Ann.", "neutral")]),
        ("Ann met Ben.,Ben met Ann.,Odd", [("Ann met Ben.", "Ben met Ann.", "Odd")]),
        ("Ann,met,Ben,yes", [("Ann met Ben.", "Ben met Ann.", "entailment")]),
        ("label;premise\nno;Ann met Ben.", [("Ann met Ben.", "Ben met Ann.", "contradiction")]),
        ("\ufeffpremise,hypothesis\r\rAnn met Ben.,Ben met Ann.\r",
         [("Ann met Ben.", "Ben met Ann.", None)]),
    ],
)  # fmt: skip
def test_pasted_lines_are_read_as_they_are_meant(text, expected):
    loaded = load_pasted(text)
    assert [(p.premise, p.hypothesis, p.label) for p in loaded.pairs] == expected
    assert loaded.refused == ()


def test_pasted_lines_that_give_no_pair_are_set_aside():
    loaded = load_pasted("premise,hypothesis\nAnn met Ben.,Ben met Ann.\na,b,c\n,x y\n")
    assert len(loaded) == 1
    assert [row.number for row in loaded.refused] == [3, 4]
    assert (
        refusal(load_pasted, "")
        == "The pasted text has no row that can be used; a sentence in each is expected."
    )
    assert "pasted text is NoneType" in refusal(load_pasted, None)
    assert "at most 2,000,000 are read" in refusal(load_pasted, "x" * (MAX_PASTED + 1))


# What was taught


def test_what_was_taught_of_each_pair():
    taught = [
        Pair("Ann met Ben.", "Ben met Ann.", "entailment", "meets"),
        Pair("Cy bore Di", "Di bore Cy", "contradiction"),
    ]
    asked = [
        Pair("Ann met Ben.", "Ben met Ann.", None, "other"),
        Pair("Ben  met ann", "Ann met Ben"),
        Pair("Di bore Cy.", "Cy bore Di.", None, "bears"),
        Pair("Eve met Flo.", "Flo met Eve.", None, "Meets"),
        Pair("Eve saw Flo.", "Flo saw Eve.", None, "sees"),
        Pair("Eve met Flo.", "Flo met Eve."),
        Pair("Ann met Ben.", "Ben saw Ann."),
    ]
    found = taught_part(asked, taught)
    assert found.dtype.kind == "U"
    assert found.tolist() == ["pair", "pair", "pair", "relation", "none", "unknown", "unknown"]
    assert taught_part([], taught).shape == (0,)
