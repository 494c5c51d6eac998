"""Teaching one's own relations: what is held out, what is replayed, what it changes."""

import importlib
import json
import sys
import time
import types
from dataclasses import replace

import numpy as np
import pytest

from symdemo import forgetting
from symdemo.classifier import SymmetryClassifier
from symdemo.errors import InputError
from symdemo.index import LabelIndex, vote
from symdemo.pairs import Pair
from symdemo.retention import retention_sentences
from symdemo.teaching import compare as comparing
from symdemo.teaching import estimate as estimating
from symdemo.teaching import zero_gpu
from symdemo.teaching.estimate import estimate
from symdemo.teaching.instant import teach_instantly, teach_project_instantly
from symdemo.teaching.job_state import StoppedError
from symdemo.teaching.jobs import JobQueue
from symdemo.teaching.limits import Limits
from symdemo.teaching.project_store import ProjectStore
from symdemo.teaching.reporting import Silent
from symdemo.teaching.retrain import retrain, teach_project
from symdemo.teaching.rows import rows_of_pairs
from symdemo.teaching.settings import TeachSettings
from symdemo.teaching.split import draw_replay, pairs_to_teach, shown_pairs, split_held_out
from symdemo.teaching.start import Start, find_start
from symdemo.teaching.verdicts import judge
from symdemo.training import TrainingRun, train_encoder

BENCHMARK_PAIRS = comparing.benchmark_pairs
QUICK = TeachSettings(epochs=3, learning_rate=3e-3, retention=0.0, replay=24)


def own_pairs(entity_pairs: int = 4) -> list[Pair]:
    """Two relations that the models were not taught, one of them with a label of its own."""
    names = [
        "Ann",
        "Ben",
        "Carl",
        "Dan",
        "Eve",
        "Finn",
        "Greta",
        "Hugo",
        "Ida",
        "Jon",
        "Kate",
        "Leo",
    ]
    made = []
    for relation, label in (("borders", "entailment"), ("was next to", "depends")):
        for n in range(entity_pairs):
            head, tail = f"{names[2 * n]} 77", f"{names[2 * n + 1]} 77"
            made.append(
                Pair(
                    f"{head} {relation} {tail}.",
                    f"{tail} {relation} {head}.",
                    label,
                    relation,
                    head,
                    tail,
                )
            )
    return made


@pytest.fixture(scope="module")
def own():
    return own_pairs()


@pytest.fixture(scope="module")
def base(fitted):
    """A k-NN model with a k of its own and a limit of familiarity."""
    model = fitted["knn"]
    card = model.card.with_(name="tiny", k=5, familiar_within=0.25)
    return SymmetryClassifier(model.encoder, model.index, card)


@pytest.fixture(autouse=True, scope="module")
def small_measurements():
    """28 facts and 60 generic sentences to measure on: a fraction of a second."""
    facts, sentences = BENCHMARK_PAIRS()[:28], retention_sentences()[:60]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparing, "benchmark_pairs", lambda: facts)
        patch.setattr(forgetting, "retention_sentences", lambda: sentences)
        comparing._embedded.clear()
        yield
    comparing._embedded.clear()


class Listener(Silent):
    """Keeps what it is told, and stops after so many events."""

    def __init__(self, stop_after: float = float("inf")):
        self.events, self.reports, self.lines, self.stop_after = [], [], [], stop_after

    def stopped(self):
        return len(self.events) >= self.stop_after

    def progress(self, done, total, eta=None):
        self.reports.append((done, total, eta))

    def event(self, values):
        self.events.append(values)

    def log(self, text):
        self.lines.append(text)


@pytest.fixture(scope="module")
def retrained(base, own):
    listener = Listener()
    return *retrain(base, own, QUICK, listener), listener


# --- what is held out, and what is shown


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


def test_pairs_without_a_relation_are_split_by_label():
    pairs = [Pair(f"a {n} b.", f"b {n} a.", "yes" if n < 4 else "no") for n in range(8)]
    train, held_out = split_held_out(pairs)
    assert sorted(pair.label for pair in held_out) == ["no", "yes"]
    assert len(train) == 6


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


