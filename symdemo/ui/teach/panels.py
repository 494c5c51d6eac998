"""HTML of the tab “Teach”: the report on the rows, a plan, and a training on its way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from itertools import count

from symdemo.jobs.state import JobView
from symdemo.teaching.limits import Limits
from symdemo.teaching.rows.check import BLOCKING, RowReport
from symdemo.teaching.rows.near_labels import NearLabel
from symdemo.text import readable_size, shorten
from symdemo.ui.shared.panels import label_tag, relation_name
from symdemo.ui.shared.problems import Problem
from symdemo.ui.teach.rows import Preview, RowsView
from symdemo.ui.teach.sheet import HEADERS, WHOLE_HEADERS, cells_of_rows, has_whole
from symdemo.ui.teach.training import Plan

SHOWN_PROBLEMS = 12
SHOWN_LOG = 12
SHOWN_NUMBERS = 4
_numbers = count(1)

LEAD = """
<div class="teach-lead"><h2>Teach the model relations of your own</h2>
<p>Write a few sentences and say for each what its swap means: does it still hold
(<b>entailment</b>), is it then false (<b>contradiction</b>), or does that stay open
(<b>neutral</b>)? A label of your own works too. The model learns from your rows, and you see what
changed.</p></div>"""

NO_ROWS = """<section class="card report"><h3>Your rows</h3><p class="quiet">Nothing written yet.
Fill in a row, paste a few lines, or start from an example.</p></section>"""

SUGGESTIONS_NOTE = (
    '<p class="quiet">Your names, put together anew. Only the <b>label</b> of these rows is right: '
    "it follows from the relation, whoever stands in it. The sentences need <b>not be true</b>. "
    "Change them as you like, and empty a row that you do not want.</p>"
)

_DEVICES = {
    "cpu": "the processor of this computer",
    "cuda": "the graphics card of this computer",
    "mps": "the graphics chip of this Mac",
    "lent GPU": "a graphics card that is lent for the time",
}

_STATES = {
    "stopped": ("open", "Stopped. What was learnt until then was kept, if there was anything."),
    "failed": ("fails", "The training failed."),
    "broken off": (
        "fails",
        "The training was broken off because the program ended. Your rows and versions are safe: "
        "start it again.",
    ),
}


def report_panel(view: RowsView | None) -> str:
    """How many rows there are of what, and what to put right."""
    if view is None or not any(not row.is_blank for row in view.rows):
        return NO_ROWS
    report = view.report
    blocked = any(problem.kind in BLOCKING for problem in report.problems)
    ready = (
        '<p class="report__ready report__ready--no"><span aria-hidden="true">!</span> Put right '
        "what is marked below, then teach.</p>"
        if blocked or not report.ready
        else '<p class="report__ready"><span aria-hidden="true">✓</span> Ready to teach.</p>'
    )
    n = len(report.pairs)
    return f"""<section class="card report" role="status"><h3>Your rows</h3>
<p><b class="report__count">{n:,}</b> usable {"row" if n == 1 else "rows"}</p>{ready}
{_problems(report)}
<h3>Labels</h3>{_labels(report.counts_by_label)}
<h3>Relations</h3>{_relations(report.counts_by_relation)}</section>"""


def _problems(report: RowReport) -> str:
    if not report.problems:
        return ""
    items = "".join(
        f'<li class="{"must" if problem.kind in BLOCKING else "hint"}">{escape(problem.message)}'
        "</li>"
        for problem in report.problems[:SHOWN_PROBLEMS]
    )
    more = len(report.problems) - SHOWN_PROBLEMS
    items += f'<li class="hint">And {more} more.</li>' if more > 0 else ""
    return f'<ul class="notes">{items}</ul>'


def _labels(counts: Mapping[str, int]) -> str:
    if not counts:
        return '<p class="quiet">None yet.</p>'
    tags = "".join(f"<li>{label_tag(label)} <span>{n:,}</span></li>" for label, n in counts.items())
    return f'<ul class="counts">{tags}</ul>'


def _relations(counts: Mapping[str, int]) -> str:
    if not counts:
        return '<p class="quiet">None yet.</p>'
    items = "".join(
        f"<li><span>{escape(shorten(relation_name(relation), 60))}</span> <span>{n:,}</span></li>"
        for relation, n in counts.items()
    )
    return f'<ul class="counts counts--list">{items}</ul>'


def message_panel(message: str, notes: Iterable[str] = ()) -> str:
    """What was just done, and the lines that could not be read; it stays until it is closed."""
    notes = list(notes)
    if not message and not notes:
        return ""
    items = "".join(f'<li class="must">{escape(note)}</li>' for note in notes[:SHOWN_PROBLEMS])
    more = len(notes) - SHOWN_PROBLEMS
    items += f'<li class="hint">And {more:,} more.</li>' if more > 0 else ""
    listed = f'<ul class="notes">{items}</ul>' if items else ""
    words = f"<p>{escape(message)}</p>" if message else ""
    close = '<button type="button" class="said__close" aria-label="Close this message">×</button>'
    # Numbered, for a message that says the same again is drawn again after it was closed.
    return (
        f'<div class="said" role="status" data-number="{next(_numbers)}">'
        f"<div>{words}{listed}</div>{close}</div>"
    )


def near_label_panel(near: NearLabel) -> str:
    """The question whether another label is meant."""
    shown = ", ".join(f"{number:,}" for number in near.rows[:SHOWN_NUMBERS])
    more = f" and {len(near.rows) - SHOWN_NUMBERS:,} more" if near.rows[SHOWN_NUMBERS:] else ""
    rows = f"row{'s' if len(near.rows) > 1 else ''} {shown}{more}"
    return (
        f'<p role="status">“{escape(shorten(near.typed, 40))}” in {rows}: did you mean '
        f"<b>{escape(shorten(near.meant, 40))}</b>?</p>"
    )


def preview_panel(found: Preview | Problem) -> str:
    """The first rows of a file as they would be taken."""
    if isinstance(found, Problem):
        return f'<p class="quiet" role="status">{escape(found.message)}</p>'
    whole = has_whole(found.rows)
    headers = WHOLE_HEADERS if whole else HEADERS
    titles = "".join(f'<th scope="col">{title}</th>' for title in headers)
    lines = "".join(
        "<tr>" + "".join(f"<td>{escape(shorten(cell, 60))}</td>" for cell in cells) + "</tr>"
        for cells in cells_of_rows(found.rows, whole, spare=False)
    )
    notes = "".join(f'<li class="must">{escape(note)}</li>' for note in found.notes)
    notes = f'<ul class="notes">{notes}</ul>' if notes else ""
    return f"""<p class="quiet">The first lines, as they would be taken:</p>
