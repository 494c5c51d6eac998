"""What one visitor at his worst does to the others: part by part, each bounded in time.

    python benchmarks/trust.py [PART ...] [--small]

Every part is a module of `trials/`. It gets the app in a process of its own, and is merged into
benchmarks/results/trust.json with the commit and the machine it was run on. Linux only: each
visitor has an address of their own in 127.0.0.0/8.
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

import trials
from trials.serving import App

from symdemo.files.json_files import write_json
from symdemo.files.paths import RESULTS
from symdemo.files.provenance import provenance

NO_PARTS = {"serving", "teacher"}
PARTS = sorted({module.name for module in iter_modules(trials.__path__)} - NO_PARTS)
FILE = RESULTS / "trust.json"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run parts, each with a line of its own, and merge what they found into the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--small", action="store_true", help="do a tenth of the work")
    parser.add_argument("--out", type=Path, default=FILE)
    given = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the app is ended too
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    for name in given.parts or PARTS:
        found = measure(name, given.small)
        merge(given.out, name, found)
        sys.stdout.write(json.dumps({name: found}) + "\n")
        sys.stdout.flush()


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
    write_json(path, {"command": "python benchmarks/trust.py", "parts": ordered})


def _too_long(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError


if __name__ == "__main__":
    main()
