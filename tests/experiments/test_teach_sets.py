"""The teaching sets: their counts, splits and labels, and that no relation is in the bank."""

import csv
import re
from collections import Counter

import pytest

from experiments.teach import SETS
from symdemo.data.bank import shipped_bank
from symdemo.data.relations import RELATIONS
from symdemo.pairs import LABELS

COLUMNS = ["subject", "relation", "object", "label", "split"]
NEW_LABELS = {"coral_reef": {"rare"}, "railway_operations": {"depends"}}


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        assert reader.fieldnames == COLUMNS
        return list(reader)


ROWS = {path.stem: read(path) for path in sorted(SETS.glob("*.csv"))}


def bare(phrasing: str) -> str:
    """Return a phrasing in lower case, without its places and marks."""
    text = re.sub(r"\[[XY]\](?:'s)?", " ", phrasing).casefold()
    return " ".join(re.findall(r"[\w'-]+", text))


@pytest.mark.parametrize("name", ROWS)
def test_a_set_has_five_relations_with_one_label_each_and_separate_entities(name):
    rows = ROWS[name]
    label_of = {row["relation"]: row["label"] for row in rows}
    counts = Counter((row["relation"], row["split"]) for row in rows)
    assert len(label_of) == 5
    assert counts == {(r, s): n for r in label_of for s, n in (("teach", 4), ("test", 6))}
    assert all(row["label"] == label_of[row["relation"]] for row in rows)
    assert set(label_of.values()) - set(LABELS) == NEW_LABELS.get(name, set())
    assert Counter(label_of.values())["entailment"] == 2
    assert len(set(label_of.values())) >= 3
    entities = {"teach": set(), "test": set()}
    for row in rows:
        entities[row["split"]] |= {row["subject"].casefold(), row["object"].casefold()}
        assert all(row[column] == " ".join(row[column].split()) != "" for column in COLUMNS)
        assert row["subject"][0].isupper()
        assert row["object"][0].isupper()
        assert row["relation"][0].islower()
        assert not row["object"].endswith(".")
    assert not entities["teach"] & entities["test"]
    pairs = {frozenset((row["subject"].casefold(), row["object"].casefold())) for row in rows}
    assert len(pairs) == len(rows)
    assert {len(pair) for pair in pairs} == {2}


def test_no_relation_is_in_two_sets_or_in_the_bank_or_among_the_14():
    ours = [relation for rows in ROWS.values() for relation in {row["relation"] for row in rows}]
    known = {bare(relation.template) for relation in RELATIONS}
    known |= {bare(text) for relation in shipped_bank().relations for text in relation.phrasings}
    assert {"reacts with", "is a sibling of"} <= known
    assert len(set(ours)) == len(ours) == 50
    assert not {bare(relation) for relation in ours} & known
