"""Data by name: facts, the hub's set, folders and files give the same kind of object."""

import json

import pandas
import pytest

from symdemo import hub_data
from symdemo.dataset_folder import build_dataset
from symdemo.errors import InputError
from symdemo.hub_data import REPOSITORY, read_hub_pairs, recognise
from symdemo.pairs import Pair, save_pairs
from symdemo.relations import RELATIONS, load_facts, pairs_of_facts
from symdemo.sources import PairData, load_data

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
        match path.suffix:
            case _ if text is not None:
                path.write_text(text, encoding="utf-8")
            case ".jsonl":
                frame.to_json(path, orient="records", lines=True)
            case ".json":
                frame.to_json(path, orient="records")
            case ".parquet":
                pytest.importorskip("pyarrow", reason="Parquet files need pyarrow")
                frame.to_parquet(path)
            case _:
                frame.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
        return folder

    return write


def row(sentences, label, **more) -> dict:
    return dict(zip(("premise", "hypothesis"), sentences, strict=True)) | {"label": label} | more


# --- the hub's set


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "parquet"])
@pytest.mark.parametrize("labels", [("entailment", "contradiction"), (0, 2), ("Entailment ", "2")])
def test_every_kind_of_file_gives_the_same_pairs(hub, ending, labels):
    if ending == "parquet" and {type(label) for label in labels} == {str, int}:
        pytest.skip("a Parquet column has one type")
    hub(f"data/train-00000-of-00001.{ending}", row(SIBLINGS, labels[0], id=7))
    hub(f"data/test-00000-of-00001.{ending}", row(MOTHER, labels[1], id=8))
    assert load_data("asymmetricity").pairs == (TEST, TRAIN)
    train = load_data(REPOSITORY, "train")
    assert (train.pairs, train.part, train.dropped) == ((TRAIN,), "train", {})
    assert load_data("asymmetricity", "test").pairs == (TEST,)
    assert train.source == f"{REPOSITORY} on the hub, revision 0123456789ab"


def test_sentences_are_put_in_lower_case_without_a_full_stop(hub):
    hub("train.csv", row(("Ann is a sibling of Ben.", " Ben is a  sibling of Ann ."), 0))
    assert read_hub_pairs().pairs == (TRAIN,)


def test_a_set_without_parts_is_given_whole_and_says_so(hub):
    hub("pairs.csv", row(SIBLINGS, 0))
    data = load_data("asymmetricity", "test")
    assert (data.pairs, data.part) == ((TRAIN,), "all")


def test_a_part_that_is_not_there_is_refused(hub):
    hub("lexicalized/validation.csv", row(SIBLINGS, 0))
    with pytest.raises(InputError, match=r"no part test; it has \['validation'\]"):
        load_data("asymmetricity", "test")


CARD = """\
---
dataset_info:
- config_name: default
  features:
  - name: premise
    dtype: string
  - name: label
    dtype:
      class_label:
        names:
          '0': contradiction
          '1': entailment
---
# A set
"""


def test_the_card_says_what_a_number_means(hub):
    hub("README.md", text=CARD)
    hub("train.csv", row(SIBLINGS, 1), row(MOTHER, 0))
    assert read_hub_pairs().pairs == (TRAIN, TEST)


@pytest.mark.parametrize(
    "card", ["# no features", "---\ndataset_info: 7\n---\n", "---\n: [\n---\n"]
)
def test_without_features_the_usual_order_holds(hub, card):
    hub("README.md", text=card)
    hub("train.csv", row(SIBLINGS, 0), row(MOTHER, 2))
    assert read_hub_pairs().pairs == (TRAIN, TEST)


def test_a_parquet_file_may_say_itself_what_a_number_means(hub):
    arrow = pytest.importorskip("pyarrow", reason="Parquet files need pyarrow")
    from pyarrow import parquet

    folder = hub("README.md", text="# A set")
    table = arrow.Table.from_pandas(pandas.DataFrame([row(SIBLINGS, 1), row(MOTHER, 0)]))
    features = {"label": {"names": ["contradiction", "entailment"], "_type": "ClassLabel"}}
    described = json.dumps({"info": {"features": features}})
    parquet.write_table(
        table.replace_schema_metadata({"huggingface": described}), folder / "train.parquet"
    )
    assert read_hub_pairs().pairs == (TRAIN, TEST)


def test_rows_that_give_no_pair_are_counted(hub):
    hub(
        "train.jsonl",
        row(SIBLINGS, "entailment"),
        row(SIBLINGS, "entailment"),
        row(MOTHER, "maybe"),
        row(MOTHER, "-1"),
        row(MOTHER, None),
        row(("one", "two words"), "neutral"),
        row((None, "two words"), "neutral"),
    )
    hub("train-labels.csv", {"id": 1}, {"id": 2})
    found = read_hub_pairs(part="train")
    assert found.pairs == (TRAIN,)
    assert found.dropped == {
        hub_data.REPEATED: 1,
        hub_data.UNKNOWN_LABEL: 3,
        hub_data.UNUSABLE: 2,
        hub_data.NO_COLUMNS: 2,
    }


