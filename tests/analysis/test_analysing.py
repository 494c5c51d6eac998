"""Rows and figures of an analysis: against the model, scikit-learn, the core, or by hand."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal
from scipy.stats import binom, binomtest
from sklearn.metrics import confusion_matrix, f1_score, precision_recall_fscore_support

from symdemo.analysis import Share, analyse, analyse_predictions
from symdemo.analysis.overview import (
    COMMONEST,
    COSTS,
    LOOKUP,
    WORDS,
    cheapest_thresholds,
    make_overview,
    mcnemar,
)
from symdemo.evaluation.scores import score_predictions
from symdemo.pairs import Pair
from symdemo.swapping.changes import SWAPPED

LABELS = ["entailment", "contradiction", "neutral"]


@pytest.fixture(scope="module")
def analysis(asked, answered, other):
    predictions, turned = {"m": answered, "o": other}, {"m": other}
    return analyse_predictions(asked, predictions, turned, changes=[SWAPPED] * 8)


@pytest.fixture(scope="module")
def overview(analysis):
    return analysis.overview("m", words=True)


def test_accuracy_and_rules_are_those_of_the_core(asked, answered, overview):
    core = score_predictions(asked, answered)
    assert overview.n == core.n == 8
    assert overview.accuracy[:3] == (5, 8, core.accuracy)
    assert overview.accuracy.low == pytest.approx(0.3057, abs=1e-4)  # Wilson, by hand
    assert overview.accuracy.high == pytest.approx(0.8632, abs=1e-4)
    assert overview.rules[COMMONEST].share == core.majority_baseline == 3 / 8
    assert overview.rules[LOOKUP].share == core.lookup_baseline == 7 / 8


def test_groups_are_counted_by_hand(overview):
    def counts(table):
        return {name: (row.right, row.n) for name, row in table.iterrows()}

    assert counts(overview.by_label) == {
        "entailment": (2, 3), "contradiction": (2, 3), "neutral": (1, 2)
    }  # fmt: skip
    assert counts(overview.by_relation) == {"bore": (1, 2), "likes": (1, 2), "meets": (3, 4)}
    assert list(overview.by_relation.index)[-1] == "meets"  # the least accurate come first
    assert counts(overview.by_words) == {
        "up to 5": (3, 4), "over 5 to 8": (2, 2), "over 8 to 12": (0, 1), "over 20": (0, 1)
    }  # fmt: skip
    assert counts(overview.by_distance) == {
        "up to 0.03": (3, 3), "over 0.03 to 0.1": (0, 1), "over 0.1 to 0.2": (1, 1),
        "over 0.2 to 0.3": (1, 1), "over 0.3": (0, 2),
    }  # fmt: skip
    assert counts(overview.by_familiar) == {
        "like something taught": (3, 4), "unlike anything taught": (2, 4)
    }  # fmt: skip
    assert not len(overview.by_construction)


def test_the_words_rule_is_learnt_from_what_was_taught_or_given(asked, answered):
    verbs = {"entailment": "meets", "contradiction": "bore", "neutral": "meets"}  # two are taught
    pairs = [replace(pair, premise=f"Cy {verbs[pair.label]} Di.") for pair in asked]
    analysis = analyse_predictions(pairs, {"m": answered})
    assert analysis.overview("m", words=True).rules[WORDS][:2] == (6, 8)
    assert WORDS not in analysis.overview("m").rules
    given = replace(analysis, word_answers={"m": ["neutral"] * 8})
    assert given.overview("m", words=True).rules[WORDS][:2] == (2, 8)


LABEL = st.sampled_from(LABELS)
PARTS = st.integers(0, 1_000).map(lambda thousandths: thousandths / 1_000)


@pytest.mark.filterwarnings("ignore:A single label was found")
@given(st.lists(st.tuples(LABEL, st.none() | LABEL, PARTS), min_size=1, max_size=30))
def test_random_figures_are_those_of_scikit_learn_and_by_hand(cases):
    truth, said = [case[0] for case in cases], [case[1] for case in cases]
    pairs = [
        Pair(f"A{n} met B.", f"B met A{n}.", label, f"r{n % 3}") for n, label in enumerate(truth)
    ]
    frame = analyse_predictions(pairs, {"m": said}).of("m")
    probability = [math.nan if case[1] is None else case[2] for case in cases]
    found = make_overview("m", frame.assign(probability=probability))
    names = [name for name in LABELS if name in {*truth, *said}]
    given = [label or "(no verdict)" for label in said]
    columns = [*names, "(no verdict)"] if None in said else names
    expected = confusion_matrix(truth, given, labels=columns)[: len(names)]
    assert list(found.confusion.columns) == columns
    assert (found.confusion.to_numpy() == expected).all()
    figures = precision_recall_fscore_support(truth, given, labels=names, zero_division=np.nan)
    for name, own in zip(("precision", "recall", "f1", "n"), figures, strict=True):
        assert found.labels[name].to_list() == pytest.approx(list(own), nan_ok=True), name
    macro = f1_score(truth, given, labels=names, average="macro", zero_division=np.nan)
    assert found.macro_f1 == pytest.approx(macro)
    right = [a == b for a, b in zip(truth, said, strict=True)]
    check_share(found.accuracy, right)
    for name, row in found.by_relation.iterrows():
        own = [right[n] for n, pair in enumerate(pairs) if pair.relation == name]
        check_share(Share(row.right, row.n, row.accuracy, row.low, row.high), own)
    error = n = 0
    for k in range(10):
        own = [
            (share, hit)
            for share, hit in zip(probability, right, strict=True)
            if k / 10 < share <= (k + 1) / 10 or (k == 0 and share == 0)
        ]
        error += abs(sum(share for share, _ in own) - sum(hit for _, hit in own))
        n += len(own)
    assert found.calibration.n.sum() == n == len(said) - said.count(None)
    assert found.calibration_error == pytest.approx(error / n if n else math.nan, nan_ok=True)


def check_share(share, right):
    assert share[:2] == (sum(right), len(right))
    assert share.share == sum(right) / len(right)
    expected = binomtest(sum(right), len(right)).proportion_ci(method="wilson")
    assert share[3:] == pytest.approx(tuple(expected), abs=1e-12)


def test_exchanged_pairs_are_compared_only_where_they_were_asked(analysis, overview, other):
    same = sum(analysis.of("m").verdict == other.verdict_labels)
    assert overview.same_exchanged[:2] == (same, 8)
    assert analysis.overview("o").same_exchanged is None
    assert replace(analysis, changes=None).overview("m").same_exchanged is None
    assert WORDS not in analysis.overview("o").rules


def test_constructions_make_groups_and_relations_may_be_missing(asked, answered):
    pairs = [replace(pair, relation=None) if n < 2 else pair for n, pair in enumerate(asked)]
    kinds = ["passive"] * 3 + [None] * 5
    found = analyse_predictions(pairs, {"m": answered}, constructions=kinds).overview("m")
    assert found.by_construction.n.to_dict() == {"passive": 3}
    assert found.by_relation.n["(none named)"] == 2
    assert LOOKUP not in found.rules
    assert np.isnan(found.by_construction[LOOKUP]["passive"])


def test_values_of_a_column_make_groups_numbers_in_order(asked, answered):
    years = {"year": ["10", "9", None, "9", "old", "10", "9", None]}
    analysis = analyse_predictions(asked, {"m": answered, "by m": answered}, groups=years)
    (name,) = analysis.groups
    found = analysis.overview("by m").by_column[name]
    assert found.n.to_dict() == {"9": 3, "10": 2, "(empty)": 2, "old": 1}
    assert list(found.index) == ["9", "10", "(empty)", "old"]
    assert found.right["9"] == analysis.of("m").right[[1, 3, 6]].sum()
    assert found[COMMONEST]["old"] in (0, 1)


@given(st.lists(st.tuples(st.sampled_from([0.4, 0.5, 0.6, 0.9, np.nan]), st.booleans())))
def test_no_other_threshold_is_cheaper(rows):
    frame = pd.DataFrame(rows, columns=["probability", "right"]).assign(label="entailment")
    said = [(p, right) for p, right in rows if not math.isnan(p)]
    found = cheapest_thresholds(frame)
    assert list(found.index) == (list(COSTS) if said else [])
    for cost, own in found.iterrows():
        prices = {
            t: sum((cost * (not right) if p >= t else 1) for p, right in said)
            for t in (0.4, 0.5, 0.6, 0.9, 1.0)
        }
        assert own.cost * len(said) == pytest.approx(min(prices.values()))
        threshold = own.threshold if own.n else 1.0
        assert prices[threshold] == min(prices.values())
        believed = [right for p, right in said if p >= threshold]
        assert own.n == len(believed)
        assert not believed or own.accuracy == pytest.approx(np.mean(believed))


def test_rows_are_what_the_model_says_of_each_pair(fitted, pairs):
    asked = [*pairs[:6], pairs[7]]
    model = fitted["knn"].with_card(familiar_within=0.1)
    analysis = analyse(asked, {"tiny": model, "bare": fitted["knn"]}, exchanged=True)
    assert analysis.models == ("tiny", "bare")
    turned = model.predict([pair.reversed() for pair in asked]).verdict_labels
    for row, pair, prediction, other in zip(
        analysis.of("tiny").to_dict("records"), asked, model.predict(asked), turned, strict=True
    ):
        nearest = prediction.neighbours[0]
        for name in ("premise", "hypothesis", "label", "relation", "head", "tail"):
            assert row[name] == getattr(pair, name)
        assert row["construction"] is None
        assert row["words"] == len(pair.premise.split())
        assert (row["verdict"], row["exchanged"]) == (prediction.label, other)
        assert row["probability"] == prediction.probabilities[prediction.label]
        assert row["right"] is (prediction.label == pair.label)
        assert row["distance"] == nearest.distance
        assert row["familiar"] is prediction.familiar
        assert row["nearest_premise"] == nearest.pair.premise
        assert (row["nearest_relation"], row["nearest_label"]) == (nearest.relation, nearest.label)
    assert all(familiar is None for familiar in analysis.of("bare").familiar)
    assert "tiny: verdict" in analysis.rows


def test_models_are_loaded_by_name(saved, pairs):
    name = str(saved["knn"])
    assert analyse(pairs[:2], [name]).models == analyse(pairs[:2], name).models == (name,)


def test_what_cannot_be_analysed_is_refused(analysis, asked, answered):
    m, seven = {"m": answered}, asked[1:]
    for call, values, options, message in (
        (analyse, [asked, ["a", "a"]], {}, "named twice"),
        (analyse, [[], {"m": None}], {}, "There are no pairs"),
        (analyse, [asked, {}], {}, "There are no models"),
        (analyse_predictions, [seven, m], {}, "8 verdicts of m for 7 pairs"),
        (analyse_predictions, [asked, {"m": [1] * 8}], {}, "A verdict of m is int"),
        (analyse_predictions, [asked, m], {"constructions": seven}, "7 constructions for 8 pairs"),
        (analyse_predictions, [asked, m], {"groups": {"a": ["1"]}}, "1 values of a for 8 pairs"),
        (analysis.overview, ["other"], {}, "“other” is not in the analysis; expected one of: m"),
    ):
        assert message in refusal(call, *values, **options)


@pytest.mark.parametrize(("a", "b"), [(0, 0), (1, 0), (0, 6), (8, 2), (3, 12)])
def test_mcnemar_is_twice_the_binomial_tail(a, b):
    expected = min(1.0, 2 * binom.cdf(min(a, b), a + b, 0.5)) if a + b else 1.0
    assert mcnemar(a, b) == mcnemar(b, a) == pytest.approx(expected)
