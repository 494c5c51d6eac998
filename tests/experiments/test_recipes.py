"""The recipe of the general model: what each stage shows and remembers, and that it learns it."""

from dataclasses import replace

import numpy as np
import pytest
from tiny import ENTITIES

from experiments.recipes import general as recipe
from experiments.recipes.general import (
    SECOND_STAGE,
    fit_general,
    fit_kinds,
    remembered_kinds,
    shown_kinds,
)
from experiments.splits import REPLACED, TAUGHT, split_relations, without_relatives
from symdemo.classifier import SymmetryClassifier
from symdemo.data.bank import BankRelation, Kind, RelationBank, load_kinds, shipped_bank
from symdemo.data.bank_phrasings import same_sentence
from symdemo.errors import InputError
from symdemo.pairs import Pair

BANK = shipped_bank()
KINDS = load_kinds(bank=BANK)
QUICK = {
    "learning_rate": 1e-2, "batch_size": 8, "retention": 0.0, "dropout": False,
    "precision": "fp32", "batching": "random",
}  # fmt: skip


# Kinds


def test_held_out_kinds_are_never_shown():
    held = {relation.id for kind in KINDS for relation in kind.relations("held out")}
    shown, kept = shown_kinds(KINDS, seed=0, rounds=2), remembered_kinds(KINDS)
    taught = [relation for kind in KINDS for relation in kind.relations(*TAUGHT)]
    assert len(shown) == 2 * sum(len(relation.phrasings) for relation in taught)
    assert len(kept) == 2 * len(taught)
    assert not held & {pair.relation for pair in [*shown, *kept]}


def test_no_kind_shares_a_group_or_a_phrasing_with_a_tested_fold():
    for tested in split_relations(BANK, 5, 0):
        rest = without_relatives(KINDS, tested)
        groups = {relation.group or relation.id for relation in tested}
        phrasings = {same_sentence(text) for relation in tested for text in relation.phrasings}
        kept = [relation for kind in rest for relation in kind.bank.relations]
        assert not groups & {relation.group or relation.id for relation in kept}
        assert not phrasings & {same_sentence(text) for r in kept for text in r.phrasings}
        gone = {r.id for kind in KINDS for r in kind.bank.relations} - {r.id for r in kept}
        assert 0 < len(gone) < 0.2 * len(kept)
    assert without_relatives(KINDS, []) == KINDS


# Training


def small_bank(**patterns: str) -> RelationBank:
    """A bank in the tiny encoder's own words, since it cuts all others into letters."""
    phrases = {name.replace("_", " "): pattern for name, pattern in patterns.items()}
    relations = tuple(
        BankRelation(
            phrase, pattern, ("person",), ("person",), (f"[X] is {phrase} [Y].",),
            group="different from",  # which is not held out
        )
        for phrase, pattern in phrases.items()
    )  # fmt: skip
    return RelationBank(relations, {"person": tuple(ENTITIES.split())}, {})


FIRST = small_bank(
    next_to="symmetric", sibling_of="symmetric", mother_of="antisymmetric", **{"with": "neither"}
)
SECOND = small_bank(part_of="antisymmetric", different_from="symmetric")


def right(model, pairs):
    return [p.label == pair.label for p, pair in zip(model.predict(pairs), pairs, strict=True)]


@pytest.fixture(scope="module")
def first(tiny_encoder):
    config = replace(recipe.CONFIG, **QUICK)
    return fit_general(tiny_encoder, FIRST, config=config, method="knn", rounds=30)


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(recipe, "CONFIG_OF_KINDS", replace(recipe.CONFIG_OF_KINDS, **QUICK))


def test_both_stages_learn_and_the_second_keeps(first, quick):
    assert len(first.index) == len(FIRST.relations)
    warm = SymmetryClassifier(first.encoder, first.index, first.card.with_(temperature=0.05))
    assert sum(right(warm, FIRST.pairs(seed=99, per_phrasing=5))) >= 16
    shown = [*FIRST.pairs(per_phrasing=20, seed=1), *SECOND.pairs(per_phrasing=20, seed=2)]
    replaced = Pair("Ann is next to Ben.", "Ben is next to Ann.", "neutral", next(iter(REPLACED)))
    start = first.teach([replaced])
    kinds = [Kind("small", SECOND)]
    model, again = (fit_kinds(start, FIRST, kinds, extra=shown) for _ in range(2))
    assert np.array_equal(model.index.embeddings, again.index.embeddings)
    assert replaced not in model.index.pairs
    assert len(model.index) == len(first.index) + 2
    asked = [pair for bank in (FIRST, SECOND) for pair in bank.pairs(per_phrasing=4, seed=9)]
    assert sum(right(model.with_card(k=1), asked)) >= 0.8 * len(asked)
    assert model.card.training["steps"] > first.card.training["steps"]
    assert model.card.training[SECOND_STAGE]["learning_rate"] == QUICK["learning_rate"]
    with pytest.raises(InputError, match="knows the kinds already"):
        fit_kinds(model, FIRST, kinds)
