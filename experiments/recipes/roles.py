"""A model that reads sentences in roles, trained on all pairs among statements of one block.

Each statement is encoded once, and a pair costs no encoding of its own: a step reads about a
hundred sentences and learns from about two thousand pairs. Kinds of pairs count alike, whatever
their number.
"""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import Tensor
from torch.nn import functional

from experiments.recipes.blocks import (
    Block,
    Blocks,
    LabelledPairs,
    Recipe,
    Stage,
    pairs_of,
)
from experiments.recipes.general import Callback, remembered_pairs
from experiments.recipes.variants import load_variants
from experiments.splits import REPLACED, taught_kinds, without_links, without_relatives
from experiments.visitors import everyday_pairs
from symdemo import __version__
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.card import ModelCard
from symdemo.classifier.index import LabelIndex
from symdemo.data.bank import BankRelation, Kind, load_kinds, shipped_bank
from symdemo.data.inference import load_inference
from symdemo.encoders import DEFAULT_ENCODER, Encoder, load_encoder
from symdemo.encoders.encoder import SentenceEncoder, TextInput
from symdemo.geometry import conjugate, ordered_label_embedding, role_embedding
from symdemo.pairs import LABELS, Pair, hash_pairs
from symdemo.swapping.frames import find_many
from symdemo.training.loop import Forward, TrainingStep, in_half, own_randomness
from symdemo.training.methods import (
    CONJUGATE,
    RolesHead,
    RolesReadout,
    Task,
    encode_pairs,
    is_judged,
    role_inputs,
)
from symdemo.training.retention import GenericSentences

WORK = Path("runs/roles")
"""A folder for what takes long to make: the variants of all phrasings."""

WEIGHTS = {"another relation": 1.0, "third thing elsewhere": 0.3, "third thing": 1.5,
           "itself": 0.3}  # fmt: skip
"""Weights of kinds of pairs, other than 1."""

SPLIT = frozenset(
    {"another phrasing, plain to plain", "narrower or wider", "near relation", "modality"}
)
"""Kinds whose labels count alike: their most frequent label would be learnt first."""

PASS = 64
"""Sentences per forward pass."""


def loss_of(pairs: LabelledPairs, z: Tensor, head: RolesHead, swaps: float) -> Tensor:
    """Return the weighted mean over kinds of the mean cross entropy of each.

    Args:
        pairs: rows of `z`.
        z: role embeddings (n, 2d) of the statements.
        head: its logits.
        swaps: weight of the kind “swap”.
    """
    hypotheses = z[pairs.hypotheses]
    hypotheses = torch.where(pairs.exchanged[:, None], conjugate(hypotheses), hypotheses)
    embeddings = ordered_label_embedding(z[pairs.premises], hypotheses)
    with torch.autocast(z.device.type, dtype=torch.bfloat16):
        logits = head.logits(embeddings).float()
    losses = functional.cross_entropy(logits, pairs.labels, reduction="none")
    cells = [
        (kind, label if kind in SPLIT else -1)
        for kind, label in zip(pairs.kinds, pairs.labels.tolist(), strict=True)
    ]
    names = sorted(set(cells))
    place = torch.tensor([names.index(cell) for cell in cells])
    weights = [(WEIGHTS | {"swap": swaps}).get(kind, 1.0) for kind, _ in names]
    terms = [weight * losses[place == n].mean() for n, weight in enumerate(weights)]
    return torch.stack(terms).sum() / sum(weights)


LOSS = 3.0
"""Weight of the loss beside the retention term."""


def _train_stage(
    student: SentenceEncoder,
    before: RolesReadout | None,
    blocks: Blocks,
    stage: Stage,
    recipe: Recipe,
    generic: GenericSentences,
    written: Written,
    callback: Callback,
) -> RolesReadout:
    """Train the encoder in place and a head, which continues `before`; return the head."""
    rng = random.Random(f"pairs {recipe.seed}")
    began = time.perf_counter()
    with own_randomness(student.device), student.in_training(dropout=False):
        torch.manual_seed(recipe.seed)
        head = RolesHead(Task(LABELS, 4 * student.dimension, before=before)).to(student.device)
        weights = student.trainable(freeze_embeddings=True)
        optimizer = torch.optim.AdamW(
            [{"params": weights, "lr": stage.learning_rate},
             {"params": head.parameters(), "lr": stage.head_rate}],
            weight_decay=0.01, fused=True,
        )  # fmt: skip
        rates = [group["lr"] for group in optimizer.param_groups]
        read = in_half(student.forward, student.device)
        for step in range(stage.steps):
            factor = min(1.0, (step + 1) / 30) * max(0.02, 1 - step / stage.steps)
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * factor
            drawn = blocks.step()
            pairs = pairs_of(drawn, blocks.inference, rng)
            loss = LOSS * loss_of(pairs, read_roles(read, drawn), head, stage.swaps)
            if stage.written:
                loss = loss + LOSS * written.loss(rng, stage.written, read, head)
            kept = stage.retention * generic(read)
            optimizer.zero_grad()
            (loss + kept).backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            if callback:
                seconds = time.perf_counter() - began
                callback(TrainingStep(step + 1, stage.steps, loss.item(), kept.item(), seconds))
    return RolesReadout.of(head)


