"""Suggest rows worth a look: probable label errors, near-duplicates, groups of errors."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from symdemo.analysis.suggestions.columns import KINDS, Answered, Suggestion
from symdemo.analysis.suggestions.error_groups import error_groups, wrongly_taught_relations
from symdemo.analysis.suggestions.label_errors import label_errors
from symdemo.analysis.suggestions.near_duplicates import near_duplicates
from symdemo.jobs.reporting import SILENT, Reporter, StoppedError


def suggest(answered: Answered, reports: Reporter = SILENT) -> list[Suggestion]:
    """Return suggestions for n answered pairs, in the order of `KINDS`; the same each time.

    The rows of a relation that is taught or labelled wrongly are in that suggestion, and neither
    among label errors nor in groups of errors. `reports` is asked every few seconds whether to
    stop; what was found until then is returned.
    """
    explained: list[int] = []  # rows of wrongly taught relations, which others leave out
    makers: tuple[Callable[[], list[Suggestion]], ...] = (
        lambda: wrongly_taught_relations(answered),
        lambda: label_errors(answered, explained, reports),
        lambda: near_duplicates(answered, reports),
        lambda: error_groups(answered, explained, reports),
    )
    found: list[Suggestion] = []
    with suppress(StoppedError):
        for done, make in enumerate(makers):
            reports.progress(done, len(makers))
            reports.check()
            found += make()
            if not done:
                explained += [row for own in found for row in own.rows.tolist()]
        reports.progress(len(makers), len(makers))
    return sorted(found, key=lambda suggestion: KINDS.index(suggestion.kind))
