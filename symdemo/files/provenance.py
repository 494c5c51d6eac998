"""Where a figure was made: version, commit, date, machine and command, for every results file."""

from __future__ import annotations

import platform
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from symdemo import __version__


def provenance(command: str = "", seed: int | None = None) -> dict[str, Any]:
    """Return versions, machine, date, commit and seed (None for none or many) of a results file."""
    import numpy as np  # heavy libraries are imported here: paths and locks do without them
    import torch
    import transformers

    return {
        "symdemo": __version__,
        "commit": _commit(),
        "date": datetime.now(UTC).date().isoformat(),
        "command": command,
        "seed": seed,
        "machine": {
            "processor": _processor(),
            "threads": torch.get_num_threads(),
            "accelerator": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
            "system": f"{platform.system()} {platform.machine()}",
        },
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "numpy": np.__version__,
        },
    }


def _commit() -> str:
    """Return the checked-out commit, with “+” if tracked files other than results changed."""
    results = [f":(top,exclude){place}" for place in ("experiments/results", "docs", "README.md")]
    try:
        commit = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("status", "--porcelain", "-uno", "--", ":(top)", *results)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return commit + ("+" if changed else "")


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"