def read_roles(read: Forward, blocks: Sequence[Block]) -> Tensor:
    """Return the role embeddings (n, 2d) of all statements of the blocks, with gradients."""
    both = [block.inputs() for block in blocks]
    inputs = [text for way in (0, 1) for one in both for text in one[way]]
    return role_embedding(*_read_by_length(read, inputs).chunk(2))


def _read_by_length(read: Forward, inputs: Sequence[TextInput]) -> Tensor:
    """Return the embeddings (n, d) of inputs that are read in passes of like length."""
    lengths = [len(i) if isinstance(i, str) else len(i[0]) + len(i[1]) for i in inputs]
    order = sorted(range(len(inputs)), key=lengths.__getitem__)
    passes = [order[start : start + PASS] for start in range(0, len(order), PASS)]
    embeddings = torch.cat([read([inputs[row] for row in rows]) for rows in passes])
    return embeddings[torch.tensor(order).argsort()]


class Written:
    """Pairs that were written one by one, from sources that count alike.

    Pairs with one premise are drawn together, so that it is encoded once. Pairs that are not judged
    are left out.
    """

    def __init__(self, sources: Sequence[Sequence[Pair]]):
        self.sources = []
        for source in sources:
            grouped = defaultdict(list)
            for pair, frames in zip(source, find_many(source), strict=True):
                if is_judged(frames):
                    row = (role_inputs(pair, frames), LABELS.index(str(pair.label)))
                    grouped[pair.premise].append(row)
            self.sources.append(list(grouped.values()))

    def loss(self, rng: random.Random, n: int, read: Forward, head: RolesHead) -> Tensor:
        """Return the mean cross entropy of at least `n` pairs, with gradients."""
        drawn: list[Any] = []
        for number, source in enumerate(self.sources, 1):
            while len(drawn) < n * number // len(self.sources):
                drawn += rng.choice(source)
        inputs, labels = zip(*drawn, strict=True)
        different = list(dict.fromkeys(text for one in inputs for text in one))
        row_of = {text: row for row, text in enumerate(different)}
        rows = torch.tensor([[row_of[text] for text in one] for one in inputs])
        p, p_turned, h, h_turned = _read_by_length(read, different)[rows].unbind(1)
        embeddings = ordered_label_embedding(
            role_embedding(p, p_turned), role_embedding(h, h_turned)
        )
        with torch.autocast(p.device.type, dtype=torch.bfloat16):
            logits = head.logits(embeddings).float()
        return functional.cross_entropy(logits, torch.tensor(labels, device=logits.device))


WRITTEN = Path(__file__).parents[1] / "second_sentences.csv"
"""Pairs that were written one by one."""


@cache
def second_sentences(split: str) -> pd.DataFrame:
    """Return a part of `WRITTEN`: “taught”, “held out” (other relations), “test”, or “first”.

    The part “first” is what visitors may type first. Columns: pair, kind, label, `group` (the
    relation), and `again`, the label of a second reader, if there was one. The two things of the
    premise are the pair's `head` and `tail`, except in the part “first”.
    """
    rows = pd.read_csv(WRITTEN, keep_default_na=False)
    rows = rows[rows.split == split]
    columns = ["premise", "hypothesis", "label", "relation", "subject", "object"]
    cells: list[list[str]] = rows[columns].to_numpy().tolist()
    pairs = [Pair(*one[:4], *(thing or None for thing in one[4:])) for one in cells]
    of = {"kind": rows.kind, "label": rows.label, "group": rows.relation, "again": rows.again}
    return pd.DataFrame({"pair": pairs} | {name: list(own) for name, own in of.items()})


