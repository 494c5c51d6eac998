"""Errors planted among pairs that the shipped model answers: are they found?"""

import pytest
from planted_errors import WRONGLY, ask, hits, plant, rows_of

from symdemo.analysis.suggestions import suggest
from symdemo.classifier import SymmetryClassifier
from symdemo.data.bank import shipped_bank
from symdemo.files.paths import MODELS


@pytest.fixture(scope="module")
def found():
    """What was planted in some 300 pairs of the bank, and what was suggested."""
    if not (MODELS / "general").is_dir():
        pytest.skip("the shipped model is not here")
    bank = shipped_bank()
    pairs = bank.pairs(bank.relations[7::75], seed=8)
    model = SymmetryClassifier.from_pretrained("general", inference_only=True)
    planted = plant(pairs, frozenset(str(pair.relation) for pair in pairs), seed=8)
    return planted, suggest(ask(model, planted.pairs))


def test_wrong_labels_are_found(found):
    planted, suggestions = found
    assert len(planted.changed) >= 10
    figures = hits(rows_of(suggestions, "label_errors"), planted)
    assert figures["recall"] >= 0.8
    assert figures["precision"] >= 0.5


def test_the_relation_labelled_wrongly_is_named(found):
    planted, suggestions = found
    titles = [suggestion.title for suggestion in suggestions if suggestion.kind == WRONGLY]
    assert any(f"“{planted.relation}”" in title for title in titles)


def test_all_near_duplicates_are_found_and_no_others(found):
    planted, suggestions = found
    assert len(planted.groups) == 10
    rows = rows_of(suggestions, "near_duplicates")
    assert sorted(rows) == sorted(row for group in planted.groups for row in group)
