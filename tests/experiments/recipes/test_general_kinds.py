"""The second stage: what it shows, where it starts, and that it goes on from the first."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tiny import ENTITIES

from experiments.recipes import general_kinds
from experiments.recipes import shipped as recipes
from experiments.recipes.general import CONFIG, fit_general
from experiments.recipes.general_kinds import (
    CONFIG_OF_KINDS,
    KIND_REMEMBERED,
    SECOND_STAGE,
    remembered_kinds,
    replayed,
    shown_kinds,
    teach_kinds,
    without_relatives,
)
from symdemo.classifier.card import FIRST_STAGE, UNSEEN
from symdemo.data.bank import (
    REPLACED,
    TAUGHT,
    BankRelation,
    Kind,
    RelationBank,
    load_kinds,
    shipped_bank,
    split_relations,
)
from symdemo.data.bank_phrasings import same_sentence
from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.training.loop import TrainingRun

BANK = shipped_bank()
KINDS = load_kinds(bank=BANK)
QUICK = {"learning_rate": 1e-2, "batch_size": 8, "retention": 0.0, "precision": "fp32"}


def test_what_is_held_out_is_never_shown():
    held = {relation.id for kind in KINDS for relation in kind.relations("held out")}
    shown, kept = shown_kinds(KINDS, seed=0, rounds=2), remembered_kinds(KINDS)
    taught = [relation for kind in KINDS for relation in kind.relations(*TAUGHT)]
    assert len(shown) == 2 * sum(len(relation.phrasings) for relation in taught)
    assert len(kept) == KIND_REMEMBERED * len(taught)
    assert not held & {pair.relation for pair in [*shown, *kept]}
    alone = shown_kinds(KINDS, seed=0, rounds=1, parts=("taught",))
    assert len(alone) < len(shown) / 2


def test_the_replay_has_every_other_relation_once_and_none_that_is_replaced():
    even, odd = (replayed(BANK, seed) for seed in (0, 1))
    assert len(even) + len(odd) == len(BANK.relations) - len(REPLACED)
    assert {p.relation for p in even + odd} == {r.id for r in BANK.relations} - REPLACED


def test_what_tells_of_the_asked_relations_is_left_out_with_its_group():
    """Of every fold: no group, no phrasing of the kinds is among what is asked."""
    for asked in split_relations(BANK, 5, 0):
        rest = without_relatives(KINDS, asked)
        groups = {relation.group or relation.id for relation in asked}
        phrasings = {same_sentence(text) for relation in asked for text in relation.phrasings}
        kept = [relation for kind in rest for relation in kind.bank.relations]
        assert not groups & {relation.group or relation.id for relation in kept}
        assert not phrasings & {same_sentence(text) for r in kept for text in r.phrasings}
        gone = {r.id for kind in KINDS for r in kind.bank.relations} - {r.id for r in kept}
        assert 0 < len(gone) < 0.2 * len(kept)
        shown = [*shown_kinds(rest, 0, 1), *replayed(BANK, 0, asked)]
        assert not gone & {pair.relation for pair in shown}
    assert without_relatives(KINDS, []) == KINDS


def test_a_group_of_the_kinds_goes_whole():
    twins = [
        BankRelation(name, "symmetric", ("person",), ("person",), (text,), group="twins")
        for name, text in (("a", "[X] is next to [Y]."), ("b", "[X] is with [Y]."))
    ]
    kind = Kind("small", RelationBank(tuple(twins), {}, {}))
    asked = replace(twins[0], id="c", group="c", phrasings=("[Y] is next to [X]",))
    assert without_relatives([kind], [asked]) == ()
    assert without_relatives([kind], [replace(asked, phrasings=("[X] is by [Y].",))]) == (kind,)
    assert without_relatives([kind], [replace(asked, phrasings=(), group="twins")]) == ()


def test_the_replay_is_of_what_was_taught():
    few = BANK.relations[10:20]
    shown = {pair.relation for seed in (0, 1) for pair in replayed(BANK, seed, few)}
    assert shown == {relation.id for relation in few} - REPLACED


def small_bank(*phrases: tuple[str, str]) -> RelationBank:
    """A bank in the tiny encoder's own words."""
    relations = tuple(
        BankRelation(phrase, pattern, ("person",), ("person",), (f"[X] is {phrase} [Y].",))
        for phrase, pattern in phrases
    )
    return RelationBank(relations, {"person": tuple(ENTITIES.split())}, {})