<div class="scroll" tabindex="0" role="region" aria-label="The first lines of the file">
<table class="preview"><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table></div>
{notes}"""


def plan_panel(plan: Plan) -> str:
    """How long a retraining would take, on what, and what it starts from."""
    found = plan.estimate
    device = _DEVICES.get(found.device, found.device)
    start = f" It starts from {escape(plan.start.name)}."
    return (
        f'<div class="plan" role="status"><p><b>About {duration(found.seconds)}</b> on '
        f"{escape(device)}, in {found.steps:,} steps.{start} You can leave the page meanwhile and "
        "come back to it.</p></div>"
    )


def job_panel(view: JobView | None) -> str:
    """A training: its place in the queue, how far it is, or how it ended."""
    if view is None:
        return ""
    if view.state == "waiting":
        ahead = view.place
        when = f" It begins in about {duration(view.ahead_seconds)}." if view.ahead_seconds else ""
        body = (
            f"<p><b>Place {ahead} in the queue.</b>{when} Trainings are done one after the other, "
            "in the order of their coming.</p>"
        )
        return _job("open", body)
    if not view.finished:
        return _job("open", _on_its_way(view))
    if view.state == "done":
        name = escape(getattr(view.result, "name", "") or "A new version")
        return _job("holds", f"<p><b>Done.</b> {name} is ready and in use; see step 3.</p>")
    style, words = _STATES[view.state]
    if view.state == "stopped" and (name := getattr(view.result, "name", "")):
        words = f"Stopped. {escape(name)} is what was learnt until then, and it is in use."
    cause = f"<p>{escape(view.error)}</p>" if view.error else ""
    return _job(style, f"<p><b>{words}</b></p>{cause}", alert=view.state == "failed")


def _job(style: str, body: str, alert: bool = False) -> str:
    role = "alert" if alert else "status"
    return f'<div class="job job--{style}" role="{role}">{body}</div>'


def _on_its_way(view: JobView) -> str:
    done, total = view.progress
    left = f", about {duration(view.eta_seconds)} left" if view.eta_seconds else ""
    if view.cut:
        words = "Stopping. What was learnt is being put away."
    elif view.state == "stopping":
        words = f"Stopped learning. The best so far is kept and measured{left}."
    elif not total:
        words = "Getting ready."
    elif view.measures:
        words = f"It has learnt. Now it is measured what changed{left}."
    else:
        words = f"Step {done:,} of {total:,}{left}."
    shown = total and not view.cut and (view.measures or view.state != "stopping")
    value = f' value="{done}" max="{total}"' if shown else ""
    return f'<p><b>{words}</b></p><progress aria-label="Progress"{value}></progress>'


def log_panel(view: JobView | None) -> str:
    """The last lines of a training's log."""
    if view is None or not view.log:
        return '<p class="quiet">Nothing yet.</p>'
    lines = "".join(f"<li>{escape(line)}</li>" for line in view.log[-SHOWN_LOG:])
    return f'<ol class="log">{lines}</ol>'


def limits_panel(limits: Limits) -> str:
    """What is allowed here, and for how long things are kept."""
    return f"""<section class="card limits"><h2>Good to know</h2><ul>
<li><b>Projects untouched for {limits.idle_days:g} days are deleted; download yours.</b></li>
<li>Your project belongs to this browser alone: its key is kept here and nowhere else. Another
browser cannot see it, and without the key nobody can bring it back.</li>
<li>Please write nothing secret about real people: the rows lie on the computer that runs this
page until the project is deleted.</li>
<li>Up to {limits.rows:,} rows of up to {limits.characters} characters a cell,
{limits.labels} labels, {limits.relations} relations, {limits.versions} versions and
{readable_size(limits.project_bytes)} a project.</li>
<li>One training of yours at a time, of up to {limits.job_minutes:g} minutes.</li>
</ul></section>"""


def duration(seconds: float | None) -> str:
    """Seconds as a person says them."""
    seconds = max(1, round(seconds or 0))
    if seconds < 90:
        return f"{seconds} second" + ("" if seconds == 1 else "s")
    return f"{round(seconds / 60)} minutes"
