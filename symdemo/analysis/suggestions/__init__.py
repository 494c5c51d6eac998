"""Suggest rows worth a look: probable label errors, near-duplicates, groups of errors."""

from symdemo.analysis.suggestions.columns import KINDS, Answered, Suggestion
from symdemo.analysis.suggestions.error_groups import (
    error_groups,
    unseen_relations,
    wrongly_taught_relations,
)
from symdemo.analysis.suggestions.label_errors import label_errors
from symdemo.analysis.suggestions.near_duplicates import near_duplicates
from symdemo.analysis.suggestions.suggesting import suggest

__all__ = [
    "KINDS",
    "Answered",
    "Suggestion",
    "error_groups",
    "label_errors",
    "near_duplicates",
    "suggest",
    "unseen_relations",
    "wrongly_taught_relations",
]
