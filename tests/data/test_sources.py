"""Data by name: facts, folders and files give the same kind of object; files of labelled pairs."""

import json
from pathlib import Path

import pytest
from refusals import refusal

from symdemo.data.pair_files import load_pairs, save_pairs
from symdemo.data.relations import load_facts, pairs_of_facts
from symdemo.data.sources import load_data
from symdemo.data.wikidata import build_dataset
from symdemo.errors import InputError
from symdemo.pairs import Pair


@pytest.mark.parametrize("name", ["facts", "facts-delexicalized"])
def test_our_own_facts_are_split_without_a_leak(name):
    whole, train, test = (load_data(name, part) for part in ("all", "train", "test"))
    delexicalized = name != "facts"
    assert list(whole.pairs) == pairs_of_facts(load_facts(), delexicalized)
    assert set(train.pairs) | set(test.pairs) == set(whole.pairs)
    sides = [{pair.entity_pair for pair in data.pairs} for data in (train, test)]
    assert not sides[0] & sides[1]
    assert [data.part for data in (whole, train, test)] == ["all", "train", "test"]


@pytest.fixture
def wikidata_folder(tmp_path):
    """A folder with files called as Wikidata5m's."""
    folder = tmp_path / "wikidata5m"
    folder.mkdir()
    triples = "".join(f"Q{n}\tP25\tQ{n + 1}\n" for n in range(1, 40, 2)) + "Q1\tP25\tQ99\n"
    labels = "".join(f"Q{n}\tperson {n}\n" for n in range(1, 41))
    (folder / "wikidata5m_all_triplet.txt").write_text(triples, "utf-8")
    (folder / "wikidata5m_entity.txt").write_text(labels, "utf-8")
    return folder


def test_wikidata5m_files_and_the_folder_made_from_them_hold_the_same(wikidata_folder, tmp_path):
    made = tmp_path / "made"
    build_dataset(*sorted(wikidata_folder.iterdir()), made)
    for part, n in (("train", 30), ("test", 10), ("all", 40)):
        direct, stored = load_data(wikidata_folder, part), load_data(str(made), part)
        assert set(direct.pairs) == set(stored.pairs)
        assert len(direct.pairs) == len(stored.pairs) == n
        assert direct.part == stored.part == part
        assert direct.licence == stored.licence
        assert stored.to_json()["dropped"] == {"entity without a label": 1}
        assert direct.to_json()["dropped"] == stored.to_json()["dropped"]
    assert "wikidata5m_all_triplet.txt" in stored.source


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "x", "inputs": 7}'])
def test_a_foreign_dataset_json_is_refused(tmp_path, text):
    (tmp_path / "dataset.json").write_text(text, "utf-8")
    assert "is not of `symdemo dataset`" in refusal(load_data, tmp_path)


def test_another_format_and_a_missing_part_are_refused(wikidata_folder, tmp_path):
    made = tmp_path / "made"
    build_dataset(*sorted(wikidata_folder.iterdir()), made)
    (made / "test.jsonl").unlink()
    with pytest.raises(InputError, match=r"There is no file .*test.jsonl"):
        load_data(made, "test")
    manifest = made / "dataset.json"
    manifest.write_text(manifest.read_text("utf-8").replace("dataset/1", "dataset/9"), "utf-8")
    assert "has the format “symdemo-dataset/9”; expected" in refusal(load_data, made)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (Path(), "has no dataset.json, nor Wikidata5m's"),
        ("nowhere", "There is no data “nowhere”; expected a file of pairs"),
        ("nowhere.csv", "There is no file nowhere.csv"),
        ("someone/else", "The data set someone/else is not on this machine"),
    ],
)
def test_an_unknown_name_is_refused(name, message):
    assert message in refusal(load_data, name)
    assert "The part is “dev”; expected: train, test, all" in refusal(load_data, "facts", "dev")


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
        Pair("Ann likes Ben.", "Ben likes Ann.", "entailment", "likes", "Ann", "Ben"),
        Pair("Zoë \u2028 “x”, \\ y", "小 大", "own label"),
        Pair('He said "no".', "No, he said.", "neutral", "said"),
    ]
    save_pairs(pairs, tmp_path / "p.jsonl")
    assert len((tmp_path / "p.jsonl").read_bytes().split(b"\n")) == 4
    expected = [pairs[0], Pair("Zoë “x”, \\ y", "小 大", "own label"), pairs[2]]
    assert load_pairs(tmp_path / "p.jsonl", labels=None) == expected
