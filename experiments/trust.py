"""What one visitor at their worst does to the others: each part bounded in time.

Each part is a module of `trials/` and gets the app in a process of its own. Linux only: every
visitor has an address in 127.0.0.0/8. `SYMDEMO_SMALL=1` does a tenth of the work.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from pkgutil import iter_modules
from types import FrameType
from typing import Any

from experiments import trials
from experiments.runner import main
from experiments.trials.serving import App

PARTS = sorted({module.name for module in iter_modules(trials.__path__)} - {"serving", "teacher"})


def cells() -> list[dict[str, str]]:
    """Return a cell for each part."""
    return [{"part": part} for part in PARTS]


def measure(cell: Mapping[str, str]) -> dict[str, Any]:
    """Run one part; one that takes too long is ended and counts as failed."""
    part = importlib.import_module(f"experiments.trials.{cell['part']}")
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        app = App(Path(folder) / "projects", small=bool(os.environ.get("SYMDEMO_SMALL")))
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
    about = (part.__doc__ or "").splitlines()[0]
    return found | {"about": about, "seconds": round(time.perf_counter() - began, 1)}


def _too_long(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the app is ended too
    sys.exit(main(__doc__, "trust", cells, measure))
