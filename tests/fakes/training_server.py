"""A program that trains a project for one epoch, then for sixty, in which it is to be killed.

    python training_server.py PROJECTS MODEL KEY LOG

It uses the app's own sessions, queue and versions. LOG gets a line for every step and finished
version.
"""

import sys
import time
from pathlib import Path

import torch
from teach_fakes import edit
from ui_fakes import make_tiny_store

from symdemo.classifier import SymmetryClassifier
from symdemo.teaching import comparison
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.teach.grid import cells_of_rows
from symdemo.ui.teach.training import find_training, plan_training, start_training

FORM = {"learning_rate": "0.003", "retention": "0", "replay": "24"}


def train_twice(root: Path, model: Path, id: str, log: Path) -> None:
    torch.set_num_threads(1)
    facts = comparison.benchmark_pairs()[:28]
    comparison.benchmark_pairs = lambda: facts
    store = make_tiny_store(SymmetryClassifier.from_pretrained(model, "cpu"))
    sessions = Sessions(store, root)
    cells = cells_of_rows(sessions.find(id).rows)
    with log.open("a", buffering=1) as done:
        for number in ("1", "60"):
            plan = plan_training(edit(sessions, id, "page", cells), FORM | {"epochs": number})[1]
            view = start_training(sessions, id, plan)
            done.write("begun\n")
            while not view.finished:
                done.write(f"step {view.progress[0]} of {view.progress[1]}\n")
                time.sleep(0.002)
                view = find_training(sessions, id, view.id)
            done.write(f"version {view.result.id}\n")


if __name__ == "__main__":
    projects, model, key, log = sys.argv[1:]
    train_twice(Path(projects), Path(model), key, Path(log))
