"""Choosing hyperparameters on the facts that are never measured on: `symdemo reproduce --select`.

One grid for all methods, the same taught pairs, the same questions; what was found is written down
whole, and `symdemo reproduce` reads which settings won.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from experiments.reproduction.experiments import Cell, config_of, run_cell
from experiments.reproduction.jobs import Job
from experiments.reproduction.keys import Names, Recorded, cell_key
from experiments.reproduction.ledger import Key, Ledger
from experiments.reproduction.plan import Plan
from experiments.reproduction.resources import Resources
from symdemo.encoders import DEFAULT_ENCODER
from symdemo.errors import InputError
from symdemo.evaluation.forgetting import drift
from symdemo.evaluation.sentences.sts import sts_at_hand
from symdemo.files.paths import RESULTS
from symdemo.training.config import TrainingConfig
from symdemo.training.methods import KNN, METHODS

SELECTION = "selection.json"
LEDGER = "selection.jsonl"

RATES = (1.5e-4, 3e-4)
SCHEDULES: tuple[dict[str, Any], ...] = (
    {"min_steps": 42, "schedule": "constant", "retained": "few", "retention_batch": 16},
    {"min_steps": 84, "schedule": "linear", "retained": "many", "retention_batch": 16},
)
"""Few steps at one rate beside few generic sentences, or twice as many, rising and falling, beside
more of them."""

GRID: tuple[dict[str, Any], ...] = tuple(
    {"learning_rate": rate, **schedule} for schedule, rate in product(SCHEDULES, RATES)
)
"""What is tried for each method; all else is as `training.config` has it, in single
precision: not every processor has bfloat16, and a study goes on on another one."""


@dataclass(frozen=True)
class Inner:
    """The inner split: what is taught and asked on the choosing part."""

    encoder: str = DEFAULT_ENCODER
    methods: tuple[str, ...] = METHODS
    samples: int = 14
    seeds: tuple[int, ...] = (0, 1)

    @classmethod
    def of(cls, encoder: str) -> Inner:
        """For the usual encoder all methods; for another, which takes longer, k-NN alone and once.

        With 56 pairs: what was tried with 14 and 28, which are read again and again, was right
        throughout, so that nothing could be chosen.
        """
        return cls() if encoder == DEFAULT_ENCODER else cls(encoder, (KNN.name,), 56, (0,))

    @property
    def file(self) -> str:
        """What the selection is called in its folder; each encoder has its own."""
        return (
            SELECTION
            if self.encoder == DEFAULT_ENCODER
            else f"selection-{Path(self.encoder).name}.json"
        )

    def cells(self, method: str, changes: Mapping[str, Any]) -> list[Cell]:
        """The trainings of one point of the grid."""
        return [
            Cell(self.encoder, method, self.samples, seed, changes=changes, part="choosing")
            for seed in self.seeds
        ]


def selection_jobs(inner: Inner, names: Names) -> list[Job]:
    """All trainings of a selection."""
    return [
        _job(names, cell)
        for method in inner.methods
        for changes in GRID
        for cell in inner.cells(method, changes)
    ]


def _key(names: Names, cell: Cell) -> Key:
    return cell_key(names, cell, False) | {"part": "selection"}


def _job(names: Names, cell: Cell) -> Job:
    def compute(resources: Resources) -> dict:
        encoder = resources.loaded(cell.encoder)
        result, model = run_cell(cell, encoder)
        figures = {name: getattr(result, name) for name in _KEPT}
        return figures | {"distance": drift(model.encoder, encoder, unseen_sentences()).distance}

    said = ", ".join(f"{name} {value}" for name, value in cell.changes.items())
    return Job(_key(names, cell), compute, f"{cell.method}, seed {cell.seed}: {said}")


SENTENCES = 500


def unseen_sentences() -> list[str]:
    """Generic sentences that no training keeps in place: the first of the STS-B development set.

    Raises:
        InputError: it is not at hand.
    """
    if (data := sts_at_hand("dev")) is None:
        raise InputError("There is no sts/sts-dev.csv in the folder SYMDEMO_DATA to choose with.")
    return data.sentences[:SENTENCES]


_KEPT = ("lexicalized", "delexicalized", "test_pairs", "steps", "seconds")


def choose(inner: Inner, ledger: Ledger) -> dict[str, Any]:
    """Grid, inner split, all results, and for each method the settings that won.

    The best mean accuracy over seeds and both versions wins; among equals what moves unseen
    sentences least, by more than 0.01 of cosine distance, and then what costs least.

    Raises:
        InputError: the ledger lacks a training.
    """
    known = Recorded(ledger)
    rows = [row for method in inner.methods for row in _rows(inner, known, method)]
    return {
        "encoder": inner.encoder,
        "grid": list(GRID),
        "inner": {
            "part": "choosing",
            "facts": known.facts_hash,
            "samples": inner.samples,
            "seeds": list(inner.seeds),
        },
        "results": rows,
        "winners": {
            method: min((row for row in rows if row["method"] == method), key=_rank)["changes"]
            for method in inner.methods
        },
    }


def _rows(inner: Inner, known: Recorded, method: str) -> Iterator[dict[str, Any]]:
    for changes in GRID:
        cells = inner.cells(method, changes)
        results = [r for cell in cells if (r := known.ledger.get(_key(known, cell)))]
        if len(results) < len(cells):
            raise InputError(
                f"The selection is not finished: {method} was not trained with {changes} yet; "
                "run it again to go on."
            )
        config = config_of(cells[0], known.encoder(inner.encoder))
        yield {
            "method": method,
            "changes": changes,
            "accuracy": fmean(r[name] for r in results for name in _KEPT[:2]),
            "distance": fmean(result["distance"] for result in results),
            "sentences": _sentences(results[0]["steps"], config, inner.samples),
            "by_seed": results,
        }


def _rank(row: Mapping[str, Any]) -> tuple[float, float, int]:
    return -row["accuracy"], round(row["distance"], 2), row["sentences"]


def _sentences(steps: int, config: TrainingConfig, samples: int) -> int:
    """How many sentences a training reads: what it costs, on any machine."""
    return steps * (2 * min(config.batch_size, samples) + config.retention_batch)


def with_selection(plan: Plan, folders: Sequence[Path] = (RESULTS,)) -> Plan:
    """The plan with the settings chosen in the first folder that has a selection, if one does.

    Those of the usual encoder come first; other encoders of the plan may have files of their own.

    Raises:
        InputError: a file is no selection, or one on facts that were dealt otherwise.
    """
    folder = next((folder for folder in folders if (folder / SELECTION).is_file()), None)
    if folder is None:
        return plan
    own = dict.fromkeys(Inner.of(encoder).file for encoder in (DEFAULT_ENCODER, *plan.encoders))
    found = [_read(folder / name) for name in own if (folder / name).is_file()]
    return replace(
        plan,
        settings={one["encoder"]: one["winners"] for one in found},
        chosen_at=found[0]["made_by"]["commit"],
    )


def _read(path: Path) -> dict[str, Any]:
    """A selection on today's facts."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        facts = found["inner"]["facts"]
        _ = found["encoder"], found["winners"], found["made_by"]["commit"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path.name} is not a selection of “symdemo reproduce --select” ({error!r})."
        ) from None
    if facts != Recorded(Ledger()).facts_hash:
        raise InputError(
            f"{path.name} was chosen on facts {facts}, which have changed since; choose again "
            "with “symdemo reproduce --select”."
        )
    return found
