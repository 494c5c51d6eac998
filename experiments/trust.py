"""What one visitor at his worst does to the others: part by part, each bounded in time.

    python experiments/trust.py [PART ...] [--small]

Every part is a module of `trials/`. It gets the app in a process of its own, and is merged into
experiments/results/trust.json with the commit and the machine it was run on; the README's paragraph
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
from collections.abc import Sequence
from pathlib import Path
from pkgutil import iter_modules
from types import FrameType
from typing import Any

from experiments import trials
from experiments.reproduction.tables import write_into
from experiments.trials.serving import App
from symdemo.files.json_files import write_json
from symdemo.files.paths import README, RESULTS
from symdemo.files.provenance import provenance

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
        "made_by": provenance(),
    }


def merge(path: Path, name: str, found: dict[str, Any]) -> None:
    """Put one part into the results; the others stay as they are."""
    report = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    parts = report.get("parts", {}) | {name: found}
    ordered = {part: parts[part] for part in sorted(parts)}
    write_json(path, {"command": "python experiments/trust.py", "parts": ordered})


def markdown(report: dict[str, Any]) -> str:
    """The README's paragraph: what was tried, and what it did to the others."""
    parts = {name: part for name, part in report["parts"].items() if "error" not in part}
    head = f"Measured by `{report['command']}` on {_where(parts)}:\n\n"
    lines = [_waits(parts), _memory(parts), _kills(parts), _flood(parts), _disk(parts)]
    return head + "".join(f"- {line}\n" for line in lines if line)


Parts = dict[str, dict[str, Any]]

WORST = {
    "freeze": "{tried} tables of 1,000 long sentences",
    "bodies": "{tried} bodies of up to 150 MB",
    "archives": "{tried} archives that would fill the memory",
    "burst": "{tried} questions at once, {refused} refused with a sentence",
    "load": "{people} visitors asking without a pause and {trainings[begun]} retrainings",
}
"""What one visitor does to the others, in the README's words."""


def _where(parts: Parts) -> str:
    """Each machine, with the commits of what was measured on it."""
    commits: dict[str, set[str]] = {}
    for made in (part["made_by"] for part in parts.values()):
        machine = f"{made['machine']['threads']} cores of {made['machine']['processor']}"
        commits.setdefault(machine, set()).add(made["commit"])
    return "; ".join(
        f"{machine} (commit{'s' * (len(own) > 1)} {', '.join(sorted(own))})"
        for machine, own in commits.items()
    )


def _waits(parts: Parts) -> str:
    """How long the others wait under each part that was measured."""
    said = [
        f"**{parts[name]['others']['p95_seconds']:.1f} s** under {text.format(**parts[name])}"
        for name, text in WORST.items()
        if name in parts
    ]
    waited = "While one visitor does his worst, the others’ answers take at the 95th percentile "
    return f"{waited}{'; '.join(said)}." if said else ""


def _memory(parts: Parts) -> str:
    """What long use leaves in memory, and the most that was taken under any part."""
    kept = {"sessions": "{tried:,} questions without a session", "trainings": "{tried} retrainings"}
    said = [
        f"{parts[name]['mebibytes']['after'] / parts[name]['mebibytes']['before'] - 1:+.1%} after "
        f"{text.format(**parts[name])}".replace("-", "−")
        for name, text in kept.items()
        if name in parts
    ]
    peaks = [part["others"]["peak_mebibytes"] for part in parts.values() if "others" in part]
    most = f"; at most {max(peaks) / 1024:.1f} GiB" if peaks else ""
    return f"Memory: {', '.join(said)}{most}." if said else ""


def _kills(parts: Parts) -> str:
    """What was lost where the app was killed."""
    if not (part := parts.get("kills")):
        return ""
    return (
        f"{part['tried']} kills while it teaches, trains, packs and opens: {part['failed']} of "
        f"{part['rows']:,} acknowledged rows and {part['versions']} versions were lost."
    )


def _flood(parts: Parts) -> str:
    """Who found no place under a flood of projects and trainings."""
    if not (part := parts.get("locks")):
        return ""
    return (
        f"{sum(part['begun_by_the_flood'].values())} projects begun by a flood: of {part['tried']} "
        f"others’ projects and lessons {part['failed']} found no place."
    )


def _disk(parts: Parts) -> str:
    """What went wrong on disks that are full or only to be read."""
    if not (part := parts.get("disk")):
        return ""
    return (
        "A disk that is nearly full, full, or only to be read: "
        f"{part['failed']} of {part['tried']} looks, refusals and deletions went wrong."
    )


def _too_long(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError


if __name__ == "__main__":
    main()