FIRST = small_bank(
    ("next to", "symmetric"),
    ("sibling of", "symmetric"),
    ("mother of", "antisymmetric"),
    ("with", "neither"),
)
SECOND = small_bank(("part of", "antisymmetric"), ("different from", "symmetric"))


@pytest.fixture(scope="module")
def first(tiny_encoder):
    config = replace(CONFIG, **QUICK, batching="random")
    return fit_general(tiny_encoder, FIRST, config=config, method="knn", rounds=30)


@pytest.fixture
def quick(monkeypatch):
    config = replace(CONFIG_OF_KINDS, **QUICK, batching="random")
    monkeypatch.setattr(general_kinds, "CONFIG_OF_KINDS", config)


def test_the_second_stage_learns_and_keeps(first, quick):
    shown = [*FIRST.pairs(per_phrasing=20, seed=1), *SECOND.pairs(per_phrasing=20, seed=2)]
    model = teach_kinds(first, shown, SECOND.pairs(seed=3))
    again = teach_kinds(first, shown, SECOND.pairs(seed=3))
    assert np.array_equal(model.index.embeddings, again.index.embeddings)
    assert len(model.index) == len(first.index) + 2
    assert model.index.later == 0
    asked = [pair for bank in (FIRST, SECOND) for pair in bank.pairs(per_phrasing=4, seed=9)]
    right = [
        a.label == pair.label for a, pair in zip(model.predict(asked, k=1), asked, strict=True)
    ]
    assert sum(right) >= 0.8 * len(asked)
    assert model.card.training["steps"] > first.card.training["steps"]
    assert model.card.training[SECOND_STAGE]["learning_rate"] == QUICK["learning_rate"]
    with pytest.raises(InputError, match="knows the kinds already"):
        teach_kinds(model, shown, ())


def test_prototypes_start_where_the_first_stage_left_its_labels(first):
    shown = FIRST.pairs(per_phrasing=4, seed=1)
    run = TrainingRun(first.encoder, shown, first.method, replace(CONFIG, **QUICK))
    general_kinds._place_prototypes(run, first.index)
    (placed,) = (t for t in run.learnt() if t.shape == (3, first.encoder.dimension))
    for label, prototype in zip(run.labels, placed.numpy(), strict=True):
        rows = [n for n, pair in enumerate(first.index.pairs) if pair.label == label]
        mean = first.index.embeddings[rows].mean(axis=0)
        assert prototype == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


def test_replaced_relations_leave_the_memory(first, quick):
    old = Pair("Ann is next to Ben.", "Ben is next to Ann.", "neutral", next(iter(REPLACED)))
    before = first.teach([old])
    model = teach_kinds(before, FIRST.pairs(per_phrasing=4), SECOND.pairs())
    assert old not in model.index.pairs
    assert len(model.index) == len(first.index) + 2


def test_only_the_general_model_has_a_first_stage(capsys):
    assert recipes.main(["wikidata14", "--start", "general"]) == 2
    assert "wikidata14 has one stage" in capsys.readouterr().err


def test_a_card_says_whether_its_scores_are_of_both_stages(tmp_path, monkeypatch):
    rows = json.loads((recipes.RESULTS / "general.json").read_text(encoding="utf-8"))["rows"]
    first = rows["first-stage"]
    monkeypatch.setattr(recipes, "RESULTS", tmp_path)
    with pytest.raises(InputError, match=r"general\.json cannot be read"):
        recipes._held_out_row()
    for own, whole in (
        ({"first-stage": first}, False),
        ({"first-stage": {}, "general": first}, True),
    ):
        (tmp_path / "general.json").write_text(json.dumps({"rows": own}), encoding="utf-8")
        row, told = recipes._held_out_row()
        assert (row, told) == (first, whole)
        scores = recipes._held_out_scores(row, told)
        assert (FIRST_STAGE in scores) is not whole
        assert scores[UNSEEN].startswith(f"{first['three']['mean']:.1%} (entailment")
