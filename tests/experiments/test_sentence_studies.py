"""Sentence encoders: the published figures are those of the ledger, on sentences not learnt."""

import json

import numpy as np

from experiments import sentences, transfer
from experiments.runner import Ledger
from experiments.sentences import LEDGER, summarise
from symdemo.evaluation.results import SentenceReport
from symdemo.evaluation.sentences.sts import SimilarityData
from symdemo.files.paths import RESULTS


def test_the_published_report_of_sentences_is_that_of_its_ledger():
    published = SentenceReport.find(RESULTS).summary
    found = summarise(Ledger(RESULTS / LEDGER), published["missing"])
    assert json.loads(json.dumps(found)) == published


def test_what_an_adapter_was_trained_on_is_not_measured_on(monkeypatch):
    monkeypatch.setattr(sentences, "_learnt", lambda: {"a dog runs"})
    pairs = SimilarityData(("A cat", "b", "c"), ("x", "A dog runs.", "z"), np.array([1.0, 2, 3]))
    kept = sentences.unlearnt(pairs)
    assert (kept.first, kept.second, kept.scores.tolist()) == (("A cat", "c"), ("x", "z"), [1, 3])
    captions = [f"{picture} {n}" for picture in "abc" for n in range(transfer.PER_IMAGE)]
    captions[7] = "A DOG runs"
    assert sentences.unlearnt(captions) == captions[:5] + captions[10:]
