"""`symdemo reproduce`: choose settings, run a plan, write the report and docs/paper.md's tables."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from experiments.reproduction.jobs import share_of
from experiments.reproduction.keys import Recorded
from experiments.reproduction.ledger import Ledger
from experiments.reproduction.plan import QUICK, Plan
from experiments.reproduction.resources import Resources
from experiments.reproduction.selection import LEDGER as SELECTION_LEDGER
from experiments.reproduction.selection import (
    Inner,
    choose,
    selection_jobs,
    with_selection,
)
from experiments.reproduction.study import Progress, is_finished, run_jobs, run_study
from experiments.reproduction.summary import summarise
from experiments.reproduction.tables import markdown, write_into
from symdemo.encoders import DEFAULT_ENCODER, find_spec
from symdemo.encoders.decoders.loading import find_decoder
from symdemo.errors import InputError
from symdemo.evaluation.results import PaperReport
from symdemo.files.atomic import write_text
from symdemo.files.paths import DOCS, RESULTS
from symdemo.files.provenance import provenance
from symdemo.jobs.reporting import StopAsked
from symdemo.training.methods import check_method

LEDGER = "measurements.jsonl"
DEPENDS = (
    "geometry",
    "losses",
    "pairs",
    "data.relations",
    "data.bank",
    "encoders",
    "training",
    "classifier",
    "evaluation",
    "reproduction.experiments",
)
"""The code that a measurement depends on."""
NLI = "reproduction.nli"
"""And those of forgetting on NLI."""
PAGE = DOCS / "paper.md"
LEFT_OUT_BY = {
    "search": "--no-search",
    "ablation_seeds": "--no-ablations",
    "nli_seeds": "--no-nli",
}
"""What of a plan fills a section of its own, and the option that leaves it out."""


def run(arguments: argparse.Namespace) -> int:
    """Measure what is missing, then write report and tables; 130 where it was stopped."""
    share = _share(arguments.share)
    if arguments.publish and not PAGE.is_file():
        raise InputError(f"There is no {PAGE.name} to publish into; --publish is for a checkout.")
    if arguments.select:
        return _select(arguments, share)
    out = Path(arguments.out)
    plan = with_selection(_plan(arguments), (out, RESULTS))
    if arguments.publish:
        _check_keeps_sections(plan)
    made_by = provenance()
    ledger = _ledger(arguments, LEDGER, row_made_by(made_by))
    finished = arguments.report_only or run_study(
        plan, ledger, _show, StopAsked("measurement"), share=share
    )
    whole = is_finished(plan, ledger)
    report = {
        "command": _command(arguments),
        "made_by": made_by,
        "rows_made_by": ledger.origins(Recorded(ledger).keys),
        "finished": whole,
        "summary": summarise(plan, ledger),
    }
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    write_text(out / PaperReport.NAME, text)
    tables = markdown(PaperReport.from_json(json.loads(text)))
    write_text(out / "tables.md", tables)
    if arguments.publish:
        write_text(RESULTS / PaperReport.NAME, text)
        if len(ledger):  # else what is published stays, and counts for nothing
            write_text(RESULTS / LEDGER, (out / LEDGER).read_text(encoding="utf-8"))
        write_into(PAGE, tables)
    sys.stdout.write(text if arguments.json else tables)
    return 0 if finished else _stopped(ledger)


def _check_keeps_sections(plan: Plan) -> None:
    """Refuse to publish a plan that would take a section off the page without a word.

    Raises:
        InputError: what is published has a section that this plan leaves out.
    """
    published = PaperReport.find(RESULTS)
    before: Mapping[str, Any] = published.summary["plan"] if published else {}
    now = plan.to_json()
    lost = [option for field, option in LEFT_OUT_BY.items() if before.get(field) and not now[field]]
    if lost:
        raise InputError(
            f"{PAGE.name} has sections that {', '.join(lost)} would take away; "
            "expected with --publish is a plan that has them all."
        )


def _select(arguments: argparse.Namespace, share: tuple[int, int]) -> int:
    """Train what the grid lacks, then write the selection of the first encoder that is named.

    Returns:
        0, or 130 where it was stopped.
    """
    made_by = provenance()
    ledger = _ledger(arguments, SELECTION_LEDGER, made_by)
    inner, resources = Inner.of((arguments.encoders or [DEFAULT_ENCODER])[0]), Resources()
    wanted = selection_jobs(inner, resources)
    if not arguments.report_only and not run_jobs(
        share_of(wanted, *share), ledger, _show, StopAsked("training"), resources
    ):
        return _stopped(ledger)
    if arguments.publish and len(ledger):
        kept = (Path(arguments.out) / SELECTION_LEDGER).read_text(encoding="utf-8")
        write_text(RESULTS / SELECTION_LEDGER, kept)
    left = sum(job.key not in ledger for job in wanted)
    if left:
        sys.stderr.write(f"\n{left} trainings of the other shares are left; --merge them.\n")
        return 0
    own = Ledger()
    for job in wanted:
        own.add(job.key, ledger.get(job.key) or {}, ledger.made_by(job.key))
    _write_selection(arguments, inner, own, made_by)
    return 0


def _write_selection(
    arguments: argparse.Namespace, inner: Inner, ledger: Ledger, made_by: Mapping[str, Any]
) -> None:
    """Write what won, and everything that was tried."""
    command = _command(arguments).replace("reproduce", "reproduce --select", 1)
    report: dict[str, Any] = {"command": command, "made_by": made_by}
    report |= {"rows_made_by": ledger.origins(), **choose(inner, ledger)}
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    for folder in (Path(arguments.out), *[RESULTS] * arguments.publish):
        write_text(folder / inner.file, text)
    sys.stdout.write(text if arguments.json else json.dumps(report["winners"], indent=1) + "\n")


def row_made_by(made_by: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """From the key of a measurement to where it is made, with what it depends on alone."""
    return lambda key: made_by


def _ledger(
    arguments: argparse.Namespace,
    name: str,
    made_by: Mapping[str, Any] | Callable[[Mapping[str, Any]], Mapping[str, Any]],
) -> Ledger:
    """What was measured so far, here, in the published ledger and in the folders to merge."""
    ledger = Ledger(Path(arguments.out) / name, made_by)
    if arguments.from_published:
        ledger.merge(_of_today(Ledger(RESULTS / name)))
    for folder in map(Path, arguments.merge or ()):
        if not (folder / name).is_file():
            raise InputError(
                f"There is no {name} in {folder}; a folder given as --out is expected."
            )
        ledger.merge(Ledger(folder / name))
    return ledger


def _of_today(ledger: Ledger) -> Ledger:
    """The rows on today's facts alone."""
    today = Ledger()
    for key in Recorded(ledger).keys:
        today.add(key, ledger.get(key) or {}, ledger.made_by(key))
    return today


