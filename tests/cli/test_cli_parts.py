"""Parquet files answered part by part, in this process and on a Ray cluster."""

import json

import pandas as pd
import pytest

from symdemo.analysis import parts


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
