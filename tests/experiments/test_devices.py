"""`experiments/devices.py`: how often verdicts agree, by device and by seed."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from experiments import devices
from symdemo.pairs import Pair

ASKED = {
    0: [Pair(f"{name} is here.", "There.", "entailment") for name in "abcd"],
    1: [Pair(f"{name} is here.", "There.", "entailment") for name in "bcde"],
}
SAID = {("one", 0): "EEEC", ("one", 1): "EECC", ("two", 0): "EECC", ("two", 1): "EECC"}
LABELS = {"E": "entailment", "C": "contradiction"}


@pytest.fixture
def row(monkeypatch):
    def taught(device, seed, name):
        said = np.array([LABELS[letter] for letter in SAID[device, seed]])
        model = SimpleNamespace(predict=lambda pairs: SimpleNamespace(verdict_labels=said))
        return model, ASKED[seed]

    monkeypatch.setattr(devices, "WAYS", {"made up": taught})
    (row,) = devices.measured(["one", "two"], 2, "no set")
    return row


def test_devices_are_compared_seed_by_seed(row):
    assert row["devices_agree"] == [0.75, 1]
    assert row["right"] == {"one": [0.75, 0.5], "two": [0.5, 0.5]}
    assert {device: len(took) for device, took in row["seconds"].items()} == {"one": 2, "two": 2}


def test_seeds_are_compared_on_what_both_were_asked(row):
    """b, c and d: E E C and E E C on the one, E C C and E E C on the other."""
    assert row["seeds_agree"] == [pytest.approx(1), pytest.approx(2 / 3)]


def test_a_device_that_is_not_here_is_said_in_a_sentence(monkeypatch, capsys, tmp_path):
    out = tmp_path / "devices.json"
    arguments = ["devices.py", "--devices", "cpu", "cuda:99", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", arguments)
    assert devices.main() == 2
    assert "There is no device cuda:99 here" in capsys.readouterr().err
    assert not out.exists()