def _share(text: str | None) -> tuple[int, int]:
    """I and N of “I/N”."""
    if text is None:
        return 1, 1
    numbers = [int(part) if part.isdecimal() else 0 for part in text.split("/")]
    if len(numbers) != 2 or not 1 <= numbers[0] <= numbers[1]:
        raise InputError(f"--share is “{text}”; expected is I/N with 1 ≤ I ≤ N, such as 1/2.")
    return numbers[0], numbers[1]


def _stopped(ledger: Ledger) -> int:
    sys.stderr.write(f"\nstopped after {len(ledger)} measurements; run again to continue.\n")
    return 130


def _plan(arguments: argparse.Namespace) -> Plan:
    plan = QUICK if arguments.quick else Plan()
    if arguments.encoders:
        for name in arguments.encoders:
            if not Path(name).is_dir() and find_decoder(name) is None:
                find_spec(name)
        plan = replace(plan, encoders=tuple(arguments.encoders))
    if arguments.methods:
        plan = replace(plan, methods=tuple(check_method(name) for name in arguments.methods))
    if arguments.seeds:
        seeds = tuple(range(arguments.seeds))
        plan = replace(plan, seeds=seeds, search_seeds=seeds[: len(plan.search_seeds)])
    if arguments.other_seeds:
        plan = replace(plan, other_seeds=tuple(range(arguments.other_seeds)))
    if arguments.no_search:
        plan = replace(plan, search=False, beyond=())
    if arguments.no_ablations:
        plan = replace(plan, ablation_seeds=())
    if arguments.no_nli:
        plan = replace(plan, nli_seeds=())
    return plan


def _command(arguments: argparse.Namespace) -> str:
    """The command that makes this report again, without where it is written to."""
    words = ["symdemo reproduce"]
    for name in ("quick", "no_search", "no_ablations", "no_nli"):
        words += [f"--{name.replace('_', '-')}"] * getattr(arguments, name)
    for name in ("encoders", "methods"):
        values = getattr(arguments, name)
        words += [f"--{name}", *(Path(value).name for value in values)] if values else []
    for name in ("seeds", "other_seeds"):
        value = getattr(arguments, name)
        words += [f"--{name.replace('_', '-')}", str(value)] if value else []
    return " ".join(words)


def _show(progress: Progress) -> None:
    minutes, seconds = divmod(round(progress.seconds_left), 60)
    left = f"about {minutes} min {seconds:02d} s left"
    sys.stderr.write(f"[{progress.done}/{progress.expected}] {left}: {progress.current}\n")
    sys.stderr.flush()