def test_own_pairs_are_repeated_to_a_third(pairs, own):
    assert shown_pairs(own, pairs[:32]).count(own[0]) == 2
    assert shown_pairs(own[:1], pairs).count(own[0]) == 8
    assert shown_pairs(own, []) == own


# --- retraining


def test_retraining_learns_a_new_label_and_keeps_the_old_ones(base, own, retrained):
    model, comparison, _, _ = retrained
    assert comparison.how_held_out == "held out"
    assert comparison.own_n == 2
    assert comparison.own_before < comparison.own_after == 1.0
    assert set(model.labels) == {"entailment", "contradiction", "depends"}
    assert [p.label for p in model.predict(own)] == [pair.label for pair in own]
    old = base.index.pairs
    right = sum(p.label == q.label for p, q in zip(model.predict(old), old, strict=True))
    assert right / len(old) > 0.9


def test_the_index_is_what_was_known_and_all_of_ones_own(base, own, retrained):
    model, _, _, _ = retrained
    assert model.index.pairs[-8:] == tuple(own)
    assert model.index.pairs[:-8] == base.index.pairs
    expected = model.embed(model.index.pairs)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.allclose(model.index.embeddings, expected, atol=1e-5)


def test_the_base_stays_and_the_card_says_what_was_done(base, own, retrained):
    model = retrained[0]
    assert base.labels == ("entailment", "contradiction")
    assert model.encoder is not base.encoder
    assert model.encoder.changed_weights(base.encoder)
    card = model.card
    assert (card.parent, card.name, card.k) == ("tiny", "tiny, retrained", 5)
    assert (card.quotient, card.base_hash) == (base.card.quotient, base.card.base_hash)
    assert (card.training["replay"], card.training["epochs"]) == (24, 3)
    assert card.data["pairs"] == len(base.index) + 8
    assert "100.0% of 2, before " in card.scores["pairs of one’s own, held out"]
    assert card.familiar_within is None  # two held-out pairs are too few to say it anew
    again = retrain(model, own, QUICK)[0].card
    assert (again.name, again.parent) == ("tiny, retrained", "tiny, retrained")


def test_the_method_is_the_base_models_unless_chosen(fitted, own):
    base = fitted["knn-learnt-metric"]
    warm = SymmetryClassifier(base.encoder, base.index, base.card.with_(temperature=0.1))
    model = retrain(warm, own, replace(QUICK, method=None))[0]
    assert (model.method, model.card.temperature) == ("knn-learnt-metric", 0.1)
    other = retrain(warm, own, replace(QUICK, method="knn"))[0]
    assert (other.method, other.card.temperature) == ("knn", None)  # it was for other distances


def test_all_pairs_of_other_entities_vote_where_the_model_says_so(fitted, pairs):
    base = fitted["knn"]
    warm = SymmetryClassifier(base.encoder, base.index, base.card.with_(temperature=0.2))
    asked = list(pairs[:6])
    for pair, verdict in zip(asked, judge(warm, asked), strict=True):
        rows = [n for n, p in enumerate(base.index.pairs) if p.entity_pair != pair.entity_pair]
        others = LabelIndex([base.index.pairs[n] for n in rows], base.index.embeddings[rows])
        expected = others.kernel_vote(warm.embed([pair]), 0.2)[0]
        found = [verdict.probabilities[label] for label in others.labels]
        assert found == pytest.approx(expected.tolist(), abs=1e-4)


def test_the_curve_has_every_step_and_an_accuracy_every_few(retrained):
    _, _, curve, listener = retrained
    assert listener.events == curve
    total = curve[0]["total"]
    assert [point["step"] for point in curve] == list(range(1, total + 1))
    measured = [point["step"] for point in curve if point["accuracy"] is not None]
    assert 2 <= len(measured) <= 6
    assert measured[-1] == total
    assert set(curve[0]) == {"step", "total", "loss", "retention", "accuracy", "seconds"}
    assert listener.reports[0] == (0, total, None)
    assert listener.reports[-1][:2] == (total, total)
    assert listener.reports[-1][2] == 0
    assert "6 pairs to learn from, 2 held out to check, and 24 of what" in listener.lines[0]


