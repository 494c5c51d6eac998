"""Data by name: facts, folders, files and the set on the hub give the same kind of object."""

import json
from pathlib import Path

import pandas
import pyarrow
import pytest
from pyarrow import parquet
from refusals import refusal

from symdemo.data import hub as hub_data
from symdemo.data.hub import REPOSITORY, read_hub_pairs, recognise
from symdemo.data.pair_files import NO_LABEL, SET_ASIDE, load_pairs, save_pairs
from symdemo.data.relations import RELATIONS, load_facts, pairs_of_facts
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


def test_an_unknown_name_is_refused():
    for name, message in (
        (Path(), "has no dataset.json, nor Wikidata5m's"),
        ("nowhere", "There is no data “nowhere”; expected a file of pairs"),
        ("nowhere.csv", "There is no file nowhere.csv"),
        ("someone/else", "The data set someone/else is not on this machine"),
    ):
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


SIBLINGS = ("ann is a sibling of ben", "ben is a sibling of ann")
MOTHER = ("eve is the mother of dan", "dan is the mother of eve")
TRAIN = Pair(*SIBLINGS, "entailment", "P3373", "ann", "ben")
TEST = Pair(*MOTHER, "contradiction", "P25", "dan", "eve")


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """Stand in for the hub: write files, and what is downloaded is their folder."""
    folder = tmp_path / "0123456789abcdef"
    folder.mkdir()
    monkeypatch.setattr(hub_data, "download", lambda repository: folder)

    def write(name: str, *rows: dict, text: str | None = None):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        frame = pandas.DataFrame(list(rows))
        if text is None and path.suffix == ".jsonl":
            text = frame.to_json(orient="records", lines=True)
        path.write_text(frame.to_csv(index=False) if text is None else text, encoding="utf-8")
        return folder

    return write


def row(sentences, label, **more) -> dict:
    return dict(zip(("premise", "hypothesis"), sentences, strict=True)) | {"label": label} | more


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("labels", [("entailment", "contradiction"), (0, 2), ("Entailment ", "2")])
def test_files_of_parts_give_the_same_pairs(hub, ending, labels):
    spelt = ("Ann is a sibling of Ben.", " Ben is a  sibling of Ann .")  # put in lower case
    hub(f"data/train-00000-of-00001.{ending}", row(spelt, labels[0], id=7))
    hub(f"data/test-00000-of-00001.{ending}", row(MOTHER, labels[1], id=8))
    assert load_data("asymmetricity").pairs == (TEST, TRAIN)
    train = load_data(REPOSITORY, "train")
    assert (train.pairs, train.part, train.dropped) == ((TRAIN,), "train", {})
    assert load_data("asymmetricity", "test").pairs == (TEST,)
    assert train.source == f"{REPOSITORY} on the hub, revision 0123456789ab"


def test_a_set_without_parts_is_given_whole_and_says_so(hub):
    hub("pairs.csv", row(SIBLINGS, 0))
    data = load_data("asymmetricity", "test")
    assert (data.pairs, data.part) == ((TRAIN,), "all")


NAMES = "{class_label: {names: {'0': contradiction, '1': entailment}}}"
CARD = f"""---
dataset_info:
- features: [{{name: premise, dtype: string}}, {{name: label, dtype: {NAMES}}}]
---
# A set
"""


@pytest.mark.parametrize(
    ("card", "numbers"),
    [
        (CARD, (1, 0)),
        *((text, (0, 2)) for text in ("# A set", "---\ndataset_info: 7\n---\n", "---\n: [")),
    ],
)
def test_the_card_says_what_a_number_means_or_the_usual_order_holds(hub, card, numbers):
    hub("README.md", text=card)
    hub("train.csv", row(SIBLINGS, numbers[0]), row(MOTHER, numbers[1]))
    assert read_hub_pairs().pairs == (TRAIN, TEST)


def test_a_parquet_file_may_say_itself_what_a_number_means(hub):
    features = {"label": {"names": ["contradiction", "entailment"], "_type": "ClassLabel"}}
    described = {"huggingface": json.dumps({"info": {"features": features}})}
    table = pyarrow.Table.from_pylist([row(SIBLINGS, 1), row(MOTHER, 0)])
    path = hub("README.md", text="# A set") / "train.parquet"
    parquet.write_table(table.replace_schema_metadata(described), path)
    assert read_hub_pairs().pairs == (TRAIN, TEST)


def test_rows_that_give_no_pair_are_counted(hub):
    hub(
        "train.jsonl",
        row(SIBLINGS, "entailment"),
        row(SIBLINGS, "entailment"),
        row(MOTHER, "related"),
        row(MOTHER, "-1"),
        row(MOTHER, None),
        row(("one", "two words"), "neutral"),
        row((None, "two words"), "neutral"),
    )
    hub("train-labels.csv", {"id": 1}, {"id": 2})
    found = read_hub_pairs(part="train")
    assert found.pairs == (TRAIN,)
    assert found.dropped == {hub_data.REPEATED: 1, NO_LABEL: 2, SET_ASIDE: 3, hub_data.NO_PAIRS: 1}


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        *((name, text, name) for name, text in (
            ("train.csv", ""), ("train.jsonl", "{"), ("t.json", "["), ("t.parquet", ""),
        )),
        ("train.csv", "text,label\na b,1\n", "train.csv has no column .*; seen: text, label"),
        ("dev.csv", "premise,hypothesis,label\na b,b a,0\n", "no part test; it has .*valid"),
    ],
)  # fmt: skip
def test_files_that_give_nothing_say_why(hub, name, text, says):
    hub(name, text=text)
    with pytest.raises(InputError, match=says):
        load_data("asymmetricity", "test" if "no part" in says else "all")


def test_without_the_hub_one_sentence_says_what_to_do(monkeypatch, tmp_path):
    # tests/conftest.py keeps the hub's client offline; an empty cache has nothing either
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    says = f"^The data set {REPOSITORY} is not on .* give a local CSV or JSONL file .* “facts”"
    with pytest.raises(InputError, match=says):  # . matches no new line
        load_data("asymmetricity")


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.id)
@pytest.mark.parametrize(
    ("head", "tail"), [("ann", "ben"), ("u.s.", "washington, d.c."), ("led to", "is part of it")]
)
def test_a_relation_is_recognised_from_both_sentences(relation, head, tail):
    def said(x, y):
        return relation.sentence(x, y).lower().rstrip(".")

    assert recognise(said(head, tail), said(tail, head)) == (relation.id, head, tail)
    assert recognise(said(tail, head), said(head, tail)) == (relation.id, tail, head)


@pytest.mark.parametrize(
    ("premise", "hypothesis"),
    [
        ("ann is a sibling of ben", "ben is a sibling of carl"),
        ("ann is a sibling of ben", "ben is the mother of ann"),
        ("ann admires ben", "ben admires ann"),
        ("is a sibling of ben", "ben is a sibling of"),
        ("", ""),
    ],
)
def test_sentences_that_are_not_each_others_swap_have_no_relation(premise, hypothesis):
    assert recognise(premise, hypothesis) == (None, None, None)
