"""A program that trains a project again and again until it is killed.

    python training_server.py PROJECTS MODEL KEY LOG EPOCHS...

It uses the app's own sessions, queue and versions. LOG gets a line for every step and finished
version; the last number of epochs is repeated.
"""

import sys
import time
from itertools import chain, repeat
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


def train_for_ever(root: Path, model: Path, id: str, log: Path, epochs: list[str]) -> None:
    torch.set_num_threads(1)
    facts = comparison.benchmark_pairs()[:28]
    comparison.benchmark_pairs = lambda: facts
    store = make_tiny_store(SymmetryClassifier.from_pretrained(model, "cpu"))
    sessions = Sessions(store, root)
    cells = cells_of_rows(sessions.find(id).rows)
    with log.open("a", buffering=1) as done:
        for number in chain(epochs, repeat(epochs[-1])):
            project = sessions.find(id)
            for version in project.versions()[:-6]:
                project.delete_version(version.id)
            plan = plan_training(edit(sessions, id, "page", cells), FORM | {"epochs": number})[1]
            view = start_training(sessions, id, plan)
            done.write("begun\n")
            while not view.finished:
                done.write(f"step {view.progress[0]} of {view.progress[1]}\n")
                time.sleep(0.002)
                view = find_training(sessions, id, view.id)
            done.write(f"version {view.result.id}\n")


if __name__ == "__main__":
    projects, model, key, log, *epochs = sys.argv[1:]
    train_for_ever(Path(projects), Path(model), key, Path(log), epochs)
