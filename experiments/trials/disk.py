"""Small teach calls, and a disk that is nearly full, full, and only to be read (root on Linux)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from experiments.trials.serving import App, RefusedError
from experiments.trials.teacher import Teacher, cells, lines
from symdemo.files.storage import folder_bytes
from symdemo.text import MIB

SECONDS = 900.0
CALLS = 12
SIZE = 700 * MIB
"""Of the disk; 512 MiB of it are the reserve that the app leaves."""


def run(app: App) -> dict[str, Any]:
    """Teach, fill the disk, look and delete; a failure is what went wrong or was not told."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return {"tried": 0, "failed": 0, "slowest_seconds": None, "skipped": "mounting needs root"}
    app.stop()
    _system("mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(app.root))
    try:
        app.start()
        return _try_all(app)
    finally:
        app.stop()
        _system("umount", str(app.root))


def _try_all(app: App) -> dict[str, Any]:
    failures: list[str] = []
    calls = max(3, app.times(CALLS))
    began = time.perf_counter()
    with Teacher.at(app, 1) as teacher:
        key = "new"
        for n in range(calls):
            key = teacher.call("teach", lines(cells(f"{n}", 1)), "", key)["project"]
        written = folder_bytes(app.root)
        (app.root / ".filler").write_bytes(b"x" * (SIZE - written - 500 * MIB))
        # into another project, since this one may have all the versions that one can
        other = lines(cells("x"))
        _refused(failures, "nearly full", lambda: teacher.call("teach", other, "", "new"))
        _fill(app.root / ".full")
        _refused(failures, "is full", lambda: teacher.write(cells("y"), key))
        newest = max(path.name for path in (app.root / key / "versions").glob("v*"))
        failures += ["nothing is shown"] * ("Ann 0-0" not in teacher.look(key))
        _system("mount", "-o", "remount,ro", str(app.root))
        _refused(failures, "only be read", lambda: teacher.write(cells("z"), key))
        failures += ["nothing is shown"] * ("Ann 0-0" not in teacher.look(key))
        _refused(failures, "only be read", lambda: teacher.press("use", "click", key, newest))
        _system("mount", "-o", "remount,rw", str(app.root))
        _allowed(failures, lambda: teacher.press("delete-version", "click", True, key, newest))
        failures += ["the version is there"] * (app.root / key / "versions" / newest).exists()
        _fill(app.root / ".full again")
        _allowed(failures, lambda: teacher.press("delete-all", "click", True, key))
        failures += ["the project is there"] * (app.root / key).exists()
    return {
        "tried": 10,
        "failed": len(failures),
        "failures": failures[:5],
        "slowest_seconds": time.perf_counter() - began,
        "teach_calls": calls,
        "mebibytes_of_them": round(written / MIB, 1),
    }


def _refused(failures: list[str], sentence: str, call: Callable[[], Any]) -> None:
    try:
        call()
        failures.append(f"not refused: {sentence}")
    except (RefusedError, httpx.HTTPError) as error:
        if sentence not in str(error):
            failures.append(f"{sentence}: {error}"[:300])


def _allowed(failures: list[str], call: Callable[[], Any]) -> None:
    try:
        call()
    except (RefusedError, httpx.HTTPError) as error:
        failures.append(f"{error}"[:300])


def _fill(path: Path) -> None:
    """Write until nothing more fits."""
    with path.open("wb", buffering=0) as file:
        for size in (MIB, 1):
            try:
                while file.write(b"x" * size):
                    pass
            except OSError:
                continue


def _system(*command: str) -> None:
    subprocess.run(command, check=True)
