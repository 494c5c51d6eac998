"""Plans, what is held out and replayed, instant teaching, and what it compares."""

from dataclasses import replace

import pytest
from refusals import refusal
from retrain_tools import QUICK, teach_project
from teaching_tools import make_store

from symdemo.classifier import SymmetryClassifier, asking
from symdemo.classifier.index import LabelIndex, majority
from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.teaching import plan as planning
from symdemo.teaching.archive import export_project, import_project
from symdemo.teaching.comparison import judge
from symdemo.teaching.instant import teach_instantly, teach_project_instantly
from symdemo.teaching.limits import Limits
from symdemo.teaching.plan import (
    Estimate,
    RetrainingData,
    Start,
    TeachSettings,
    draw_replay,
    find_start,
    make_plan,
    split_held_out,
)
from symdemo.teaching.retraining import retrain_planned
from symdemo.teaching.rows import TeachRow, check_rows, rows_of_pairs
from symdemo.teaching.store import ProjectStore
from symdemo.training.loop import TrainingRun

pytestmark = pytest.mark.usefixtures("small_measurements")


def test_instant_teaching_is_measured_by_leaving_one_out(base, own):
    model, comparison = teach_instantly(base, own)
    assert model.encoder is base.encoder
    assert len(model.index) == len(base.index) + 8
    assert [p.label for p in model.predict(own, k=1)] == [pair.label for pair in own]
    verdicts = []
    for pair in own:  # the slow way: a whole index for each
        rest = [q for q in (*base.index.pairs, *own) if q.entity_pair != pair.entity_pair]
        index = LabelIndex(rest, base.embed(rest))
        verdicts.append(majority(index.search(base.embed([pair]), 5)[0])[0])
    right = [v == pair.label for v, pair in zip(verdicts, own, strict=True)]
    assert comparison.own_after == sum(right) / 8
    assert (comparison.how_held_out, comparison.own_n) == ("leave one out", 8)
    assert (comparison.drift, comparison.unchecked) == (1.0, ())
    assert comparison.own_before == sum(
        v.label == p.label for v, p in zip(judge(base, own), own, strict=True)
    ) / len(own)


def test_a_changed_label_replaces_the_old_one(base, own):
    taught, _ = teach_instantly(base, own)
    corrected = [replace(own[0], label="contradiction")]
    model, _ = teach_instantly(taught, corrected)
    assert len(model.index) == len(taught.index)
    assert model.predict(corrected, k=1)[0].label == "contradiction"


def test_a_relation_with_one_entity_pair_is_unchecked(base, own):
    lonely = Pair("Ann 5 is part of Ben 5.", "Ben 5 is part of Ann 5.", "neutral", "is part of")
    _, comparison = teach_instantly(base, [*own, lonely])
    assert comparison.unchecked == ("is part of",)
    assert comparison.own_n == 8
    _, alone = teach_instantly(base, [lonely])
    assert (alone.own_after, alone.own_n, alone.how_held_out) == (None, 0, "none")
    assert alone.probes == ()


def test_instant_teaching_needs_neighbours_and_pairs(base, fitted, own):
    assert "answers by fixed labels" in refusal(teach_instantly, fitted["fine-tuning"], own)
    assert "no pairs to teach" in refusal(teach_instantly, base, [])


@pytest.fixture
def project(base, own, tmp_path):
    store = ProjectStore(tmp_path / "projects", load_base=lambda name: base, bases=("tiny",))
    project = store.create()
    project.save_rows(rows_of_pairs(own))
    return project


def test_later_edits_do_not_change_a_plan(project, own, monkeypatch):
    plan = make_plan(project, QUICK)
    assert (plan.project, plan.start.name, plan.rows) == (project.id, "tiny", 8)
    assert plan.data.own == tuple(own)
    edited = [replace(pair, label="changed") for pair in own[:3]]
    project.save_rows(rows_of_pairs(edited))
    monkeypatch.setattr(planning, "pairs_to_teach", None)  # rows are looked at when planning alone
    version = retrain_planned(project, plan)
    assert (version.rows, len(version.curve)) == (8, plan.estimate.steps)
    model = project.model(version.id)
    assert model.index.pairs[-8:] == tuple(own)
    assert "changed" not in model.labels
    assert len(project.rows) == 3


def test_a_plan_beyond_the_limits_is_refused(project, monkeypatch):
    monkeypatch.setattr(planning, "estimate", lambda *_: Estimate(3600, 9000, "cpu"))
    assert "60 minutes; at most 30" in refusal(make_plan, project)
    with pytest.raises(InputError, match="The number of epochs is 3"):
        make_plan(ProjectStore(project.folder.parent, Limits(epochs=2)).open(project.id), QUICK)


