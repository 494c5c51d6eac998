"""What the arms of `experiments/general.py` share: the bank, its folds, and how answers are taken.

All arms are taught the same pairs, as often, and asked the same ones. What one answers is kept at
every temperature of a grid, so that one can be chosen on the other folds.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from experiments.general_figures import Judged
from experiments.recipes.general import CONFIG, ROUNDS, training_pairs, withhold_phrasing
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.calibration import FLATTENINGS, TEMPERATURES, tempered
from symdemo.data.bank import BankRelation, Kind, RelationBank, split_relations
from symdemo.data.bank_phrasings import phrasing_kind
from symdemo.encoders import Encoder
from symdemo.evaluation.baselines.setfit import SETTINGS
from symdemo.evaluation.baselines.skeleton import skeleton
from symdemo.evaluation.sentences.sts import SimilarityData, sts_spearman
from symdemo.files.paths import ASSETS
from symdemo.pairs import Pair, labels_of
from symdemo.training.config import TrainingConfig

FOLDS, SPLIT_SEED, TEST_SEED = 5, 0, 7
SENTENCES = {name: ASSETS / f"{name}_sentences.csv" for name in ("free", "blind")}
"""Written by hand; the blind ones without a look at the bank or the model, and not looked at since.
`second_reading.py` says how far their labels hold, `overlap.py` what of them the bank has too."""


SHORT: Mapping[str, Any] = {"max_steps": 1_320, "batch_size": 16, "body_learning_rate": 1e-4}
"""SetFit with as many texts read as a first stage of ours reads on a fold (1,054 steps of 32 pairs
and 8 generic sentences), drawn as its library does by default. The rate is the best of three
that `setfit_rates.py` tries on another split, its authors' among them."""

SETFIT = {"setfit": SETTINGS, "setfit-short": SHORT}


@dataclass(frozen=True)
class Run:
    """An arm, the fold that it is asked about, and the seed of its training."""

    arm: str
    fold: int
    seed: int

    @property
    def name(self) -> str:
        """Of its file."""
        return f"{self.arm}-fold{self.fold}-seed{self.seed}"


@dataclass(frozen=True)
class Answers:
    """What a model says, at each of t temperatures, in the order of LABELS.

    Attributes:
        temperatures: (t,).
        shares: (t, n, 3), of the pairs that are asked.
        swapped: (t, n), what is answered to the same pairs read the other way, as places in LABELS.
        sentences: name of a set of sentences → (t, m, 3).
        near: (n,), distances to the nearest taught pair, where there are such.
        about: of the training: seconds, steps, what was chosen.
    """

    temperatures: Sequence[float]
    shares: np.ndarray
    swapped: np.ndarray
    sentences: Mapping[str, np.ndarray] = field(default_factory=dict)
    near: np.ndarray | None = None
    about: Mapping[str, Any] = field(default_factory=dict)


class Remembering:
    """An encoder that reads each sentence once, however many folds ask for it."""

    def __init__(self, encoder: Encoder):
        self._encoder = encoder
        self._known: dict[Any, np.ndarray] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._encoder, name)

    def encode(
        self,
        inputs: Sequence[str | tuple[str, str]],
        batch_size: int = 64,
        progress: Callable[[int, int], None] | None = None,
    ) -> np.ndarray:
        """Unit embeddings (n, d)."""
        new = [text for text in dict.fromkeys(inputs) if text not in self._known]
        if new:
            found = self._encoder.encode(new, batch_size, progress)
            self._known |= dict(zip(new, found, strict=True))
        return np.stack([self._known[text] for text in inputs])


