"""Suggest rows worth a look: probable label errors, near-duplicates, groups of errors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

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
from symdemo.jobs.reporting import SILENT, Reporter, StoppedError

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


def suggest(answered: Answered, reports: Reporter = SILENT) -> list[Suggestion]:
    """Return suggestions for n answered pairs, in the order of `KINDS`; the same each time.

    The rows of a relation that is taught or labelled wrongly appear in that suggestion alone,
    neither among label errors nor in groups of errors.

    Args:
        answered: The pairs and the answers of one model.
        reports: Polled every few seconds at least; earlier findings are returned on a stop.
    """
    explained = np.zeros(0, int)

    # Evaluated late, since rows that relations explain are left out of other kinds.
    makers: dict[str, Callable[[], list[Suggestion] | Suggestion | None]] = {
        WRONGLY_TAUGHT: lambda: wrongly_taught_relations(answered),
        LABEL_ERRORS: lambda: label_errors(answered, explained, reports),
        NEAR_DUPLICATES: lambda: near_duplicates(answered, reports),
        ERROR_GROUPS: lambda: error_groups(answered, explained, reports),
        UNSEEN: lambda: unseen_relations(answered),
    }
    found: list[Suggestion] = []
    try:
        for done, (kind, make) in enumerate(makers.items()):
            reports.progress(done, len(makers))
            reports.check()
            made = make()
            own = made if isinstance(made, list) else [made] if made else []
            if kind == WRONGLY_TAUGHT and own:
                explained = np.unique(np.concatenate([suggestion.rows for suggestion in own]))
            found += own
        reports.progress(len(makers), len(makers))
    except StoppedError:
        pass
    return sorted(found, key=lambda suggestion: KINDS.index(suggestion.kind))
