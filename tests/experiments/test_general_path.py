"""`experiments/general.py` on a small bank and a tiny encoder: every arm, from runs to tables."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tiny import ENTITIES

from experiments import general, general_arms
from experiments.general_arms import ARMS, fingerprint, runs
from experiments.general_bench import Bench, Run
from experiments.general_kept import finished, path_of
from experiments.general_report import make_report, results_page
from experiments.general_scores import Kept
from experiments.recipes import general_kinds
from experiments.recipes.general import CONFIG
from symdemo.data.bank import BankRelation, Kind, RelationBank
from symdemo.errors import InputError
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
HERE = [name for name in ARMS if name not in {"setfit", "setfit-short", "wikidata14"}]
"""Those that need neither another library nor a shipped model."""


def relation(name, words, pattern, group=""):
    """In the tiny encoder's own words, and one phrasing that is built alike for all patterns."""
    phrasings = (f"[X] is {words} of [Y].", f"[X] and [Y] are {words}.", f"[Y] {words} [X].")
    return BankRelation(name, pattern, ("person",), ("person",), phrasings, group=group or name)


def small_bank():
    relations = [
        relation(f"{pattern} {n}", f"{word} {sign}", pattern)
        for pattern, word in zip(PATTERNS, ("sibling", "mother", "child"), strict=True)
        for n, sign in enumerate("bcdefgh")
    ]
    relations[1] = replace(relations[1], group=relations[0].id)
    return RelationBank(tuple(relations), {"person": tuple(ENTITIES.split())}, {})


@pytest.fixture(scope="module")
def bench(tiny_encoder, tmp_path_factory):
    bank = small_bank()
    kind = replace(
        bank,
        relations=(relation("uncles", "part h", "symmetric"), relation("k", "type k", "neither")),
    )
    asked = [Pair("Ann is part of Ben.", "Ben is part of Ann.", "contradiction")]
    sentences = {"free": (asked, ["[X] is part of [Y]."])}
    folder = tmp_path_factory.mktemp("runs")
    options = {"config": QUICK, "rounds": 1, "seeds": 2}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(general_kinds, "CONFIG_OF_KINDS", replace(QUICK, learning_rate=1e-3))
        few = retention.retention_sentences()[:20]
        patch.setattr(retention, "retention_sentences", lambda which: few)
        yield Bench(folder, bank, tiny_encoder, sentences, [Kind("small", kind)], **options)


@pytest.fixture(scope="module")
def kept(bench, tmp_path_factory):
    """The folder of all arms' answers, by the command's own functions, in two shares."""
    for share in ("0/2", "1/2"):
        general.measure_missing(bench, HERE, share)
    folder = tmp_path_factory.mktemp("kept")
    general.keep_finished(bench, HERE, folder)
    return folder


@pytest.mark.slow
def test_every_arm_is_measured_on_every_fold_and_its_answers_are_kept(bench, kept):
    for name in HERE:
        frame = pd.read_parquet(kept / f"{name}.parquet")
        bank = frame.merge(bench.rows, on="row").query("set == 'bank'")
        seeds = 2 if ARMS[name].all_seeds else 1
        assert frame.seed.nunique() == seeds
        if name == "phrasings":
            assert len(bank) == seeds * len(bench.bank.relations)
            continue
        assert sorted(bank.row) == sorted(list(bench.rows.query("set == 'bank'").row) * seeds)
        assert (bank.fold_x == bank.fold_y).all()
        np.testing.assert_allclose(bank[list(LABELS)].astype(float).sum(axis=1), 1, atol=2e-3)


def test_the_tables_are_made_of_what_is_kept(kept):
    report = make_report(kept)
    assert list(report["rows"]) == [name for name in ARMS if name in HERE]
    for name, row in report["rows"].items():
        if name != "phrasings":
            assert row["three"]["low"] <= row["three"]["mean"] <= row["three"]["high"]
            assert row["commits"]
            assert row["machines"]
            assert len(row["fingerprints"]) == row["runs"]
    assert report["rows"]["skeleton"]["matched"]["mean"] == pytest.approx(1 / 3, abs=1e-12)
    assert report["rows"]["majority"]["matched"]["mean"] == pytest.approx(1 / 3, abs=1e-12)
    page = results_page(report)
    assert "word 1-to-3-grams" in page
    assert "†" not in page


def test_the_words_of_construction_alone_are_as_good_as_their_skeleton(kept):
    """The bank gives “sibling” to one label: words say all, function words nothing."""
    rows = make_report(kept)["rows"]
    assert rows["words"]["three"]["mean"] == 1
    assert rows["words"]["matched"]["mean"] == 1
    assert rows["skeleton"]["three"]["mean"] == pytest.approx(1 / 3, abs=0.1)
    assert rows["words"]["unjoined"]["mean"] == 1