def test_the_best_state_is_kept(base, own, monkeypatch):
    """Accuracies are made up, so that the second measurement is the best: its state is kept."""
    told = iter([0.5, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5])
    seen, losses = [], []

    def made_up(pairs, verdicts):
        return next(told, 0.5)

    learnt = TrainingRun.learnt

    def spy(self):
        seen.append(self.step)
        losses.append(self.history[-1].loss)
        return learnt(self)

    monkeypatch.setattr("symdemo.teaching.retrain.share_right", made_up)
    monkeypatch.setattr(TrainingRun, "learnt", spy)
    model, _, curve = retrain(base, own, replace(QUICK, epochs=4))
    accuracies = [(p["step"], p["accuracy"]) for p in curve if p["accuracy"] is not None]
    (first, _), (second, _), (third, _) = accuracies[:3]
    mean = {
        step: np.mean([p["loss"] for p in curve[start:step]])
        for start, step in ((first, second), (second, third))
    }
    best = third if mean[third] < mean[second] else second  # equal accuracy: the lower loss
    assert seen[-1] == best == model.card.training["steps"] < curve[-1]["step"]


def test_the_same_seed_gives_the_same_model(base, own, retrained):
    other, comparison, curve = retrain(base, own, QUICK)
    assert np.array_equal(other.index.embeddings, retrained[0].index.embeddings)
    assert comparison == retrained[1]
    assert [p["loss"] for p in curve] == [p["loss"] for p in retrained[2]]


def test_stopping_keeps_the_best_so_far(base, own):
    listener = Listener(stop_after=4)
    model, comparison, curve = retrain(base, own, QUICK, listener)
    assert len(curve) == 4 < curve[0]["total"]
    assert curve[-1]["accuracy"] is not None  # the last state was looked at too
    assert model.card.training["stopped"]
    assert model.card.training["steps made"] == 4
    assert comparison.own_after is not None
    with pytest.raises(StoppedError, match="before its first step"):
        retrain(base, own, QUICK, Listener(stop_after=0))


@pytest.mark.parametrize("method", ["random-label-embeddings", "knn-learnt-metric", "fine-tuning"])
def test_every_method_can_be_retrained_to(base, own, method):
    settings = replace(QUICK, method=method, epochs=6)
    model, comparison, _ = retrain(base, own, settings)
    assert (model.method, model.card.method) == (method, method)
    assert set(model.labels) == {"entailment", "contradiction", "depends"}
    assert (model.readout is not None) == (method != "knn-learnt-metric")
    assert comparison.own_n == 2
    if method == "random-label-embeddings":  # slower to learn than the others
        assert model.readout.rotations.shape == (3, 32)
    else:
        assert comparison.own_after >= 0.5
    assert comparison.benchmark_after is not None


def test_an_untaught_model_is_a_start_too(tiny_encoder, own):
    start = SymmetryClassifier.from_encoder(tiny_encoder, name="fresh")
    model, comparison, _ = retrain(start, own, QUICK)
    assert (comparison.own_before, comparison.benchmark_before) == (None, None)
    assert comparison.own_after is not None
    assert len(model.index) == 8
    assert model.card.parent is None
    assert "before untaught" in model.card.scores["pairs of one’s own, held out"]


def test_familiarity_is_set_anew_where_enough_is_held_out(base):
    pairs = own_pairs(6)
    pairs += [p.reversed() for p in pairs]
    more = [replace(p, relation=f"{p.relation} once") for p in pairs]
    settings = replace(QUICK, epochs=1)
    few = retrain(base, pairs, settings)[0]
    assert few.card.familiar_within is None
    model = retrain(base, [*pairs, *(p for p in map(_with_other_names, more))], settings)[0]
    assert 0 < model.card.familiar_within < 2
    assert model.predict(pairs[:1])[0].familiar is True
    plain = SymmetryClassifier(base.encoder, base.index, base.card.with_(familiar_within=None))
    assert retrain(plain, pairs, settings)[0].card.familiar_within is None


