"""Triplets from labelled pairs; test sentences are left out."""

import json

import pytest

from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.training.triplets import Triplet, load_triplets, triplets_of

PAIRS = [
    Pair("A man plays.", "Somebody plays.", "entailment"),
    Pair("A man plays.", "Nobody plays.", "contradiction"),
    Pair("A man plays.", "He plays chess.", "neutral"),
    Pair("A man plays.", "A person plays.", "entailment"),
    Pair("A man plays.", "A man sleeps.", "contradiction"),
    Pair("A man plays.", "There is a man.", "entailment"),
    Pair("A dog runs.", "An animal moves.", "entailment"),
    Pair("A cat sits.", "A cat flies.", "contradiction"),
]


def write(path, pairs):
    rows = ({"premise": p.premise, "hypothesis": p.hypothesis, "label": p.label} for p in pairs)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_each_entailment_has_one_of_its_premise_s_contradictions_in_turn():
    assert triplets_of(PAIRS) == [
        Triplet("A man plays.", "Somebody plays.", "Nobody plays."),
        Triplet("A man plays.", "A person plays.", "A man sleeps."),
        Triplet("A man plays.", "There is a man.", "Nobody plays."),
    ]


@pytest.mark.parametrize("unseen", ["A person plays.", "a person plays", "A MAN SLEEPS. "])
def test_test_sentences_are_left_out(tmp_path, unseen):
    data = load_triplets(write(tmp_path / "nli.jsonl", PAIRS), unseen=[unseen])
    assert [t.positive for t in data.triplets] == ["Somebody plays.", "There is a man."]
    assert data.left_out == {"measured on": 1}
    assert data.pairs == len(PAIRS)


def test_a_sample_is_by_chance_and_the_same_for_a_seed(tmp_path):
    data = load_triplets("own-sentences")
    assert data.sample(20, seed=1) == data.sample(20, seed=1) != data.sample(20, seed=2)
    assert sorted(map(str, data.sample(None, seed=1))) == sorted(map(str, data.triplets))
    with pytest.raises(InputError, match=r"99999 triplets are asked for; 1 to \d+ are here"):
        data.sample(99_999, seed=0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not json\n", r"x\.jsonl, line 1: This is not a JSON object"),
        ('{"premise": "a", "hypothesis": "b", "label": "neutral"}\n', "no premise has both"),
    ],
)
def test_a_bad_file_is_refused_in_a_sentence(tmp_path, text, message):
    path = tmp_path / "x.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_triplets(str(path))


def test_an_unknown_source_names_the_known_ones(monkeypatch):
    monkeypatch.delenv("SYMDEMO_DATA", raising=False)
    with pytest.raises(InputError, match=r"There is no file nowhere; .* own-sentences"):
        load_triplets("nowhere")
    with pytest.raises(InputError, match="no NLI data in the folder SYMDEMO_DATA"):
        load_triplets("local")
