"""`suggest`: everything that a person would find by hand, in one call that can be stopped."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from symdemo.analysis.suggestions.answered import Answered
from symdemo.analysis.suggestions.error_groups import error_groups
from symdemo.analysis.suggestions.label_errors import label_errors
from symdemo.analysis.suggestions.near_duplicates import near_duplicates
from symdemo.analysis.suggestions.relations import unseen_relations, wrongly_taught_relations
from symdemo.analysis.suggestions.suggestion import (
    ERROR_GROUPS,
    KINDS,
    LABEL_ERRORS,
    UNSEEN,
    WRONGLY_TAUGHT,
    Suggestion,
)
from symdemo.analysis.watching import Progress, ShouldStop, Stopped, go_on
from symdemo.errors import InputError


def suggest(
    answered: Answered,
    *,
    kinds: Collection[str] = KINDS,
    should_stop: ShouldStop | None = None,
    progress: Progress | None = None,
) -> list[Suggestion]:
    """What is worth a look in n answered pairs; the same for the same columns.

    A relation that comes out as taught or labelled wrongly is told once: its rows are neither
    suspected one by one nor counted in other groups of errors.

    Args:
        answered: the pairs and what one model answered.
        kinds: what to look for, of `KINDS`.
        should_stop: asked every few seconds at the latest; what was found until then is returned.
        progress: told how many of the kinds are done, of how many.

    Returns:
        The suggestions in the order of `KINDS`.

    Raises:
        InputError: a kind that there is not.
    """
    unknown = sorted(set(kinds) - set(KINDS))
    if unknown:
        raise InputError(f"The kind “{unknown[0]}” is unknown; expected are: {', '.join(KINDS)}.")
    found: list[Suggestion] = []
    explained = np.zeros(0, int)
    order = [kind for kind in (WRONGLY_TAUGHT, *KINDS) if kind in kinds]
    order = list(dict.fromkeys(order))  # the relations first, since other kinds leave them out
    try:
        for done, kind in enumerate(order):
            if progress is not None:
                progress(done, len(order))
            go_on(should_stop)
            own = _look_for(kind, answered, explained, should_stop)
            if kind == WRONGLY_TAUGHT and own:
                explained = np.unique(np.concatenate([suggestion.rows for suggestion in own]))
            found += own
        if progress is not None:
            progress(len(order), len(order))
    except Stopped:
        pass
    return sorted(found, key=lambda suggestion: KINDS.index(suggestion.kind))


def _look_for(
    kind: str, answered: Answered, explained: np.ndarray, should_stop: ShouldStop | None
) -> list[Suggestion]:
    if kind == WRONGLY_TAUGHT:
        return wrongly_taught_relations(answered)
    if kind == ERROR_GROUPS:
        return error_groups(answered, leave_out=explained, should_stop=should_stop)
    if kind == UNSEEN:
        return unseen_relations(answered)
    one = (
        label_errors(answered, leave_out=explained, should_stop=should_stop)
        if kind == LABEL_ERRORS
        else near_duplicates(answered, should_stop=should_stop)
    )
    return [] if one is None else [one]
