"""`symdemo evaluate`, `train` and `dataset`: data in, figures, models and folders out."""

import hashlib
import json
import re
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from tiny import ANN, BEN, write_classifier

from symdemo import Pair, SymmetryClassifier
from symdemo.analysis import parts
from symdemo.cli import shared
from symdemo.data.pair_files import save_pairs


def test_evaluate_says_which_labels_the_model_cannot_give(run, evaluated, pairs, tmp_path):
    path, n = tmp_path / "three.jsonl", len(pairs) + 3
    save_pairs([*pairs, *(replace(pair, label="neutral") for pair in pairs[:3])], path)
    code, out, err = run("evaluate", "--model", "tiny", "--data", path)
    assert (code, err) == (0, "")
    share = f"3 of {n} pairs ({3 / n:.1%})"
    assert f"cannot be right    {share}: the model never answers neutral\n" in out
    assert evaluated(path)["labels_unknown"] == {"neutral": 3}


def test_evaluate_tells_the_share_that_is_not_judged(run, evaluated, saved, pairs, tmp_path):
    folder, path = saved["conjugate"], tmp_path / "pairs.jsonl"
    save_pairs([*pairs[:3], Pair("It is raining again.", "A dog barked.", "neutral")], path)
    out = run("evaluate", "--model", folder, "--data", path)[1]
    assert "not judged         25.00%; these count as wrong\n" in out
    figures = evaluated(path, model=folder)
    assert (figures["not_judged"], figures["by_label"]["neutral"]) == (0.25, 0.0)
    assert figures["confusion"]["neutral"] == {"not judged": 1}
    assert "not judged" not in run("evaluate", "--model", "tiny", "--data", path)[1]


def test_evaluate_writes_a_report_and_prints_what_it_prints_without(
    run, with_models, data, tmp_path, tiny_folder
):
    given = ("evaluate", "--model", "tiny", "--data", data)
    report = tmp_path / "out" / "report.html"
    before = run(*given)[1]
    code, out, err = run(*given, "--report", report)
    assert (code, err) == (0, "")
    assert out == f"{before}written to {report}\n"
    page = report.read_text(encoding="utf-8")
    digest = hashlib.sha256(data.read_bytes()).hexdigest()
    for expected in ("Right on 48 of 48 pairs", "pairs.jsonl, part all", digest, "gave the same"):
        assert expected in page, expected
    assert str(data.parent) not in page
    assert str(Path(tiny_folder).parent) not in page
    code, out, _ = run(*given, "--json", "--report", tmp_path / "second.html")
    figures = json.loads(out)
    assert (code, figures["model"], figures["n"], figures["data"]["part"]) == (0, "tiny", 48, "all")
    assert figures["accuracy"] == figures["lookup_baseline"] == 1.0  # it was taught these pairs
    assert figures["majority_baseline"] == 0.5
    assert (tmp_path / "second.html").is_file()


@pytest.fixture
def nli(tiny_folder, tmp_path):
    def nli(*names: str) -> str:
        return write_classifier(tiny_folder, tmp_path / names[-1], names)

    return nli


@pytest.fixture
def judged(pairs, write):
    """Labelled pairs, with a third label, judged by another system in two ways; and its labels."""
    labels = [pair.label for pair in pairs[:-1]] + ["neutral"]
    said = [label if n % 3 else "No." for n, label in enumerate(labels)]
    said[1] = ""
    rows = [
        f"{pair.premise},{pair.hypothesis},{label},{own},{'not-entailment' if n else ''}"
        for n, (pair, label, own) in enumerate(zip(pairs, labels, said, strict=True))
    ]
    path = write("judged.csv", "\n".join(["premise,hypothesis,label,gpt,two", *rows]))
    return path, labels, [{"No.": "contradiction"}.get(own, own) for own in said]


def test_evaluate_compares_others_on_the_same_rows(run, with_models, judged, nli, tmp_path):
    from scipy.stats import binomtest

    from symdemo.evaluation.intervals import wilson

    path, labels, said = judged
    other = nli("entailment", "neutral", "contradiction")
    given = ("evaluate", "--model", "tiny", "--data", path, "--columns", "gpt", "--compare", other)
    report = tmp_path / "report.html"
    code, out, err = run(*given, "--json", "--report", report)
    assert (code, err) == (0, "")
    found = json.loads(out)["compared"]
    assert found["labels"] == ["contradiction", "entailment", "neutral"]
    assert list(found["systems"]) == ["tiny", "gpt", other]
    n, right = len(labels), sum(map(str.__eq__, labels, said))
    alone = sum(one == two == "neutral" for one, two in zip(labels, said, strict=True))
    ours_alone = n - right - (1 - alone)  # the model is right but for the last pair
    assert found["systems"]["tiny"]["accuracy"] == (n - 1) / n
    assert found["systems"]["gpt"] == {
        "accuracy": right / n,
        **dict(zip(("low", "high"), wilson(right, n), strict=True)),
        "alone_right": alone,
        "ours_alone_right": ours_alone,
        "p_value": pytest.approx(binomtest(alone, alone + ours_alone).pvalue),
    }
    assert f"  gpt                      {right / n:.2%} [" in run(*given)[1]
    page = report.read_text("utf-8")
    assert "gpt" in page
    assert other in page


