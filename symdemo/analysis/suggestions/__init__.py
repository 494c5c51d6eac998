"""Suggest rows worth a look: probable label errors, near-duplicates, groups of errors."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from symdemo.analysis.stopping import Progress, ShouldStop, stop_if_asked
from symdemo.analysis.suggestions.columns import (
    ERROR_GROUPS,
    KINDS,
    LABEL_ERRORS,
    NEAR_DUPLICATES,
    UNSEEN,
    WRONGLY_TAUGHT,
    Answered,
    Suggestion,
)
from symdemo.analysis.suggestions.error_groups import (
    error_groups,
    unseen_relations,
    wrongly_taught_relations,
)
from symdemo.analysis.suggestions.label_errors import label_errors
from symdemo.analysis.suggestions.near_duplicates import near_duplicates
from symdemo.errors import InputError
from symdemo.jobs.state import StoppedError

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


def suggest(
    answered: Answered,
    *,
    kinds: Collection[str] = KINDS,
    should_stop: ShouldStop | None = None,
    progress: Progress | None = None,
) -> list[Suggestion]:
    """Return suggestions for n answered pairs; the same for the same columns.

    The rows of a relation that is taught or labelled wrongly appear in that suggestion alone,
    neither among label errors nor in groups of errors.

    Args:
        answered: The pairs and the answers of one model.
        kinds: Of `KINDS`.
        should_stop: Polled every few seconds at least; earlier findings are returned on a stop.
        progress: Called with the numbers of kinds done and of all kinds.

    Returns:
        Suggestions in the order of `KINDS`.

    Raises:
        InputError: A kind is unknown.
    """
    if unknown := sorted(set(kinds) - set(KINDS)):
        raise InputError(f"The kind is “{unknown[0]}”; expected one of: {', '.join(KINDS)}.")
    explained = np.zeros(0, int)

    # Evaluated late, since rows that relations explain are left out of other kinds.
    makers: dict[str, Callable[[], list[Suggestion] | Suggestion | None]] = {
        WRONGLY_TAUGHT: lambda: wrongly_taught_relations(answered),
        LABEL_ERRORS: lambda: label_errors(answered, explained, should_stop),
        NEAR_DUPLICATES: lambda: near_duplicates(answered, should_stop),
        ERROR_GROUPS: lambda: error_groups(answered, explained, should_stop),
        UNSEEN: lambda: unseen_relations(answered),
    }
    found: list[Suggestion] = []
    order = [kind for kind in makers if kind in kinds]
    report = progress or (lambda done, total: None)
    try:
        for done, kind in enumerate(order):
            report(done, len(order))
            stop_if_asked(should_stop)
            made = makers[kind]()
            own = made if isinstance(made, list) else [made] if made else []
            if kind == WRONGLY_TAUGHT and own:
                explained = np.unique(np.concatenate([suggestion.rows for suggestion in own]))
            found += own
        report(len(order), len(order))
    except StoppedError:
        pass
    return sorted(found, key=lambda suggestion: KINDS.index(suggestion.kind))
