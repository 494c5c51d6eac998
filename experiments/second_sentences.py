"""Any second sentence: a model that reads sentences in roles, beside its baselines and controls.

A fifth of the bank's relations is held out by group, with all that they imply or exclude and their
relatives among the kinds. The model is taught the rest (`recipes/roles.py`) and tested on

- the test part of `second_sentences.csv`: 200 relations, half of them held out, with a premise and
  twelve kinds of second sentences each, written apart from the bank. The control is the
  hypothesis replaced by the premise;
- its parts “held out”, pairs of other relations than the taught ones, and “first”, what visitors
  may type first: only the shipped models;
- swaps of all held-out phrasings;
- the direction of rewordings: do the roles match, or the exchanged ones? Chance is one half;
- held-out relations of the kinds;
- pairs of another kind, which it should not judge;
- sentence similarity, beside the untouched encoder.

The baselines are `general`, which was taught swaps, and word 1-to-3-grams of premise, hypothesis
and both, which are taught the part “taught”. The scale of the model's probabilities is chosen by
log loss on the part “held out”.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd
import torch

from experiments.baselines import in_order
from experiments.recipes.roles import WORK, second_sentences, train_shipped
from experiments.runner import main
from experiments.scoring import FLATTENINGS, GroupBootstrap, flattened, log_loss, sts_change
from experiments.splits import FOLDS, SPLIT_SEED, TEST_SEED, split_relations
from symdemo.classifier import SymmetryClassifier
from symdemo.data.bank import BankRelation, load_kinds, shipped_bank
from symdemo.data.pair_files import load_pairs
from symdemo.encoders import DEFAULT_ENCODER, load_encoder
from symdemo.evaluation.scores import evaluate
from symdemo.files.paths import ASSETS, measuring_data
from symdemo.geometry import conjugate, role_embedding
from symdemo.pairs import LABELS, Pair, labels_of
from symdemo.swapping.frames import find_many
from symdemo.training.methods import RolesReadout, role_inputs
from symdemo.training.triplets import read_nli


def cells() -> list[dict[str, Any]]:
    """Return a cell for the model, and for both shipped ones."""
    one = {"encoder": DEFAULT_ENCODER, "fold": 0, "seed": 0}
    return [one | {"method": method} for method in ("roles", "general", "pairs")]


def held_out() -> tuple[BankRelation, ...]:
    """Return the tested relations."""
    return split_relations(shipped_bank(), FOLDS, SPLIT_SEED)[0]


def train(seed: int) -> SymmetryClassifier:
    """Return the model of a seed from its folder, trained if it is not there."""
    place = WORK / f"fold-0-{seed}"
    if not place.exists():
        train_shipped(seed, held_out()).save_pretrained(place, whole=False)
    return SymmetryClassifier.from_pretrained(place)


def measure(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Train and test; the shipped models were taught the tested relations, `general` by swaps."""
    held, given = held_out(), second_sentences("test").pair.tolist()
    bare = bared(given)
    if cell["method"] != "roles":
        shipped = SymmetryClassifier.from_pretrained(cell["method"])
        answers = {"model": verdicts(shipped, bare)}
        found: dict[str, Any] = {split: untaught(shipped, split) for split in ("held out", "first")}
        if cell["method"] == "pairs":
            answers["arguments given"] = verdicts(shipped, given)
            answers |= ngram_answers(second_sentences("taught").pair.tolist(), bare)
            rows = second_sentences("held out")
            found["read again"] = float((rows.again == rows.label).mean())
            found["other"] = other_kinds(shipped)
            found["direction"] = direction(shipped, held)
            found["sts"] = sts_change(load_encoder(DEFAULT_ENCODER), shipped.encoder)
        return found | {"second": by_part(answers, held)}
    model = train(cell["seed"])
    scale = best_scale(model, second_sentences("held out").pair.tolist())
    model = with_scale(model, scale)
    answers = {
        "model": verdicts(model, bare),
        "arguments given": verdicts(model, given),
        "hypothesis replaced": verdicts(model, [replace(p, hypothesis=p.premise) for p in bare]),
    }
    both = zip(answers["model"], answers["hypothesis replaced"], strict=True)
    same = float(np.mean([one == other for one, other in both]))
    second = by_part(answers, held)
    swaps = shipped_bank().pairs(held, seed=TEST_SEED)
    group_of = {relation.id: relation.group for relation in held}
    groups = [group_of[str(pair.relation)] for pair in swaps]
    rows = pd.DataFrame({"label": labels_of(swaps), "kind": "swap", "group": groups})
    return {
        "scale": scale,
        "training": {k: model.card.training[k] for k in ("steps", "seconds")},
        "second": second | {"same answer with the hypothesis replaced": same},
        "swaps": scores(rows, verdicts(model, swaps)),
        "direction": direction(model, held),
        "kinds": {
            kind.name: [evaluate(model, own).accuracy, len(own)]
            for kind in load_kinds()
            for own in [kind.bank.pairs(kind.relations("held out"), seed=TEST_SEED)]
        },
        "other": other_kinds(model),
        "sts": sts_change(load_encoder(DEFAULT_ENCODER), model.encoder),
    }


