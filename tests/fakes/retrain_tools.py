"""Own pairs, quick settings and a recording reporter for the tests of teaching."""

from tiny import ENTITIES

from symdemo.jobs.reporting import Reporter
from symdemo.pairs import Pair
from symdemo.teaching.plan import DEFAULT_SETTINGS, TeachSettings, make_plan
from symdemo.teaching.retraining import retrain_planned

QUICK = TeachSettings(epochs=3, learning_rate=3e-3, retention=0.0, replay=24)


def own_pairs(entity_pairs: int = 4, number: int = 77) -> list[Pair]:
    """Return pairs of two untaught relations, one with a label of its own."""
    names = ENTITIES.split()
    made = []
    for relation, label in (("borders", "entailment"), ("was next to", "depends")):
        for n in range(entity_pairs):
            head, tail = f"{names[2 * n]} {number}", f"{names[2 * n + 1]} {number}"
            premise, hypothesis = f"{head} {relation} {tail}.", f"{tail} {relation} {head}."
            made.append(Pair(premise, hypothesis, label, relation, head, tail))
    return made


def teach_project(project, settings=DEFAULT_SETTINGS, handle=None):
    return retrain_planned(project, make_plan(project, settings, timed=False), handle)


class Listener(Reporter):
    """A reporter that records everything, and can stop training or measuring."""

    def __init__(self, stop_after: float = float("inf"), cut_after: float = float("inf")):
        self.events, self.reports, self.lines, self.stop_after = [], [], [], stop_after
        self.measured, self.cut_after = [], cut_after

    def stopped(self):
        return len(self.events) >= self.stop_after

    def progress(self, done, total, eta=None):
        self.reports.append((done, total, eta))

    def measuring(self, done, total, eta=None):
        self.measured.append((done, total, eta))

    def cut_short(self):
        return len(self.measured) >= self.cut_after

    def event(self, values):
        self.events.append(values)

    def log(self, text):
        self.lines.append(text)
