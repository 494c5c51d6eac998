"""Teaching a model that judges any two sentences about the same two things."""

import pytest
from retrain_tools import QUICK, teach_project
from teaching_tools import make_store

from symdemo.classifier import asking
from symdemo.pairs import Pair
from symdemo.teaching.archive import export_project, import_project
from symdemo.teaching.instant import teach_project_instantly
from symdemo.teaching.rows import TeachRow, check_rows

pytestmark = pytest.mark.usefixtures("small_measurements")
ROWS = [
    TeachRow(premise="Ann is Ben's mother.", hypothesis="Ben is Ann's child.", label="entailment"),
    TeachRow(
        premise="Cora is Dan's mother.", hypothesis="Dan is Cora's child.", label="entailment"
    ),
    TeachRow(premise="Ann met Ben.", hypothesis="Ann never met Ben.", label="contradiction"),
    TeachRow(premise="Cora met Dan.", hypothesis="Cora never met Dan.", label="contradiction"),
    TeachRow(premise="Ann met Ben.", hypothesis="Ann met Ben.", label="entailment"),
    TeachRow(premise="Ann likes Ben.", hypothesis="Ben is liked by Ann.", label="depends"),
    TeachRow("Ann", "is a sibling of", "Ben", label="entailment"),
]


@pytest.fixture(scope="module")
def any_pair(fitted):
    """A model with a readout, beside which taught pairs vote."""
    return fitted["conjugate"].with_card(temperature=0.05, k=5)


@pytest.fixture
def store(any_pair, tmp_path):
    return make_store(tmp_path / "projects", any_pair)


@pytest.fixture
def project(store):
    project = store.create()
    project.save_rows(ROWS)
    return project


def verdicts(model, rows=ROWS) -> list[str]:
    """Return the verdicts on rows, asked as in the tab “Try it”."""
    questions = [asking.read(row.pair().premise, row.pair().hypothesis) for row in rows]
    return [found.prediction.label for found in asking.ask(model, questions)]


def test_no_row_is_refused_for_not_being_a_swap(any_pair):
    report = check_rows(ROWS, check=any_pair.check)
    assert (report.ready, len(report.pairs)) == (True, len(ROWS))
    assert {problem.kind for problem in report.problems} <= {"small_class"}
    same = [TeachRow(premise="Ann met Ben.", hypothesis="Ann met Ben.", label=label)
            for label in ("entailment", "contradiction")]  # fmt: skip
    (problem,) = [problem for problem in check_rows(same).problems if problem.kind == "conflict"]
    assert problem.message.startswith("Rows 1 and 2 are the same sentence with different labels")


def test_a_project_learns_at_once_is_reopened_and_undone(project, store, any_pair, tmp_path):
    labels = [row.label for row in ROWS]
    version = teach_project_instantly(project)
    assert version.scores["how_held_out"] == "leave one out"
    opened = store.open(project.id)
    store.models.drop(project.id)
    model = opened.model(version.id)
    assert (model.readout is not None, model.judges_any_pair) == (True, True)
    assert "depends" in model.labels
    assert verdicts(model) == labels
    archive = export_project(project, tmp_path / "mine.zip")
    imported = import_project(store, archive)
    assert verdicts(imported.model(imported.selected)) == labels
    opened.select(None)
    assert verdicts(opened.model(opened.selected)) == verdicts(any_pair)


def test_a_project_is_retrained(project):
    version = teach_project(project, QUICK)
    model = project.model(version.id)
    assert (model.judges_any_pair, model.card.temperature) == (True, 0.05)
    assert len(model.readout.labels) >= 3
    assert model.index.later == len(ROWS)
    again = teach_project_instantly(project)
    assert verdicts(project.model(again.id))[2] == "contradiction"


def test_a_pair_about_other_things_stays_without_a_verdict(project):
    strange = Pair("Ann met Ben.", "It rained in Rome.", "neutral")
    project.save_rows([*ROWS, TeachRow(premise=strange.premise, hypothesis=strange.hypothesis,
                                       label="neutral")])  # fmt: skip
    version = teach_project_instantly(project)
    (found,) = project.model(version.id).predict([strange])
    assert not found.judged
