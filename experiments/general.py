"""Accuracy of the general model on relations never taught, beside its baselines.

The relations of the bank are dealt into five folds by group; each fold is tested with models
taught the other four. All methods are taught the same pairs and tested on the same ones. Answers
are kept at a grid of temperatures in `runs/general`, so that the temperature of a fold can be
chosen by log loss on the other folds. Then `--keep`, alone, writes the answers of each method that
has all folds to `results/general`, and all figures to `general.json`. `rows.parquet` says what was
tested; `METHOD.parquet` has three shares, fold and seed of each row, and `swapped`, the verdict on
the pair read in reverse (a place in LABELS).

The shipped model was trained in bfloat16. A processor without it trains the same recipe in float32.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch

from experiments.baselines import (
    fit_ngrams,
    in_order,
    masked,
    ngram_shares,
    phrasing_key,
    refuse_leaks,
    skeleton,
    words_in,
)
from experiments.general_report import KEPT, make_report
from experiments.recipes import general as recipe
from experiments.runner import Cell, Ledger, main
from experiments.scoring import FLATTENINGS, TEMPERATURES, flattened, log_loss, sts_change
from experiments.splits import FOLDS, SPLIT_SEED, TEST_SEED, split_relations, without_relatives
from symdemo.classifier import SymmetryClassifier
from symdemo.data.bank import BankRelation, Kind, load_kinds, shipped_bank
from symdemo.data.bank_phrasings import phrasing_kind
from symdemo.data.pair_files import load_pairs
from symdemo.encoders import DEFAULT_ENCODER, Encoder, load_encoder
from symdemo.files.paths import ASSETS, RESULTS
from symdemo.files.storage import replacing, write_text
from symdemo.pairs import LABELS, Pair, labels_of
from symdemo.training.config import Precision, TrainingConfig

RUNS = Path("runs/general")
SENTENCES = {name: ASSETS / f"{name}_sentences.csv" for name in ("free", "blind")}


# What is taught and tested


@cache
def folds() -> Sequence[Sequence[BankRelation]]:
    """Return the relations of each fold."""
    return split_relations(shipped_bank(), FOLDS, SPLIT_SEED)


@cache
def sentences() -> Mapping[str, tuple[list[Pair], list[str]]]:
    """Return the pairs of each set of sentences, and their phrasings."""
    return {
        name: (load_pairs(path), pd.read_csv(path, dtype=str).pattern.tolist())
        for name, path in SENTENCES.items()
    }


@cache
def data_hash() -> str:
    """Return a hash of all that is taught or tested."""
    bank = shipped_bank()
    value = [
        list(map(repr, bank.relations)),
        {name: list(own) for name, own in bank.entities.items()},
        {name: list(own) for name, own in bank.modifiers.items()},
        {name: list(map(repr, pairs)) for name, (pairs, _) in sentences().items()},
    ]
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def all_rows() -> pd.DataFrame:
    """Return all that can be tested: the bank's phrasings by fold, then each set of sentences."""
    rows = [
        ("bank", fold, r.id, r.group, phrasing, r.label)
        for fold, relations in enumerate(folds())
        for r in relations
        for phrasing in r.phrasings
    ]
    for name, (pairs, phrasings) in sentences().items():
        rows += [
            (name, -1, pair.relation or "", "", phrasing, label)
            for pair, label, phrasing in zip(pairs, labels_of(pairs), phrasings, strict=True)
        ]
    columns = ["set", "fold", "relation", "group", "phrasing", "label"]
    frame = pd.DataFrame(rows, columns=columns)
    frame.insert(5, "kind", frame.phrasing.map(phrasing_kind))
    frame["skeleton"] = frame.phrasing.map(skeleton)
    return frame.rename_axis("row").reset_index()


def relations_of(cell: Cell) -> list[BankRelation]:
    """Return the relations that a cell is taught."""
    return [r for n, fold in enumerate(folds()) if n != cell["fold"] for r in fold]


def taught(cell: Cell) -> list[Pair]:
    """Return the taught pairs."""
    return recipe.training_pairs(shipped_bank(), relations_of(cell), cell["seed"])


def tested(cell: Cell) -> list[Pair]:
    """Return the tested pairs, one for each phrasing, in the order of `all_rows`."""
    return shipped_bank().pairs(folds()[cell["fold"]], seed=TEST_SEED)


def asked(cell: Cell) -> list[Pair]:
    """Return all pairs to answer: the tested ones, each in reverse, then those of each set."""
    own = tested(cell)
    sets = [pair for pairs, _ in sentences().values() for pair in pairs]
    return [*own, *(pair.reversed() for pair in own), *sets]


