"""`symdemo reproduce`: run a plan, write the JSON report, and docs/paper.md's tables from it."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from symdemo.encoders import find_spec
from symdemo.encoders.decoders.loading import find_decoder
from symdemo.errors import InputError
from symdemo.files.atomic import write_text
from symdemo.files.paths import DOCS, RESULTS
from symdemo.files.provenance import provenance
from symdemo.jobs.interrupt import StopAsked
from symdemo.reproduction.ledger import Ledger
from symdemo.reproduction.plan import QUICK, Plan
from symdemo.reproduction.report import REPORT, Report
from symdemo.reproduction.study import Progress, is_finished, run_study
from symdemo.reproduction.summary import summarise
from symdemo.reproduction.tables import markdown, write_into
from symdemo.training.methods import check_method

LEDGER = "measurements.jsonl"
DEPENDS = (
    "geometry",
    "losses",
    "pairs",
    "data.relations",
    "encoders",
    "training",
    "classifier",
    "evaluation",
    "reproduction.experiments",
)
"""The code that a measurement depends on."""
PAGE = DOCS / "paper.md"


def run(arguments: argparse.Namespace) -> int:
    """Measure what is missing, then write report and tables; 130 where it was stopped."""
    if arguments.publish and not PAGE.is_file():
        raise InputError(f"There is no {PAGE.name} to publish into; --publish is for a checkout.")
    plan = _plan(arguments)
    out = Path(arguments.out)
    if arguments.from_published and not (out / LEDGER).exists():
        write_text(out / LEDGER, (RESULTS / LEDGER).read_text(encoding="utf-8"))
    made_by = provenance(*DEPENDS)
    ledger = Ledger(out / LEDGER, made_by)
    if arguments.report_only:
        finished = is_finished(plan, ledger)
    else:
        finished = run_study(plan, ledger, _show, StopAsked("measurement"))
    report = {
        "command": _command(arguments),
        "made_by": made_by,
        "rows_made_by": ledger.origins(),
        "finished": finished,
        "summary": summarise(plan, ledger),
    }
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    write_text(out / REPORT, text)
    tables = markdown(Report.from_json(json.loads(text)))
    write_text(out / "tables.md", tables)
    if arguments.publish:
        write_text(RESULTS / REPORT, text)
        write_text(RESULTS / LEDGER, (out / LEDGER).read_text(encoding="utf-8"))
        write_into(PAGE, tables)
    sys.stdout.write(text if arguments.json else tables)
    if not finished and not arguments.report_only:
        sys.stderr.write(f"\nstopped after {len(ledger)} measurements; run again to continue.\n")
        return 130
    return 0


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
        plan = replace(plan, seeds=tuple(range(arguments.seeds)))
    if arguments.other_seeds:
        plan = replace(plan, other_seeds=tuple(range(arguments.other_seeds)))
    if arguments.no_search:
        plan = replace(plan, search=False)
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
