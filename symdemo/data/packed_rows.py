"""Rows of Excel and Parquet files: `binary_rows` reads them in bounded memory and time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, TextIO, cast

from symdemo.data.text_rows import PARQUET, timed
from symdemo.errors import InputError
from symdemo.jobs.deadline import check_time, seconds_left
from symdemo.text import MIB, one_line, shorten

MAX_CELL = 100_000  # characters of one text
BINARY_MEMORY = 1024 * MIB  # of address space
BINARY_SECONDS = 20  # of a processor
_BINARY_ROWS = str(Path(__file__).with_name("binary_rows.py"))
_TIME_IS_UP = -24  # status of a process that SIGXCPU has ended


def binary_lines(path: Path, name: str, columns: Sequence[str] = ()) -> Generator[Any]:
    """Yield what the program `binary_rows` prints of the file."""

    def unreadable(why: str) -> InputError:
        kind = "Parquet" if path.suffix.lower() == PARQUET else "Excel"
        why = shorten(one_line(why), 80).rstrip(".")
        return InputError(f"{name} is not a readable {kind} file: {why}.")

    wait = max(0.1, min(seconds_left(), 3600.0))
    limits = map(str, (BINARY_MEMORY, BINARY_SECONDS, wait, MAX_CELL))
    command = [sys.executable, "-P", _BINARY_ROWS, str(path), *limits, *columns]
    one_thread = {"MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1"}  # each takes addresses
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8",
        env=os.environ | one_thread | {"ARROW_DEFAULT_MEMORY_POOL": "system"},
    ) as child:  # fmt: skip
        try:
            for line in timed(cast("TextIO", child.stdout)):
                if not line.endswith("\n"):  # it was ended in the middle of a row
                    break
                said = json.loads(line)
                if isinstance(said, dict) and "error" in said:
                    raise unreadable(said["error"])
                yield said
            status = child.wait()
            check_time()
            if status:
                slow = f"it takes more than {BINARY_SECONDS} s"
                ended = f"its reader ended with status {status}"
                raise unreadable(slow if status == _TIME_IS_UP else ended)
        finally:
            child.kill()