# Methods


class Answers(NamedTuple):
    """Predicted probabilities of the labels, in the order of LABELS, at each of t temperatures.

    Attributes:
        temperatures: those of a vote, or of a model with probabilities of its own.
        shares: probabilities (t, n, 3) for the n pairs that are `asked`.
        near: distances to the nearest taught pair of the `tested` ones, if any are taught.
        about: training time in seconds, number of steps and other settings that were chosen.
    """

    temperatures: Sequence[float]
    shares: np.ndarray
    near: np.ndarray
    about: Mapping[str, Any]


def answers_of(shares: np.ndarray, **about: Any) -> Answers:
    """Return the answers of a method with probabilities (n, 3) of its own."""
    return Answers(FLATTENINGS, flattened(shares), np.empty(0), about)


def judge(model: SymmetryClassifier, cell: Cell) -> Answers:
    """Return a model's answers; all pairs are embedded together, so no sentence is read twice."""
    pairs = asked(cell)
    embeddings = model.embed(pairs)
    training = model.card.training
    about = {name: training.get(name, 0) for name in ("seconds", "steps")}
    if training:  # a card names the precision only if it is not the default
        about["precision"] = training.get("precision", TrainingConfig().precision)
        about |= sts_change(untouched_encoder(), model.encoder)
    if model.readout:
        found = model.predict_embedded(pairs, embeddings)
        return answers_of(in_order(found.probabilities, found.labels), **about)
    index, labels = model.index, model.index.labels
    grid = [in_order(index.kernel_vote(embeddings, t), labels) for t in TEMPERATURES]
    near = index.search_rows(embeddings[: len(tested(cell))], k=1)[1][:, 0]
    return Answers(TEMPERATURES, np.stack(grid), near, about)


def majority(cell: Cell) -> Answers:
    """Answer with the frequencies of the taught labels."""
    labels = labels_of(taught(cell))
    frequencies = [labels.count(label) / len(labels) for label in LABELS]
    return answers_of(np.tile(frequencies, (len(asked(cell)), 1)))


def ngrams(cell: Cell, read: Callable[[str], str]) -> Answers:
    """Answer by logistic regression over what `read` makes of a phrasing."""
    pairs, began = taught(cell), time.perf_counter()
    fitted = fit_ngrams(pairs, {r.id: r.group for r in shipped_bank().relations}, read)
    about = {"seconds": time.perf_counter() - began, "C": fitted[-1].C}
    written = [phrasing for _, phrasings in sentences().values() for phrasing in phrasings]
    of_bank = asked(cell)[: 2 * len(tested(cell))]
    return answers_of(ngram_shares(fitted, [*map(masked, of_bank), *written]), **about)


@cache
def untouched_encoder() -> Encoder:
    """Return the encoder that all models start from."""
    return load_encoder(DEFAULT_ENCODER)


def trained(
    cell: Cell, method: str = recipe.METHOD, kinds: Sequence[Kind] = (), **changes: Any
) -> SymmetryClassifier:
    """Return a model of the recipe, changed in some hyperparameters."""
    encoder = untouched_encoder()
    config = replace(recipe.CONFIG, precision=precision_of(encoder.device), **changes)
    return recipe.fit_general(
        encoder, shipped_bank(), relations_of(cell), kinds, cell["seed"], config, method
    )


def with_kinds(cell: Cell) -> SymmetryClassifier:
    """Train the shipped recipe without facts and everyday sentences, which name some relations."""
    kinds = without_relatives(load_kinds(bank=shipped_bank()), folds()[cell["fold"]])
    return trained(cell, kinds=kinds)


def scaled_head(cell: Cell) -> SymmetryClassifier:
    """Let the head answer with which the shipped recipe trains, taught the bank alone."""
    return trained(cell, "fine-tuning", loss="scaled")


def untouched(cell: Cell) -> SymmetryClassifier:
    """Let all taught pairs vote over the untouched encoder."""
    pairs = recipe.remembered_pairs(shipped_bank(), relations_of(cell), None)
    return SymmetryClassifier.from_encoder(untouched_encoder(), "knn").teach(pairs)


METHODS: Mapping[str, Callable[[Cell], Answers | SymmetryClassifier]] = {
    "general": with_kinds,
    "fine-tuning-scaled": scaled_head,
    "words": partial(ngrams, read=words_in),
    "skeleton": partial(ngrams, read=skeleton),
    "majority": majority,
    "untouched": untouched,
}