def test_evaluate_compares_two_classes_by_two_classes(evaluated, judged, nli):
    path, labels, _ = judged
    given = (path, "--labels", "LABEL_0=not_entailment,LABEL_1=yes")
    for argv in (("--columns", "two"), ("--compare", nli("LABEL_0", "LABEL_1"))):
        figures = evaluated(*given, *argv)
        assert figures["accuracy"] == 1 - 1 / len(labels)
        assert figures["compared"]["labels"] == ["entailment", "not_entailment"]
    assert "compared" not in evaluated(*given)


@pytest.mark.slow
def test_train_writes_a_model_that_predict_loads(run, tiny_folder, data, tmp_path):
    out = tmp_path / "mine"
    given = ("--encoder", tiny_folder, "--data", data, "--samples", 16, "--seed", 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shared, "PATIENCE", -1)
        code, printed, err = run("train", *given, "--out", out, "--json")
    assert code == 0
    for what in ("preparing the training", "encoding what was taught"):
        assert f"symdemo: {what} …\n" in err
    card = json.loads(printed)
    assert (card["name"], card["method"], card["seed"]) == ("mine", "knn", 3)
    assert (card["data"]["pairs"], card["data"]["source"]) == (16, "the file pairs.jsonl")
    code, printed, err = run("predict", "--model", out, "--json", ANN, BEN)
    assert (code, err) == (0, "")
    answer = json.loads(printed)
    assert answer["label"] in card["labels"]
    assert len(answer["neighbours"]) == 3


@pytest.fixture
def wikidata(tmp_path):
    """Twenty mothers and twenty siblings, and one triple that is dropped."""
    paths = tmp_path / "triples.txt", tmp_path / "entities.txt"
    relations = ["P25", "P3373"] * 20
    triples = [f"Q{2 * n + 1}\t{p}\tQ{2 * n + 2}\n" for n, p in enumerate(relations)]
    paths[0].write_text("".join([*triples, "Q2\tP3373\tQ2\n"]), encoding="utf-8")
    labels = "".join(f"Q{n}\tperson {n}\n" for n in range(1, 81))
    paths[1].write_text(labels, encoding="utf-8")
    return ("--triples", paths[0], "--entities", paths[1], "--out", tmp_path / "out")


def test_dataset_makes_a_folder_that_evaluate_and_train_take(
    run, evaluated, quick, wikidata, tiny_folder, tmp_path
):
    code, out, err = run("dataset", *wikidata, "--test-share", 0.2, "--seed", 1, "--json")
    assert (code, err) == (0, "")
    content = json.loads(out)
    assert content == json.loads((tmp_path / "out" / "dataset.json").read_text("utf-8"))
    assert content["pairs"] == {"train": 64, "test": 16}
    figures = evaluated(tmp_path / "out")
    assert (figures["n"], figures["data"]["part"]) == (16, "test")
    given = ("--encoder", tiny_folder, "--data", tmp_path / "out", "--out", tmp_path / "mine")
    code, out, _ = run("train", *given, "--json")
    assert (code, json.loads(out)["data"]["pairs"]) == (0, 64)


def test_progress_is_bars_on_a_terminal_lines_elsewhere_and_nothing_if_quiet(
    run, monkeypatch, with_models, data, wikidata
):
    evaluate = ("evaluate", "--model", "tiny", "--data", data, "--json")
    monkeypatch.setattr(shared, "PATIENCE", -1)
    monkeypatch.setattr(shared, "BETWEEN_LINES", 0)
    monkeypatch.setattr(shared, "MANY_PAIRS", 48)
    _, out, err = run(*evaluate)
    assert json.loads(out)["n"] == 48
    lines = err.splitlines()
    assert "symdemo: encoded 48 of 48, about 0 s left" in lines
    assert "symdemo: comparing with what was taught …" in lines
    assert "symdemo: loading the model …" in lines
    assert run(*evaluate, "--quiet")[2] == run("dataset", *wikidata, "--quiet")[2] == ""
    monkeypatch.setattr(shared, "PATIENCE", 600)
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda self: True, raising=False)
    _, _, err = run(*evaluate)
    assert "encoded: 100%" in err
    assert "48/48 [00:0" in err
    _, _, err = run("dataset", *wikidata[:-1], wikidata[-1].with_name("again"))
    assert "reading triples.txt, percent: 100%" in err
    assert "writing test-delexicalized.jsonl, percent: 100%" in err


