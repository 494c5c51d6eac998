"""The part “Suggestions”: what a person would find by hand, each a set of rows."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from symdemo.analysis.suggestions import Answered, Suggestion, suggest
from symdemo.jobs.queue import JobHandle, JobView
from symdemo.ui.analyse.desk import HINTS, Desk, Opened
from symdemo.ui.analyse.shown import Shown, set_of
from symdemo.ui.shared.html import draw

TITLES = {
    "label_errors": "Labels that may be wrong",
    "near_duplicates": "Nearly the same, labelled differently",
    "wrongly_taught_relations": "Relations that one side has wrong",
    "error_groups": "Where errors gather",
    "unseen_relations": "What the model never saw",
}
EXAMPLES = 3
SOON = 1_200
"""Milliseconds after which the page asks again whether they are ready."""


def find_hints(
    desk: Desk, opened: Opened, model: str
) -> tuple[list[Suggestion] | None, JobView | None]:
    """The suggestions on all rows for one model, or how the job stands that makes them."""

    def make(handle: JobHandle) -> list[Suggestion]:
        columns = Answered.of_run(opened.analysis, model, opened.runs.get(model))
        return suggest(columns, should_stop=handle.stopped, progress=handle.progress)

    return desk.later(opened, (HINTS, model), "Suggestions", make)


def hints_panel(desk: Desk, shown: Shown) -> tuple[Markup, int | None]:
    """The suggestions, and when to ask again while they are made."""
    model = shown.view.model
    found, job = find_hints(desk, shown.opened, model)
    if found is None:
        again = None if job is None or job.finished else SOON
        return draw("analyse/later.html", job=job, what="The suggestions"), again
    return draw("analyse/hints.html", model=model, kinds=_kinds(shown, found)), None


def _kinds(shown: Shown, found: list[Suggestion]) -> list[dict[str, Any]]:
    kinds: dict[str, list[dict[str, Any]]] = {}
    for number, one in enumerate(found):
        examples = shown.opened.table.page(one.rows, 0, EXAMPLES, ["premise", "label"])
        name = f"hint:{shown.view.model}:{number}"
        kinds.setdefault(one.kind, []).append(
            {
                "title": one.title,
                "why": one.why,
                "n": len(one.rows),
                "query": {"conditions": [set_of(name)]},
                "examples": examples,
            }
        )
    return [{"title": TITLES[kind], "found": hints} for kind, hints in kinds.items()]