def test_instant_teaching_starts_from_what_was_not_taught_instantly(project, own):
    first = teach_project_instantly(project)
    assert (first.how, first.parent, first.name) == ("instant", None, "Version 1")
    project.save_rows(rows_of_pairs(own[:4]))
    second = teach_project_instantly(project)
    assert second.parent is None
    assert len(project.model(second.id).index) == len(project.model(None).index) + 4
    trained = teach_project(project, replace(QUICK, epochs=1, base=first.id))
    project.save_rows(rows_of_pairs(own[:6]))
    third = teach_project_instantly(project)
    assert (trained.parent, third.parent) == (first.id, trained.id)


def test_instant_teachings_are_undone_one_by_one(project, own):
    first = teach_project_instantly(project)
    assert teach_project_instantly(project) == first  # nothing has changed
    project.save_rows(rows_of_pairs(own[1:]))
    teach_project_instantly(project)
    assert len(project.versions()) == 2
    assert [project.undo(), project.undo()] == [first.id, None]


def test_a_label_without_rows_goes(project, base, own):
    header = Pair("Who does whom.", "Whom does who.", "does it hold?")
    taught = project.add_version(base.teach([*own, header]), how="retrained")
    plan = make_plan(project, replace(QUICK, base=taught.id), timed=False)
    model = plan.start.model(project, plan.data.own)
    assert header.label in taught.labels
    assert model.index.pairs == (*base.index.pairs, *own)
    assert header not in plan.data.replay
    assert teach_project_instantly(project).labels == model.labels


def test_a_start_is_found_by_id_and_by_name(project, own):
    first = teach_project_instantly(project)
    project.save_rows(rows_of_pairs(own[1:]))
    second = teach_project_instantly(project)
    base = project.base
    assert find_start(project) == find_start(project, base) == Start(base, base)
    assert find_start(project, first.id) == Start("Version 1", base, first.id)
    assert find_start(project, "Version 2") == Start("Version 2", base, second.id)
    for taken in (first.name, base):  # neither hides what it is called after
        project.rename_version(second.id, taken)
        assert find_start(project, base) == Start(base, base)
        assert find_start(project, second.id).version == second.id
    project.rename_version(second.id, first.name)
    with pytest.raises(InputError, match=f"2 versions are called “Version 1”.*{second.id}"):
        find_start(project, "Version 1")
    for absent in ("Version 9", "v000009-00000000", "../model", ""):
        assert "no such version or built-in model" in refusal(find_start, project, absent)


def test_a_project_that_cannot_be_taught_says_why_before_training(project, own, monkeypatch):
    monkeypatch.setattr(TrainingRun, "__init__", None)  # nothing gets as far as that
    full = ProjectStore(project.folder.parent, Limits(versions=0.5)).open(project.id)
    contradicted = [*own, replace(own[0], label="contradiction")]  # in row 9
    for pairs, taught, says in (
        ([], project, "There are no rows to teach"),
        (contradicted, project, "9"),
        (contradicted, full, "would have 1 versions"),
    ):
        project.save_rows(rows_of_pairs(pairs))
        for teach in (teach_project, teach_project_instantly):
            assert says in refusal(teach, taught)
    with pytest.raises(InputError, match="no such version"):
        teach_project(project, replace(QUICK, base="v000009-00000000"))


@pytest.mark.parametrize(("entity_pairs", "held"), [(1, 0), (2, 1), (3, 1), (4, 1), (6, 1), (8, 2)])
def test_one_entity_pair_in_four_is_held_out(entity_pairs, held):
    pairs = [
        Pair(f"A{n} r B{n}.", f"B{n} r A{n}.", "x", "r", f"A{n}", f"B{n}")
        for n in range(entity_pairs)
    ]
    pairs += [pair.reversed() for pair in pairs]
    train, held_out = split_held_out(pairs, seed=3)
    assert len({pair.entity_pair for pair in held_out}) == held
    assert len(held_out) == 2 * held  # both directions are on one side
    assert sorted([*train, *held_out], key=str) == sorted(pairs, key=str)


def test_no_entity_pair_is_on_both_sides_and_no_relation_is_held_out_whole(pairs):
    shared = [replace(pair, relation=f"{pair.relation} too") for pair in pairs]
    lonely = [replace(pairs[0], relation="lonely")]
    train, held_out = split_held_out([*pairs, *shared, *lonely], seed=1)
    assert not {p.entity_pair for p in train} & {p.entity_pair for p in held_out}
    assert {pair.relation for pair in train} == {p.relation for p in (*pairs, *shared, *lonely)}
    assert {pair.relation for pair in held_out} >= {pair.relation for pair in pairs}
    assert "lonely" not in {pair.relation for pair in held_out}


def test_the_split_follows_its_seed_and_not_the_order(pairs):
    one = split_held_out(pairs, seed=0)[1]
    assert set(split_held_out(pairs[::-1], seed=0)[1]) == set(one)
    assert any(set(split_held_out(pairs, seed=seed)[1]) != set(one) for seed in range(1, 4))


