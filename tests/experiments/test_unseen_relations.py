"""The study of relations never taught, on a small bank and a tiny encoder; and its figures."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tiny import ENTITIES

from experiments import general, nli
from experiments.general import (
    METHODS,
    Bench,
    Kept,
    cells,
    keep,
    make_report,
    measure,
)
from experiments.recipes import general as recipe
from experiments.recipes.general import CONFIG
from experiments.runner import Ledger, run
from symdemo.data.bank import BankRelation, Kind, RelationBank
from symdemo.errors import InputError
from symdemo.files.paths import RESULTS
from symdemo.files.provenance import provenance
from symdemo.pairs import LABELS, Pair
from symdemo.training import retention

PATTERNS = ("symmetric", "antisymmetric", "neither")
QUICK = replace(
    CONFIG,
    learning_rate=3e-3,
    batch_size=16,
    retention_batch=2,
    precision="fp32",
    batching="random",
)
HERE = [name for name in METHODS if name not in {"setfit-short", "wikidata14"}]
"""Those that need neither another library nor a shipped model."""


def relation(name, words, pattern, group=""):
    phrasings = (f"[X] is {words} of [Y].", f"[X] and [Y] are {words}.", f"[Y] {words} [X].")
    return BankRelation(name, pattern, ("person",), ("person",), phrasings, group=group or name)


@pytest.fixture(scope="module")
def bench(tiny_encoder, tmp_path_factory):
    relations = [
        relation(f"{pattern} {n}", f"{word} {sign}", pattern)
        for pattern, word in zip(PATTERNS, ("sibling", "mother", "child"), strict=True)
        for n, sign in enumerate("bcdefgh")
    ]
    relations[1] = replace(relations[1], group=relations[0].id)
    bank = RelationBank(tuple(relations), {"person": tuple(ENTITIES.split())}, {})
    kind = (relation("uncles", "part h", "symmetric"), relation("k", "type k", "neither"))
    asked = [Pair("Ann is part of Ben.", "Ben is part of Ann.", "contradiction")]
    sentences = {"free": (asked, ["[X] is part of [Y]."])}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recipe, "CONFIG_OF_KINDS", replace(QUICK, learning_rate=1e-3))
        few = retention.retention_sentences()[:20]
        patch.setattr(retention, "retention_sentences", lambda which: few)
        patch.setattr(nli, "sts_at_hand", lambda: None)
        kinds = [Kind("small", replace(bank, relations=kind))]
        folder = tmp_path_factory.mktemp("runs")
        yield Bench(folder, bank, tiny_encoder, sentences, kinds, QUICK, rounds=1)


@pytest.fixture(scope="module")
def kept(bench, tmp_path_factory):
    """The folder of all methods' answers."""
    ledger = Ledger(bench.folder / "general.jsonl", provenance())
    run(cells(bench.data_hash, HERE), lambda cell: measure(bench, cell), ledger)
    folder = tmp_path_factory.mktemp("kept")
    assert all(keep(bench, ledger, name, folder) for name in HERE)
    assert not keep(bench, ledger, "wikidata14", folder)
    return folder


@pytest.mark.slow
def test_every_method_answers_every_fold(bench, kept):
    for name in HERE:
        frame = pd.read_parquet(kept / f"{name}.parquet")
        bank = frame.merge(bench.rows, on="row").query("set == 'bank'")
        if name == "phrasings":
            assert len(bank) == len(bench.bank.relations)
            continue
        assert sorted(bank.row) == list(bench.rows.query("set == 'bank'").row)
        assert (bank.fold_x == bank.fold_y).all()
        np.testing.assert_allclose(bank[list(LABELS)].astype(float).sum(axis=1), 1, atol=2e-3)


@pytest.mark.slow
def test_figures_of_a_bank_whose_words_say_everything(kept):
    """“sibling” belongs to one label: words say all, function words nothing."""
    rows = make_report(kept)["rows"]
    assert list(rows) == [name for name in METHODS if name in HERE]
    for name, row in rows.items():
        if name != "phrasings":
            assert row["three"]["low"] <= row["three"]["mean"] <= row["three"]["high"]
    assert rows["words"]["three"]["mean"] == rows["words"]["matched"]["mean"] == 1
    assert rows["words"]["swap_consistency"]["mean"] == 1
    assert rows["skeleton"]["three"]["mean"] == pytest.approx(1 / 3, abs=0.1)
    for name in ("skeleton", "majority"):
        assert rows[name]["matched"]["mean"] == pytest.approx(1 / 3, abs=1e-12)


def test_a_leaking_fold_is_not_measured(bench, monkeypatch):
    both = bench.bank.relations[:3], bench.bank.relations[2:4]
    monkeypatch.setattr(Bench, "relations", lambda *_: both)
    with pytest.raises(InputError, match="occur in training too"):
        measure(bench, cells(bench.data_hash, ["words"])[0])


@pytest.mark.slow
def test_the_published_figures_are_those_of_the_kept_answers():
    def read(text):
        return json.loads(text, parse_float=lambda digits: round(float(digits), 9))

    published = read((RESULTS / "general.json").read_text(encoding="utf-8"))
    report = read(json.dumps(make_report(), ensure_ascii=False))
    for name, row in report["rows"].items():
        assert {figure: published["rows"][name][figure] for figure in row} == row
    assert (report["errors"], report["data"]) == (published["errors"], published["data"])


def test_the_matched_score_again_with_pandas():
    kept = Kept()
    own = kept.answers("words").query("set == 'bank'")
    cell = own.groupby(["fold", "skeleton", "label"]).three.mean().unstack()
    whole = cell.dropna()
    sizes = own.groupby(["fold", "skeleton", "label"]).size().unstack().loc[whole.index]
    weights = sizes.min(axis=1)
    by_hand = (whole.mean(axis=1) * weights).sum() / weights.sum()
    figure = kept.figure(kept.right("words").three, "matched")
    assert figure["mean"] == pytest.approx(by_hand, abs=1e-9)


def test_setfit_is_taught_what_is_asked_of_it(bench, monkeypatch):
    seen = {}

    def shares(encoder, taught, tested, others, seed, settings):
        seen.update(taught=taught, settings=settings)
        sizes = [len(tested), *map(len, others)]
        return [np.full((n, 3), 1 / 3) for n in sizes], 1.0

    monkeypatch.setattr(general, "setfit_shares", shares)
    answers = general.setfit(bench, cells(bench.data_hash, ["setfit-short"])[0])
    assert seen["settings"] == general.SHORT
    assert answers.shares.shape[1] == len(bench.asked({"method": "x", "fold": 0, "seed": 0}))
