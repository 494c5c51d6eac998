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
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
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
from experiments.scoring import (
    FLATTENINGS,
    TEMPERATURES,
    flattened,
    log_loss,
    sts_change,
)
from experiments.splits import FOLDS, SPLIT_SEED, TEST_SEED, split_relations, without_relatives
from symdemo.classifier import SymmetryClassifier
from symdemo.data.bank import BankRelation, Kind, RelationBank, load_kinds, shipped_bank
from symdemo.data.bank_phrasings import phrasing_kind
from symdemo.data.pair_files import load_pairs
from symdemo.encoders import DEFAULT_ENCODER, Encoder, load_encoder
from symdemo.files.paths import ASSETS, RESULTS
from symdemo.files.storage import replacing, write_text
from symdemo.pairs import LABELS, Pair, labels_of
from symdemo.training.config import Precision, TrainingConfig

RUNS = Path("runs/general")
SENTENCES = {name: ASSETS / f"{name}_sentences.csv" for name in ("free", "blind")}


class Answers(NamedTuple):
    """Predicted probabilities of the labels, in the order of LABELS, at each of t temperatures.

    Attributes:
        shares: probabilities (t, n, 3) for the n pairs of `Bench.asked`.
        near: distances to the nearest taught pair of those of `Bench.tested`, if any are taught.
        about: training time in seconds, number of steps and other settings that were chosen.
    """

    temperatures: Sequence[float]
    shares: np.ndarray
    near: np.ndarray
    about: Mapping[str, Any]


def answers_of(shares: np.ndarray, **about: Any) -> Answers:
    """Return the answers of a method with probabilities (n, 3) of its own."""
    return Answers(FLATTENINGS, flattened(shares), np.empty(0), about)


@dataclass
class Bench:
    """Data that all methods share: the bank and its folds, the encoder, the recipe, the sentences.

    Attributes:
        folder: the folder of unfinished work, kept between stops.
        sentences: name of a set → pairs and their phrasings.
    """

    folder: Path
    bank: RelationBank
    encoder: Encoder
    sentences: Mapping[str, tuple[Sequence[Pair], Sequence[str]]]
    kinds: Sequence[Kind] = ()
    config: TrainingConfig = recipe.CONFIG

    @cached_property
    def folds(self) -> Sequence[Sequence[BankRelation]]:
        """The relations of each fold."""
        return split_relations(self.bank, FOLDS, SPLIT_SEED)

    @cached_property
    def data_hash(self) -> str:
        """A hash of all that is taught or tested."""
        value = [
            list(map(repr, self.bank.relations)),
            {name: list(own) for name, own in self.bank.entities.items()},
            {name: list(own) for name, own in self.bank.modifiers.items()},
            {name: list(map(repr, pairs)) for name, (pairs, _) in self.sentences.items()},
        ]
        text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=list)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @cached_property
    def rows(self) -> pd.DataFrame:
        """All that can be tested: the bank's phrasings by fold, then the sentences of each set."""
        rows = [
            ("bank", fold, r.id, r.group or r.id, phrasing, r.label)
            for fold, relations in enumerate(self.folds)
            for r in relations
            for phrasing in r.phrasings
        ]
        for name, (pairs, phrasings) in self.sentences.items():
            rows += [
                (name, -1, pair.relation or "", "", phrasing, label)
                for pair, label, phrasing in zip(pairs, labels_of(pairs), phrasings, strict=True)
            ]
        columns = ["set", "fold", "relation", "group", "phrasing", "label"]
        frame = pd.DataFrame(rows, columns=columns)
        frame.insert(5, "kind", frame.phrasing.map(phrasing_kind))
        frame["skeleton"] = frame.phrasing.map(skeleton)
        return frame.rename_axis("row").reset_index()

    def relations(self, cell: Cell) -> list[BankRelation]:
        """Return the relations that a cell is taught."""
        return [r for n, fold in enumerate(self.folds) if n != cell["fold"] for r in fold]

    def taught(self, cell: Cell) -> list[Pair]:
        """Return the taught pairs."""
        own = self.relations(cell)
        return recipe.training_pairs(self.bank, own, cell["seed"])

    def tested(self, cell: Cell) -> list[Pair]:
        """Return the tested pairs, one for each phrasing, in the order of `rows`."""
        return self.bank.pairs(self.folds[cell["fold"]], seed=TEST_SEED)

    def asked(self, cell: Cell) -> list[Pair]:
        """Return all pairs to answer: the tested ones, each in reverse, then those of each set."""
        tested = self.tested(cell)
        sets = [pair for pairs, _ in self.sentences.values() for pair in pairs]
        return [*tested, *(pair.reversed() for pair in tested), *sets]

    def path(self, cell: Cell) -> Path:
        """Return the file of a cell's answers."""
        return self.folder / f"{cell['method']}-{cell['fold']}-{cell['seed']}-{cell['data']}.npz"