def test_replay_is_balanced_over_labels_and_relations_and_never_about_the_same(pairs):
    drawn = draw_replay(pairs, [], 16)
    assert len(drawn) == len(set(drawn)) == 16
    assert sorted(pair.relation for pair in drawn) == sorted(["P3373", "P1889", "P25", "P131"] * 4)
    scarce = [pair for pair in pairs if pair.label == "entailment"] + [
        pair for pair in pairs if pair.relation == "P25"
    ][:3]
    few = draw_replay(scarce, [], 12)
    assert sum(pair.label == "contradiction" for pair in few) == 3  # all there are
    assert len(few) == 12
    own = [replace(pairs[0], label="other"), pairs[13]]
    rest = draw_replay(pairs, own, 1000)
    assert len(rest) == len(pairs) - 4  # two entity pairs, in both directions
    assert not {(p.relation, p.entity_pair) for p in rest} & {
        (p.relation, p.entity_pair) for p in own
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "setfit"}, "“setfit” is unknown"),
        ({"epochs": 0}, "from 1 to 60"),
        ({"samples": 1001}, "The number of samples is 1001"),
        ({"learning_rate": float("nan")}, "learning rate is nan"),
        ({"retention": -1}, "retention is -1; a number from 0 to 100"),
        ({"replay": 2.5}, "replay is 2.5"),
    ],
)
def test_settings_are_checked(changes, message):
    assert message in refusal(TeachSettings, **changes)


def test_settings_become_hyperparameters(tiny_encoder, base, own):
    fresh = SymmetryClassifier.from_encoder(tiny_encoder)

    def config(start=fresh, **settings):
        return RetrainingData.of(start, own, TeachSettings(**settings)).config

    given = config(method="fine-tuning", epochs=5, learning_rate=1e-4, retention=2.0, seed=9)
    assert (given.epochs, given.min_steps, given.seed) == (5, 0, 9)
    assert (given.learning_rate, given.retention) == (1e-4, 2.0)
    usual = config()
    assert (usual.epochs, usual.min_steps, usual.retention) == (1, 42, 1.0)
    slow = config(method="random-label-embeddings")
    assert (slow.min_steps, slow.retention) == (70, 3.0)
    again = config(base)  # it was taught by this method before
    assert again.learning_rate == usual.learning_rate / 5
    assert again.retention == 4 * usual.retention


MIXED = [
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
def mixed_project(any_pair, tmp_path):
    project = make_store(tmp_path / "projects", any_pair).create()
    project.save_rows(MIXED)
    return project


def verdicts(model) -> list[str]:
    """Return the verdicts on the mixed rows, asked as in the tab “Try it”."""
    questions = [asking.read(row.pair().premise, row.pair().hypothesis) for row in MIXED]
    return [found.prediction.label for found in asking.ask(model, questions)]


def test_no_row_is_refused_for_not_being_a_swap(any_pair):
    report = check_rows(MIXED, check=any_pair.check)
    assert (report.ready, len(report.pairs)) == (True, len(MIXED))
    assert {problem.kind for problem in report.problems} <= {"small_class"}
    same = [TeachRow(premise="Ann met Ben.", hypothesis="Ann met Ben.", label=label)
            for label in ("entailment", "contradiction")]  # fmt: skip
    (problem,) = [problem for problem in check_rows(same).problems if problem.kind == "conflict"]
    assert problem.message.startswith("Rows 1 and 2 are the same sentence with different labels")


def test_a_project_learns_at_once_is_reopened_and_undone(mixed_project, any_pair, tmp_path):
    labels = [row.label for row in MIXED]
    version = teach_project_instantly(mixed_project)
    assert version.scores["how_held_out"] == "leave one out"
    store = make_store(mixed_project.folder.parent, any_pair)  # as after a restart
    opened = store.open(mixed_project.id)
    model = opened.model(version.id)
    assert (model.readout is not None, model.judges_any_pair) == (True, True)
    assert "depends" in model.labels
    assert verdicts(model) == labels
    archive = export_project(mixed_project, tmp_path / "mine.zip")
    imported = import_project(store, archive)
    assert verdicts(imported.model(imported.selected)) == labels
    opened.select(None)
    assert verdicts(opened.model(opened.selected)) == verdicts(any_pair)


def test_a_project_of_mixed_pairs_is_retrained(mixed_project):
    version = teach_project(mixed_project, QUICK)
    model = mixed_project.model(version.id)
    assert (model.judges_any_pair, model.card.temperature) == (True, 0.05)
    assert len(model.readout.labels) >= 3
    assert model.index.later == len(MIXED)
    again = teach_project_instantly(mixed_project)
    assert verdicts(mixed_project.model(again.id))[2] == "contradiction"


def test_a_pair_about_other_things_stays_without_a_verdict(mixed_project):
    strange = Pair("Ann met Ben.", "It rained in Rome.", "neutral")
    mixed_project.save_rows([*MIXED, *rows_of_pairs([strange])])
    version = teach_project_instantly(mixed_project)
    (found,) = mixed_project.model(version.id).predict([strange])
    assert not found.judged
