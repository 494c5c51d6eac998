"""Plan a retraining: its settings, its pairs, the model it starts from, and its duration."""

from __future__ import annotations

import hashlib
import math
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from symdemo.classifier import SymmetryClassifier
from symdemo.data.relations import sample_balanced
from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.teaching.comparison import comparison_inputs, relation_key
from symdemo.teaching.limits import LIMITS, Limits
from symdemo.teaching.project import Project
from symdemo.teaching.rows import pairs_to_teach
from symdemo.text import one_line, shorten
from symdemo.training import zero_gpu
from symdemo.training.config import TrainingConfig, defaults
from symdemo.training.loop import TrainingRun
from symdemo.training.methods import check_method, encode_pairs
from symdemo.training.sampling import count_steps

MEASUREMENTS = 6
"""Checks on held-out pairs in one retraining; each takes about as long as two steps."""

# Factors on the usual learning rate and retention for a model that was taught before: with the
# usual ones it loses several points of what it knew, and a point of STS-B.
_RATE_FACTOR, _RETENTION_FACTOR = 1 / 5, 4.0
_MAX_REPLAY, _MAX_REPEATS = 2_000, 8
_LENT_PIECE_SECONDS = 8.0  # of a piece of training on a lent GPU, nearly all of it transfer
_TIMED_PAIRS = 16
HELD_OUT_ONE_IN = 4


@dataclass(frozen=True, slots=True)
class TeachSettings:
    """Choices for one retraining; None is the measured default."""

    method: str | None = None
    """One of `methods.METHODS`; by default the one that the base model was made with."""
    epochs: int | None = None
    """Passes over all pairs; by default the method's minimum of steps, in whole passes."""
    samples: int | None = None  # of the person's pairs, balanced over their relations
    learning_rate: float | None = None  # of Adam
    retention: float | None = None  # weight of the term that keeps generic sentences in place
    replay: int = 224  # known pairs of the base model that are mixed in
    seed: int = 0  # of the split, the draws and the training
    base: str | None = None
    """The model that a project's retraining starts from: a version, by id or name, or a built-in
    model, by name; None is the project's base model."""

    def __post_init__(self):
        self.check(LIMITS)

    def check(self, limits: Limits) -> TeachSettings:
        """Return these settings, or raise `InputError` naming the first one that is not allowed."""
        if self.method is not None:
            check_method(self.method)
        _check_number("number of epochs", self.epochs, 1, limits.epochs, whole=True)
        _check_number("number of samples", self.samples, 1, limits.samples, whole=True)
        _check_number("learning rate", self.learning_rate, 1e-7, 0.1)
        _check_number("retention", self.retention, 0, 100)
        _check_number("replay", self.replay, 0, _MAX_REPLAY, whole=True)
        _check_number("seed", self.seed, 0, 2**32 - 1, whole=True)
        return self


def _check_number(
    name: str, value: float | None, least: float, most: float, whole: bool = False
) -> None:
    if value is None and name not in ("replay", "seed"):
        return
    kinds = int if whole else int | float
    valid = isinstance(value, kinds) and not isinstance(value, bool)
    if value is None or not valid or not math.isfinite(value) or not least <= value <= most:
        kind = "whole number" if whole else "number"
        between = f"{least:,} to {most:,}" if whole else f"{least:g} to {most:g}"
        seen = shorten(repr(value), 20)
        raise InputError(f"The {name} is {seen}; a {kind} from {between} is expected.")


DEFAULT_SETTINGS = TeachSettings()


