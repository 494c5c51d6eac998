"""Any second sentence: a model that reads sentences in roles, beside its rivals and controls.

A fifth of the bank's relations is held out by group, with all that they imply or exclude and their
relatives among the kinds. The model is taught the rest (`recipes/roles.py`) and tested on

- `second_sentences.csv`: 200 relations, half of them held out, with a premise and twelve kinds of
  second sentences each, written apart from the bank. The rivals are word 1-to-3-grams of premise,
  hypothesis and both, taught pairs made of the bank, and the shipped model, which was taught swaps;
  the control is the hypothesis replaced by the premise;
- swaps of all held-out phrasings;
- the direction of rewordings: do the roles match, or the exchanged ones? Chance is one half;
- held-out relations of the kinds;
- pairs of another kind, which it should not judge;
- sentence similarity, beside the untouched encoder.

The scale of its probabilities is chosen by log loss on pairs made of the held-out relations.
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from experiments.recipes.roles import (
    Blocks,
    Recipe,
    all_kinds,
    draw_pairs,
    fit_roles,
    pairs_to_remember,
    shipped_blocks,
)
from experiments.runner import main
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.calibration import FLATTENINGS, log_loss, tempered
from symdemo.data.bank import BankRelation, shipped_bank, split_relations
from symdemo.data.pair_files import load_pairs
from symdemo.encoders import DEFAULT_ENCODER, load_encoder
from symdemo.evaluation.intervals import GroupBootstrap
from symdemo.evaluation.sentences.sts import sts_at_hand, sts_spearman
from symdemo.files.paths import ASSETS, measuring_data
from symdemo.geometry import conjugate, role_embedding
from symdemo.pairs import LABELS, Pair
from symdemo.swapping.frames import find_many
from symdemo.training.methods import RolesReadout, role_inputs
from symdemo.training.triplets import read_nli

WORK = Path("runs/roles")
SECOND = ASSETS / "second_sentences.csv"
FOLDS, SPLIT_SEED, TEST_SEED = 5, 0, 7
MADE = 20_000
"""Pairs that the n-gram rivals are taught."""


def cells() -> list[dict[str, Any]]:
    """Return a cell for the model, and for the shipped one."""
    one = {"encoder": DEFAULT_ENCODER, "fold": 0, "seed": 0}
    return [one | {"method": "roles"}, one | {"method": "general"}]


def held_out() -> tuple[BankRelation, ...]:
    """Return the tested relations."""
    return split_relations(shipped_bank(), FOLDS, SPLIT_SEED)[0]


def train(seed: int) -> SymmetryClassifier:
    """Return the model of a seed from its folder, trained if it is not there."""
    place = WORK / f"fold-0-{seed}"
    if not place.exists():
        bank = shipped_bank()
        recipe = Recipe(seed=seed)
        blocks = shipped_blocks(bank, all_kinds(bank), recipe, WORK, held_out())
        encoder = load_encoder(DEFAULT_ENCODER)
        model = fit_roles(encoder, blocks, pairs_to_remember(blocks), recipe)
        model.save_pretrained(place, whole=False)
    return SymmetryClassifier.from_pretrained(place)


def measure(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Train and test."""
    if cell["method"] == "general":
        return shipped()
    model = train(cell["seed"])
    bank, held = shipped_bank(), held_out()
    blocks = shipped_blocks(bank, (), Recipe(seed=1), WORK)
    held_blocks = replace_relations(blocks, held)
    scale = best_scale(model, [pair for _, pair in draw_pairs(held_blocks, 2_000, 1)])
    model = with_scale(model, scale)
    return {
        "scale": scale,
        "training": {k: model.card.training[k] for k in ("steps", "seconds")},
        "second": second_sentences(model, {relation.id for relation in held}),
        "swaps": swaps(model, held),
        "direction": direction(model, held),
        "kinds": kinds_held_out(model),
        "other": other_kinds(model),
        "sts": similarity(model),
    }


def similarity(model: SymmetryClassifier) -> dict[str, float]:
    """Return Spearman on STS-B before and after training; empty without the data."""
    if not (data := sts_at_hand()):
        return {}
    before = sts_spearman(load_encoder(DEFAULT_ENCODER), data)
    return {"sts_before": before, "sts_after": sts_spearman(model.encoder, data)}


def replace_relations(blocks: Blocks, relations: Sequence[BankRelation]) -> Blocks:
    """Return blocks of other relations."""
    return Blocks(blocks.bank, relations, (), blocks.inference, blocks.variants, blocks.recipe)


# Probabilities


def best_scale(model: SymmetryClassifier, pairs: Sequence[Pair]) -> float:
    """Return the temperature of the readout with the least log loss."""
    shares = np.array([[p.probabilities[c] for c in LABELS] for p in model.predict(pairs)])
    labels = [LABELS.index(str(pair.label)) for pair in pairs]
    losses = [log_loss(tempered(shares, t), labels) for t in FLATTENINGS]
    return float(FLATTENINGS[int(np.argmin(losses))])


