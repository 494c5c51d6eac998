"""How long `symdemo predict` takes from nothing to its answer: start, imports, loading, verdict.

    python experiments/cold_start.py [--runs 9] [--against FOLDER]

With `--against`, another checkout of the project is run in turn with this one, so that what else
the machine does meanwhile falls on both. CPU seconds say more than seconds on a busy machine.
Prints and writes experiments/results/cold_start.json.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
RESULT = REPOSITORY / "experiments" / "results" / "cold_start.json"
SENTENCE = "My neighbour's dog chased a cat."
COMMAND = (sys.executable, "-m", "symdemo", "predict", "--json", SENTENCE)

Run = dict[str, float]


def run_once(folder: Path) -> Run:
    """One process from its start to its end: seconds, CPU seconds, and MiB at the peak."""
    started = time.perf_counter()
    process = subprocess.Popen(
        COMMAND, cwd=folder, stdout=subprocess.PIPE, env=os.environ | {"HF_HUB_OFFLINE": "1"}
    )
    assert process.stdout  # since it is piped
    answer = process.stdout.read()
    answered = time.perf_counter() - started
    _, status, used = os.wait4(process.pid, 0)
    if status or "label" not in json.loads(answer):
        raise RuntimeError(f"the command failed in {folder}")
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return {
        "seconds": answered,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_memory_mib": used.ru_maxrss / unit,
    }


def measure(folders: list[Path], runs: int) -> list[list[Run]]:
    """The runs of each folder, in turn; the first, which warms the files' cache, is left out."""
    found: list[list[Run]] = [[] for _ in folders]
    for turn in range(runs + 1):
        for folder, own in zip(folders, found, strict=True):
            figures = run_once(folder)
            if turn:
                own.append(figures)
                print(f"{folder.name}: {figures['seconds']:.2f} s", file=sys.stderr, flush=True)
    return found


def summary(folder: Path, runs: list[Run]) -> dict[str, Any]:
    """Median, least and most of each figure, and which commit they are of."""
    spreads = {
        name: {
            "median": round(statistics.median(run[name] for run in runs), 2),
            "least": round(min(run[name] for run in runs), 2),
            "most": round(max(run[name] for run in runs), 2),
        }
        for name in runs[0]
    }
    return {"commit": _commit(folder), "runs": len(runs)} | spreads


def _commit(folder: Path) -> str:
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty=+", "--abbrev=12"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--against", type=Path, help="another checkout, run in turn with this one")
    arguments = parser.parse_args()
    from symdemo.files.provenance import provenance

    load = round(os.getloadavg()[0], 1)
    folders = [REPOSITORY, *([arguments.against.resolve()] if arguments.against else [])]
    here, *there = measure(folders, arguments.runs)
    report: dict[str, Any] = {"command": " ".join(["python", *COMMAND[1:-1], f'"{SENTENCE}"'])}
    report |= {"first_answer": summary(REPOSITORY, here)}
    if there:
        ratios = [
            one["seconds"] / other["seconds"] for one, other in zip(here, *there, strict=True)
        ]
        report["before"] = summary(folders[1], *there)
        report["share_of_before"] = round(statistics.median(ratios), 2)
    report |= {
        "load_before": load,
        "niceness": os.nice(0),
        "cores": len(os.sched_getaffinity(0)),
        "made_by": provenance(),
    }
    text = json.dumps(report, indent=1)
    print(text)
    RESULT.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