@dataclass(frozen=True, slots=True)
class RetrainingData:
    """Pairs and settings of one retraining, without the model."""

    own: tuple[Pair, ...]  # all pairs of the person, each once
    train: tuple[Pair, ...]  # those to learn from
    held_out: tuple[Pair, ...]  # those to check on
    replay: tuple[Pair, ...]  # known pairs of the base model that are repeated
    method: str
    config: TrainingConfig
    samples: int | None = None  # of `train` in an epoch; all of them if None

    @classmethod
    def of(
        cls,
        base: SymmetryClassifier,
        pairs: Sequence[Pair],
        settings: TeachSettings = DEFAULT_SETTINGS,
    ) -> RetrainingData:
        """Split pairs that passed `base.check`, draw the replay, and choose what suits `base`."""
        if not pairs:
            raise InputError("There are no pairs to teach; at least one is expected.")
        own = tuple(dict.fromkeys(pairs))
        train, held_out = split_held_out(own, settings.seed)
        replay = draw_replay(base.index.pairs, own, settings.replay, settings.seed)
        method, rate, retention = settings.method, settings.learning_rate, settings.retention
        method = method or base.method
        usual = defaults(method, base.encoder, "usual")
        again = bool(len(base.index)) and method == base.method  # it starts near the goal
        if rate is None:
            rate = usual.learning_rate * (_RATE_FACTOR if again else 1)
        if retention is None:
            retention = usual.retention * (_RETENTION_FACTOR if again else 1)
        config = replace(
            usual,
            seed=settings.seed,
            quotient=base.card.quotient,
            # by default one epoch, and more until the minimum of steps is reached
            epochs=1 if settings.epochs is None else settings.epochs,
            min_steps=usual.min_steps if settings.epochs is None else 0,
            learning_rate=rate,
            retention=retention,
        )
        pools = tuple(train), tuple(held_out), tuple(replay)
        return cls(own, *pools, method, config, settings.samples)

    def epoch(self) -> list[Pair]:
        """Return the pairs of one epoch: the replay, and own ones, repeated to be about a third."""
        own = list(dict.fromkeys(self.train))
        if self.samples is not None and self.samples < len(own):
            own = sample_balanced(own, self.samples, self.config.seed)
        times = round(len(self.replay) / (2 * len(own))) if own else 0
        return [*self.replay, *(own * min(max(times, 1), _MAX_REPEATS))]


class Start(NamedTuple):
    """The starting point of a retraining: a built-in model, or a version made from one."""

    name: str
    base: str  # the built-in model that it is, or that the version goes back to
    version: str | None = None  # id of the version; None for a built-in model

    def model(self, project: Project, pairs: Sequence[Pair] | None = None) -> SymmetryClassifier:
        """Load the model; given `pairs`, drop labels that neither they nor the base model have."""
        if self.version is None:
            return project.store.base_model(self.base)
        model = project.model(self.version)
        return model if pairs is None else project.with_labels_of(model, pairs, self.base)


class Estimate(NamedTuple):
    """The expected duration of a retraining, its number of steps, and its device."""

    seconds: float
    steps: int
    device: str


@dataclass(frozen=True, slots=True)
class RetrainingPlan:
    """A retraining that can wait: later edits of the table do not change it."""

    project: str  # its id
    start: Start
    data: RetrainingData
    rows: int  # lines in the table
    estimate: Estimate | None = None


def find_start(project: Project, chosen: str | None = None) -> Start:
    """Find what to start from: a built-in model by name, or a version by id or name.

    None is the project's base model. `InputError` if there is none of this name, or several
    versions have it.
    """
    if chosen is None or chosen in project.store.bases:
        name = chosen or project.base
        return Start(name, name)
    version = project.find_version(chosen)
    if version is None:
        known = [*(version.name for version in project.versions()), *project.store.bases]
        raise InputError(
            f"There is no such version or built-in model as “{shorten(one_line(str(chosen)))}”; "
            f"expected: {', '.join(dict.fromkeys(known))}."
        )
    return Start(version.name, version.base, version.id)


def make_plan(
    project: Project, settings: TeachSettings = DEFAULT_SETTINGS, timed: bool = True
) -> RetrainingPlan:
    """Read, check and split the rows of a project; if `timed`, estimate the training's duration.

    `InputError` for rows that cannot be taught, an unknown start, settings or a duration beyond the
    limits, or no room for another version; `DiskError` if the disk is nearly full; `ModelError` if
    the model to start from is damaged.
    """
    limits = project.limits
    limits.check("versions", len(project.versions()) + 1)
    project.store.check_disk()
    start = find_start(project, settings.check(limits).base)
    rows = project.rows
    pairs = pairs_to_teach(rows, start.model(project), limits)
    base = start.model(project, pairs)
    data = RetrainingData.of(base, pairs, settings)
    found = estimate(base, data) if timed else None
    if found is not None:
        limits.check("job_minutes", found.seconds / 60)
    return RetrainingPlan(project.id, start, data, len(rows), found)