def with_scale(model: SymmetryClassifier, scale: float) -> SymmetryClassifier:
    """Return the classifier with the logits of its readout divided by `scale`."""
    readout = model.readout
    assert isinstance(readout, RolesReadout)
    divided = {name: getattr(readout, name) / scale for name in ("weight", "bias", "outer")}
    return replace(model, readout=replace(readout, **divided))


# Swaps


def swaps(model: SymmetryClassifier, held: Sequence[BankRelation]) -> dict[str, Any]:
    """Return the accuracy on a swap of each phrasing, with its interval over groups."""
    group_of = {relation.id: relation.group for relation in held}
    tested = shipped_bank().pairs(held, seed=TEST_SEED)
    frame = pd.DataFrame({
        "label": [pair.label for pair in tested], "answer": _labels(model, tested),
        "group": [group_of[str(pair.relation)] for pair in tested],
    })  # fmt: skip
    right = (frame.label == frame.answer).astype(float)
    interval = GroupBootstrap(frame.group.tolist()).interval(right.to_numpy())
    return {
        "mean": interval.mean, "low": interval.low, "high": interval.high, "n": len(tested),
        "by_label": right.groupby(frame.label).mean().to_dict(),
    }  # fmt: skip


# Second sentences


@dataclass(frozen=True)
class Second:
    """A test pair and its kind."""

    pair: Pair
    kind: str


@cache
def read_second() -> tuple[Second, ...]:
    """Read the test pairs; their arguments are known only as `head` and `tail`."""
    with SECOND.open(encoding="utf-8", newline="") as file:
        return tuple(
            Second(
                Pair(r["premise"], r["hypothesis"], r["label"], r["relation"],
                     r["subject"], r["object"]),
                r["kind"],
            )
            for r in csv.DictReader(file)
        )  # fmt: skip


def second_sentences(model: SymmetryClassifier, held: set[str]) -> dict[str, Any]:
    """Return accuracies by part and kind, end to end and with given arguments; and controls."""
    rows = read_second()
    bare = [replace(row.pair, head=None, tail=None) for row in rows]
    answers: dict[str, Sequence[str | None]] = {
        "model": _labels(model, bare),
        "arguments given": _labels(model, [row.pair for row in rows]),
        "hypothesis replaced": _labels(model, [replace(p, hypothesis=p.premise) for p in bare]),
    }
    answers |= ngram_answers(bare)
    same = [a == b for a, b in zip(answers["model"], answers["hypothesis replaced"], strict=True)]
    replaced = {"same answer with the hypothesis replaced": float(np.mean(same))}
    return by_part(answers, held) | replaced


def by_part(answers: Mapping[str, Sequence[str | None]], held: set[str]) -> dict[str, Any]:
    """Return part → method → accuracies, of relations held out and of the bank."""
    rows = read_second()
    found: dict[str, Any] = {}
    for part in ("held out", "bank"):
        wanted = part == "held out"
        chosen = [n for n, row in enumerate(rows) if (row.pair.relation in held) == wanted]
        found[part] = {name: _by_kind([rows[n] for n in chosen], [own[n] for n in chosen])
                       for name, own in answers.items()}  # fmt: skip
    return found


def _labels(model: SymmetryClassifier, pairs: Sequence[Pair]) -> list[str | None]:
    """Return verdicts; None where the model does not judge."""
    return model.predict(pairs).verdict_labels


def _by_kind(rows: Sequence[Second], answers: Sequence[str | None]) -> dict[str, Any]:
    """Return the mean over kinds with its interval over relations, each kind, and each label."""
    right = [row.pair.label == answer for row, answer in zip(rows, answers, strict=True)]
    frame = pd.DataFrame({
        "kind": [row.kind for row in rows], "label": [row.pair.label for row in rows],
        "relation": [row.pair.relation for row in rows], "right": np.array(right, float),
    })  # fmt: skip
    weights = 1 / frame.groupby("kind").right.transform("size")
    bootstrap = GroupBootstrap(frame.relation.tolist())
    interval = bootstrap.interval(frame.right.to_numpy(), weights.to_numpy())
    return {
        "mean": interval.mean, "low": interval.low, "high": interval.high, "n": len(frame),
        "by_kind": frame.groupby("kind").right.mean().to_dict(),
        "by_label": frame.groupby("label").right.mean().to_dict(),
    }  # fmt: skip


@cache
def _made(n: int = MADE) -> tuple[Pair, ...]:
    blocks = shipped_blocks(shipped_bank(), (), Recipe(seed=2), WORK, held_out())
    return tuple(pair for _, pair in draw_pairs(blocks, n, 2))


