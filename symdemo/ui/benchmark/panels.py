"""HTML of the tab “Benchmark”. Whatever a report says is escaped here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from symdemo.reproduction.paper import TABLE_2_ENCODER
from symdemo.reproduction.report import VERSIONS, Report
from symdemo.ui.benchmark.report import way_to_make
from symdemo.ui.benchmark.words import NONE, seeds_of
from symdemo.ui.shared.panels import count

FORGETTING_CAPTION = (
    "<p>Left, what retraining cost: points of STS-B rank correlation and of NLI accuracy that are "
    "gone afterwards. Right, the accuracy on swapped sentences that it bought. Further left and "
    "further right is better. The retention term keeps generic sentences where the untouched "
    "encoder has them; whiskers reach from the least to the most. The stars are what the paper’s "
    f"{TABLE_2_ENCODER} lost on MNLI.</p>"
)


def accuracy_caption(report: Report, encoder: str | None) -> str:
    """How the first picture is to be read."""
    several = len(report.seeds(encoder)) > 1
    drawn = (
        "Lines are medians over the seeds, bands reach from the least to the most. A hollow point "
        "stands for those seeds only that were not yet without error: the search leaves a seed "
        "alone once it is."
        if several
        else "Each point is one training with one seed, so how much is chance cannot be seen."
    )
    return (
        f"<p>{drawn} The marks on top are what the paper needed with {TABLE_2_ENCODER}, another "
        "encoder than the one shown.</p>"
    )


def nothing_panel() -> str:
    """One kind sentence where there is no report yet."""
    command, then = (escape(words) for words in way_to_make())
    then = f", start the app with <code>{then}</code>," if then else ","
    return (
        '<section class="card bench-card"><h2>Nothing has been measured here yet</h2>'
        f'<p class="quiet">Run <code>{command}</code> (with <code>--quick</code> for a first table '
        f"in a few minutes){then} and the paper’s tables appear here, measured on this machine.</p>"
        "</section>"
    )


def lead_panel(report: Report, encoder: str | None) -> str:
    """What was measured and on what, in a sentence, and what is missing."""
    methods = report.rows("methods", encoder)
    sizes = sorted({row["samples"] for row in methods})
    pairs = " or ".join(str(size) for size in sizes) + " labelled pairs"
    lead = (
        f"Each of {count(len(methods), 'method')} retrained <b>{escape(str(encoder))}</b> on "
        f"{pairs} of 14 Wikidata relations, then said, for entities not seen in training, whether "
        f"a sentence still holds once subject and object are swapped: {_medians(methods)}, beside "
        f"the paper’s numbers. {_whose(methods)}"
    )
    notes = []
    if not report.values.get("finished", True):
        notes.append("This study was stopped before its end; what it lacks is shown as –.")
    if missing := report.summary.get("missing_encoders"):
        names = escape(", ".join(map(str, missing)))
        why = ", for want of a network or a local copy" * report.values.get("finished", True)
        notes.append(f"Not measured{why}: {names}.")
    nli = next((row["nli"] for row in methods if row.get("nli")), None) or {}
    if "missing" in nli:
        notes.append(f"NLI was not measured: {escape(str(nli['missing']))}")
    quiet = "".join(f'<p class="quiet">{note}</p>' for note in notes)
    return (
        '<section class="bench-lead"><h2>The paper’s tables, measured here</h2>'
        f"<p>{lead}</p>{quiet}</section>"
    )


def _medians(methods: Sequence[Mapping[str, Any]]) -> str:
    """Of how many seeds the figures of these methods are, as far as they were measured."""
    seeds = seeds_of(row.get(version) for row in methods for version in VERSIONS)
    if seeds == count(1, "seed"):
        return "one training each, with one seed, so how much is chance cannot be seen"
    return f"medians over {seeds}" if seeds else "not measured yet"


def _whose(methods: Sequence[Mapping[str, Any]]) -> str:
    """Which encoder the paper’s numbers are of."""
    rest = f"the labelled pairs it needed and what it forgot are of {TABLE_2_ENCODER}."
    if any((row.get("paper") or {}).get("accuracy") for row in methods):
        return f"The paper’s accuracies are of this same encoder, {rest}"
    return f"The paper has no accuracies of this encoder; {rest}"


def made_by_panel(report: Report) -> str:
    """Where the numbers come from: commit, machine, versions, seeds."""
    made_by = report.values.get("made_by") or {}
    machine, versions = made_by.get("machine") or {}, made_by.get("versions") or {}
    threads = machine.get("threads")
    parts = [machine.get("processor"), count(threads, "thread") if threads else None]
    parts += [machine.get("accelerator") or "no accelerator", machine.get("system")]
    facts = {
        "Commit": made_by.get("commit") or NONE,
        "Machine": ", ".join(str(part) for part in parts if part) if machine else NONE,
        "Versions": ", ".join(f"{name} {value}" for name, value in versions.items()) or NONE,
        "Seeds": "; ".join(f"{name}: {seeds}" for name, seeds in _seeds(report)) or NONE,
    }
    rows = "".join(f"<dt>{name}</dt><dd>{escape(str(fact))}</dd>" for name, fact in facts.items())
    return (
        '<section class="about"><h2>How to measure this again</h2>'
        f'<p class="quiet">Every number above comes out of this command.</p><dl>{rows}</dl>'
        "</section>"
    )


def _seeds(report: Report) -> Iterator[tuple[str, str]]:
    """Each encoder with its seeds."""
    for encoder in report.encoders:
        if seeds := report.seeds(encoder):
            yield encoder, ", ".join(map(str, seeds))