class Bench:
    """The bank, its folds, the encoder and the sentences: what all runs share.

    Args:
        folder: of the runs; trained models are kept there, for the arms that go on from them.
        bank: relations to deal into folds.
        encoder: where all arms that learn embeddings start.
        sentences: name → labelled pairs and their phrasings.
        kinds: of the second stage.
        config: of the training.
        rounds: how often each phrasing is shown.
        seeds: of the arms that are trained more than once.
        sts: what is left of sentence similarity is measured on it.
        setfit: arm → settings of its training by SetFit.
    """

    def __init__(
        self,
        folder: Path,
        bank: RelationBank,
        encoder: Encoder,
        sentences: Mapping[str, tuple[Sequence[Pair], Sequence[str]]],
        kinds: Sequence[Kind],
        config: TrainingConfig = CONFIG,
        rounds: int = ROUNDS,
        seeds: int = 3,
        sts: SimilarityData | None = None,
        setfit: Mapping[str, Mapping[str, Any]] = MappingProxyType(SETFIT),
    ):
        self.folder, self.bank, self.encoder, self.config = folder, bank, encoder, config
        self.sentences, self.kinds, self.rounds, self.seeds = sentences, kinds, rounds, seeds
        self.sts, self.setfit = sts, setfit
        self.folds = split_relations(bank, FOLDS, SPLIT_SEED)
        self.remembering = Remembering(encoder)
        self.group_of = {r.id: r.group or r.id for r in bank.relations}

    @cached_property
    def rows(self) -> pd.DataFrame:
        """All that can be asked: the bank's phrasings by fold, then the sentences of each set."""
        rows = [
            ("bank", fold, r.id, self.group_of[r.id], phrasing, phrasing_kind(phrasing), r.label)
            for fold, relations in enumerate(self.folds)
            for r in relations
            for phrasing in r.phrasings
        ]
        for name, (pairs, phrasings) in self.sentences.items():
            own = zip(pairs, labels_of(pairs), phrasings, strict=True)
            rows += [
                (name, -1, pair.relation or "", "", phrasing, phrasing_kind(phrasing), label)
                for pair, label, phrasing in own
            ]
        columns = ["set", "fold", "relation", "group", "phrasing", "kind", "label"]
        frame = pd.DataFrame(rows, columns=columns)
        frame["skeleton"] = [skeleton(phrasing) for phrasing in frame.phrasing]
        return frame.rename_axis("row").reset_index()

    @cached_property
    def data_hash(self) -> str:
        """Of relations, entities, modifiers and sentences: everything that is taught or asked."""
        return hash_of(
            [
                list(map(repr, self.bank.relations)),
                {name: list(own) for name, own in self.bank.entities.items()},
                {name: list(own) for name, own in self.bank.modifiers.items()},
                {name: list(map(repr, pairs)) for name, (pairs, _) in self.sentences.items()},
            ]
        )

    def relations(self, run: Run) -> tuple[Sequence[BankRelation], Sequence[BankRelation]]:
        """Those that a run is taught, and those that it is asked about."""
        if run.arm == "phrasings":
            return withhold_phrasing(self.bank.relations, run.seed)
        taught = [r for n, fold in enumerate(self.folds) if n != run.fold for r in fold]
        return taught, self.folds[run.fold]

    def taught(self, run: Run, rounds: int | None = None) -> list[Pair]:
        """What a run is taught: every phrasing `rounds` times, with other entities each time.

        As often as all are taught, if None.
        """
        rounds = self.rounds if rounds is None else rounds
        return training_pairs(self.bank, self.relations(run)[0], run.seed, rounds)

    def asked(self, run: Run) -> list[Pair]:
        """What it is asked: a pair for each phrasing."""
        return self.bank.pairs(self.relations(run)[1], seed=TEST_SEED)

    def asked_rows(self, run: Run) -> np.ndarray:
        """Where these stand in `rows`, (n,)."""
        bank = self.rows[self.rows.set == "bank"]
        places = dict(zip(zip(bank.relation, bank.phrasing, strict=True), bank.row, strict=True))
        asked = self.relations(run)[1]
        return np.array([places[r.id, phrasing] for r in asked for phrasing in r.phrasings])


def judge(bench: Bench, model: SymmetryClassifier, run: Run) -> Answers:
    """A model's answers; everything is embedded together, so that no sentence is read twice."""
    asked = bench.asked(run)
    parts = [
        asked,
        [pair.reversed() for pair in asked],
        *(own for own, _ in bench.sentences.values()),
    ]
    judged = Judged(model, [pair for part in parts for pair in part])
    votes = model.readout is None and run.arm != "wikidata14"
    if votes:
        temperatures, grid = TEMPERATURES, [judged.shares(t) for t in TEMPERATURES]
    else:
        own = judged.shares(None)
        temperatures, grid = FLATTENINGS, [tempered(own, t) for t in FLATTENINGS]
    cuts = np.cumsum([len(part) for part in parts])[:-1]
    shares, swapped, *sentences = np.split(np.stack(grid), cuts, axis=1)
    training = model.card.training
    about = {name: training.get(name, 0) for name in ("seconds", "steps")}
    if "learning_rate" in training:  # a card names the precision only where it is not the usual one
        about["precision"] = training.get("precision", TrainingConfig().precision)
    if bench.sts and run.arm != "untouched":
        about |= {
            "sts_before": sts_spearman(bench.remembering, bench.sts),
            "sts_after": sts_spearman(model.encoder, bench.sts),
        }
    named = dict(zip(bench.sentences, sentences, strict=True))
    near = judged.nearest[: len(asked)] if votes else None
    return Answers(temperatures, shares, swapped.argmax(-1), named, near, about)


def own_shares(
    shares: np.ndarray,
    swapped: np.ndarray,
    sentences: Mapping[str, np.ndarray],
    about: Mapping[str, Any] | None = None,
) -> Answers:
    """Answers of what gives probabilities of its own, flattened to each degree."""

    def grid(own: np.ndarray) -> np.ndarray:
        return np.stack([tempered(own, t) for t in FLATTENINGS])

    named = {name: grid(own) for name, own in sentences.items()}
    return Answers(FLATTENINGS, grid(shares), grid(swapped).argmax(-1), named, about=about or {})


def phrasings_of(path: Path) -> list[str]:
    """The column `pattern` of a file of sentences."""
    with path.open(encoding="utf-8", newline="") as file:
        return [row["pattern"] for row in csv.DictReader(file)]


def hash_of(value: object) -> str:
    """The first 16 signs of the SHA-256 of a value as JSON."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=list)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
