"""Known advisories about the packages that the app needs, as `requirements.txt` pins them.

    python -m pip install pip-audit && python -m experiments.advisories

It asks PyPI, so it needs a network; without one it says so. Exit code 0: none is known; 1: some
are; 2: they could not be looked up.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parents[1] / "requirements.txt"
OPTIONS = ("--no-deps", "--disable-pip", "--progress-spinner=off")  # all of it is pinned
SECONDS = 300
UNKNOWN = 2
_OFFLINE = ("ConnectionError", "ServiceError", "timed out", "Max retries", "resolve")

Run = Callable[[list[str]], subprocess.CompletedProcess[str]]


def audit(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Run pip-audit."""
    command = [sys.executable, "-m", "pip_audit", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)


def look_up(run: Run = audit) -> tuple[int, str]:
    """The exit code, and what to say."""
    if run is audit and importlib.util.find_spec("pip_audit") is None:
        return UNKNOWN, "pip-audit is not installed: python -m pip install pip-audit"
    try:
        done = run(["-r", str(REQUIREMENTS), *OPTIONS])
    except subprocess.TimeoutExpired:
        return UNKNOWN, f"No answer within {SECONDS} seconds; a network is needed."
    if done.returncode and any(sign in done.stderr for sign in _OFFLINE):
        return UNKNOWN, "Advisories could not be looked up: a network to pypi.org is needed."
    if done.returncode and not done.stdout.strip():
        return UNKNOWN, f"pip-audit failed: {done.stderr.strip()[-500:]}"
    asked = [line for line in REQUIREMENTS.read_text().splitlines() if "==" in line]
    if done.stdout.count("could not be audited") >= len(asked):
        return UNKNOWN, "None of the packages could be looked up: a network to pypi.org is needed."
    return done.returncode, (done.stdout.strip() or done.stderr.strip())


if __name__ == "__main__":
    code, said = look_up()
    sys.stdout.write(f"{said}\n")
    sys.exit(code)
