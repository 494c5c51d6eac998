"""The recipe of the model of pairs: labels, what is held out, and that it learns."""

import numpy as np
import pytest
from tiny import ENTITIES

from experiments.recipes.blocks import Blocks, Recipe, Stage, draw_pairs
from experiments.recipes.roles import fit_roles, second_sentences, swaps_to_remember
from experiments.splits import split_relations, without_links
from symdemo.data.bank import BankRelation, RelationBank, shipped_bank
from symdemo.data.inference import Inference, Meaning, load_inference
from symdemo.pairs import Pair

BANK = shipped_bank()
QUICK = Recipe(
    (
        Stage(80, 3e-3, 3e-2, 0.0, blocks=2),
        Stage(40, 3e-3, 3e-2, 0.0, kept=0.9, blocks=1, written=8),
    ),
    relations=3,
)  # fmt: skip


def test_held_out_relations_leave_nothing_linked_behind():
    tested = split_relations(BANK, 5, 0)[0]
    inference = load_inference()
    rest = {relation.id for relation in without_links(BANK.relations, tested, inference)}
    for relation in tested:
        assert not rest & (inference.neighbours(relation.id) | {relation.id})
    assert len(rest) > 0.7 * len(BANK.relations)


def test_written_pairs_are_of_other_relations_than_the_test_pairs():
    parts = {name: second_sentences(name) for name in ("taught", "held out", "test")}
    taught = set(parts["taught"].group)
    premises = set(parts["taught"].pair.map(lambda pair: pair.premise))
    for name in ("held out", "test"):
        assert len(parts[name]) > 1_000
        assert not taught & set(parts[name].group)
        assert not premises & set(parts[name].pair.map(lambda pair: pair.premise))
    tested = [relation for relation in BANK.relations if relation.id in set(parts["test"].group)]
    linked = without_links(BANK.relations, tested, load_inference())
    assert taught & {r.id for r in BANK.relations} <= {r.id for r in linked}


@pytest.fixture(scope="module")
def small():
    """A bank in the tiny encoder's own words, since it cuts all others into letters."""
    of = {"next to": "symmetric", "mother of": "antisymmetric", "with": "neither"}
    relations = tuple(
        BankRelation(
            words, pattern, ("person",), ("person",),
            (f"[X] is {words} [Y].", f"It is [X] and [X] is {words} [Y].".replace("[X] and ", "")),
            group=words,
        )
        for words, pattern in of.items()
    )  # fmt: skip
    bank = RelationBank(relations, {"person": tuple(ENTITIES.split())}, {})
    meanings = {relation.id: Meaning("==") for relation in relations}
    return Blocks(bank, relations, (), Inference(meanings), {}, QUICK)


@pytest.fixture(scope="module")
def taught(small, tiny_encoder):
    losses = []
    written = [pair for _, pair in draw_pairs(small, 12, 7)]
    remembered = swaps_to_remember(small) + written
    model = fit_roles(
        tiny_encoder, small, remembered, QUICK, lambda s: losses.append(s.loss), [written]
    )
    return model, losses


@pytest.mark.slow
def test_the_recipe_learns_and_what_it_learns_is_saved(taught, small, tmp_path):
    model, losses = taught
    assert np.mean(losses[-5:]) < 0.5 * np.mean(losses[:5])
    pairs = [pair for _, pair in draw_pairs(small, 60, 5)]
    right = [a == p.label for a, p in zip(model.predict(pairs).verdict_labels, pairs, strict=True)]
    assert np.mean(right) > 0.6
    model.save_pretrained(tmp_path / "model")
    again = type(model).from_pretrained(tmp_path / "model")
    assert again.predict(pairs).verdict_labels == model.predict(pairs).verdict_labels
    strange = [Pair("It is raining.", "Carl is a child."), Pair("Ann is in Kenya.", "Leo sings.")]
    assert not model.predict(strange).judged.any()