def _with_other_names(pair: Pair) -> Pair:
    def other(text: str) -> str:
        return text.replace("77", "88")

    return Pair(
        other(pair.premise),
        other(pair.hypothesis),
        pair.label,
        pair.relation,
        other(pair.head),
        other(pair.tail),
    )


def test_what_cannot_be_retrained_is_refused(base, own, tiny_encoder):
    with pytest.raises(InputError, match="no pairs to teach"):
        retrain(base, [], QUICK)
    start = SymmetryClassifier.from_encoder(tiny_encoder)
    with pytest.raises(InputError, match="at least two labels"):
        retrain(start, own[:4], QUICK)
    with pytest.raises(InputError, match="control character"):
        retrain(base, [Pair("a\x00 b", "c d", "x")], QUICK)


def test_samples_are_drawn_evenly_and_the_rest_is_still_known(base, own):
    listener = Listener()
    model, _, _ = retrain(base, own, replace(QUICK, samples=2, epochs=1), listener)
    assert model.index.pairs[-8:] == tuple(own)
    train, _ = split_held_out(own)
    assert {pair.relation for pair in replace(QUICK, samples=2).drawn(train)} == {
        "borders",
        "was next to",
    }


# --- settings


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "setfit"}, "“setfit” is unknown"),
        ({"epochs": 0}, "from 1 to 60"),
        ({"epochs": 61}, "61 epochs were asked for"),
        ({"samples": 1001}, "1001 samples were asked for"),
        ({"learning_rate": 0.5}, "learning rate is 0.5; a number from 1e-07 to 0.1"),
        ({"learning_rate": float("nan")}, "learning rate is nan"),
        ({"retention": -1}, "retention is -1; a number from 0 to 100"),
        ({"replay": -1}, "replay is -1; a whole number from 0 to 2,000"),
        ({"replay": 2.5}, "replay is 2.5"),
        ({"seed": -1}, "seed is -1"),
        ({"precision": "fp8"}, "precision is “fp8”"),
    ],
)
def test_settings_are_checked(changes, message):
    with pytest.raises(InputError, match=message):
        TeachSettings(**changes)


def test_settings_become_hyperparameters(tiny_encoder):
    config = TeachSettings(
        method="fine-tuning", epochs=5, learning_rate=1e-4, retention=2.0, seed=9
    ).config(tiny_encoder)
    assert (config.epochs, config.min_steps, config.seed) == (5, 0, 9)
    assert (config.learning_rate, config.retention) == (1e-4, 2.0)
    usual = TeachSettings().config(tiny_encoder)
    assert (usual.epochs, usual.min_steps, usual.retention) == (1, 42, 1.0)
    slow = TeachSettings(method="random-label-embeddings").config(tiny_encoder)
    assert (slow.min_steps, slow.retention) == (70, 3.0)
    with pytest.raises(InputError, match="5 epochs were asked for"):
        TeachSettings(epochs=5).check(Limits(epochs=3))


# --- teaching at once


def test_teaching_at_once_counts_by_leaving_one_out(base, own):
    model, comparison = teach_instantly(base, own)
    assert model.encoder is base.encoder
    assert len(model.index) == len(base.index) + 8
    assert [p.label for p in model.predict(own, k=1)] == [pair.label for pair in own]
    verdicts = []
    for pair in own:  # the slow way: a whole index for each
        rest = [q for q in (*base.index.pairs, *own) if q.entity_pair != pair.entity_pair]
        index = LabelIndex(rest, base.embed(rest))
        verdicts.append(vote(index.search(base.embed([pair]), 5)[0])[0])
    right = [v == pair.label for v, pair in zip(verdicts, own, strict=True)]
    assert comparison.own_after == sum(right) / 8
    assert (comparison.how_held_out, comparison.own_n) == ("leave one out", 8)
    assert (comparison.drift, comparison.unchecked) == (1.0, ())
    assert comparison.own_before == sum(
        v.label == p.label for v, p in zip(judge(base, own), own, strict=True)
    ) / len(own)


