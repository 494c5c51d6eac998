"""How the shipped models are made: `python -m experiments.recipes NAME [--out FOLDER]`.

Each recipe is one function from a seed to a finished model with its scores; the same seed on the
same machine gives the same model.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from experiments.recipes.general import fit_general
from experiments.recipes.general_kinds import fit_kinds
from experiments.recipes.shown_facts import shown_facts
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.calibration import (
    TEMPERATURES,
    best_temperature,
    calibrate,
    log_loss,
    nearest_distances,
)
from symdemo.classifier.card import FIRST_STAGE, UNSEEN
from symdemo.data.bank import BankRelation, load_bank, load_kinds
from symdemo.data.pair_files import load_pairs
from symdemo.data.relations import (
    pairs_of_facts,
    sample_balanced,
    split_facts,
    split_known_facts,
)
from symdemo.encoders import DEFAULT_ENCODER, load_encoder
from symdemo.errors import InputError, SymdemoError
from symdemo.evaluation.forgetting import drift
from symdemo.evaluation.scores import evaluate
from symdemo.evaluation.sentences.sts import sts_at_hand, sts_spearman
from symdemo.files.paths import ASSETS, MODELS, RESULTS
from symdemo.pairs import Pair
from symdemo.training.config import DEFAULT_SEED, defaults
from symdemo.training.loop import TrainingStep
from symdemo.training.methods import KNN

FREE_SENTENCES = ASSETS / "free_sentences.csv"
PAIRS_PER_RELATION = 16
FACT_ROUNDS = 6
"""How often `general` sees a fact of the 14 relations."""


def wikidata14(
    seed: int = DEFAULT_SEED, callback: Callable[[TrainingStep], None] | None = None
) -> SymmetryClassifier:
    """The paper's k-NN model on the 14 relations, from our own facts.

    Half of the entity pairs are held out: half of those set the limit of what is called familiar,
    the other half gives the scores.
    """
    encoder = load_encoder(DEFAULT_ENCODER)
    train, rest = split_known_facts()
    limit, test = split_facts(rest, 0.5, seed)
    taught = sample_balanced(pairs_of_facts(train), 14 * PAIRS_PER_RELATION, seed)
    model = SymmetryClassifier.from_encoder(encoder, KNN.name).fit(
        taught,
        config=replace(defaults(KNN.name, encoder, "usual"), seed=seed),  # 224 pairs need no more
        callback=callback,
        name="wikidata14",
    )
    model = calibrate(model, pairs_of_facts(limit) + pairs_of_facts(limit, delexicalized=True))
    lexicalized = evaluate(model, pairs_of_facts(test))
    delexicalized = evaluate(model, pairs_of_facts(test, delexicalized=True))
    scores = {
        "held-out entity pairs of the 14 relations": f"{lexicalized.accuracy:.1%} with names, "
        f"{delexicalized.accuracy:.1%} with ids in their place ({lexicalized.n} pairs each)",
    } | _forgetting(model, encoder)
    return model.with_card(
        summary="The paper’s 14 Wikidata relations, and nothing else.",
        data=dict(model.card.data) | {"source": "assets/facts.csv"},
        scores=scores,
    )


def general(
    seed: int = DEFAULT_SEED,
    callback: Callable[[TrainingStep], None] | None = None,
    relations: Sequence[BankRelation] | None = None,
    start: SymmetryClassifier | None = None,
) -> SymmetryClassifier:
    """The default model: the relation bank and the 14 relations of `wikidata14`, then the kinds.

    What it calls unfamiliar comes from the cross-validation over relations, which
    `experiments/general.py` writes: the model itself has seen every relation. How sure it is
    lies between that and what suits free sentences; see `_temperature`.

    Args:
        seed: of entities, order and dropout.
        callback: called after every step.
        relations: fewer than all of the bank, for a quick trial.
        start: what the first stage gave, if it need not be made again.
    """
    encoder, bank = load_encoder(DEFAULT_ENCODER), load_bank()
    row, whole = _held_out_row()
    train, test = split_known_facts()
    facts = pairs_of_facts(train)
    sentences = [pair.premise for pair in bank.pairs(relations, seed=seed)]
    model = start or fit_general(
        encoder,
        bank,
        relations,
        seed,
        extra=shown_facts(facts, seed, FACT_ROUNDS, sentences),
        remembered_extra=sample_balanced(facts, 14 * PAIRS_PER_RELATION, seed),
        callback=callback,
    )
    again = shown_facts(facts, seed + 1, 1, sentences)
    model = fit_kinds(model, bank, load_kinds(bank=bank), seed, extra=again, callback=callback)
    model = model.with_card(
        temperature=_temperature(model, statistics.median(row["temperature"])),
        familiar_within=round(row["nearest_95"], 4),
        summary=f"{model.card.data['relations']:,} relations of many kinds, for sentences of your "
        "own.",
        data=dict(model.card.data) | {"source": "assets/bank and assets/facts.csv"} | _LIMITS,
    )
    scores = _held_out_scores(row, whole)
    for name, delexicalized in (("names", False), ("ids in their place", True)):
        pairs = pairs_of_facts(test, delexicalized=delexicalized)
        accuracy = evaluate(model, pairs).accuracy
        scores[f"the 14 relations, held-out entity pairs, with {name}"] = f"{accuracy:.1%}"
    scores |= _out_of_scope(model) | _forgetting(model, encoder)
    return model.with_card(scores=scores)


def _temperature(model: SymmetryClassifier, of_strangers: float) -> float:
    """The geometric mean of two temperatures: the best for strangers, and for free sentences.

    Relations that were never taught need a warm vote (`of_strangers`, from the cross-validation).
    Of what people write many relations are known, and a vote so warm is less sure than it may be.
    """
    pairs = load_pairs(FREE_SENTENCES)
    embeddings = model.embed(pairs)
    rows = [model.index.labels.index(pair.label) for pair in pairs]
    losses = [log_loss(model.index.kernel_vote(embeddings, t), rows) for t in TEMPERATURES]
    return round(math.sqrt(of_strangers * best_temperature(np.array(losses))), 4)


_LIMITS = {
    "limits": "English sentences about two things, asked about their own swapped form; other "
    "premises and hypotheses were never taught. Jargon, irony and sentences whose reading needs "
    "knowledge of the two entities are beyond it. It is weakest on contradictions: where a "
    "relation cannot hold both ways, it often answers that nothing follows.",
}


def _held_out_row() -> tuple[dict, bool]:
    """What the cross-validation found, and whether of both stages: else it is of the first alone.

    Raises:
        InputError: there is no such file.
    """
    path = RESULTS / "general.json"
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path.name} cannot be read ({type(error).__name__}); python -m experiments.general "
            "makes it."
        ) from error
    return rows.get("general") or rows["first-stage"], "general" in rows


def _held_out_scores(row: dict, whole: bool) -> dict[str, str]:
    """Of models made alike, or by the first stage alone, on relations that they were not taught."""
    labels = ", ".join(f"{label} {share:.0%}" for label, share in row["by_label"].items())
    kinds = ", ".join(f"{kind} {share:.0%}" for kind, (share, _) in row["by_kind"].items())
    wrong = ", ".join(name for name, _ in row["most_often_wrong"][:8])
    return {
        "relations never taught, holds or contradicts": f"{row['two']['mean']:.1%}",
        UNSEEN: f"{row['three']['mean']:.1%} ({labels})",
        "the same by kind of phrasing": kinds,
        "calibration error there": f"{row['calibration_error']['mean']:.3f}",
        "called unfamiliar there": f"{row['false_alarms']:.1%}",
        "same answer when read the other way": f"{row['swap_consistency']['mean']:.1%}",
        "most often wrong there": wrong,
    } | ({} if whole else {FIRST_STAGE: "all figures above; the second stage had no part in them"})


def _out_of_scope(model: SymmetryClassifier) -> dict[str, str]:
    """How often a pair that is no swap is called unfamiliar, where such pairs are at hand."""
    data = sts_at_hand()
    if not data:
        return {}
    pairs = [Pair(a, b) for a, b in zip(data.first, data.second, strict=True) if a != b]
    share = (nearest_distances(model, pairs) > model.card.familiar_within).mean()
    return {"pairs of sentences that are no swaps, called unfamiliar": f"{share:.1%}"}


def _forgetting(model: SymmetryClassifier, encoder) -> dict[str, str]:
    moved = drift(model.encoder, encoder)
    scores = {"nearest generic sentences kept": f"{moved.neighbours_kept:.1%}"}
    if data := sts_at_hand():
        before, after = sts_spearman(encoder, data), sts_spearman(model.encoder, data)
        scores["sentence similarity (STS-B)"] = f"{after:.1f}, untouched encoder {before:.1f}"
    return scores


RECIPES: dict[str, Callable[..., SymmetryClassifier]] = {
    "wikidata14": wikidata14,
    "general": general,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Make one shipped model."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.recipes", description=__doc__.splitlines()[0]
    )
    parser.add_argument("name", choices=RECIPES)
    parser.add_argument("--out", help="folder (default: its place in models/)")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    parser.add_argument("--start", help="general: a model that the first stage gave")
    arguments = parser.parse_args(argv)

    def show(step: TrainingStep) -> None:
        text = f"step {step.step} of {step.total}, loss {step.loss:.4f}, {step.eta:.0f} s left"
        sys.stderr.write(f"\r{text}   ")

    try:
        recipe = RECIPES[arguments.name]
        if arguments.start and recipe is not general:
            raise InputError(f"{arguments.name} has one stage, so there is nothing to start from.")
        if arguments.start:
            recipe = partial(recipe, start=SymmetryClassifier.from_pretrained(arguments.start))
        model = recipe(arguments.seed, show)
        model.save_pretrained(arguments.out or MODELS / arguments.name, overwrite=True)
    except SymdemoError as error:
        sys.stderr.write(f"\n{error}\n")
        return 2
    sys.stdout.write("".join(f"\n{name}: {value}" for name, value in model.card.scores.items()))
    sys.stdout.write("\n")
    return 0
