"""Run Python in a process of its own."""

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def run_python(*given, cwd=REPOSITORY, env=None) -> subprocess.CompletedProcess[str]:
    """Run it to its end: its exit code, stdout and stderr."""
    command = [sys.executable, *map(str, given)]
    return subprocess.run(
        command, cwd=cwd, env=env, check=False, capture_output=True, text=True, timeout=240
    )