def verdicts(model: SymmetryClassifier, pairs: Sequence[Pair]) -> list[str | None]:
    """Return verdicts; None where the model does not judge."""
    return model.predict(pairs).verdict_labels


def scores(rows: pd.DataFrame, answers: Sequence[str | None]) -> dict[str, Any]:
    """Return the mean accuracy over kinds with its interval over groups; of each kind and label.

    Args:
        rows: `label`, `kind` and `group` of each pair.
    """
    rows = rows.assign(right=[float(a == b) for a, b in zip(rows.label, answers, strict=True)])
    weights = 1 / rows.groupby("kind").right.transform("size")
    of_all = GroupBootstrap(rows.group).interval(rows.right.to_numpy(), weights.to_numpy())
    by = {f"by_{name}": rows.groupby(name).right.mean().to_dict() for name in ("kind", "label")}
    return of_all | {"n": len(rows)} | by


# Probabilities


def best_scale(model: SymmetryClassifier, pairs: Sequence[Pair]) -> float:
    """Return the temperature of the readout with the least log loss."""
    found = model.predict(pairs)
    labels = [LABELS.index(label) for label in labels_of(pairs)]
    grid = flattened(in_order(found.probabilities, found.labels))
    return FLATTENINGS[int(np.argmin([log_loss(shares, labels) for shares in grid]))]


def with_scale(model: SymmetryClassifier, scale: float) -> SymmetryClassifier:
    """Return the classifier with the logits of its readout divided by `scale`."""
    readout = model.readout
    assert isinstance(readout, RolesReadout)
    divided = {name: getattr(readout, name) / scale for name in ("weight", "bias", "outer")}
    return replace(model, readout=replace(readout, **divided))


# Second sentences


def bared(pairs: Iterable[Pair]) -> list[Pair]:
    """Return pairs without their two things, which are then looked for."""
    return [replace(pair, head=None, tail=None) for pair in pairs]


def untaught(model: SymmetryClassifier, split: str) -> dict[str, Any]:
    """Return accuracies on a part of the written pairs that `pairs` was not taught.

    The baselines are taught those that it was taught.
    """
    rows = second_sentences(split)
    bare, taught = bared(rows.pair), second_sentences("taught").pair.tolist()
    answers = {"model": verdicts(model, bare)} | ngram_answers(taught, bare)
    return {name: scores(rows, said) for name, said in answers.items()}


