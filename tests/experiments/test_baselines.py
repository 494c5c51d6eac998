"""Word n-grams against scikit-learn, skeletons by hand, masking, and the label leak check."""

import numpy as np
import pytest
from cases import each_case
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from experiments import baselines
from experiments.baselines import (
    fit_ngrams,
    masked,
    ngram_shares,
    phrasing_key,
    refuse_leaks,
    skeleton,
)
from experiments.splits import split_relations
from symdemo.data.bank import shipped_bank
from symdemo.errors import InputError
from symdemo.pairs import LABELS, Pair

YES, NO, OPEN = LABELS
NAMES = ["Ann", "Bob", "Cid", "Dan", "Eve", "Flo", "Gus", "Hal"]
SENTENCES = {
    "borders": ("{} shares a border with {}.", YES),
    "meets": ("{} and {} met, once.", YES),
    "fathers": ("{} was the father of {}.", NO),
    "leads": ("{} was led by {}.", NO),
    "likes": ("{} likes {}.", OPEN),
    "fears": ("{} fears {} a lot.", OPEN),
}


def pairs_of_names():
    return [
        Pair(text.format(a, b), text.format(b, a), label, relation, a, b)
        for relation, (text, label) in SENTENCES.items()
        for a, b in zip(NAMES[::2], NAMES[1::2], strict=True)
    ]


def test_words_are_a_logistic_regression_over_ngrams(monkeypatch):
    monkeypatch.setattr(baselines, "STRENGTHS", [2.0])
    taught = pairs_of_names()
    baseline = fit_ngrams(taught, {relation: relation for relation in SENTENCES})
    texts = [SENTENCES[pair.relation][0].lower().replace("{}", "[e]") for pair in taught]
    texts = [text.replace(".", "").replace(",", " ,") for text in texts]
    count = CountVectorizer(ngram_range=(1, 3), binary=True, token_pattern=r"\S+")
    model = LogisticRegression(C=2.0, max_iter=1_000)
    model.fit(count.fit_transform(texts), [LABELS.index(pair.label) for pair in taught])
    asked = [
        Pair("Ann shares a long border with Cid.", "", YES, None, "Cid", "Ann"),
        Pair("Flo was the boss of Gus.", "", NO, None, "Flo", "Gus"),
    ]
    expected = model.predict_proba(
        count.transform(["[e] shares a long border with [e]", "[e] was the boss of [e]"])
    )
    found = ngram_shares(baseline, map(masked, asked))
    np.testing.assert_allclose(found, expected, atol=1e-3)
    assert found.argmax(1).tolist() == [0, 1]


def test_a_planted_leak_is_refused():
    """Test pairs share one phrasing with training, about other entities."""
    bank = shipped_bank()
    folds = split_relations(bank, 5, 0)
    taught = bank.pairs([r for fold in folds[1:] for r in fold[:20]], seed=1)
    asked = bank.pairs(folds[0][:20], seed=2)
    known = {phrasing_key(pair) for pair in taught}
    refuse_leaks(known, asked)
    planted = bank.pairs(folds[1][:1], seed=2)[:1]
    assert planted[0].premise not in {pair.premise for pair in taught}
    with pytest.raises(InputError, match="1 of the test phrasings occur in training too"):
        refuse_leaks(known, [*asked, *planted])
    with pytest.raises(InputError, match="occur in training"):
        refuse_leaks(known, [planted[0].reversed()])


@each_case(__file__, "skeletons.csv")
def test_skeletons_by_hand(row):
    assert skeleton(row["phrasing"]) == row["skeleton"]


def test_entities_are_found_as_whole_words_and_the_longer_first():
    pair = Pair(
        "The nurse's son married the nurse near Nursery.",
        "",
        None,
        None,
        "the nurse's son",
        "the nurse",
    )
    assert masked(pair) == "[e] married [e] near nursery."
    assert (
        masked(Pair("Ann is Anna's boss.", "", None, None, "Ann", "Anna")) == "[e] is [e]'s boss."
    )