def test_a_pair_is_never_its_own_ground(base, own):
    again, _ = teach_instantly(base, own)
    for pair, verdict in zip(own, judge(again, own), strict=True):
        names = {pair.head, pair.tail}
        assert len(verdict.neighbours) == 5
        for near in verdict.neighbours:
            assert not all(name in near["premise"] for name in names)
    _, comparison = teach_instantly(again, own)
    assert comparison.own_before == comparison.own_after  # taught twice is taught once


def test_a_changed_label_takes_the_place_of_the_old_one(base, own):
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


def test_teaching_at_once_needs_neighbours_and_pairs(base, fitted, own):
    with pytest.raises(InputError, match="answers by fixed labels"):
        teach_instantly(fitted["fine-tuning"], own)
    with pytest.raises(InputError, match="no pairs to teach"):
        teach_instantly(base, [])


def test_a_comparison_is_json_with_probes_of_every_relation(base, own, retrained):
    comparison = retrained[1]
    values = json.loads(json.dumps(comparison.to_json()))
    assert values["own_after"] == 1.0
    assert {probe["label"] for probe in values["probes"]} == {"entailment", "depends"}
    for probe in values["probes"]:
        assert probe["after"]["label"] == probe["label"]
        assert sum(probe["after"]["probabilities"].values()) == pytest.approx(1)
        assert set(probe["before"]["neighbours"][0]) == {
            "premise",
            "hypothesis",
            "label",
            "relation",
            "distance",
        }
    assert values["benchmark_n"] == 28
    assert 0 < values["drift"] < 1


def test_the_benchmark_is_of_facts_that_no_model_is_trained_on():
    from symdemo.relations import load_facts, pairs_of_facts, split_facts

    train, _ = split_facts(load_facts(), 0.5, 0)
    pairs = BENCHMARK_PAIRS()
    assert len(set(pairs)) == 280
    assert not {p.entity_pair for p in pairs} & {p.entity_pair for p in pairs_of_facts(train)}
    assert len({pair.relation for pair in pairs}) == 14


# --- how long it takes


def test_an_estimate_times_two_steps_once(base, own, monkeypatch):
    estimating._speeds.clear()
    advanced = []
    advance = TrainingRun.advance
    monkeypatch.setattr(
        TrainingRun, "advance", lambda self, n: (advanced.append(n), advance(self, n))[1]
    )
    first = estimate(base, own, QUICK)
    assert advanced == [2]
    assert (first.device, first.seconds > 0) == ("cpu", True)
    longer = estimate(base, own, replace(QUICK, epochs=30))
    assert advanced == [2]  # remembered
    assert longer.steps == 10 * first.steps
    assert longer.seconds > first.seconds
    _, _, curve = retrain(base, own, QUICK)
    assert curve[-1]["total"] == first.steps
    (speed,) = estimating._speeds.values()
    assert speed.step == pytest.approx(curve[-1]["seconds"] / first.steps)


def test_an_estimate_is_of_the_right_size(base, own):
    estimating._speeds.clear()
    expected = estimate(base, own, QUICK).seconds
    began = time.perf_counter()
    retrain(base, own, QUICK)
    assert expected / 10 < time.perf_counter() - began < expected * 10


# --- a GPU that is lent


@pytest.fixture
def lent(monkeypatch):
    """The module as it is where the package `spaces` lends GPUs; how it was asked, and for what."""
    asked, calls = [], []

    def gpu(duration):
        asked.append(duration)

        def decorate(function):
            def call(*arguments):
                calls.append(arguments[-1])
                return function(*arguments)

            return call

        return decorate

    monkeypatch.setitem(sys.modules, "spaces", types.SimpleNamespace(GPU=gpu))
    importlib.reload(zero_gpu)
    yield types.SimpleNamespace(asked=asked, calls=calls)
    monkeypatch.undo()
    importlib.reload(zero_gpu)
    assert not zero_gpu.is_lent()


def test_pieces_on_a_lent_gpu_are_the_same_training(lent, tiny_encoder, pairs, quick_config):
    assert zero_gpu.is_lent()
    assert lent.asked == [60]
    config = replace(quick_config, dropout=True, retention=0.5)
    run = TrainingRun(tiny_encoder, pairs, "fine-tuning", config)
    steps = []
    while run.step < run.total:
        steps += zero_gpu.advance(run, 8)
    assert lent.calls == [8, 8]
    whole = train_encoder(tiny_encoder, pairs, "fine-tuning", config)
    assert [step.loss for step in steps] == [step.loss for step in whole.history]
    assert np.array_equal(run.readout().weight, whole.readout.weight)


