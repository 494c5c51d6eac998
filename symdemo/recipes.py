"""How the shipped models are made: `python -m symdemo.recipes NAME [--out FOLDER]`.

Each recipe is one function from a seed to a finished model with its scores; the same seed on the
same machine gives the same model.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from symdemo.classifier import SymmetryClassifier
from symdemo.encoders import DEFAULT_ENCODER, load_encoder
from symdemo.errors import SymdemoError
from symdemo.evaluation import evaluate
from symdemo.familiarity import calibrate
from symdemo.forgetting import drift, load_sts, sts_spearman
from symdemo.hyperparameters import defaults
from symdemo.paths import MEASURING_DATA, MODELS
from symdemo.relations import (
    SPLIT_SEED,
    TEST_SHARE,
    load_facts,
    pairs_of_facts,
    sample_balanced,
    split_facts,
)
from symdemo.training import DEFAULT_SEED, TrainingStep

PAIRS_PER_RELATION = 16


def wikidata14(
    seed: int = DEFAULT_SEED, callback: Callable[[TrainingStep], None] | None = None
) -> SymmetryClassifier:
    """The paper's k-NN model on the 14 relations, from our own facts.

    Half of the entity pairs are held out: half of those set the limit of what is called familiar,
    the other half gives the scores.
    """
    encoder = load_encoder(DEFAULT_ENCODER)
    train, rest = split_facts(load_facts(), TEST_SHARE, SPLIT_SEED)
    limit, test = split_facts(rest, 0.5, seed)
    taught = sample_balanced(pairs_of_facts(train), 14 * PAIRS_PER_RELATION, seed)
    model = SymmetryClassifier.from_encoder(encoder, "knn").fit(
        taught,
        config=replace(defaults("knn", encoder), seed=seed),
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
    card = model.card.with_(
        summary="The paper’s 14 Wikidata relations, and nothing else.",
        data=dict(model.card.data) | {"source": "assets/facts.csv"},
        scores=scores,
    )
    return SymmetryClassifier(model.encoder, model.index, card, model.readout)


def _forgetting(model: SymmetryClassifier, encoder) -> dict[str, str]:
    moved = drift(model.encoder, encoder)
    scores = {"nearest generic sentences kept": f"{moved.neighbours_kept:.1%}"}
    file = MEASURING_DATA / "sts" / "sts-test.csv"
    if file.is_file():
        data = load_sts(file)
        before, after = sts_spearman(encoder, data), sts_spearman(model.encoder, data)
        scores["sentence similarity (STS-B)"] = f"{after:.1f}, untouched encoder {before:.1f}"
    return scores


RECIPES: dict[str, Callable[..., SymmetryClassifier]] = {"wikidata14": wikidata14}


def main(argv: Sequence[str] | None = None) -> int:
    """Make one shipped model."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=RECIPES)
    parser.add_argument("--out", help="folder (default: its place in models/)")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    arguments = parser.parse_args(argv)

    def show(step: TrainingStep) -> None:
        text = f"step {step.step} of {step.total}, loss {step.loss:.4f}, {step.eta:.0f} s left"
        sys.stderr.write(f"\r{text}   ")

    try:
        model = RECIPES[arguments.name](arguments.seed, show)
        model.save_pretrained(arguments.out or MODELS / arguments.name, overwrite=True)
    except SymdemoError as error:
        sys.stderr.write(f"\n{error}\n")
        return 2
    sys.stdout.write("".join(f"\n{name}: {value}" for name, value in model.card.scores.items()))
    sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
