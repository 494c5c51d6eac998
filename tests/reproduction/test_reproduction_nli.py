"""Forgetting on NLI: what is measured, once, and what the summary makes of it."""

import json
import statistics
from dataclasses import replace

import pytest
import torch
from bench_fakes import FIRST, PLAN, FakeBench, made_up

from symdemo.data.relations import load_facts
from symdemo.errors import InputError
from symdemo.evaluation.nli import NliData
from symdemo.pairs import LABELS, Pair
from symdemo.reproduction.experiments import run_cell
from symdemo.reproduction.jobs import jobs, nli_job
from symdemo.reproduction.keys import nli_cells
from symdemo.reproduction.ledger import Ledger
from symdemo.reproduction.plan import NLI_ARMS
from symdemo.reproduction.report import Report
from symdemo.reproduction.resources import Resources
from symdemo.reproduction.summary import summarise
from symdemo.reproduction.tables import markdown

ALL = replace(PLAN, encoders=(FIRST,), search=False, ablation_seeds=(), new_label_seeds=())


def nli_keys(plan, method):
    resources = FakeBench()
    cells = nli_cells(plan, method, *NLI_ARMS)
    return {json.dumps(nli_job(plan, resources, cell).key) for cell in cells}


def test_every_seed_at_a_methods_own_settings_and_one_for_what_they_are_compared_with():
    assert len(nli_keys(ALL, "knn")) == len(ALL.nli_seeds) + 2
    assert len(nli_keys(ALL, "fine-tuning")) == len(ALL.nli_seeds) + 1, (
        "it has few sentences anyway"
    )
    assert not nli_keys(replace(ALL, nli_seeds=()), "knn")


def test_the_summary_holds_each_arm_that_was_measured():
    ledger, resources = Ledger(), FakeBench()
    lost = {}
    for job in jobs(ALL, ledger, resources):
        if job.key not in ledger:
            ledger.add(job.key, result := made_up(job.key))
            if job.key["part"] == "nli" and job.key["method"] == "knn":
                arm = job.key["config"]["retention"] > 0, job.key["config"].get("retained", "few")
                lost.setdefault(arm, []).append(100 * (result["before"] - result["after"]))
    rows = {row["method"]: row["nli"] for row in summarise(ALL, ledger)["methods"]}
    assert list(rows["knn"]["loss"]) == ["with", "few", "without"]
    assert list(rows["fine-tuning"]["loss"]) == ["with", "without"]
    assert rows["knn"]["loss"]["with"]["n"] == len(ALL.nli_seeds)
    assert rows["knn"]["loss"]["without"]["n"] == 1
    told = rows["knn"]["loss"]
    for arm, name in (
        ((True, "many"), "with"),
        ((True, "few"), "few"),
        ((False, "many"), "without"),
    ):
        assert told[name]["least"] == pytest.approx(min(lost[arm]))
        assert told[name]["median"] == pytest.approx(statistics.median(lost[arm]))
    assert rows["knn"]["pairs"] == list(ALL.nli_pairs)


@pytest.fixture
def tiny_bench(monkeypatch):
    texts = [f"{name} is {word}" for name in ("Ann", "Ben", "Ida") for word in "abcdefgh"]
    pairs = tuple(
        Pair(text, text[::-1], label) for text, label in zip(texts, LABELS * 8, strict=True)
    )
    data = NliData(pairs[:15], pairs[15:], "made up")
    monkeypatch.setattr("symdemo.reproduction.resources.load_nli", lambda *sizes: data)
    monkeypatch.setattr("symdemo.data.relations.load_facts", lambda: load_facts()[::12])
    return Resources()


def test_the_same_knowledge_is_judged_before_and_after(tiny_bench, tiny_folder):
    plan = replace(ALL, encoders=(str(tiny_folder),), methods=("knn",), nli_seeds=(0,))
    (cell, *_) = nli_cells(plan, "knn", "with")
    untaught = nli_job(plan, tiny_bench, replace(cell, changes={"epochs": 0, "min_steps": 0}))
    result = untaught.compute(tiny_bench)
    assert result["after"] == result["before"], "an encoder that did not move forgets nothing"
    assert result["pairs"] == [15, 9]
    changed = nli_job(plan, tiny_bench, replace(cell, changes={"min_steps": 2, "epochs": 1}))
    assert changed.key != untaught.key
    assert changed.compute(tiny_bench)["before"] == result["before"]


def test_random_labels_mean_to_relations_what_they_meant_to_nli(
    tiny_bench, tiny_folder, monkeypatch
):
    method = "random-label-embeddings"
    plan = replace(ALL, encoders=(str(tiny_folder),), methods=(method,), nli_seeds=(3,))
    (cell, *_) = nli_cells(plan, method, "with")
    seen = []

    def watched(*arguments):
        seen.append(run_cell(*arguments))
        return seen[-1]

    monkeypatch.setattr("symdemo.reproduction.jobs.run_cell", watched)
    nli_job(plan, tiny_bench, replace(cell, changes={"min_steps": 2, "epochs": 1})).compute(
        tiny_bench
    )
    knows_nli = tiny_bench.nli_model(cell.encoder, method, *plan.nli_pairs)
    assert knows_nli.labels == ("contradiction", "entailment", "neutral")
    ((_, model),) = seen
    assert torch.equal(model.readout.rotations, knows_nli.readout.rotations[:2])


def test_a_study_without_nli_data_says_so(monkeypatch):
    def nothing(*sizes):
        raise InputError("There is no NLI data.")

    monkeypatch.setattr("symdemo.reproduction.resources.load_nli", nothing)
    ledger, resources = Ledger(), FakeBench()
    for method in ALL.methods:
        for cell in nli_cells(ALL, method, *NLI_ARMS):
            job = nli_job(ALL, resources, cell)
            ledger.add(job.key, job.compute(resources))
    summary = summarise(ALL, ledger)
    assert summary["methods"][0]["nli"] == {"missing": "There is no NLI data."}
    report = {"summary": summary, "command": "", "finished": False, "made_by": PROVENANCE}
    assert "NLI was not measured: There is no NLI data." in markdown(Report.from_json(report))


PROVENANCE = {
    "commit": "abc",
    "machine": {"processor": "any", "threads": 1},
    "versions": {"torch": "2"},
}
