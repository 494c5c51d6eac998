import sys

import numpy as np
import pytest
from suggestion_columns import LABELS, make_answered, shares_for

from symdemo.analysis.suggestions import label_errors
from symdemo.analysis.suggestions.label_errors import neighbour_guess, own_guess, relation_guess
from symdemo.classifier.prediction import NOT_JUDGED


def spoil(labels, share=0.05, seed=1):
    rng = np.random.default_rng(seed)
    changed = rng.choice(len(labels), round(share * len(labels)), replace=False)
    spoilt = list(labels)
    for row in changed:
        spoilt[row] = LABELS[(LABELS.index(labels[row]) + 1) % 3]
    return spoilt, set(changed.tolist())


def suggested(labels, **known):
    """The rows that are suspected, and the suggestion; no rows and None if there is none."""
    (found,) = label_errors(make_answered(labels, **known)) or [None]
    return (set(found.rows.tolist()) if found else set()), found


@pytest.mark.parametrize("given", ["probabilities", "embeddings", "relations", "all"])
def test_changed_labels_are_found_by_whatever_is_known(clean, given):
    labels, relations, vectors = clean
    spoilt, changed = spoil(labels)
    columns = {
        "probabilities": {"probabilities": shares_for(labels), "label_names": LABELS},
        "embeddings": {"embeddings": vectors},
        "relations": {"relation": relations},
    }
    chosen = columns.values() if given == "all" else [columns[given]]
    rows, _ = suggested(spoilt, **{k: v for own in chosen for k, v in own.items()})
    assert len(changed & rows) >= 0.8 * len(changed)
    assert len(changed & rows) >= 0.5 * len(rows)


def test_a_model_that_knows_nothing_or_all_of_these_rows_is_not_believed(clean):
    labels, relations, vectors = clean
    spoilt, changed = spoil(labels)
    chance = np.random.default_rng(3).integers(3, size=len(labels))  # right one time in three
    blind = {"probabilities": shares_for([LABELS[n] for n in chance]), "label_names": LABELS}
    assert suggested(spoilt, **blind)[1] is None  # two thirds of the rows contradict it
    assert suggested(spoilt, **blind, relation=relations)[0] == changed
    taught = blind | {"probabilities": shares_for(spoilt, 0.99)}
    rows, found = suggested(spoilt, **taught, relation=relations, embeddings=vectors)
    assert "the model" not in found.why.split(" speak")[0]
    assert len(changed & rows) >= 0.8 * len(changed)


def test_nothing_is_said_of_clean_few_or_unlabelled_rows(clean):
    labels, relations, vectors = clean
    known = {"relation": relations, "embeddings": vectors}
    assert not suggested(labels, **known)[0]
    assert not suggested([None] * 360, **known, verdicts=labels)[0]
    assert not suggested(["neutral", *["entailment"] * 10], relation=["a"] * 11)[0]
    assert not suggested(["entailment"] * 30, relation=["a"] * 30)[0]


def test_only_pairs_that_the_model_judges_are_suspected(clean):
    labels, relations, vectors = clean
    spoilt, changed = spoil(labels)
    swaps = np.arange(len(labels)) % 2 == 0
    known = {"relation": relations, "embeddings": vectors, "swaps": swaps}
    own, _ = suggested(spoilt, **known)
    assert own & changed
    assert all(swaps[row] for row in own)
    assert not all(swaps[row] for row in suggested(spoilt, any_pair=True, **known)[0])
    said = [NOT_JUDGED if row in changed else label for row, label in enumerate(labels)]
    assert not suggested(spoilt, any_pair=True, verdicts=said, **known)[0] & changed


def test_guesses_by_hand():
    labels = np.array([0, 0, 1, 0])
    # Each row asks the three others; the prior 3/4, 1/4 counts as one row more.
    assert relation_guess(np.array(["r", "r", "r", ""], object), labels, 2).tolist() == [
        [(1 + 0.75) / 3, (1 + 0.25) / 3],
        [(1 + 0.75) / 3, (1 + 0.25) / 3],
        [(2 + 0.75) / 3, 0.25 / 3],
        [0.75, 0.25],
    ]
    vectors = np.ones((4, 2), np.float32) / np.sqrt(2)  # all at one place, the row itself is not
    assert np.allclose(
        neighbour_guess(vectors, labels, 2),
        np.array([[2.75, 1.25], [2.75, 1.25], [3.75, 0.25], [2.75, 1.25]]) / 4,
    )
    shares = np.array([[0.2, 0.5, 0.3], [0, 0, 0]])
    assert own_guess(shares, list(LABELS), ["neutral", "entailment"]).tolist() == [
        pytest.approx([0.6, 0.4]),
        [0.5, 0.5],
    ]


def test_rows_left_out_and_rows_without_a_label_are_not_suggested(clean):
    labels, relations, _ = clean
    spoilt, changed = spoil(labels)
    out, unlabelled, *_ = sorted(changed)
    spoilt[unlabelled] = None
    (found,) = label_errors(make_answered(spoilt, relation=relations), leave_out=np.array([out]))
    assert set(found.rows.tolist()) == changed - {out, unlabelled}


def test_the_least_probable_label_comes_first(clean, monkeypatch):
    module = sys.modules[neighbour_guess.__module__]  # the package gives its name to a function
    monkeypatch.setattr(module, "trusted", lambda labels, _: np.linspace(0.1, 0, len(labels)))
    (found,) = label_errors(make_answered(clean[0], relation=clean[1]))
    assert found.rows.tolist() == list(range(360))[::-1]


def test_neighbours_of_many_rows_are_nearly_those_of_an_exact_search(monkeypatch):
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((40, 8)).repeat(100, axis=0)
    vectors = (centres + 0.1 * rng.standard_normal((4_000, 8))).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    labels = rng.integers(3, size=4_000)
    exact = neighbour_guess(vectors, labels, 3)
    module = sys.modules[neighbour_guess.__module__]  # the package gives its name to a function
    monkeypatch.setattr(module, "_EXACT", 1_000)
    assert np.abs(neighbour_guess(vectors, labels, 3) - exact).mean() < 0.02
