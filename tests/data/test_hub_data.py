"""The paper's set from the hub: its parts, its labels, and what its rows are about."""

import json

import pandas
import pyarrow
import pytest
from pyarrow import parquet

from symdemo.data import hub as hub_data
from symdemo.data.hub import REPOSITORY, read_hub_pairs, recognise
from symdemo.data.pair_files import NO_LABEL, SET_ASIDE
from symdemo.data.relations import RELATIONS
from symdemo.data.sources import load_data
from symdemo.errors import InputError
from symdemo.pairs import Pair

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