def precision_of(device: torch.device) -> Precision:
    """Return bf16 if the device has a matrix unit for it, else fp32.

    A processor that emulates bfloat16 takes twenty times as long.
    """
    if device.type == "cuda":
        has = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        capabilities: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
        has = capabilities.get("amx_bf16", False)
    return "bf16" if has else "fp32"


# Cells


def cells(methods: Sequence[str] = tuple(METHODS)) -> list[dict]:
    """Return a cell for each method and fold."""
    one = {"encoder": DEFAULT_ENCODER, "data": data_hash(), "seed": 0}
    return [one | {"method": name, "fold": fold} for name in methods for fold in range(FOLDS)]


def path_of(cell: Cell) -> Path:
    """Return the file of a cell's answers."""
    return RUNS / f"{cell['method']}-{cell['fold']}-{cell['seed']}-{cell['data']}.npz"


def measure(cell: Cell) -> dict[str, Any]:
    """Teach and test; the answers go into a file beside the ledger.

    Raises:
        InputError: a tested pair was taught.
    """
    refuse_leaks(set(map(phrasing_key, taught(cell))), tested(cell))
    made = METHODS[cell["method"]](cell)
    answers = judge(made, cell) if isinstance(made, SymmetryClassifier) else made
    shares, near = answers.shares.astype(np.float16), answers.near.astype(np.float16)
    RUNS.mkdir(parents=True, exist_ok=True)
    with replacing(path_of(cell)) as draft, draft.open("wb") as file:
        np.savez_compressed(file, temperatures=answers.temperatures, shares=shares, near=near)
    return dict(answers.about)


def keep(ledger: Ledger, method: str) -> bool:
    """Write a method's answers at the chosen temperatures; False if a cell is missing."""
    wanted, rows = cells([method]), all_rows()
    if any(cell not in ledger or not path_of(cell).is_file() for cell in wanted):
        return False
    where = [np.flatnonzero(rows.fold == cell["fold"]) for cell in wanted]
    of_sets = np.flatnonzero(rows.set != "bank")
    labels = rows.label.map(LABELS.index).to_numpy()
    every = [dict(np.load(path_of(cell))) for cell in wanted]
    losses = np.array([
        [log_loss(shares, labels[own]) for shares in answers["shares"][:, : len(own)].astype(float)]
        for answers, own in zip(every, where, strict=True)
    ])  # fmt: skip
    frames, about = [], []
    for n, (cell, answers, own) in enumerate(zip(wanted, every, where, strict=True)):
        place = int(np.delete(losses, n, axis=0).mean(0).argmin())
        shares, back, sets = np.split(answers["shares"][place], [len(own), 2 * len(own)])
        frame = pd.DataFrame({"row": np.concatenate([own, of_sets]).astype(np.int32)})
        frame["fold"], frame["seed"] = np.int8(cell["fold"]), np.int8(cell["seed"])
        frame[list(LABELS)] = np.concatenate([shares, sets])
        frame["swapped"] = pd.Series(back.argmax(-1), dtype="Int8")
        frame["near"] = pd.Series(answers["near"], dtype=np.float16)
        frames.append(frame)
        run = {name: cell[name] for name in ("fold", "seed", "data")}
        run |= {"temperature": float(answers["temperatures"][place])} | (ledger.get(cell) or {})
        about.append(run | {"made_by": ledger.made_by(cell)})
    KEPT.mkdir(parents=True, exist_ok=True)
    for name, table in {method: pd.concat(frames, ignore_index=True), "rows": rows}.items():
        table.to_parquet(KEPT / f"{name}.parquet", compression="zstd", index=False)
    data = {"data": data_hash(), "folds": FOLDS, "split_seed": SPLIT_SEED, "by": "group"}
    write_text(KEPT / f"{method}.json", json.dumps(about, indent=1) + "\n")
    write_text(KEPT / "rows.json", json.dumps(data) + "\n")
    return True


def keep_all() -> None:
    """Write the answers of all methods that are whole, and `general.json`."""
    ledger = Ledger(RUNS / "general.jsonl")
    kept = [name for name in METHODS if keep(ledger, name)]
    sys.stderr.write(f"kept: {', '.join(kept)}\n")
    text = json.dumps(make_report(), indent=1, ensure_ascii=False) + "\n"
    write_text(RESULTS / "general.json", text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--keep"]:
        keep_all()
    else:
        sys.exit(main(__doc__, "general", cells, measure, RUNS))
