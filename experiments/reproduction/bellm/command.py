"""`symdemo sts`: run a plan, write the JSON report, and tables from it."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from experiments.reproduction.bellm.jobs import Resources, missing_data
from experiments.reproduction.bellm.keys import LEDGER, shown_name
from experiments.reproduction.bellm.plan import PARTS, Plan
from experiments.reproduction.bellm.study import Progress, is_finished, run_study
from experiments.reproduction.bellm.summary import data_hashes, summarise
from experiments.reproduction.bellm.tables import markdown
from experiments.reproduction.ledger import Ledger
from experiments.reproduction.tables import write_into
from symdemo.errors import InputError
from symdemo.evaluation.results import SentenceReport
from symdemo.files.atomic import write_text
from symdemo.files.paths import DOCS, RESULTS
from symdemo.files.provenance import provenance
from symdemo.jobs.reporting import StopAsked

TABLES = "bellm.md"
PAGE = DOCS / "sentences.md"
BEGIN, END = "<!-- sts: begin -->", "<!-- sts: end -->"


def run(arguments: argparse.Namespace) -> int:
    """Measure what is missing, then write report and tables; 130 where it was stopped."""
    if arguments.publish and not PAGE.is_file():
        raise InputError(f"There is no {PAGE.name} to publish into; --publish is for a checkout.")
    if arguments.data:
        if not Path(arguments.data).is_dir():
            raise InputError(f"There is no folder {arguments.data}; --data names one with data.")
        os.environ["SYMDEMO_DATA"] = str(Path(arguments.data).resolve())
    plan, out = _plan(arguments), Path(arguments.out)
    made_by = provenance()
    resources, ledger = Resources(plan.download), Ledger(out / LEDGER, made_by)
    missing = missing_data(plan, resources)
    if arguments.report_only:
        finished = is_finished(plan, ledger, resources)
    else:
        if not any(
            resources.data(part, task) for part in plan.parts for task in plan.tasks_of(part)
        ):
            raise InputError(
                f"The data of {', '.join(missing)} are not here: put them into a folder and name "
                "it with --data or the environment variable SYMDEMO_DATA."
            )
        finished = run_study(plan, ledger, _Show(), StopAsked("measurement"), resources)
    command = _command(arguments)
    text, tables = _report(ledger, made_by, command, finished, missing)
    write_text(out / SentenceReport.NAME, text)
    write_text(out / TABLES, tables)
    if arguments.publish:
        published = Ledger(RESULTS / LEDGER, made_by)
        for key in ledger:  # trainings may have written there as well: nothing is taken away
            if published.get(key) != (result := ledger.get(key)):
                published.add(key, result or {}, ledger.made_by(key))
        everything, shown = _report(published, made_by, command, finished, missing)
        write_text(RESULTS / SentenceReport.NAME, everything)
        write_into(PAGE, shown, BEGIN, END)
    sys.stdout.write(text if arguments.json else tables)
    if not finished and not arguments.report_only:
        sys.stderr.write(f"\nstopped after {len(ledger)} measurements; run again to continue.\n")
        return 130
    return 0


def _report(
    ledger: Ledger,
    made_by: dict[str, Any],
    command: str,
    finished: bool,
    missing: dict[str, str],
) -> tuple[str, str]:
    """The texts of the report and of its tables."""
    report = {
        "command": command,
        "made_by": made_by,
        "rows_made_by": ledger.origins(),
        "finished": finished,
        "data": data_hashes(ledger),
        "summary": summarise(ledger, missing),
    }
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    return text, markdown(SentenceReport.from_json(json.loads(text)))


def _plan(arguments: argparse.Namespace) -> Plan:
    encoders, labels = tuple(arguments.encoder), arguments.label or ()
    if labels and len(labels) != len(encoders):
        raise InputError(
            f"There are {len(encoders)} encoders and {len(labels)} labels; as many are expected."
        )
    return Plan(
        encoders=encoders,
        parts=_split(arguments.parts) or PARTS,  # type: ignore[arg-type]
        tasks=_split(arguments.tasks),
        labels=dict(zip(encoders, labels, strict=False)),
        download=bool(arguments.tasks),
    )


def _split(text: str | None) -> tuple[str, ...]:
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


def _command(arguments: argparse.Namespace) -> str:
    """The command that makes this report again, without where things are."""
    words = ["symdemo sts --encoder", *(f'"{shown_name(name)}"' for name in arguments.encoder)]
    for name in ("parts", "tasks"):
        words += [f"--{name}", value] if (value := getattr(arguments, name)) else []
    return " ".join(words)


class _Show:
    """A line on stderr for each measurement, and on a terminal its progress once a second."""

    def __init__(self) -> None:
        self._said, self._when = "", 0.0

    def __call__(self, progress: Progress) -> None:
        """Say where a study is."""
        terminal, now = sys.stderr.isatty(), time.monotonic()
        fresh = progress.current != self._said
        if not fresh and not (terminal and now - self._when > 1):
            return
        begin = "\r" if terminal and not fresh else "\n" if terminal and self._said else ""
        left = progress.seconds_left
        time_left = "" if left is None else f"about {left // 60:.0f} min {left % 60:02.0f} s left: "
        end = "   " if terminal else "\n"
        sys.stderr.write(
            f"{begin}[{progress.done + 1}/{progress.total}] {time_left}{progress.current}{end}"
        )
        sys.stderr.flush()
        self._said, self._when = progress.current, now
