"""`symdemo sts`: plan, ledger, resumption, report and tables, with a tiny encoder and tiny data."""

import json

import pytest
from sentence_data import sentence, write_sts

from experiments.reproduction.bellm import command
from experiments.reproduction.bellm.jobs import Resources, jobs, missing_data
from experiments.reproduction.bellm.keys import (
    LEDGER,
    ablation_key,
    label_key,
    selection_key,
    shown_name,
    training_key,
)
from experiments.reproduction.bellm.plan import Plan
from experiments.reproduction.bellm.study import is_finished, run_study
from experiments.reproduction.bellm.summary import summarise
from experiments.reproduction.bellm.tables import markdown
from experiments.reproduction.ledger import Ledger
from symdemo.cli.main import main
from symdemo.encoders.decoders import DecoderOptions
from symdemo.errors import InputError
from symdemo.evaluation import papers as paper
from symdemo.evaluation.results import SentenceReport


@pytest.fixture
def data(tmp_path, monkeypatch):
    folder = write_sts(tmp_path / "data")
    (folder / "retrieval").mkdir()
    captions = "".join(f"{sentence(n)}\n" for n in range(10))
    (folder / "retrieval" / "flickr30k_test_captions.txt").write_text(captions)
    monkeypatch.setenv("SYMDEMO_DATA", str(folder))
    return folder


@pytest.fixture
def plan(tiny_folder):
    parts = ("sts", "degradation", "dependencies", "retrieval")
    return Plan((str(tiny_folder),), parts, ("STS12", "STS-B", "SICK-R", "Flickr30k"))


def fill(ledger):
    """What trainings write."""
    for seed, figure in ((0, 69.0), (1, 72.0), (2, 50.0)):  # the last has no twin
        key = ablation_key("tiny", DecoderOptions(0), seed, {"rate": 1})
        ledger.add(key, {"spearman": figure, "train_pairs": 900, "seconds": 5.0})
    tried = selection_key("tiny", DecoderOptions(1), 0, {"rate": 2, "triplets": 9})
    ledger.add(tried, {"spearman": 61.25, "train_pairs": 9, "seconds": 4.0})
    for seed, figure in ((0, 70.0), (1, 74.0)):
        key = ablation_key("tiny", DecoderOptions(1), seed, {"rate": 1})
        ledger.add(key, {"spearman": figure, "train_pairs": 900, "seconds": 5.0})
    point = {"seconds": 1.0, "pairs": 64, "spearman": 60.5}
    ledger.add(training_key("tiny", 0), {"curve": [point]})
    ledger.add(label_key("tiny"), {"label": "A tiny one"})  # what a table shows


@pytest.fixture
def values(data, plan, tmp_path):
    """A finished report, as the command writes it."""
    ledger = Ledger()
    fill(ledger)
    resources = Resources()
    assert run_study(plan, ledger, resources=resources)
    made_by = {
        "commit": "x",
        "machine": {"processor": "p", "threads": 2},
        "versions": {"torch": "2"},
    }
    return json.loads(json.dumps({
        "command": "symdemo sts",
        "made_by": made_by,
        "finished": True,
        "data": {},
        "summary": summarise(ledger, missing_data(plan, resources)),
    }))  # fmt: skip


def test_what_is_written_is_a_report(values, plan):
    report = SentenceReport.from_json(values, "stamp")
    rows = report.summary["sts"]
    assert [row["label"] for row in rows] == ["word overlap", "TF-IDF", "A tiny one"]
    assert [row["baseline"] for row in rows] == [True, True, False]
    ours = rows[-1]
    assert list(ours["tasks"]) == ["STS12", "STS-B"]
    mean = sum(score["value"] for score in ours["tasks"].values()) / 2
    assert ours["average"] == pytest.approx(mean)
    (layers,) = [row for row in report.summary["degradation"] if row["data"] == "STS-B"]
    assert layers["layers"] == [1, 2]
    assert layers["spearman"][-1] == pytest.approx(ours["tasks"]["STS-B"]["value"], abs=0.5)
    assert report.summary["missing"] == {"SICK-R": "the data are not here"}
    assert [row["label"] for row in report.summary["retrieval"]] == ["TF-IDF", "A tiny one"]


def test_what_trainings_wrote_is_in_the_report(values):
    summary = SentenceReport.from_json(values).summary
    causal, row = summary["ablation"]
    assert (row["looking_back"], row["mean"]) == (1, 72.0)
    assert row["deviation"] == pytest.approx(8**0.5)
    assert [run["seed"] for run in row["runs"]] == [0, 1]
    assert causal["gain"] is None
    gain = row["gain"]  # of the differences 1 and 2; t with one degree of freedom is 12.706
    assert (gain["value"], gain["n"]) == (1.5, 2)
    assert gain["high"] - 1.5 == pytest.approx(12.706 * 0.5, abs=0.001)
    (tried,) = summary["selection"]
    assert (tried["config"]["rate"], tried["spearman"]) == (2, 61.25)
    assert summary["training"][0]["curve"][0]["spearman"] == 60.5