def ngram_answers(tested: Sequence[Pair]) -> dict[str, list[str]]:
    """Return the answers of word n-grams of premise, hypothesis and both, with arguments masked."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    taught, labels = _masked(_made()), [str(pair.label) for pair in _made()]
    asked = _masked(tested)
    reads = {
        "premise alone, word n-grams": lambda one: one[0],
        "hypothesis alone, word n-grams": lambda one: one[1],
        "both, word n-grams": lambda one: " ".join(
            [one[0], *(f"h{word}" for word in one[1].split())]
        ),
    }
    found = {}
    for name, read in reads.items():
        words = TfidfVectorizer(ngram_range=(1, 3), token_pattern=r"\S+", min_df=2)
        fitted = make_pipeline(words, LogisticRegression(C=10, max_iter=300))
        fitted.fit([read(one) for one in taught], labels)
        found[name] = list(fitted.predict([read(one) for one in asked]))
    return found


def _masked(pairs: Sequence[Pair]) -> list[tuple[str, str]]:
    frames = zip(pairs, find_many(pairs), strict=True)
    return [(f.premise, f.hypothesis) if f else (p.premise, p.hypothesis) for p, f in frames]


def shipped() -> dict[str, Any]:
    """Test the shipped model; it was taught swaps, of the tested relations too."""
    model = SymmetryClassifier.from_pretrained("general")
    bare = [replace(row.pair, head=None, tail=None) for row in read_second()]
    held = {relation.id for relation in held_out()}
    return {"second": by_part({"model": _labels(model, bare)}, held)}


# Direction, kinds, and pairs of another kind


def direction(model: SymmetryClassifier, held: Iterable[BankRelation]) -> dict[str, Any]:
    """Return how often the roles of a rewording are recognised, by Re⟨z, z′⟩.

    Rewordings are the test pairs “reworded” and “converse” of held-out relations whose direction
    matters. The untouched encoder stands beside it.
    """
    ordered = {relation.id for relation in held if relation.pattern != "symmetric"}
    pairs = [r.pair for r in read_second()
             if r.kind in {"reworded", "converse"} and r.pair.relation in ordered]  # fmt: skip
    encoders = {"model": model.encoder, "untouched": load_encoder(DEFAULT_ENCODER)}
    found: dict[str, Any] = {"n": len(pairs)}
    for name, encoder in encoders.items():
        inputs = [role_inputs(p, f) for p, f in zip(pairs, find_many(pairs), strict=True)]
        rows = torch.from_numpy(encoder.encode([text for one in inputs for text in one]))
        parts = rows.view(len(pairs), 4, -1).unbind(1)
        p, h = role_embedding(*parts[:2]), role_embedding(*parts[2:])
        found[name] = float(((p * h).sum(-1) > (p * conjugate(h)).sum(-1)).float().mean())
    return found


def kinds_held_out(model: SymmetryClassifier) -> dict[str, list[float]]:
    """Return accuracy and number of swaps of the kinds' held-out relations."""
    found = {}
    for kind in all_kinds(shipped_bank()):
        pairs = kind.bank.pairs(kind.relations("held out"), seed=TEST_SEED)
        right = [a == p.label for a, p in zip(_labels(model, pairs), pairs, strict=True)]
        found[kind.name] = [float(np.mean(right)), len(pairs)]
    return found


def other_kinds(model: SymmetryClassifier, n: int = 400) -> dict[str, float]:
    """Return the share of pairs that the model does not judge, by where they come from."""
    rng = random.Random(TEST_SEED)
    second = [row.pair for row in read_second()]
    premises = [pair.premise for pair in second]
    sets = {"second sentences": second}
    for name in ("free", "blind"):
        sets[f"{name} swaps"] = load_pairs(ASSETS / f"{name}_sentences.csv")
    sets["unrelated"] = [Pair(*rng.sample(premises, 2)) for _ in range(n)]
    for name, pairs in nli_at_hand().items():
        sets[name] = rng.sample(pairs, min(n, len(pairs)))
    bare = {name: [replace(p, head=None, tail=None) for p in own] for name, own in sets.items()}
    return {name: float(1 - model.predict(own).judged.mean()) for name, own in bare.items()}


NLI = {"MNLI": "nli/mnli_matched_1k.jsonl", "SNLI": "nli/snli_test.jsonl"}


def nli_at_hand() -> dict[str, list[Pair]]:
    """Return the pairs of MNLI and SNLI, where the folder SYMDEMO_DATA has them."""
    here = {name: path for name, file in NLI.items() if (path := measuring_data(file))}
    return {name: list(read_nli(path)) for name, path in here.items()}


if __name__ == "__main__":
    sys.exit(main(__doc__, "second_sentences", cells, measure))