def test_answers_to_other_data_are_not_mixed_with_todays(kept, tmp_path):
    """A row whose data have changed since stands with a line of its own, or not at all."""
    folder = shutil.copytree(kept, tmp_path / "kept")
    before = make_report(folder)
    path = folder / "words.json"
    about = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps([run | {"data": "another"} for run in about]), encoding="utf-8")
    assert "words" not in make_report(folder)["rows"]
    told = make_report(folder, before)
    assert told["rows"]["words"]["three"] == before["rows"]["words"]["three"]
    assert "† word 1-to-3-grams: as published" in results_page(told)
    assert "of other data than today's; its single answers were not kept" in results_page(told)
    assert "more" not in told["rows"]["skeleton"]["three"]


def test_what_is_there_is_not_measured_again(bench, kept, monkeypatch):
    def fail(*_):
        raise AssertionError("measured again")

    monkeypatch.setattr(general, "measure", fail)
    general.measure_missing(bench, HERE)
    path_of(bench, Run("words", 3, 0)).rename(bench.folder / "aside")
    with pytest.raises(AssertionError, match="measured again"):
        general.measure_missing(bench, HERE)
    (bench.folder / "aside").rename(path_of(bench, Run("words", 3, 0)))


def test_a_run_with_other_data_or_settings_is_another_run(bench):
    run = Run("first-stage", 0, 0)
    others = [
        replace_bench(bench, config=replace(QUICK, learning_rate=1e-4)),
        replace_bench(bench, rounds=2),
        replace_bench(bench, bank=replace(bench.bank, relations=bench.bank.relations[1:])),
    ]
    hashes = {fingerprint(one, run) for one in (bench, *others)}
    hashes |= {fingerprint(bench, replace(run, fold=1)), fingerprint(bench, replace(run, seed=1))}
    assert len(hashes) == 6
    assert finished(others[0], [run]) == []
    words = Run("words", 0, 0)
    assert fingerprint(others[0], words) == fingerprint(bench, words)  # it has no learning rate


def replace_bench(bench, **changes):
    own = {name: getattr(bench, name) for name in ("bank", "encoder", "sentences", "kinds")}
    own |= {"config": bench.config, "rounds": bench.rounds, "seeds": bench.seeds}
    return Bench(bench.folder, **own | changes)


def test_each_share_makes_runs_of_its_own():
    everything = list(runs(HERE, 3))
    parts = [everything[place::3] for place in range(3)]
    assert sorted(run.name for part in parts for run in part) == sorted(r.name for r in everything)


def test_folds_that_leak_are_not_measured(bench, monkeypatch):
    """A relation of the asked fold is planted among the taught ones, for every arm."""
    honest = Bench.relations

    def leaking(self, run):
        taught, asked = honest(self, run)
        return [*taught, asked[0]], asked

    monkeypatch.setattr(Bench, "relations", leaking)
    for name in HERE:
        with pytest.raises(InputError, match="occur in training too"):
            general_arms.measure(bench, Run(name, 0, 0))


def test_the_temperature_of_a_fold_is_chosen_on_the_others(bench, kept):
    """Answers at a temperature that suits its own fold alone are not taken."""
    found = finished(bench, runs(["words"], 1))
    asked = {one.run.fold: bench.asked_rows(one.run) for one in found}
    places = bench.rows.label.map({label: n for n, label in enumerate(LABELS)}).to_numpy()
    losses = np.array(
        [
            [
                -np.log(
                    np.maximum(shares[np.arange(len(shares)), places[asked[one.run.fold]]], 1e-6)
                )
                .astype(float)
                .mean()
                for shares in one.answers.shares.astype(float)
            ]
            for one in found
        ]
    )
    for fold, one in enumerate(found):
        best = np.delete(losses, fold, axis=0).mean(0).argmin()
        (told,) = [run for run in Kept(kept).arm("words").runs if run["fold"] == fold]
        assert told["temperature"] == one.answers.temperatures[best]


@pytest.mark.parametrize("arm", ["setfit", "setfit-short"])
def test_setfit_is_asked_like_all_others(bench, arm):
    """By its own library, where that is installed, with one partner a text in place of twenty."""
    pytest.importorskip("setfit")
    lengths = {"setfit": {"num_iterations": 1, "num_epochs": 1}, "setfit-short": {"max_steps": 4}}
    quick = replace_bench(bench, setfit={arm: {**lengths[arm], "batch_size": 16}})
    answers = general_arms.measure(quick, Run(arm, 0, 0))
    asked = bench.asked(Run(arm, 0, 0))
    assert answers.shares.shape == (len(answers.temperatures), len(asked), len(LABELS))
    np.testing.assert_allclose(answers.shares.sum(-1), 1, atol=1e-6)
    assert answers.sentences["free"].shape[1] == 1