def test_tables_have_the_papers_figures_beside_ours(values):
    text = markdown(SentenceReport.from_json(values))
    row = paper.BELLM_TABLE_1[paper.BELLM]
    mean = (row["STS12"] + row["STS-B"]) / 2
    assert f"| *BeLLM (LLaMA2-7B)* | 79.39 | 89.04 | {mean:.2f} (86.26 over all 7) |" in text
    assert "| *SGPT-125M, mean* | – | 76.90 | – |" in text  # an average wants all tasks
    assert "Not measured, as the data are not here: SICK-R." in text
    assert "72.00 ± 2.83 | +1.50 [−4.85 to +7.85]" in text
    assert "| rate 2 | 9 | 0 | 61.25 | 4 |" in text
    assert "nan" not in text
    assert "None" not in text


def test_the_papers_averages_are_those_of_its_rows():
    for name, printed in paper.BELLM_TABLE_1_AVERAGE.items():
        found = paper.average_over(paper.BELLM_TABLE_1[name], list(paper.BELLM_TABLE_1[name]))
        assert found == pytest.approx(printed, abs=0.035), name  # SBERT’s is 74.86, printed 74.89
    assert sum(paper.BELLM_TABLE_3[paper.BELLM].values()) / 7 == pytest.approx(91.35, abs=0.01)
    assert sum(paper.BELLM_TABLE_3[paper.SIMCSE].values()) / 7 == pytest.approx(91.06, abs=0.01)


def test_a_study_goes_on_where_it_was_stopped(data, plan, tmp_path):
    path, shown = tmp_path / LEDGER, []
    stops = iter([False, False, False, True])
    assert not run_study(plan, Ledger(path), shown.append, lambda: next(stops))
    first = Ledger(path)
    made = [key for key in first if "task" in key]
    assert len(made) == 3
    resources = Resources()
    assert not is_finished(plan, first, resources)
    with path.open("a") as file:
        file.write('{"key": {"part": "sts"')  # a kill while it was writing
    assert run_study(plan, Ledger(path), shown.append)
    last = Ledger(path)
    every = [job.key for job in jobs(plan, resources)]
    assert is_finished(plan, last, resources)
    assert all(last.get(key) == first.get(key) for key in made)  # none was made again
    assert len([key for key in last if "task" in key]) == len(every)
    begun = {(now.done, now.current) for now in shown}
    assert len(begun) == len(every)
    assert {now.total for now in shown} == {len(every)}
    again = []
    assert run_study(plan, Ledger(path), again.append)
    assert again == []


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"parts": ("x",)}, "no part “x”"),
        ({"tasks": ("STS99",)}, "no task “STS99”"),
        ({"encoders": ()}, "one of them is empty"),
    ],
)
def test_a_plan_of_nothing_there_is_is_refused(changes, says):
    with pytest.raises(InputError, match=says):
        Plan(**changes)


def test_a_folder_is_named_without_its_path(tiny_folder):
    assert shown_name(str(tiny_folder)) == "tiny"
    assert shown_name(f"{tiny_folder}?looking_back=1") == "tiny?looking_back=1"
    assert shown_name("smollm2-135m?looking_back=1") == "smollm2-135m?looking_back=1"


def test_the_command_measures_publishes_and_adds_to_what_is_there(
    data, tiny_folder, tmp_path, monkeypatch, capsys
):
    results = tmp_path / "results"
    page = tmp_path / "sentences.md"
    page.write_text(f"before\n{command.BEGIN}\n{command.END}\nafter\n")
    monkeypatch.setattr(command, "RESULTS", results)
    monkeypatch.setattr(command, "PAGE", page)
    monkeypatch.setattr(command, "StopAsked", lambda in_hand: None)
    fill(Ledger(results / LEDGER))
    out = tmp_path / "out"
    words = ["sts", "--encoder", str(tiny_folder), "--label", "Tiny", "--parts", "sts,retrieval"]
    assert main([*words, "--data", str(data), "--out", str(out), "--publish"]) == 0
    said = capsys.readouterr()
    assert "| Tiny |" in said.out
    assert "[1/" in said.err
    assert str(tmp_path) not in (out / SentenceReport.NAME).read_text()
    published = SentenceReport.find(results).summary
    assert published["ablation"]
    assert published["sts"] == SentenceReport.find(out).summary["sts"]
    assert "| Tiny |" in page.read_text()
    assert page.read_text().endswith("\nafter\n")
    assert main([*words, "--out", str(out), "--json", "--report-only"]) == 0
    assert json.loads(capsys.readouterr().out)["finished"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--parts", "x"], "There is no part “x”"),
        (["--data", "/nowhere/at/all"], "There is no folder /nowhere/at/all"),
        (["--label", "a", "b"], "There are 1 encoders and 2 labels"),
        (["--parts", "conditional"], "The data of C-STS are not here"),
        (["--encoder", "nobody"], "The encoder “nobody” is unknown"),
    ],
)
def test_bad_input_is_one_sentence(data, tmp_path, capsys, words, says):
    assert main(["sts", "--parts", "sts", "--out", str(tmp_path / "out"), *words]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
