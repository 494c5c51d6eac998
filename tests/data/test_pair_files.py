"""The files that labelled pairs are read from and written to."""

import json

import pytest
from refusals import refusal

from symdemo.data.pair_files import load_pairs, save_pairs
from symdemo.pairs import Pair

AB = Pair("Ann likes Ben.", "Ben likes Ann.", "entailment", "likes", "Ann", "Ben")


def test_jsonl_with_pid_blank_lines_and_other_columns(write):
    row = {"premise": "A  b", "hypothesis": "b A", "label": "neutral", "relation": "is b", "n": 3}
    text = "\n".join([json.dumps(row), "", "  ", json.dumps(row | {"pid": "P31"})])
    path = write("pairs.jsonl", "\ufeff" + text)
    assert load_pairs(path) == [Pair("A b", "b A", "neutral", of) for of in ("is b", "P31")]


GOOD = "Ann likes Ben.,Ben likes Ann.,entailment"
SHORT_HEADER = "premise,hypothesis,label"
JSON = '{"premise": "Ann likes Ben.", "hypothesis": "Ben likes Ann.", "label": "neutral"}'


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("p.csv", SHORT_HEADER + "\n", "p.csv has no rows"),
        ("p.csv", "premise,label\nA b,neutral\n", "p.csv has no column for hypothesis; seen: prem"),
        ("p.csv", f"{SHORT_HEADER}\n{GOOD}\nAnn likes Ben.,x\n", "p.csv, line 3: The hypoth"),
        ("p.csv", f"{SHORT_HEADER}\n{GOOD}s\n", "line 2: The label is “entailments”; did you"),
        ("p.jsonl", f"{JSON}\n{JSON[:-5]}\n", "p.jsonl, line 2: This is not a JSON object"),
        ("p.jsonl", JSON.replace('"neutral"', "3"), "line 1: The label is “3”; expected"),
        ("p.jsonl", JSON.replace('"Ben likes Ann."', "null"), "line 1: The hypothesis is empty"),
    ],
)
def test_bad_files_are_refused_in_one_sentence(write, name, content, says):
    assert says in refusal(load_pairs, write(name, content), strict=True)


def test_other_column_names_and_words_for_labels(write):
    path = write("p.csv", "gold_label,sentence1,sentence2\nYes,Ann likes Ben.,Ben likes Ann.\n")
    assert load_pairs(path) == [Pair("Ann likes Ben.", "Ben likes Ann.", "entailment")]
    assert load_pairs(path, None, label_words=False)[0].label == "Yes"


def test_labels_can_be_limited_or_free(write):
    path = write("p.csv", f"{SHORT_HEADER}\nA b,b A,fraternal\n")
    assert "“fraternal”; expected: entailment, contradiction, neu" in refusal(load_pairs, path)
    assert load_pairs(path, labels=("fraternal",))[0].label == "fraternal"
    assert load_pairs(path, labels=None)[0].label == "fraternal"


def test_save_and_load(tmp_path):
    pairs = [
        AB,
        Pair("Zoë \u2028 “x”, \\ y", "小 大", "own label"),
        Pair('He said "no".', "No, he said.", "neutral", "said"),
    ]
    save_pairs(pairs, tmp_path / "p.jsonl")
    assert len((tmp_path / "p.jsonl").read_bytes().split(b"\n")) == 4
    expected = [pairs[0], Pair("Zoë “x”, \\ y", "小 大", "own label"), pairs[2]]
    assert load_pairs(tmp_path / "p.jsonl", labels=None) == expected
