"""Rows that visitors of the tab “Teach” write, and waiting for their trainings."""

import time

from symdemo.teaching.plan import Estimate, RetrainingData, RetrainingPlan, Start
from symdemo.training.config import TrainingConfig
from symdemo.ui.teach.grid import RowsEdit, Sheet

RELATIONS = (("borders", "yes"), ("was next to", "depends"))
NAMES = ("Ann", "Ben", "Carl", "Dan", "Eve", "Finn", "Greta", "Hugo")
QUICK = {"epochs": "2", "learning_rate": "0.003", "retention": "0", "replay": "24"}
BLANK = ["", "", "", ""]


def make_cells(mark="77"):
    """Two relations, one with a label of its own; `mark` is in every name."""
    return [
        [f"{NAMES[2 * n]} {mark}", relation, f"{NAMES[2 * n + 1]} {mark}", label]
        for relation, label in RELATIONS
        for n in range(4)
    ]


def wait_for(sessions, id, view):
    return sessions.queue.wait(view.id, id, 60)


def until(true, seconds=60):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def planned(id):
    return RetrainingPlan(
        id,
        Start("tiny", "tiny"),
        RetrainingData((), (), (), (), "knn", TrainingConfig()),
        0,
        Estimate(2.0, 10, "cpu"),
    )


def edit(sessions, id, visit, cells) -> RowsEdit:
    """Return a sheet as the page `visit` sends it, from plain cells if given."""
    return RowsEdit(sessions, id, visit, cells if isinstance(cells, Sheet) else Sheet(rows=cells))
