"""The recipe of the general model: what it shows and remembers, and that it learns it."""

from dataclasses import replace

import numpy as np
from tiny import ENTITIES

from experiments.recipes import general as recipe
from experiments.recipes.general import fit_general, remembered_kinds, shown_kinds
from experiments.splits import REPLACED, TAUGHT, split_relations, without_relatives
from symdemo.data.bank import BankRelation, Kind, RelationBank, load_kinds, shipped_bank
from symdemo.data.bank_phrasings import same_sentence

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


BANK_OF_FOUR = small_bank(
    next_to="symmetric", sibling_of="symmetric", mother_of="antisymmetric", **{"with": "neither"}
)
KIND = small_bank(part_of="antisymmetric", different_from="symmetric")


def test_bank_kinds_and_extra_pairs_are_learnt(tiny_encoder):
    config = replace(recipe.CONFIG, **QUICK)
    extra = [
        *BANK_OF_FOUR.pairs(per_phrasing=30, seed=1),
        *KIND.pairs(per_phrasing=30, seed=2),
    ]
    replaced = replace(BANK_OF_FOUR.relations[0], id=next(iter(REPLACED)))
    relations = [*BANK_OF_FOUR.relations, replaced]
    kinds = [Kind("small", KIND)]
    model, again = (
        fit_general(tiny_encoder, BANK_OF_FOUR, relations, kinds, config=config, extra=extra)
        for _ in range(2)
    )
    assert np.array_equal(model.index.embeddings, again.index.embeddings)
    names = {relation.id for relation in (*BANK_OF_FOUR.relations, *KIND.relations)}
    assert {pair.relation for pair in model.index.pairs} == names
    asked = [pair for bank in (BANK_OF_FOUR, KIND) for pair in bank.pairs(per_phrasing=4, seed=99)]
    verdicts = model.with_card(temperature=0.05).predict(asked).verdict_labels
    right = [verdict == pair.label for verdict, pair in zip(verdicts, asked, strict=True)]
    assert np.mean(right) >= 0.8
