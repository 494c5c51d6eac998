"""Studies: what is tested was never taught, and the published figures are those of the ledger."""

import json
import re

import numpy as np
import pytest

from experiments import retrieval, sentences, teach
from experiments.runner import Ledger
from experiments.sentence_report import LEDGER, summarise
from symdemo.data.bank import load_kinds, part_of, shipped_bank
from symdemo.data.relations import RELATIONS
from symdemo.evaluation.results import SentenceReport
from symdemo.evaluation.sentences.sts import SimilarityData
from symdemo.files.paths import MODELS, RESULTS
from symdemo.pairs import LABELS


def entities(pairs):
    return {end for pair in pairs for end in (pair.head, pair.tail)}


@pytest.mark.parametrize("name", sorted(path.stem for path in teach.SETS.glob("*.csv")))
def test_a_set_is_tested_on_other_entities_and_in_other_words(name):
    written, dealt = teach.read_set(name), teach.read_set(name, 1)
    assert teach.read_set(name, 1) == dealt
    for before, after in zip(written, dealt, strict=True):
        assert [(p.relation, p.label) for p in before] == [(p.relation, p.label) for p in after]
    assert entities(dealt[0]) | entities(dealt[1]) == entities(written[0]) | entities(written[1])
    assert not entities(dealt[0]) & entities(dealt[1])
    asked = teach.reword(dealt[1], name)
    assert len(asked) == 3 * len(dealt[1])
    labels = {pair.relation: pair.label for pair in dealt[0]}
    for pair in asked:
        assert labels[pair.relation] == pair.label
        assert f" {pair.relation} " not in pair.premise


def test_no_relation_is_in_two_sets_or_in_the_bank_or_among_the_14():
    def bare(phrasing):
        text = re.sub(r"\[[XY]\](?:'s)?", " ", phrasing).casefold()
        return " ".join(re.findall(r"[\w'-]+", text))

    sets = [teach.read_set(path.stem)[0] for path in teach.SETS.glob("*.csv")]
    ours = [str(name) for pairs in sets for name in {pair.relation for pair in pairs}]
    known = {bare(relation.template) for relation in RELATIONS}
    known |= {bare(text) for relation in shipped_bank().relations for text in relation.phrasings}
    assert {"reacts with", "is a sibling of"} <= known
    assert len(set(ours)) == len(ours) == 50
    assert not set(map(bare, ours)) & known


def test_withheld_relations_were_never_taught():
    asked, other = teach.questions(0), teach.questions(1)
    kinds = load_kinds(bank=shipped_bank())
    held = {r.id for kind in kinds for r in kind.bank.relations if part_of(r) == "held out"}
    assert {pair.relation for pair in asked["withheld"]} <= held
    taught = MODELS / "general" / "taught.jsonl"
    if taught.exists():
        known = {json.loads(line)["relation"] for line in taught.read_text("utf-8").splitlines()}
        assert not held & known
        assert {pair.relation for pair in asked["bank"]} <= known
    for name, pairs in asked.items():
        assert [p.relation for p in other[name]] == [p.relation for p in pairs]
        assert set(LABELS) == {pair.label for pair in pairs}


def test_the_published_report_of_sentences_is_that_of_its_ledger():
    published = SentenceReport.find(RESULTS).summary
    found = summarise(Ledger(RESULTS / LEDGER), published["missing"])
    assert json.loads(json.dumps(found)) == published


def test_what_an_adapter_was_trained_on_is_not_measured_on(monkeypatch):
    monkeypatch.setattr(sentences, "_learnt", lambda: {"a dog runs"})
    pairs = SimilarityData(("A cat", "b", "c"), ("x", "A dog runs.", "z"), np.array([1.0, 2, 3]))
    kept = sentences.unlearnt(pairs)
    assert (kept.first, kept.second, kept.scores.tolist()) == (("A cat", "c"), ("x", "z"), [1, 3])
    captions = [f"{picture} {n}" for picture in "abc" for n in range(retrieval.PER_IMAGE)]
    captions[7] = "A DOG runs"
    assert sentences.unlearnt(captions) == captions[:5] + captions[10:]