# Methods


def judge(bench: Bench, model: SymmetryClassifier, cell: Cell) -> Answers:
    """Return a model's answers; all pairs are embedded together, so no sentence is read twice."""
    pairs = bench.asked(cell)
    embeddings = model.embed(pairs)
    training = model.card.training
    about = {name: training.get(name, 0) for name in ("seconds", "steps")}
    if training:  # a card names the precision only if it is not the default
        about["precision"] = training.get("precision", TrainingConfig().precision)
        about |= sts_change(bench.encoder, model.encoder)
    if model.readout:
        found = model.predict_embedded(pairs, embeddings)
        return answers_of(in_order(found.probabilities, found.labels), **about)
    index, labels = model.index, model.index.labels
    grid = [in_order(index.kernel_vote(embeddings, t), labels) for t in TEMPERATURES]
    near = index.search_rows(embeddings[: len(bench.tested(cell))], k=1)[1][:, 0]
    return Answers(TEMPERATURES, np.stack(grid), near, about)


def majority(bench: Bench, cell: Cell) -> Answers:
    """Answer with the frequencies of the taught labels."""
    labels = labels_of(bench.taught(cell))
    frequencies = [labels.count(label) / len(labels) for label in LABELS]
    return answers_of(np.tile(frequencies, (len(bench.asked(cell)), 1)))


def ngrams(bench: Bench, cell: Cell, read: Callable[[str], str]) -> Answers:
    """Answer by logistic regression over what `read` makes of a phrasing."""
    taught, began = bench.taught(cell), time.perf_counter()
    fitted = fit_ngrams(taught, {r.id: r.group or r.id for r in bench.bank.relations}, read)
    about = {"seconds": time.perf_counter() - began, "C": fitted[-1].C}
    written = [phrasing for _, phrasings in bench.sentences.values() for phrasing in phrasings]
    of_bank = bench.asked(cell)[: 2 * len(bench.tested(cell))]
    return answers_of(ngram_shares(fitted, [*map(masked, of_bank), *written]), **about)


def trained(
    bench: Bench, cell: Cell, name: str, method: str = recipe.METHOD, **changes: Any
) -> SymmetryClassifier:
    """Return a model of the first stage's recipe, changed in some hyperparameters.

    It is read from its folder, and trained if it is not there; several methods need it.
    """
    place = bench.folder / "models" / bench.path({**cell, "method": name}).stem
    if not place.exists():  # another process may be faster, and is then overwritten
        model = recipe.fit_general(
            bench.encoder, bench.bank, bench.relations(cell), cell["seed"],
            replace(bench.config, **changes), method,
        )  # fmt: skip
        model.save_pretrained(place, overwrite=True, whole=False)
    return SymmetryClassifier.from_pretrained(place)


def both_stages(bench: Bench, cell: Cell) -> SymmetryClassifier:
    """Train both stages without the facts of the 14 relations, some of which the bank has too."""
    kinds = without_relatives(bench.kinds, bench.folds[cell["fold"]])
    first = trained(bench, cell, "first-stage")
    return recipe.fit_kinds(first, bench.bank, kinds, cell["seed"], bench.relations(cell))


def scaled_head(bench: Bench, cell: Cell) -> SymmetryClassifier:
    """Train the fine-tuning head with logits as steep as those of the prototypes."""
    return trained(bench, cell, "fine-tuning-scaled", method="fine-tuning", loss="scaled")


def untouched(bench: Bench, cell: Cell) -> SymmetryClassifier:
    """Let all taught pairs vote over the untouched encoder."""
    taught = recipe.remembered_pairs(bench.bank, bench.relations(cell), None)
    return SymmetryClassifier.from_encoder(bench.encoder, "knn").teach(taught)


METHODS: Mapping[str, Callable[[Bench, Cell], Answers | SymmetryClassifier]] = {
    "general": both_stages,
    "first-stage": partial(trained, name="first-stage"),
    "fine-tuning-scaled": scaled_head,
    "words": partial(ngrams, read=words_in),
    "skeleton": partial(ngrams, read=skeleton),
    "majority": majority,
    "untouched": untouched,
}


# Cells


