"""HTML of the tab “Teach”: the report on the rows, a plan, and a training on its way."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from markupsafe import Markup

from symdemo.jobs.state import JobView
from symdemo.teaching import project_files as files
from symdemo.teaching.limits import Limits
from symdemo.teaching.plan import RetrainingPlan
from symdemo.teaching.row_check import BLOCKING, NearLabel
from symdemo.ui.shared.events import Problem
from symdemo.ui.shared.html import draw
from symdemo.ui.teach.rows import Preview, RowsView
from symdemo.ui.teach.sheet import HEADERS, WHOLE_HEADERS, cells_of_rows, has_whole

SHOWN_LOG = 12
_numbers = count(1)


def report_panel(view: RowsView | None) -> Markup:
    """How many rows there are of what, and what to put right."""
    written = view is not None and any(not row.is_blank for row in view.rows)
    report = view.report if view else None
    wrong = BLOCKING - {"unfinished"}  # a cell that is still empty is no mistake
    return draw("teach/report.html", written=written, report=report, wrong=wrong)


def message_panel(message: str, notes: Iterable[str] = ()) -> str:
    """What was just done, and the lines that could not be read; it stays until it is closed."""
    notes = list(notes)
    if not message and not notes:
        return ""
    return draw("teach/message.html", message=message, lines=notes, number=next(_numbers))


def lost_panel(message: str, id: object) -> Markup:
    """Why the project of a browser cannot be opened, and its key, which is worth keeping."""
    key = id if files.is_project_id(id) else ""
    return draw("teach/lost.html", message=message, key=key)


def near_label_panel(near: NearLabel) -> Markup:
    """The question whether another label is meant."""
    return draw("teach/near_label.html", near=near)


def preview_panel(found: Preview | Problem) -> Markup:
    """The first rows of a file as they would be taken."""
    if isinstance(found, Problem):
        return Markup('<p class="quiet" role="status">{}</p>').format(found.message)
    whole = has_whole(found.rows)
    return draw(
        "teach/preview.html",
        headers=WHOLE_HEADERS if whole else HEADERS,
        rows=cells_of_rows(found.rows, whole, spare=False),
        lines=found.notes,
    )


def plan_panel(plan: RetrainingPlan) -> Markup:
    """How long a retraining would take, on what, and what it starts from."""
    return draw("teach/plan.html", plan=plan)


def job_panel(view: JobView | None) -> str:
    """A training: its place in the queue, how far it is, or how it ended."""
    return draw("teach/job.html", view=view) if view else ""


def log_panel(view: JobView | None) -> Markup:
    """The last lines of a training's log."""
    return draw("teach/log.html", lines=view.log[-SHOWN_LOG:] if view else ())


def limits_panel(limits: Limits) -> Markup:
    """What is allowed here, and for how long things are kept."""
    return draw("teach/limits.html", limits=limits)