def by_part(
    answers: Mapping[str, Sequence[str | None]], held: Sequence[BankRelation]
) -> dict[str, Any]:
    """Return part → method → accuracies, of relations held out and of the bank."""
    rows = second_sentences("test")
    is_held = rows.group.isin([relation.id for relation in held])
    return {
        part: {
            name: scores(rows[here], list(compress(said, here))) for name, said in answers.items()
        }
        for part, here in {"held out": is_held, "bank": ~is_held}.items()
    }


def ngram_answers(taught: Sequence[Pair], tested: Sequence[Pair]) -> dict[str, list[str | None]]:
    """Return the answers of word n-grams of premise, hypothesis and both, with arguments masked."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    reads: dict[str, Callable[[tuple[str, str]], str]] = {
        "premise alone, word n-grams": lambda one: one[0],
        "hypothesis alone, word n-grams": lambda one: one[1],
        "both, word n-grams": lambda one: " ".join(
            [one[0], *(f"h{word}" for word in one[1].split())]
        ),
    }
    masked, asked, found = _masked(taught), _masked(tested), {}
    for name, read in reads.items():
        words = TfidfVectorizer(ngram_range=(1, 3), token_pattern=r"\S+", min_df=2)
        fitted = make_pipeline(words, LogisticRegression(C=10, max_iter=300))
        fitted.fit(list(map(read, masked)), labels_of(taught))
        found[name] = list(fitted.predict(list(map(read, asked))))
    return found


def _masked(pairs: Sequence[Pair]) -> list[tuple[str, str]]:
    frames = zip(pairs, find_many(pairs), strict=True)
    return [(f.premise, f.hypothesis) if f else (p.premise, p.hypothesis) for p, f in frames]


# Direction, and pairs of another kind


def direction(model: SymmetryClassifier, held: Iterable[BankRelation]) -> dict[str, Any]:
    """Return how often the roles of a rewording are recognised, by Re⟨z, z′⟩.

    Rewordings are the test pairs “reworded” and “converse” of held-out relations whose direction
    matters. The untouched encoder stands beside it.
    """
    ordered = [relation.id for relation in held if relation.pattern != "symmetric"]
    rows = second_sentences("test")
    rows = rows[rows.kind.isin(["reworded", "converse"]) & rows.group.isin(ordered)]
    pairs = rows.pair.tolist()
    inputs = [role_inputs(p, f) for p, f in zip(pairs, find_many(pairs), strict=True)]
    found: dict[str, Any] = {"n": len(pairs)}
    for name, encoder in {
        "model": model.encoder,
        "untouched": load_encoder(DEFAULT_ENCODER),
    }.items():
        embeddings = torch.from_numpy(encoder.encode([text for one in inputs for text in one]))
        parts = embeddings.view(len(pairs), 4, -1).unbind(1)
        p, h = role_embedding(*parts[:2]), role_embedding(*parts[2:])
        found[name] = float(((p * h).sum(-1) > (p * conjugate(h)).sum(-1)).float().mean())
    return found


def other_kinds(model: SymmetryClassifier, n: int = 400) -> dict[str, float]:
    """Return the share of pairs that the model does not judge, by where they come from."""
    rng, second = random.Random(TEST_SEED), second_sentences("test").pair.tolist()
    premises = [pair.premise for pair in second]
    sets: dict[str, Sequence[Pair]] = {"second sentences": second}
    for name in ("free", "blind"):
        sets[f"{name} swaps"] = load_pairs(ASSETS / f"{name}_sentences.csv")
    sets["unrelated"] = [Pair(*rng.sample(premises, 2)) for _ in range(n)]
    for name, file in {"MNLI": "nli/mnli_matched_1k.jsonl", "SNLI": "nli/snli_test.jsonl"}.items():
        if path := measuring_data(file):
            pairs = list(read_nli(path))
            sets[name] = rng.sample(pairs, min(n, len(pairs)))
    return {name: float(1 - model.predict(bared(own)).judged.mean()) for name, own in sets.items()}


if __name__ == "__main__":
    sys.exit(main(__doc__, "second_sentences", cells, measure))
