"""Forgetting on NLI: what is measured, once, and what the summary makes of it."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from bench_fakes import FIRST, PLAN, FakeBench, made_up

from experiments.reproduction.experiments import run_cell
from experiments.reproduction.jobs import jobs, nli_baseline_job, nli_job
from experiments.reproduction.keys import nli_cells
from experiments.reproduction.ledger import Ledger
from experiments.reproduction.nli import measuring
from experiments.reproduction.nli.data import NliRows, all_nli, majority, shares
from experiments.reproduction.nli.measuring import answers_without_premise, quickest_precision
from experiments.reproduction.plan import NLI_ARMS, ONE_RECIPE
from experiments.reproduction.resources import Resources
from experiments.reproduction.summary import summarise
from experiments.reproduction.tables import markdown
from symdemo.data.relations import load_facts
from symdemo.errors import InputError
from symdemo.evaluation.nli import NliData
from symdemo.evaluation.results import PaperReport
from symdemo.pairs import LABELS, Pair
from symdemo.training.methods import METHODS

ALL = replace(
    PLAN,
    encoders=(FIRST,),
    search=False,
    unnamed_seeds=(),
    ablation_seeds=(),
    new_label_seeds=(),
)


def nli_keys(plan, method):
    cells = nli_cells(plan, method, *NLI_ARMS)
    return {json.dumps(nli_job(FakeBench(), cell).key) for cell in cells}


def test_two_recipes_from_every_start_and_no_retention_from_one():
    assert len(nli_keys(ALL, "knn")) == 2 * len(ALL.nli_seeds) + 1
    assert not nli_keys(replace(ALL, nli_seeds=()), "knn")
    chosen = replace(ALL, settings={FIRST: {"knn": ONE_RECIPE}})
    assert len(nli_keys(chosen, "knn")) == len(ALL.nli_seeds) + 1, "equal recipes are one"


def test_one_recipe_is_the_same_for_all_methods():
    shown = set()
    for method in METHODS:
        (cell, *_) = nli_cells(ALL, method, "one")
        config = nli_job(FakeBench(), cell).key["config"]
        shown.add(json.dumps({name: config.get(name) for name in ONE_RECIPE}))
    assert len(shown) == 1


@pytest.fixture
def measured():
    """A made-up study, with what its NLI jobs gave."""
    ledger, results = Ledger(), []
    for job in jobs(ALL, FakeBench()):
        ledger.add(job.key, result := made_up(job.key))
        if job.key["part"] == "nli":
            results.append((job.key, result))
    return ledger, results


def test_the_summary_holds_each_start_that_was_measured(measured):
    ledger, results = measured
    found = summarise(ALL, ledger)["nli"]
    assert len(found["rows"]) == len(results) == len(METHODS) * 5
    for key, result in results:
        told = [
            row
            for row in found["rows"]
            if (row["method"], row["start"]) == (key["method"], key["seed"])
        ]
        assert result["lost"] in [row["lost"] for row in told]
    for row in found["rows"]:
        assert 0.6 < row["always_contradiction"] < 0.7
    rows = {row["method"]: row["nli"] for row in summarise(ALL, ledger)["methods"]}
    own = [row["lost"][0] for row in found["rows"] if (row["method"], row["recipe"]) == OWN]
    assert rows["knn"]["loss"]["with"]["least"] == min(own)
    assert rows["knn"]["loss"]["with"]["n"] == len(ALL.nli_seeds)
    assert rows["knn"]["loss"]["without"]["n"] == 1


OWN = ("knn", "own")


def test_the_heading_says_data_size_and_encoder_and_each_start_is_a_row(measured):
    summary = json.loads(json.dumps(summarise(ALL, measured[0])))
    text = markdown(PaperReport.from_json(report_of(summary)))
    heading, part = text.split("### Forgetting on NLI: ")[1].split("\n", 1)
    assert heading == f"{FIRST} after 9,000 pairs, 1,000 asked"
    part = part.split("###")[0]
    assert "MNLI, matched" in part
    assert "SNLI 800, MNLI 200" in part
    assert "right on 34.0%" in part
    assert "words alone on 60.0%" in part
    assert part.count("\n| ") == 1 + 1 + len(METHODS) * 5
    row = summary["nli"]["rows"][0]
    low, high = (f"{value:.1f}".replace("-", "−") for value in row["lost"][1:])
    assert f"[{low} to {high}]" in part


def test_rows_of_other_nli_data_are_not_mixed_in(measured):
    ledger = Ledger()
    for key in measured[0]:
        result = measured[0].get(key)
        if key["part"] == "nli" and key["seed"] == 2:
            result = result | {"data": "other"}
        ledger.add(key, result)
    assert {row["start"] for row in summarise(ALL, ledger)["nli"]["rows"]} == {0, 1}


# The rows


def rows_of(texts, share=15):
    pairs = tuple(
        Pair(text, text[::-1], label)
        for text, label in zip(texts, LABELS * (len(texts) // 3), strict=True)
    )
    return NliRows(pairs[:share], {"own": pairs[share:]}, "made up")


def test_all_rows_at_hand_are_used_and_none_is_in_both_parts(tmp_path, monkeypatch):
    pairs = [Pair(f"Ann saw {name}.", f"{name} saw Ann.", LABELS[0]) for name in "abcdef"]
    first = NliData(tuple(pairs[:3]), tuple(pairs[3:5]), "SNLI (dev to learn, test to test)")
    monkeypatch.setattr("experiments.reproduction.nli.data.load_nli", lambda *sizes: first)
    rows = [
        {"premise": pair.premise, "hypothesis": pair.hypothesis, "label": pair.label}
        for pair in (pairs[3], pairs[5])
    ]
    rows.append({"premise": "Goodbye!", "hypothesis": "Ann left.", "label": LABELS[0]})
    (tmp_path / "xnli_dev_en.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setattr(
        "experiments.reproduction.nli.data.measuring_data",
        lambda name: tmp_path / "xnli_dev_en.jsonl" if "xnli" in name else None,
    )
    found = all_nli()
    assert found.train == (*pairs[:3], pairs[5]), "neither what is asked nor what is no sentence"
    assert found.tests == {"SNLI": tuple(pairs[3:5])}
    assert found.source == "SNLI (dev to learn, test to test), xnli_dev_en to learn"


def test_shares_are_told_by_set():
    yes, no = (Pair(f"Ann {word}.", f"{word} Ann.", LABELS[0]) for word in ("saw", "met"))
    rows = NliRows((yes,), {"one": (yes, no), "two": (no, no, yes)}, "")
    assert shares(rows, [True, False, True, True, True]) == {"all": 0.8, "one": 0.5, "two": 1.0}
    assert majority(rows) == {"all": 1.0, "one": 1.0, "two": 1.0}


def test_what_reads_the_hypothesis_alone_finds_what_stands_in_it_and_no_more():
    def pair(word, label, number):
        return Pair(f"Ann saw {number}.", f"{word} saw {number}.", label)

    words = dict(zip(LABELS, ("Nobody", "Somebody", "Perhaps"), strict=True))
    told = tuple(pair(words[label], label, n) for n in range(10) for label in LABELS)
    hidden = tuple(pair("Ben", label, n) for n in range(10) for label in LABELS)
    found = answers_without_premise(NliRows(told, {"told": told, "hidden": hidden}, ""))
    assert found["hypothesis"]["told"] == 1
    assert found["hypothesis"]["hidden"] == pytest.approx(1 / 3)
    assert found["majority"]["all"] == pytest.approx(1 / 3)


# Measuring


@pytest.fixture
def tiny_bench(monkeypatch):
    texts = [f"{name} is {word}" for name in ("Ann", "Ben", "Ida") for word in "abcdefgh"]
    monkeypatch.setattr("experiments.reproduction.resources.all_nli", lambda: rows_of(texts))
    monkeypatch.setattr("symdemo.data.relations.load_facts", lambda: load_facts()[::4])
    return Resources()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["knn", "random-label-embeddings"])
def test_the_same_knowledge_is_judged_before_and_after(tiny_bench, tiny_folder, method):
    plan = replace(ALL, encoders=(str(tiny_folder),), methods=(method,), nli_seeds=(0,))
    (cell, *_) = nli_cells(plan, method, "own")
    untaught = nli_job(tiny_bench, replace(cell, changes={"epochs": 0, "min_steps": 0}))
    result = untaught.compute(tiny_bench)
    assert result["after"] == result["before"], "an encoder that did not move forgets nothing"
    assert result["lost"] == [0, 0, 0]
    assert (result["learnt"], result["asked"]) == (15, {"own": 9})
    assert result["precision"] == quickest_precision(torch.device("cpu"))
    changed = nli_job(tiny_bench, replace(cell, changes={"min_steps": 2, "epochs": 1}))
    assert changed.key != untaught.key
    assert changed.compute(tiny_bench)["before"] == result["before"]


@pytest.mark.parametrize(
    ("capabilities", "seconds", "precision"),
    [
        ({"avx2": True, "avx512_bf16": False, "amx_bf16": False}, {}, "fp32"),
        ({"avx2": True, "avx512_bf16": True, "amx_bf16": True}, {True: 1, False: 3}, "bf16"),
        ({"avx2": True, "avx512_bf16": True, "amx_bf16": False}, {True: 3, False: 2}, "fp32"),
        ({"neon": True, "bf16": True}, {True: 1, False: 2}, "bf16"),
    ],
)
def test_half_precision_is_left_to_processors_that_are_quicker_in_it(
    monkeypatch, capabilities, seconds, precision
):
    """One that has it not is not even tried: imitating it takes too long."""
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: capabilities)
    monkeypatch.setattr(measuring, "_seconds_of_a_step", lambda device, half: seconds[half])
    assert quickest_precision.__wrapped__(torch.device("cpu")) == precision


@pytest.mark.slow
def test_what_was_lost_is_counted_again_by_hand(tiny_bench, tiny_folder):
    plan = replace(ALL, encoders=(str(tiny_folder),), methods=("knn",), nli_seeds=(0,))
    (cell, *_) = nli_cells(plan, "knn", "own")
    cell = replace(cell, changes={"retention": 0.0, "learning_rate": 0.01, "min_steps": 5})
    result = nli_job(tiny_bench, cell).compute(tiny_bench)
    start = tiny_bench.nli_start(cell.encoder, "knn", 0)
    rows = tiny_bench.nli
    _, model = run_cell(cell, start.model)
    after = start.model.with_encoder(model.encoder).predict(rows.test)
    right = [a.label == pair.label for a, pair in zip(after, rows.test, strict=True)]
    assert result["after"]["all"] == pytest.approx(np.mean(right), abs=1.5 / len(right))
    lost, low, high = result["lost"]
    assert lost == pytest.approx(100 * (result["before"]["all"] - result["after"]["all"]))
    assert low <= lost <= high
    assert set(start.model.index.pairs) == set(rows.train), "all rows are its memory"


def test_random_labels_mean_to_relations_what_they_meant_to_nli(
    tiny_bench, tiny_folder, monkeypatch
):
    method = "random-label-embeddings"
    plan = replace(ALL, encoders=(str(tiny_folder),), methods=(method,), nli_seeds=(3,))
    (cell, *_) = nli_cells(plan, method, "own")
    seen = []

    def watched(*arguments):
        seen.append(run_cell(*arguments))
        return seen[-1]

    monkeypatch.setattr("experiments.reproduction.nli.measuring.run_cell", watched)
    quick = replace(cell, changes={"min_steps": 2, "epochs": 1})
    nli_job(tiny_bench, quick).compute(tiny_bench)
    knows_nli = tiny_bench.nli_start(cell.encoder, method, 3).model
    assert knows_nli.labels == ("contradiction", "entailment", "neutral")
    ((_, model),) = seen
    assert torch.equal(model.readout.rotations, knows_nli.readout.rotations[:2])


def test_a_study_without_nli_data_says_so(monkeypatch):
    def nothing():
        raise InputError("There is no NLI data.")

    monkeypatch.setattr("experiments.reproduction.resources.all_nli", nothing)
    ledger, resources = Ledger(), FakeBench()
    wanted = [nli_baseline_job(resources, FIRST)]
    wanted += [
        nli_job(resources, cell)
        for method in ALL.methods
        for cell in nli_cells(ALL, method, *NLI_ARMS)
    ]
    for job in wanted:
        ledger.add(job.key, job.compute(resources))
    summary = summarise(ALL, ledger)
    assert summary["methods"][0]["nli"] == {"missing": "There is no NLI data."}
    text = markdown(PaperReport.from_json(report_of(summary)))
    assert "NLI was not measured: There is no NLI data." in text


def report_of(summary):
    made_by = {
        "commit": "abc",
        "machine": {"processor": "any", "threads": 1},
        "versions": {"torch": "2"},
    }
    return {
        "summary": summary,
        "command": "",
        "finished": False,
        "made_by": made_by,
        "rows_made_by": [],
    }
