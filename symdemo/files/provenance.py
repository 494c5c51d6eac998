"""Where a figure was made: by which code, on which machine, with which versions."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path
from typing import Any

from symdemo import __version__


def provenance() -> dict[str, Any]:
    """Commit, machine and versions: what every results file says of where it was made.

    Libraries are imported here, so that asking for paths and locks loads none of them.
    """
    import numpy as np
    import torch
    import transformers

    return {
        "symdemo": __version__,
        "commit": _commit(),
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
    """The checked-out commit, with “+” where tracked files were changed since."""
    try:
        commit = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("status", "--porcelain", "-uno")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return commit + ("+" if changed else "")


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