def test_retraining_goes_in_pieces_on_a_lent_gpu(lent, base, own, retrained):
    model, _, curve = retrain(base, own, QUICK)
    assert len(lent.calls) < len(curve)
    assert sum(lent.calls) == len(curve)
    assert np.array_equal(model.index.embeddings, retrained[0].index.embeddings)
    assert estimate(base, own, QUICK).device == "lent GPU"


# --- a project


@pytest.fixture
def project(base, own, tmp_path):
    store = ProjectStore(tmp_path / "projects", load_base=lambda name: base, bases=("tiny",))
    project = store.create()
    project.save_rows(rows_of_pairs(own))
    return project


def test_a_project_is_retrained_in_the_queue(project):
    queue, listened = JobQueue(), []
    job = queue.submit(
        project.id,
        "Teaching",
        lambda handle: teach_project(project, QUICK, handle),
        on_change=lambda state: (listened.append(state["state"]), project.save_job_state(state)),
    )
    view = queue.wait(job, project.id, 60)
    queue.close(5)
    assert (view.state, view.error) == ("done", None)
    (version,) = project.versions()
    assert view.result == version
    assert (version.how, version.parent, version.rows) == ("retrained", None, 8)
    assert version.scores["own_after"] == 1.0
    assert version.training["replay"] == 24
    assert [point["step"] for point in version.curve] == list(range(1, len(version.curve) + 1))
    assert len(view.events) == len(version.curve)
    assert project.job_state["state"] == "done"
    assert project.selected == version.id
    model = project.model(version.id)
    assert "depends" in model.labels
    assert model.card.scores["pairs of one’s own, held out"].startswith("100.0% of 2")


def test_a_project_is_taught_at_once_from_what_is_not_instant(project, own):
    first = teach_project_instantly(project)
    assert (first.how, first.parent, first.name) == ("instant", None, "Version 1")
    project.save_rows(rows_of_pairs(own[:4]))
    second = teach_project_instantly(project)
    assert second.parent is None
    assert len(project.model(second.id).index) == len(project.model(None).index) + 4
    trained = teach_project(project, replace(QUICK, epochs=1, base=first.id))
    third = teach_project_instantly(project)
    assert (trained.parent, third.parent) == (first.id, trained.id)


def test_what_to_start_from_is_found_by_id_and_by_name(project):
    first, second = teach_project_instantly(project), teach_project_instantly(project)
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
        with pytest.raises(InputError, match="no such version or built-in model"):
            find_start(project, absent)


def test_a_project_that_cannot_be_taught_says_why_before_training(project, own, monkeypatch):
    monkeypatch.setattr(TrainingRun, "__init__", None)  # nothing gets as far as that
    project.save_rows([])
    for teach in (teach_project, teach_project_instantly):
        with pytest.raises(InputError, match="There are no rows to teach"):
            teach(project)
    project.save_rows(rows_of_pairs([*own, replace(own[0], label="contradiction")]))
    for teach in (teach_project, teach_project_instantly):
        with pytest.raises(InputError, match="9"):  # the row that contradicts the first
            teach(project)
    with pytest.raises(InputError, match="no such version"):
        teach_project(project, replace(QUICK, base="v000009-00000000"))


def test_a_full_project_is_refused_before_training(base, own, tmp_path, monkeypatch):
    store = ProjectStore(tmp_path, Limits(versions=1), load_base=lambda name: base, bases=("tiny",))
    project = store.create()
    project.save_rows(rows_of_pairs(own))
    teach_project_instantly(project)
    monkeypatch.setattr(TrainingRun, "__init__", None)
    for teach in (teach_project, teach_project_instantly):
        with pytest.raises(InputError, match="would have 2 versions"):
            teach(project)


def test_rows_become_pairs_that_the_model_can_read(base, own):
    assert pairs_to_teach(rows_of_pairs([*own, own[0]]), base) == own