def test_a_set_without_usable_rows_names_the_columns_that_were_seen(hub):
    hub("train.csv", {"text": "a b", "label": 1})
    with pytest.raises(InputError, match=r"no usable row .*columns seen: label, text; expected"):
        load_data("asymmetricity")


@pytest.mark.parametrize(
    ("name", "text"), [("train.csv", 'a,b\n"'), ("train.jsonl", "{"), ("t.json", "[")]
)
def test_a_broken_file_is_named(hub, name, text):
    hub(name, text=text)
    with pytest.raises(InputError, match=f"{name} cannot be read: "):
        load_data("asymmetricity")


def test_without_pyarrow_a_parquet_file_asks_for_it(hub, monkeypatch):
    def read_parquet(path):
        raise ImportError("Missing optional dependency 'pyarrow'")

    monkeypatch.setattr(pandas, "read_parquet", read_parquet)
    hub("train.parquet", text="")
    with pytest.raises(InputError, match=r"train.parquet is a Parquet file.*pip install pyarrow"):
        load_data("asymmetricity")


def test_without_the_hub_one_sentence_says_what_to_do(monkeypatch, tmp_path):
    # tests/conftest.py keeps the hub's client offline; an empty cache has nothing either
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(InputError) as caught:
        load_data("asymmetricity")
    message = str(caught.value)
    assert message.startswith(f"The data set {REPOSITORY} is not on this machine")
    assert "give a local CSV or JSONL file" in message
    assert "“facts”" in message
    assert "\n" not in message


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


def test_the_relations_of_real_pairs_are_recognised(shared_data):
    with (shared_data / "asymmetricity_sample.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for seen in rows:
        relation, *ends = recognise(seen["premise"], seen["hypothesis"])
        assert relation == seen["pid"]
        assert sorted(ends) == sorted((seen["head"], seen["tail"]))


# --- facts, folders and files


@pytest.mark.parametrize("name", ["facts", "facts-delexicalized"])
def test_our_own_facts_are_split_without_a_leak(name):
    whole, train, test = (load_data(name, part) for part in ("all", "train", "test"))
    delexicalized = name != "facts"
    assert list(whole.pairs) == pairs_of_facts(load_facts(), delexicalized)
    assert set(train.pairs) | set(test.pairs) == set(whole.pairs)
    sides = [{pair.entity_pair for pair in data.pairs} for data in (train, test)]
    assert not sides[0] & sides[1]
    assert [data.part for data in (whole, train, test)] == ["all", "train", "test"]


def test_both_versions_of_our_facts_have_the_same_test_part():
    named, bare = (load_data(name, "test").pairs for name in ("facts", "facts-delexicalized"))
    assert [pair.relation for pair in named] == [pair.relation for pair in bare]


def test_the_test_part_of_our_facts_is_what_experiments_hold_out():
    from symdemo.experiments import SPLIT_SEED, TEST_SHARE
    from symdemo.relations import split_facts

    _, test = split_facts(load_facts(), TEST_SHARE, SPLIT_SEED)
    assert list(load_data("facts", "test").pairs) == pairs_of_facts(test)


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
    with pytest.raises(InputError, match="is not of `symdemo dataset`"):
        load_data(tmp_path)


def test_another_format_and_a_missing_part_are_refused(wikidata_folder, tmp_path):
    made = tmp_path / "made"
    build_dataset(*sorted(wikidata_folder.iterdir()), made)
    (made / "test.jsonl").unlink()
    with pytest.raises(InputError, match=r"There is no file .*test.jsonl"):
        load_data(made, "test")
    manifest = made / "dataset.json"
    manifest.write_text(manifest.read_text("utf-8").replace("dataset/1", "dataset/9"), "utf-8")
    with pytest.raises(InputError, match="has the format “symdemo-dataset/9”; expected"):
        load_data(made)


def test_a_folder_without_data_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"has no dataset\.json, nor Wikidata5m's"):
        load_data(tmp_path)


def test_a_file_is_read_by_its_path(tmp_path):
    path = tmp_path / "pairs.jsonl"
    pairs = (TRAIN, Pair("a b", "b a", "fraternal"))
    save_pairs(pairs, path)
    data = load_data(path, "test")
    assert data == PairData(str(path), pairs, "all", "the file pairs.jsonl", "its owner's")
    assert data.to_json()["pairs"] == 2
    with pytest.raises(InputError, match="the label is “fraternal”"):
        load_data(path, labels=("entailment", "contradiction"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", "There is no data “nowhere”; expected a CSV .* facts, facts-delexicalized"),
        ("nowhere.csv", "There is no file nowhere.csv"),
        ("someone/else", "There is no data “someone/else”"),
    ],
)
def test_an_unknown_name_is_refused(name, message):
    with pytest.raises(InputError, match=message):
        load_data(name)


def test_an_unknown_part_is_refused():
    with pytest.raises(InputError, match="The part is “dev”; expected: train, test, all"):
        load_data("facts", "dev")
