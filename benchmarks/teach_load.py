"""Eight people press Retrain at the same moment: who waits how long, and what it does to the rest.

    python benchmarks/teach_load.py [--people 8]

All trainings go through the app's own queue, projects and versions, in one process; meanwhile
somebody asks the shared model a question twice a second, as the tab “Try it” would.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import checkout  # noqa: F401
from teach import SETS, read_set

from symdemo.classifier import SymmetryClassifier
from symdemo.files.paths import RESULTS
from symdemo.files.provenance import ANSWERS, provenance
from symdemo.jobs.queue import JobQueue
from symdemo.jobs.state import JobHandle
from symdemo.pairs import Pair
from symdemo.teaching.lessons.retrain import teach_project
from symdemo.teaching.projects.project import Project
from symdemo.teaching.projects.store import ProjectStore
from symdemo.teaching.projects.version import Version
from symdemo.teaching.rows.row import rows_of_pairs

QUESTION = Pair("Kenya borders Uganda.", "Uganda borders Kenya.")
OVER = ("done", "failed", "stopped", "broken off")


def peak_mebibytes() -> float:
    """The most memory this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _teach(project: Project, handle: JobHandle) -> Version:
    return teach_project(project, handle=handle)


def measure(people: int, root: Path) -> dict:
    """Submit, watch until all are served, and ask meanwhile."""
    base = SymmetryClassifier.from_pretrained("general")
    base.predict([QUESTION])
    store, queue = ProjectStore(root, load_base=lambda name: base), JobQueue()
    names = sorted(path.stem for path in SETS.glob("*.csv"))
    before, began, jobs = peak_mebibytes(), time.perf_counter(), []
    for number in range(people):
        project = store.create(f"Person {number}")
        project.save_rows(rows_of_pairs(read_set(names[number % len(names)])[0]))
        run = partial(_teach, project)
        job = queue.submit(project.id, project.name, run)
        jobs.append((job, project))
    places = [queue.get(job, project.id).place for job, project in jobs]
    ended: dict[str, float] = {}
    answers = []
    while len(ended) < people:
        asked = time.perf_counter()
        base.predict([QUESTION])
        answers.append(time.perf_counter() - asked)
        for job, project in jobs:
            if job not in ended and queue.get(job, project.id).state in OVER:
                ended[job] = time.perf_counter() - began
        time.sleep(0.5)
    order = [ended[job] for job, _ in jobs]
    return {
        "people": people,
        "places_at_once": places,
        "states": [queue.get(job, project.id).state for job, project in jobs],
        "served_after_seconds": order,
        "in_order": order == sorted(order),
        "answer_milliseconds": {
            "median": 1000 * statistics.median(answers),
            "most": 1000 * max(answers),
            "n": len(answers),
        },
        "peak_mebibytes": {"before": before, "after": peak_mebibytes()},
        "versions": [len(project.versions()) for _, project in jobs],
    }


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=8)
    people = parser.parse_args().people
    with tempfile.TemporaryDirectory() as root:
        figures = measure(people, Path(root))
    report = {
        "command": "python benchmarks/teach_load.py",
        "made_by": provenance(*ANSWERS, "jobs", "teaching", "training"),
    } | figures
    text = json.dumps(report, indent=1) + "\n"
    (RESULTS / "teach_load.json").write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
