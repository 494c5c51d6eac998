"""A decoder trained by the recipe and by the command line, and its card; tiny ones throughout."""

import json

import numpy as np
import pytest
from tiny import TRAINS_DECODERS, write_tiny_decoder

from symdemo.cli.main import main
from symdemo.encoders import load_encoder
from symdemo.evaluation.sentences import adapters as recipe
from symdemo.evaluation.sentences import sts
from symdemo.evaluation.sentences.sts import SimilarityData

pytestmark = TRAINS_DECODERS

NAMES = ("Ann", "Ben", "Mia", "Leo", "Eva", "Tom", "Ida", "Max")
PART = SimilarityData(
    tuple(f"{n} sleeps." for n in NAMES),
    tuple(f"{n} is asleep." for n in reversed(NAMES)),
    np.linspace(0, 5, len(NAMES)),
)


@pytest.fixture
def told(tmp_path, monkeypatch):
    """A tiny decoder, NLI rows for it, and the options of a short training; STS-B is made up."""
    monkeypatch.setattr(sts, "sts_part", lambda part: PART)
    monkeypatch.setattr(sts, "sts_at_hand", lambda part: PART)
    rows = [
        {"premise": f"{n} is here {i}.", "hypothesis": f"{n} {verb} {i}.", "label": label}
        for i, n in enumerate(NAMES)
        for verb, label in (("is somewhere", "entailment"), ("is nowhere", "contradiction"))
    ]
    data = tmp_path / "nli.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    base = write_tiny_decoder(tmp_path / "decoder")
    return ["--base", str(base), "--data", str(data), "--batch-size", "4", "--rank", "2"]


def test_a_training_leaves_its_record_and_a_card_of_what_was_measured(told, tmp_path, capsys):
    out, runs = tmp_path / "mine", tmp_path / "runs"
    options = ["--epochs", "2", "--dev", "4", "--checkpoint-every", "2", "--json"]
    assert main(["bellm", "train", *told, *options, "--out", str(out)]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["steps"] == 4
    assert made["data"]["triplets"] == len(NAMES)
    assert [point["pairs"] for point in made["curve"]] == [8, 16]
    assert made["seconds"] > 0
    assert made["made_by"]["commit"]
    names = {"adapter_config.json", "adapter_model.safetensors", "bellm.json"}
    assert {path.name for path in out.iterdir()} == names
    assert load_encoder(str(out), device="cpu").encode(["Ann sleeps."]).shape == (1, 32)
    for _ in range(2):
        assert main(["bellm", "score", str(out), "--out", str(runs)]) == 0
    (line,) = (runs / "bellm_measurements.jsonl").read_text().splitlines()
    assert json.loads(line)["key"] == {"part": "training", "encoder": "mine", "seed": 0}
    assert len(json.loads(line)["result"]["curve"]) == 2
    score = json.loads((out / "bellm.json").read_text())["made"]["scores"]["STS-B test, Spearman"]
    assert score["pairs"] == len(NAMES)
    assert f"STS-B test, Spearman: {score['value']} [" in capsys.readouterr().out
    card = (out / "README.md").read_text(encoding="utf-8")
    assert f"**{score['value']}**" in card
    assert "- rank: 2" in card
    assert main(["bellm", "score", str(tmp_path / "nowhere")]) == 2
    assert "There is no bellm.json in" in capsys.readouterr().err


@pytest.mark.slow
def test_ctrl_c_ends_with_130_and_the_same_command_goes_on(told, tmp_path, monkeypatch, capsys):
    class Second:
        """Asks to stop after the second step."""

        def __init__(self, in_hand):
            self.asked = 0

        def __call__(self):
            self.asked += 1
            return self.asked == 2

    command = ["bellm", "train", *told, "--epochs", "3", "--dev", "4", "--checkpoint-every", "1"]
    usual = recipe.StopAsked
    monkeypatch.setattr(recipe, "StopAsked", Second)
    assert main([*command, "--out", str(tmp_path / "a")]) == 130
    assert "run the same command again" in capsys.readouterr().err
    monkeypatch.setattr(recipe, "StopAsked", usual)
    capsys.readouterr()
    spent = json.loads((tmp_path / "a" / "curve.json").read_text())["seconds"]
    assert main([*command, "--alpha", "7", "--out", str(tmp_path / "a")]) == 2
    assert "stopped training with another config; repeat its command" in capsys.readouterr().err
    for name in ("a", "b"):
        assert main([*command, "--out", str(tmp_path / name)]) == 0
    capsys.readouterr()
    one, two = (json.loads((tmp_path / n / "bellm.json").read_text())["made"] for n in "ab")
    assert one["seconds"] > spent > 0
    assert [p["pairs"] for p in one["curve"]] == [p["pairs"] for p in two["curve"]]
    assert one["curve"][-1]["pairs"] == 3 * len(NAMES)
    assert [p["spearman"] for p in one["curve"]] == [p["spearman"] for p in two["curve"]]
    weights = [(tmp_path / n / "adapter_model.safetensors").read_bytes() for n in "ab"]
    assert weights[0] == weights[1]


def test_a_comparison_keeps_what_it_measured(told, tmp_path, monkeypatch, capsys):
    words = ["--usual", "--seeds", "1", "--triplets", "4", "--out", str(tmp_path), "--json"]
    rows = []
    for _ in range(2):
        assert main(["bellm", "compare", *told, *words]) == 0
        rows += json.loads(capsys.readouterr().out)
        monkeypatch.setattr("experiments.looking_back.train_contrastive", None)  # nothing is left
    assert rows[0] == rows[1]
    assert rows[0]["key"]["config"] == {
        "batch_size": 4, "rank": 2, "triplets": 4, "source": told[3]
    }  # fmt: skip
    assert rows[0]["result"]["train_pairs"] == 4
