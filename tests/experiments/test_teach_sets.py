"""The teaching sets: their counts, splits and labels, and that they keep clear of the bank."""

import csv
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from symdemo.data.relations import RELATIONS

REPOSITORY = Path(__file__).resolve().parents[2]
SETS = REPOSITORY / "experiments" / "teach_sets"
BANK = REPOSITORY / "assets" / "bank"
NAMES = sorted(path.stem for path in SETS.glob("*.csv"))
COLUMNS = ["subject", "relation", "object", "label", "split"]
KNOWN_LABELS = {"entailment", "contradiction", "neutral"}
NEW_LABELS = {"coral_reef": {"rare"}, "railway_operations": {"depends"}}


@cache
def rows(name: str) -> list[dict[str, str]]:
    with (SETS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        assert reader.fieldnames == COLUMNS
        return list(reader)


def bare(phrasing: str) -> str:
    """`phrasing` in lower case, without its places and marks."""
    text = re.sub(r"\[[XY]\](?:'s)?", " ", phrasing).casefold()
    return " ".join(re.findall(r"[\w'-]+", text))


def relations_of(name: str) -> set[str]:
    return {row["relation"] for row in rows(name)}


def entities(name: str, split: str) -> set[str]:
    used = [row for row in rows(name) if row["split"] == split]
    return {row[end].casefold() for row in used for end in ("subject", "object")}


def test_there_are_ten_sets():
    assert len(NAMES) == 10


@pytest.mark.parametrize("name", NAMES)
def test_five_relations_with_four_pairs_to_teach_and_six_to_test(name):
    counts = Counter((row["relation"], row["split"]) for row in rows(name))
    expected = {(r, s): n for r in relations_of(name) for s, n in (("teach", 4), ("test", 6))}
    assert len(relations_of(name)) == 5
    assert counts == expected


@pytest.mark.parametrize("name", NAMES)
def test_a_relation_has_one_label_and_the_labels_are_mixed(name):
    label_of = {row["relation"]: row["label"] for row in rows(name)}
    assert all(row["label"] == label_of[row["relation"]] for row in rows(name))
    assert set(label_of.values()) - KNOWN_LABELS == NEW_LABELS.get(name, set())
    assert len(set(label_of.values())) >= 3
    assert Counter(label_of.values())["entailment"] == 2


@pytest.mark.parametrize("name", NAMES)
def test_no_pair_occurs_twice_and_no_entity_on_both_sides(name):
    pairs = [frozenset((row["subject"].casefold(), row["object"].casefold())) for row in rows(name)]
    assert all(len(pair) == 2 for pair in pairs)
    assert len(set(pairs)) == len(pairs)
    assert not entities(name, "teach") & entities(name, "test")


@pytest.mark.parametrize("name", NAMES)
def test_the_parts_make_a_sentence_in_either_order(name):
    for row in rows(name):
        assert all(row[column] == " ".join(row[column].split()) != "" for column in COLUMNS)
        assert row["subject"][0].isupper()
        assert row["object"][0].isupper()
        assert row["relation"][0].islower()
        assert not row["object"].endswith(".")


def test_no_relation_is_in_two_sets_or_in_the_bank_or_among_the_14():
    ours = [relation for name in NAMES for relation in relations_of(name)]
    known = {bare(relation.template) for relation in RELATIONS}
    for path in BANK.glob("*.toml"):
        for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("relation", ()):
            known |= {bare(phrasing) for phrasing in entry["phrasings"]}
    assert {"reacts with", "is a sibling of"} <= known
    assert len(set(ours)) == len(ours) == 50
    assert not {bare(relation) for relation in ours} & known


def test_the_readme_lists_each_set_and_each_relation_with_its_label():
    readme = (SETS / "README.md").read_text(encoding="utf-8")
    for name in NAMES:
        assert f"| `{name}` |" in readme
        section = readme.split(f"### {name}\n")[1].split("###")[0]
        for relation, label in {(row["relation"], row["label"]) for row in rows(name)}:
            assert f"| {relation} | {label} |" in section
