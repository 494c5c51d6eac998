"""Word baselines against scikit-learn, their choice of C, and the label leak check."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from symdemo.data.bank import shipped_bank, split_relations
from symdemo.errors import InputError
from symdemo.evaluation.baselines.ngrams import fit_ngrams
from symdemo.evaluation.baselines.skeleton import phrasing_key, refuse_leaks
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


def pairs_of(names=NAMES):
    return [
        Pair(text.format(a, b), text.format(b, a), label, relation, a, b)
        for relation, (text, label) in SENTENCES.items()
        for a, b in zip(names[::2], names[1::2], strict=True)
    ]


def groups_of(pairs):
    return [pair.relation for pair in pairs]


def test_words_are_a_logistic_regression_over_ngrams():
    taught = pairs_of()
    baseline = fit_ngrams(taught, groups_of(taught), strengths=[2.0])
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
    np.testing.assert_allclose(baseline.shares(asked), expected, atol=1e-3)
    assert baseline.shares(asked).argmax(1).tolist() == [0, 1]


def test_a_planted_leak_is_refused():
    """Test pairs share one phrasing with training, about other entities."""
    bank = shipped_bank()
    folds = split_relations(bank, 5, 0)
    taught = bank.pairs([r for fold in folds[1:] for r in fold[:20]], seed=1)
    asked = bank.pairs(folds[0][:20], seed=2)
    baseline = fit_ngrams(taught, [pair.relation for pair in taught], strengths=[1.0])
    assert baseline.shares(asked).shape == (len(asked), 3)
    planted = bank.pairs(folds[1][:1], seed=2)[:1]
    assert planted[0].premise not in {pair.premise for pair in taught}
    with pytest.raises(InputError, match="1 of the test phrasings occur in training too"):
        baseline.shares([*asked, *planted])
    with pytest.raises(InputError, match="occur in training"):
        baseline.shares([*asked, planted[0].reversed()])
    with pytest.raises(InputError, match="occur in training"):
        refuse_leaks({phrasing_key(pair) for pair in [*taught, *planted]}, planted)


def test_a_phrasing_is_known_again_whatever_fills_it():
    key = phrasing_key(Pair("The miners' dispute with Ann.", "", None, None, "the miners", "Ann"))
    assert key == phrasing_key(Pair("Bob's dispute with Cid", "", None, None, "Cid", "Bob"))
    assert key != phrasing_key(Pair("Bob's quarrel with Cid", "", None, None, "Cid", "Bob"))
