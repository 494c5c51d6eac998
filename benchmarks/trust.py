"""What one visitor at his worst does to the others: part by part, each bounded in time.

    python benchmarks/trust.py [PART ...] [--small]

Every part is a module of `trials/`. It gets the app in a process of its own, and is merged into
benchmarks/results/trust.json with the commit and the machine it was run on; the README's paragraph
is made of that. What --small finds is printed alone. Linux only: each visitor has an address of
their own in 127.0.0.0/8.
"""

from __future__ import annotations

import argparse
import importlib
import json
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from pkgutil import iter_modules
from types import FrameType
from typing import Any

import trials
from trials.serving import App

from symdemo.files.json_files import write_json
from symdemo.files.paths import README, RESULTS
from symdemo.files.provenance import provenance
from symdemo.reproduction.tables import write_into

NO_PARTS = {"serving", "teacher"}
PARTS = sorted({module.name for module in iter_modules(trials.__path__)} - NO_PARTS)
FILE = RESULTS / "trust.json"
BEGIN, END = "<!-- trust: begin -->", "<!-- trust: end -->"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run parts, each with a line of its own, and merge what they found into the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--small", action="store_true", help="do a tenth of the work")
    parser.add_argument("--out", type=Path, help=f"default: {FILE.name}, but for --small")
    given = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the app is ended too
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    out = given.out or (None if given.small else FILE)
    for name in given.parts or PARTS:
        found = measure(name, given.small)
        if out:
            merge(out, name, found)
        sys.stdout.write(json.dumps({name: found}) + "\n")
        sys.stdout.flush()
    if out == FILE:
        write_into(README, markdown(json.loads(FILE.read_text(encoding="utf-8"))), BEGIN, END)


def measure(name: str, small: bool) -> dict[str, Any]:
    """Run one part on an app of its own; one that takes too long is ended, and told as failed."""
    part = importlib.import_module(f"trials.{name}")
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        app = App(Path(folder) / "projects", small)
        app.root.mkdir()
        signal.signal(signal.SIGALRM, _too_long)
        signal.setitimer(signal.ITIMER_REAL, part.SECONDS)
        try:
            app.start()
            found = part.run(app)
        except TimeoutError:
            found = {"tried": 1, "failed": 1, "slowest_seconds": part.SECONDS, "error": "too long"}
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            app.stop()
    return found | {
        "about": (part.__doc__ or "").splitlines()[0],
        "small": small,
        "seconds": round(time.perf_counter() - began, 1),
        "made_by": provenance("jobs", "teaching", "ui"),
    }


def merge(path: Path, name: str, found: dict[str, Any]) -> None:
    """Put one part into the results; the others stay as they are."""
    report = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    parts = report.get("parts", {}) | {name: found}
    ordered = {part: parts[part] for part in sorted(parts)}
    write_json(path, {"command": "python benchmarks/trust.py", "parts": ordered})


def markdown(report: dict[str, Any]) -> str:
    """The README's paragraph: what was tried, and what it did to the others."""
    parts = report["parts"]
    lines = [said(parts[name]) for name, said in SAID.items() if name in parts]
    commits = sorted({part["made_by"]["commit"] for part in parts.values()})
    machine = next(iter(parts.values()))["made_by"]["machine"]
    peak = max(part["others"]["peak_mebibytes"] for part in parts.values() if "others" in part)
    return (
        f"Measured by `{report['command']}` on {machine['threads']} cores ({machine['processor']}; "
        f"commits {', '.join(commits)}). While one visitor does this, the others’ answers take, at "
        f"the 95th percentile and with at most {peak / 1024:.1f} GiB of memory:\n\n"
        + "".join(f"- {line}\n" for line in lines)
    )


def _waits(said: str) -> Callable[[dict[str, Any]], str]:
    return lambda part: said.format(**part) + f": **{part['others']['p95_seconds']:.1f} s**."


def _kept(said: str) -> Callable[[dict[str, Any]], str]:
    def line(part: dict[str, Any]) -> str:
        grown = part["mebibytes"]["after"] / part["mebibytes"]["before"] - 1
        return f"{said.format(**part)} leave memory {grown:+.1%}.".replace("-", "−")

    return line


SAID: dict[str, Callable[[dict[str, Any]], str]] = {
    "freeze": _waits("{tried} tables of 1,000 long sentences"),
    "bodies": _waits("{tried} bodies of up to 150 MB, all refused"),
    "archives": _waits("{tried} archives that would fill the memory, all refused"),
    "burst": _waits("{tried} questions at once, {refused} of them refused with a sentence"),
    "load": _waits("{people} visitors ask without a pause, and {trainings[begun]} retrainings run"),
    "sessions": _kept("{tried:,} questions without a session"),
    "trainings": _kept("{tried} retrainings"),
    "locks": lambda part: (
        f"{sum(part['begun_by_the_flood'].values())} projects begun by a flood: of {part['tried']} "
        f"others’ projects and lessons {part['failed']} found no place."
    ),
    "disk": lambda part: (
        "A disk that is nearly full, full, or only to be read: "
        f"{part['failed']} of {part['tried']} looks, refusals and deletions went wrong."
    ),
    "kills": lambda part: (
        f"{part['tried']} kills while it teaches, trains, packs and opens: {part['failed']} of "
        f"{part['rows']:,} acknowledged rows and {part['versions']} versions were lost."
    ),
}
"""What the README says of each part."""


def _too_long(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError


if __name__ == "__main__":
    main()