def cells(data: str, methods: Sequence[str] = tuple(METHODS)) -> list[dict]:
    """Return a cell for each method and fold."""
    return [
        {"method": name, "encoder": DEFAULT_ENCODER, "data": data, "fold": fold, "seed": 0}
        for name in methods
        for fold in range(FOLDS)
    ]


def measure(bench: Bench, cell: Cell) -> dict[str, Any]:
    """Teach and test; the answers go into a file beside the ledger.

    Raises:
        InputError: a tested pair was taught.
    """
    refuse_leaks(set(map(phrasing_key, bench.taught(cell))), bench.tested(cell))
    made = METHODS[cell["method"]](bench, cell)
    answers = judge(bench, made, cell) if isinstance(made, SymmetryClassifier) else made
    shares, near = answers.shares.astype(np.float16), answers.near.astype(np.float16)
    with replacing(bench.path(cell)) as draft, draft.open("wb") as file:
        np.savez_compressed(file, temperatures=answers.temperatures, shares=shares, near=near)
    return dict(answers.about)


def keep(bench: Bench, ledger: Ledger, method: str) -> bool:
    """Write a method's answers at the chosen temperatures; False if a cell is missing."""
    wanted = cells(bench.data_hash, [method])
    if any(cell not in ledger or not bench.path(cell).is_file() for cell in wanted):
        return False
    rows = bench.rows
    where = [np.flatnonzero(rows.fold == cell["fold"]) for cell in wanted]
    of_sets = np.flatnonzero(rows.set != "bank")
    labels = rows.label.map(LABELS.index).to_numpy()
    every = [dict(np.load(bench.path(cell))) for cell in wanted]
    losses = np.array([
        [log_loss(shares, labels[own]) for shares in answers["shares"][:, : len(own)].astype(float)]
        for answers, own in zip(every, where, strict=True)
    ])  # fmt: skip
    frames, about = [], []
    for n, (cell, answers, own) in enumerate(zip(wanted, every, where, strict=True)):
        place = int(np.delete(losses, n, axis=0).mean(0).argmin())
        tested, back, sets = np.split(answers["shares"][place], [len(own), 2 * len(own)])
        frame = pd.DataFrame({"row": np.concatenate([own, of_sets]).astype(np.int32)})
        frame["fold"], frame["seed"] = np.int8(cell["fold"]), np.int8(cell["seed"])
        frame[list(LABELS)] = np.concatenate([tested, sets])
        frame["swapped"] = pd.Series(back.argmax(-1), dtype="Int8")
        frame["near"] = pd.Series(answers["near"], dtype=np.float16)
        frames.append(frame)
        run_ = {"fold": cell["fold"], "seed": cell["seed"], "data": bench.data_hash}
        run_ |= {"temperature": float(answers["temperatures"][place])} | (ledger.get(cell) or {})
        about.append(run_ | {"made_by": ledger.made_by(cell)})
    KEPT.mkdir(parents=True, exist_ok=True)
    for name, table in {method: pd.concat(frames, ignore_index=True), "rows": rows}.items():
        table.to_parquet(KEPT / f"{name}.parquet", compression="zstd", index=False)
    data = {"data": bench.data_hash, "folds": FOLDS, "split_seed": SPLIT_SEED, "by": "group"}
    write_text(KEPT / f"{method}.json", json.dumps(about, indent=1) + "\n")
    write_text(KEPT / "rows.json", json.dumps(data) + "\n")
    return True


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


@cache
def shipped_bench() -> Bench:
    """Return the bank, encoder, recipe and sentences of the published figures."""
    bank, sentences = shipped_bank(), {}
    for name, path in SENTENCES.items():
        sentences[name] = load_pairs(path), pd.read_csv(path, dtype=str).pattern.tolist()
    encoder = load_encoder(DEFAULT_ENCODER)
    config = replace(recipe.CONFIG, precision=precision_of(encoder.device))
    RUNS.mkdir(parents=True, exist_ok=True)
    return Bench(RUNS, bank, encoder, sentences, load_kinds(bank=bank), config)


def keep_all() -> None:
    """Write the answers of all methods that are whole, and `general.json`."""
    bench = shipped_bench()
    ledger = Ledger(RUNS / "general.jsonl")
    kept = [name for name in METHODS if keep(bench, ledger, name)]
    sys.stderr.write(f"kept: {', '.join(kept)}\n")
    text = json.dumps(make_report(), indent=1, ensure_ascii=False) + "\n"
    write_text(RESULTS / "general.json", text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--keep"]:
        keep_all()
    else:
        study = (
            lambda: cells(shipped_bench().data_hash),
            lambda one: measure(shipped_bench(), one),
        )
        sys.exit(main(__doc__, "general", *study, RUNS))