@pytest.mark.slow
def test_an_interrupted_training_keeps_what_was_learnt(run, tiny_folder, data, tmp_path, quick):
    def press(*_):
        signal.raise_signal(signal.SIGINT)

    out = tmp_path / "mine"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("symdemo.cli.shared.show_progress", lambda *_: press)
        code, _, err = run("train", "--encoder", tiny_folder, "--data", data, "--out", out)
    assert code == 130
    assert re.search(r"stopped after step 1 of \d+; ", err)
    assert "run the same command with another --out" in err
    model = SymmetryClassifier.from_pretrained(out)
    assert model.card.training["stopped"]
    assert model.predict([("Ann is next to Ben.", "Ben is next to Ann.")])


@pytest.fixture
def files(pairs, tmp_path, monkeypatch):
    """A pattern of two files, of 7 parts, with a row without a label and one that is unreadable."""
    monkeypatch.setattr(parts, "ROWS", 8)
    frame = pd.DataFrame(
        {
            "sentence1": [pair.premise for pair in pairs],
            "sentence2": [pair.hypothesis for pair in pairs],
            "gold_label": [pair.label for pair in pairs],
            "relation": [pair.relation for pair in pairs],
        }
    )
    frame.loc[3, "gold_label"] = "-"
    frame.loc[40, "sentence1"] = "Paris"
    (tmp_path / "in").mkdir()
    frame[:20].to_parquet(tmp_path / "in" / "a.parquet", row_group_size=5)
    frame[20:].to_parquet(tmp_path / "in" / "b.parquet")
    frame.to_parquet(tmp_path / "all.parquet")
    return tmp_path / "in" / "*.parquet"


def answers(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.parquet"))}


def test_parts_give_the_figures_of_one_file_and_are_not_asked_again(
    run, refused, with_models, files, tmp_path, monkeypatch
):
    asked = []
    call = parts.PartPredictor.__call__
    monkeypatch.setattr(
        parts.PartPredictor, "__call__", lambda self, part: asked.append(1) or call(self, part)
    )
    command = ("evaluate", "--model", "tiny", "--json", "--data")
    _, whole, _ = run(*command, tmp_path / "all.parquet")
    code, out, err = run(*command, files, "--out", tmp_path / "out")
    assert (code, len(asked)) == (0, 7)
    assert "b.parquet, row 21 was set aside: The premise is “Paris”" in err
    expected, found = json.loads(whole), json.loads(out)
    assert found["data"]["dropped"] == expected["data"]["dropped"]
    for figures in (expected, found):
        del figures["seconds"], figures["data"]
    assert found == expected

    before = answers(tmp_path / "out")
    (tmp_path / "out" / "00000-000000008.parquet").unlink()
    assert run(*command, files, "--out", tmp_path / "out")[0] == 0
    assert (len(asked), answers(tmp_path / "out")) == (8, before)
    again = ("--data", files, "--out", tmp_path / "out")
    assert "answers of another run, with another files" in refused("predict", *again)
    assert "--report" in refused("evaluate", *again, "--report", "report.html")
    assert "--out is expected" in refused("evaluate", "--data", files, "--engine", "ray")


def test_predict_swaps_sentences_of_parts(run, with_models, files, tmp_path):
    code, out, _ = run("predict", "--model", "tiny", "--data", files, "--out", tmp_path / "out")
    assert code == 2  # a row has no answer
    assert "no answer      1" in out
    found = pd.read_parquet(tmp_path / "out")
    assert len(found) == 48
    assert found[found.error.isna()].verdict.isin(["entailment", "contradiction"]).all()


@pytest.mark.slow  # a Ray cluster
def test_a_ray_cluster_writes_the_same_bytes(run, saved, files, tmp_path):
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    command = ("evaluate", "--model", saved["knn"], "--data", files)
    assert run(*command, "--out", tmp_path / "local")[0] == 0
    ray.init(num_cpus=2, log_to_driver=False)
    try:
        assert run(*command, "--engine", "ray", "--out", tmp_path / "ray")[0] == 0
    finally:
        ray.shutdown()
    assert len(answers(tmp_path / "local")) == 7
    assert answers(tmp_path / "ray") == answers(tmp_path / "local")