def estimate(base: SymmetryClassifier, data: RetrainingData) -> Estimate:
    """Estimate the duration from two real steps; `InputError` for fewer than two labels in all."""
    pairs, config, method = data.epoch(), data.config, data.method
    steps = count_steps(len(pairs), config)
    began = time.perf_counter()
    run = TrainingRun(base.encoder, pairs, method, replace(config, epochs=1, min_steps=2))
    ready = time.perf_counter() - began
    made = run.advance(2)
    few = pairs[:_TIMED_PAIRS]
    began = time.perf_counter()
    encode_pairs(base.encoder, few, method, config.quotient)
    pair_seconds = (time.perf_counter() - began) / len(few)
    looks = min(MEASUREMENTS, steps) + 1
    embedded = looks * (len(data.replay) + len(data.own)) + len(base.index) + comparison_inputs()
    training, device = ready + steps * made[-1].seconds / len(made), base.encoder.device.type
    if zero_gpu.is_lent():
        pieces = max(looks, -(-steps // zero_gpu.STEPS))
        training, device = _LENT_PIECE_SECONDS * pieces, "lent GPU"
    return Estimate(training + embedded * pair_seconds, steps, device)


def split_held_out(pairs: Sequence[Pair], seed: int = 0) -> tuple[list[Pair], list[Pair]]:
    """Split pairs into (train, held out) so that no unordered entity pair is on both sides.

    One entity pair in four of each relation is held out, and at least one if it has two or more; a
    relation with a single entity pair is all on the training side. The choice depends on the names
    and the seed, not on the order, so a few more pairs change little about it.
    """
    of_relation: dict[tuple, set[tuple[str, str]]] = defaultdict(set)
    for pair in pairs:
        of_relation[relation_key(pair)].add(pair.entity_pair)
    held: set[tuple[str, str]] = set()

    def is_spared(entity_pair: tuple[str, str]) -> bool:
        """True if each of its relations keeps another entity pair to learn from."""
        return all(own - held - {entity_pair} for own in of_relation.values() if entity_pair in own)

    def place(key: tuple, entity_pair: tuple[str, str]) -> bytes:
        return hashlib.sha256(repr((seed, key, entity_pair)).encode()).digest()

    for key in sorted(of_relation, key=str):
        own = of_relation[key]
        wanted = max(1, len(own) // HELD_OUT_ONE_IN) - len(own & held)
        for entity_pair in sorted(own - held, key=lambda names: place(key, names)):
            if wanted > 0 and is_spared(entity_pair):
                held.add(entity_pair)
                wanted -= 1
    train = [pair for pair in pairs if pair.entity_pair not in held]
    return train, [pair for pair in pairs if pair.entity_pair in held]


def draw_replay(
    known: Sequence[Pair], own: Sequence[Pair], number: int, seed: int = 0
) -> list[Pair]:
    """Draw pairs that a model already knows, to repeat while it learns `own`.

    They are balanced over labels as far as possible, and over relations within each label, without
    pairs of the same entities in the same relation as one of `own`, as some are held out.
    """
    theirs = {(pair.premise, pair.hypothesis) for pair in own}
    about = {(pair.relation, pair.entity_pair) for pair in own}
    known = [
        pair
        for pair in dict.fromkeys(known)
        if (pair.premise, pair.hypothesis) not in theirs
        and (pair.relation, pair.entity_pair) not in about
    ]
    if len(known) <= number:
        return known
    of_label: dict[str, list[Pair]] = defaultdict(list)
    for pair in known:
        of_label[pair.label or ""].append(pair)
    drawn: list[Pair] = []
    waiting = sorted(of_label.values(), key=len)  # rare labels first, so others can use their rest
    for place, of_one in enumerate(waiting):
        share = (number - len(drawn)) // (len(waiting) - place)
        if share:
            drawn += sample_balanced(of_one, min(share, len(of_one)), seed)
    return drawn