# The whole model


def fit_roles(
    encoder: Encoder,
    blocks: Blocks,
    remembered: Sequence[Pair],
    recipe: Recipe,
    callback: Callback = None,
    written: Sequence[Sequence[Pair]] = (),
) -> SymmetryClassifier:
    """Train a copy of `encoder` and a head, stage by stage.

    Args:
        encoder: the untouched one.
        blocks: to draw the pairs of the bank and the kinds from.
        remembered: its neighbours; pairs that it does not judge are left out.
        recipe: hyperparameters.
        written: sources of pairs that were written one by one.
    """
    began = time.perf_counter()
    one_by_one = Written(written)
    generic = GenericSentences(encoder, recipe.retained, recipe.seed, "many")
    student, readout = encoder.clone(), None
    for stage in recipe.stages:
        if readout:
            untouched, trained = encoder.weights(), student.weights()
            student = encoder.clone()
            student.replace_weights(
                {name: untouched[name].lerp(trained[name], stage.kept) for name in trained}
            )
        own = blocks.afresh(recipe.seed, stage)
        readout = _train_stage(student, readout, own, stage, recipe, generic, one_by_one, callback)
    assert readout
    student.freeze()
    seconds = round(time.perf_counter() - began, 1)
    embeddings = encode_pairs(student, remembered, CONJUGATE.name)
    judged = (embeddings != 0).any(axis=1)
    remembered = [pair for pair, own in zip(remembered, judged, strict=True) if own]
    card = ModelCard(
        "roles", CONJUGATE.name, encoder.name, encoder.base_hash, readout.labels,
        temperature=TEMPERATURE, seed=recipe.seed,
        training=asdict(recipe) | {
            "steps": sum(stage.steps for stage in recipe.stages), "seconds": seconds,
        },
        data={
            "hash": hash_pairs(remembered), "pairs": len(remembered),
            "relations": len({*(r.id for r in blocks.relations),
                              *(r.id for kind in blocks.kinds for r in kind.bank.relations)}),
        },
        made_with=__version__,
    )  # fmt: skip
    return SymmetryClassifier(student, LabelIndex(remembered, embeddings[judged]), card, readout)


TEMPERATURE = 0.05
"""Of the vote of pairs taught later, beside the readout."""


def shipped_blocks(
    kinds: Sequence[Kind], recipe: Recipe, tested: Sequence[BankRelation] = ()
) -> Blocks:
    """Return the blocks of the shipped bank, without `tested` relations and what they imply."""
    bank, inference = shipped_bank(), load_inference()
    of_kinds = [(relation, kind.bank) for kind in kinds for relation in kind.bank.relations]
    made_of = [*((relation, bank) for relation in bank.relations), *of_kinds]
    variants = load_variants(WORK / "variants.json", made_of, inference)
    taught = without_relatives(taught_kinds(kinds), tested)
    relations = without_links(bank.relations, tested, inference)
    if kinds:  # they tell these apart by the two things
        relations = [relation for relation in relations if relation.id not in REPLACED]
    return Blocks(bank, relations, taught, inference, variants, recipe)


def train_shipped(
    seed: int, tested: Sequence[BankRelation] = (), callback: Callback = None
) -> SymmetryClassifier:
    """Train the shipped recipe on the bank, all kinds and what was written one by one.

    `tested` relations are left out, and then everyday sentences too, which may name them.
    """
    recipe = Recipe(seed=seed)
    blocks = shipped_blocks(load_kinds(), recipe, tested)
    second = second_sentences("taught")
    if tested:
        second = second[second.group.isin([relation.id for relation in blocks.relations])]
    given = second.pair.tolist()
    bare = [replace(pair, head=None, tail=None) for pair in given]  # which are then looked for
    sources = [given, bare] if tested else [given, bare, everyday_pairs("development")]
    remembered = swaps_to_remember(blocks) + random.Random(seed).sample(given, 1_000)
    encoder = load_encoder(DEFAULT_ENCODER)
    return fit_roles(encoder, blocks, remembered, recipe, callback, sources)


def swaps_to_remember(blocks: Blocks) -> list[Pair]:
    """Return a swap of each relation."""
    found = remembered_pairs(blocks.bank, blocks.relations)
    for kind in blocks.kinds:
        found += remembered_pairs(kind.bank, kind.bank.relations)
    return found
