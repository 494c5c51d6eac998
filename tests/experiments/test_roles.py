"""The recipe of the model of pairs: its blocks, the pairs made of them, and that it learns them."""

import random
from dataclasses import replace

import numpy as np
import pytest
import torch
from tiny import ENTITIES

from experiments.recipes.roles import (
    Blocks,
    Recipe,
    Stage,
    draw_pairs,
    fit_roles,
    loss_of,
    pairs_of,
    pairs_to_remember,
    spelt_out,
)
from experiments.recipes.variants import Variant, load_variants, variants_of
from experiments.second_sentences import best_scale, with_scale
from experiments.splits import all_kinds, split_relations, taught_kinds, without_links
from symdemo.data.bank import BankRelation, RelationBank, shipped_bank
from symdemo.data.inference import Inference, Meaning, load_inference
from symdemo.pairs import LABELS, Pair
from symdemo.training.methods import RolesHead, Task

BANK = shipped_bank()
KINDS = all_kinds(BANK)
QUICK = Recipe(
    (Stage(80, 3e-3, 3e-2, retention=0.0), Stage(40, 3e-3, 3e-2, retention=0.0, kept=0.9)),
    blocks=2, relations=3,
)  # fmt: skip


# Variants


@pytest.mark.parametrize(
    ("phrasing", "denied", "modality"),
    [
        ("[X] met [Y].", "[X] did not meet [Y].", {"open", "fails", "succeeds"}),
        ("[X] is the mother of [Y].", "[X] is not the mother of [Y].", {"open", "fails"}),
        ("[Y] was bitten by [X].", "[Y] was not bitten by [X].", {"open", "fails"}),
    ],
)
def test_phrasings_are_denied_and_take_a_modality(phrasing, denied, modality):
    own = BankRelation("own", "neither", ("person",), ("person",), (phrasing,))
    no, modal = variants_of(own, BANK, Inference({}))
    assert no == Variant(0, denied)
    assert modal.modality in modality
    assert modal.frame.count("[X]") == modal.frame.count("[Y]") == 1
    assert modal.frame != phrasing


def test_variants_are_made_once(tmp_path):
    own = BankRelation("own", "neither", ("person",), ("person",), ("[X] met [Y].",))
    made = load_variants(tmp_path / "variants.json", [(own, BANK)], Inference({}))
    assert load_variants(tmp_path / "variants.json", [], Inference({})) == made


# Blocks


@pytest.fixture(scope="module")
def blocks():
    few = [r for r in BANK.relations if r.head == r.tail == ("person", "role")][:60]
    denied = {r.id: [Variant(0, r.phrasings[0].replace("[X]", "not [X]"))] for r in few}
    return Blocks(BANK, few, taught_kinds(KINDS), load_inference(), denied, Recipe())


def test_a_block_is_about_the_same_two_things_and_names_them_alike(blocks):
    for block in (blocks.of_bank(), blocks.of_kind()):
        there, back = replace(block, described=True).inputs()
        assert len(there) == len(back) == len(block.statements)
        for (text, named), (turned, again), s in zip(there, back, block.statements, strict=True):
            assert named == again == f"x: {block.things[0]}, z: {block.things[1]}"
            if not s.third:
                assert text.translate(str.maketrans("xz", "zx")).split() != text.split()
                assert sorted(text) == sorted(turned)


def test_pairs_have_the_labels_of_the_bank_and_kinds_say_nothing_of_them(blocks):
    drawn = [blocks.of_bank() for _ in range(30)]
    made = pairs_of(drawn, blocks.inference, random.Random(0))
    statements = [s for block in drawn for s in block.statements]
    labels: dict[str, set[str]] = {}
    rows = zip(made.premises, made.hypotheses, made.exchanged, made.labels, made.kinds, strict=True)
    for i, j, exchanged, label, kind in rows:
        expected = blocks.inference.label(statements[i], statements[j], bool(exchanged))
        assert LABELS[label] == expected
        labels.setdefault(kind, set()).add(expected)
    assert labels["swap"] == set(LABELS)
    assert {"another phrasing, plain to plain", "ruled out", "third thing"} <= labels.keys()
    spelt = spelt_out(drawn, made)
    assert [pair.label for pair in spelt] == [LABELS[n] for n in made.labels]
    swaps = [p for p, kind in zip(spelt, made.kinds, strict=True) if kind == "swap"]
    for pair in swaps[:50]:
        assert pair.premise.casefold() != pair.hypothesis.casefold()
        for sentence in (pair.premise.casefold(), pair.hypothesis.casefold()):
            assert pair.head.casefold() in sentence
            assert pair.tail.casefold() in sentence


def test_each_kind_weighs_the_same_whatever_its_number(blocks):
    made = pairs_of([blocks.of_bank()], blocks.inference, random.Random(0))
    head = RolesHead(Task(LABELS, 32))
    z = torch.nn.functional.normalize(torch.randn(40, 16), dim=-1)
    twice = replace(
        made,
        **{name: torch.cat([getattr(made, name)] * 2)
           for name in ("premises", "hypotheses", "exchanged", "labels")},
        kinds=[*made.kinds, *made.kinds],
    )  # fmt: skip
    assert torch.allclose(loss_of(made, z, head, 4.0), loss_of(twice, z, head, 4.0))


# What is held out


def test_held_out_relations_leave_nothing_linked_behind():
    tested = split_relations(BANK, 5, 0)[0]
    inference = load_inference()
    rest = {relation.id for relation in without_links(BANK.relations, tested, inference)}
    for relation in tested:
        assert not rest & (inference.neighbours(relation.id) | {relation.id})
    assert len(rest) > 0.7 * len(BANK.relations)


# Training


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
    model = fit_roles(
        tiny_encoder, small, pairs_to_remember(small, 12), QUICK, lambda s: losses.append(s.loss)
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


@pytest.mark.slow
def test_a_scale_changes_probabilities_and_no_verdict(taught, small):
    model, _ = taught
    pairs = [pair for _, pair in draw_pairs(small, 60, 6)]
    scaled = with_scale(model, 4.0)
    before, after = (own.predict(pairs) for own in (model, scaled))
    assert before.verdict_labels == after.verdict_labels
    assert after.probabilities.max(1).mean() < before.probabilities.max(1).mean()
    assert best_scale(model, pairs) > 0
