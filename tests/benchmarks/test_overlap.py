"""The overlap of the sets with what is taught: its file is whole, its figures counted right."""

import json
import re
import sys
from collections import Counter
from pathlib import Path

from symdemo.data.bank import shipped_bank
from symdemo.data.bank_kinds import TAUGHT, load_kinds, never_taught
from symdemo.data.bank_phrasings import fill, finish
from symdemo.data.pair_files import load_pairs
from symdemo.evaluation.intervals import wilson
from symdemo.pairs import Pair

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import overlap
from overlap import PARTS, SETS, Row, load, scored, text

ROWS = load()
BANK = shipped_bank()
KINDS = load_kinds(bank=BANK)
TAUGHT_RELATIONS = {
    relation.id: relation
    for relation in (*BANK.relations, *(r for kind in KINDS for r in kind.relations(*TAUGHT)))
}


def stems(sentence: str) -> set[str]:
    return {word[:4] for word in re.findall(r"[a-z]+", sentence.casefold()) if len(word) > 1}


def test_every_sentence_is_judged_in_order():
    for name, path in SETS.items():
        judged = [row for row in ROWS if row.set == name]
        assert [row.sentence for row in judged] == [pair.premise for pair in load_pairs(path)]
        assert [row.where for row in judged] == [str(n) for n in range(1, len(judged) + 1)]
    held = [r for relations in never_taught(KINDS, BANK).values() for r in relations]
    assert [(row.where, row.sentence) for row in ROWS if row.set == "kinds"] == [
        (relation.id, phrasing) for relation in held for phrasing in relation.phrasings
    ]
    assert {row.overlap for row in ROWS} == set(PARTS)


def test_what_is_taught_is_named_and_taught():
    for row in ROWS:
        if row.set == "kinds" or row.overlap == "none":
            assert not row.relation
        else:
            assert row.relation in TAUGHT_RELATIONS, row


def test_same_words_are_in_the_relation_named():
    for row in ROWS:
        if row.overlap == "same words" and row.relation:
            words = set().union(*map(stems, TAUGHT_RELATIONS[row.relation].phrasings))
            assert stems(row.sentence) & words, row


def test_what_is_asked_is_what_was_judged():
    for row, pair in zip(ROWS, overlap.asked(), strict=True):
        if row.set != "kinds":
            assert pair.premise == row.sentence
            continue
        assert pair.relation == row.where
        assert pair.premise == finish(fill(row.sentence, pair.head, pair.tail))


def test_the_parts_are_scored_apart():
    rows = [Row("free", str(n), "", part, "") for n, part in enumerate([*PARTS, PARTS[0]])]
    pairs = [Pair("A.", "B.", label) for label in ("neutral", "entailment", "neutral", "neutral")]
    found = scored(rows, pairs, ["neutral", "neutral", "neutral", "entailment"])["sets"]["free"]
    assert found["same words"]["right"] == 1
    assert found["same words"]["interval"] == wilson(1, 2)
    assert found["same words"]["always_commonest"] == 1.0
    assert found["other words"]["accuracy"] == 0.0
    assert found["all"]["n"] == 4
    assert found["all"]["always_commonest"] == 0.75
    assert "free   other words     1 ( 25%) right   0.0%" in text({"sets": {"free": found}})


def test_the_results_are_of_this_file():
    report = json.loads(overlap.RESULTS.read_text(encoding="utf-8"))
    assert report["made_by"]["commit"]
    for name, parts in report["sets"].items():
        counts = Counter(row.overlap for row in ROWS if row.set == name)
        assert {part: own["n"] for part, own in parts.items() if part != "all"} == counts
        assert parts["all"]["right"] == sum(parts[part]["right"] for part in counts)
