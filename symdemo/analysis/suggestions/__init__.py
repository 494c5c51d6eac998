"""What a person would find by hand: wrong labels, near-duplicates, groups of errors."""

from symdemo.analysis.suggestions.answered import Answered
from symdemo.analysis.suggestions.error_groups import error_groups
from symdemo.analysis.suggestions.label_errors import label_errors
from symdemo.analysis.suggestions.near_duplicates import near_duplicates
from symdemo.analysis.suggestions.relations import unseen_relations, wrongly_taught_relations
from symdemo.analysis.suggestions.suggesting import suggest
from symdemo.analysis.suggestions.suggestion import KINDS, Suggestion

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
