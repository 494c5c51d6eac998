"""Statements of a few relations about the same two things, drawn from the bank, and their pairs.

A block holds phrasings, rewordings, denials, modalities, and some statements about a third thing.
Every ordered pair of them, as it is and with the arguments of the second exchanged, is labelled by
`data.inference`.
"""

from __future__ import annotations

import copy
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from experiments.recipes.variants import MODAL_WORDS, Variant
from symdemo.data.bank import BEINGS, BankRelation, Kind, RelationBank
from symdemo.data.bank_phrasings import capitalise, fill, finish, kinds_of
from symdemo.data.inference import BankStatement, Inference, Modality
from symdemo.encoders.encoder import TextInput
from symdemo.pairs import LABELS, Pair
from symdemo.training.methods import PLACEHOLDERS

MEANT_KINDS = frozenset({"nonsense", "one_way", "attribute", "members"})
"""Kinds whose phrasings of a relation all say the same."""


@dataclass(frozen=True)
class Stage:
    """Hyperparameters that change while a model is trained.

    Attributes:
        steps: optimizer steps.
        learning_rate, head_rate: of the encoder and the head; both warm up, then fall linearly.
        retention: weight of the retention term.
        swaps: weight of the kind “swap”; most others count 1.
        modified: chance that a phrasing gets a date, a place, an adverb or a frame.
        modifiers: chances for each phrasing.
        kept: share of the trained weights at the start of a later stage; the rest is untouched.
        blocks: blocks of the bank a step.
        kind_blocks: blocks of the kinds a step.
        written: pairs that were written one by one, a step.
    """

    steps: int = 3_800
    learning_rate: float = 4e-4
    head_rate: float = 2e-3
    retention: float = 4.0
    swaps: float = 4.0
    modified: float = 0.2
    modifiers: int = 1
    kept: float = 0.8
    blocks: int = 4
    kind_blocks: int = 2
    written: int = 0


_THIRD = Stage(1_800, 2.5e-4, 1e-3, 10.0, 5.0, modified=0.5, modifiers=2, kept=0.9)


@dataclass(frozen=True)
class Recipe:
    """Hyperparameters.

    The first stage learns quickly and forgets much about plain sentences. A later one starts from
    weights part of the way back to the untouched encoder (WiSE-FT, Wortsman et al. 2022).

    Attributes:
        stages: what changes from stage to stage.
        relations: relations in a block.
        described: share of the bank's blocks in which the two things are named.
        retained: generic sentences a step.
        seed: of everything random.
    """

    stages: tuple[Stage, ...] = (
        Stage(),
        Stage(2_000, 1.5e-4, 1e-3, retention=10.0, swaps=5.0, modified=0.5, modifiers=2),
        _THIRD,
        replace(
            _THIRD, steps=2_000, learning_rate=3e-4, kept=1.0, blocks=2, kind_blocks=1, written=48
        ),
    )
    relations: int = 5
    described: float = 0.5
    retained: int = 16
    seed: int = 0


CHANCES = {"<": 0.7, ">": 0.4, "!": 0.5}
"""Chances that a relation in a block has a phrasing that is narrower, wider, or ruled out."""

EMBEDDED: dict[Modality, list[str]] = defaultdict(list)
"""Modality → words around a whole sentence; without modality they deny it."""
for _words, _modality in MODAL_WORDS["sentence"].items():
    EMBEDDED[_modality].append(_words)


@dataclass(frozen=True)
class Block:
    """Statements about the same two things, which are named if `described`; and a third thing."""

    statements: Sequence[BankStatement]
    things: tuple[str, str, str]
    described: bool

    def inputs(self) -> tuple[list[TextInput], list[TextInput]]:
        """Return every statement with placeholders in both roles."""
        x, z = PLACEHOLDERS
        return self._texts(x, z), self._texts(z, x)

    def _texts(self, x: str, z: str) -> list[TextInput]:
        third = self.things[2]
        named = f"{PLACEHOLDERS[0]}: {self.things[0]}, {PLACEHOLDERS[1]}: {self.things[1]}"
        texts = [
            fill(s.frame, third if s.third == "X" else x, third if s.third == "Y" else z)
            for s in self.statements
        ]
        return [(text, named) for text in texts] if self.described else list(texts)


class Blocks:
    """Draws blocks of the bank and of the kinds.

    Args:
        bank: entities and modifiers.
        relations: the relations of the bank to teach.
        kinds: kinds with the relations to teach.
        inference: what follows from what.
        variants: relation → denied phrasings and phrasings with a modality.
        recipe: hyperparameters.
    """

    def __init__(
        self,
        bank: RelationBank,
        relations: Sequence[BankRelation],
        kinds: Sequence[Kind],
        inference: Inference,
        variants: dict[str, list[Variant]],
        recipe: Recipe,
    ):
        self.bank, self.relations, self.kinds = bank, list(relations), kinds
        self.inference, self.variants, self.recipe = inference, variants, recipe
        self.stage = recipe.stages[0]
        self.rng = random.Random(recipe.seed)
        self._waiting: list[BankRelation] = []
        self._named = {relation.id: relation for relation in relations}
        self._near = {name: sorted(inference.neighbours(name)) for name in self._named}
        self._of_types: dict[tuple[str, str], list[BankRelation]] = defaultdict(list)
        for relation in relations:
            for head in relation.head:
                for tail in relation.tail:
                    self._of_types[head, tail].append(relation)

    def afresh(self, seed: int, stage: Stage | None = None) -> Blocks:
        """Return the same blocks, drawn with another seed, from the start, and for a stage."""
        found = copy.copy(self)
        found.rng, found._waiting, found.stage = random.Random(seed), [], stage or self.stage
        return found

    def step(self) -> list[Block]:
        """Return the blocks of a step."""
        of_kinds = self.stage.kind_blocks if self.kinds else 0
        blocks = [self.of_bank() for _ in range(self.stage.blocks)]
        return blocks + [self.of_kind() for _ in range(of_kinds)]

    def of_bank(self) -> Block:
        """Return a block of relations that suit the same things, the first from the next place."""
        rng = self.rng
        if not self._waiting:
            self._waiting = rng.sample(self.relations, len(self.relations))
        first = self._waiting.pop()
        head, tail = self._types(first)
        suitable = self._of_types[head, tail]
        chosen = [first]
        near = [self._named[n] for n in self._near[first.id] if n in self._named]
        alike = [self._named[first.lookalike]] if first.lookalike in self._named else []
        for other in [*rng.sample(near, len(near))[:2], *alike]:
            if len(chosen) < 3 and other in suitable and other not in chosen:
                chosen.append(other)
        for other in rng.sample(suitable, min(len(suitable), 2 * self.recipe.relations)):
            if len(chosen) < self.recipe.relations and other not in chosen:
                chosen.append(other)
        statements = [s for relation in chosen for s in self._statements(relation)]
        for _ in range(2):
            of = self.inference.statements(rng.choice(chosen[:3]))
            s = rng.choice([s for s in of if s.says != "!"])
            statements.append(replace(s, third=rng.choice("XY")))
        things = self._things(head, tail)
        return Block(statements, things, rng.random() < self.recipe.described)

    def _statements(self, relation: BankRelation) -> list[BankStatement]:
        """Draw statements of one relation: two phrasings, and by chance others of each kind."""
        rng = self.rng
        saying, plain = defaultdict(list), self.inference.statements(relation)
        for statement in plain:
            saying[statement.says.replace("~", "=")].append(statement)
        drawn = rng.sample(saying["="], min(2, len(saying["="])))
        for says, chance in CHANCES.items():
            if saying[says] and rng.random() < chance:
                drawn.append(rng.choice(saying[says]))
        found = [self._modified(s) for s in drawn]
        changed = [
            replace(plain[v.number], frame=v.frame, negated=not v.modality, modality=v.modality)
            for v in self.variants.get(relation.id, ())
        ]
        modal = [s for s in changed if s.modality]
        modal = modal if rng.random() < 0.5 else self.inference.modal_statements(relation) or modal
        denied = [s for s in changed if s.negated]
        if modal and rng.random() < 0.4:
            found.append(rng.choice(modal))
        if denied and rng.random() < 0.5:
            found.append(rng.choice(denied))
        if rng.random() < 0.4:
            found.append(self._embedded(rng.choice(drawn)))
        return found

    def _embedded(self, statement: BankStatement) -> BankStatement:
        """Put words around a statement that deny it, leave it open, or confirm it."""
        bare = statement.frame.removesuffix(".")
        modality = self.rng.choice(list(EMBEDDED))
        words = self.rng.choice(EMBEDDED[modality])
        if not words.startswith("{"):
            bare = bare if bare.startswith("[") else bare[0].lower() + bare[1:]
        frame = f"{words.format(bare)}."
        return replace(statement, frame=frame, negated=not modality, modality=modality)

    def _modified(self, statement: BankStatement) -> BankStatement:
        """Add modifiers to some statements that can take them."""
        rng = self.rng
        for _ in range(self.stage.modifiers):
            frame = statement.frame
            suitable = [kind for kind in kinds_of(frame) if self.bank.modifiers.get(kind)]
            if not suitable or rng.random() >= self.stage.modified:
                continue
            kind = rng.choice(suitable)
            words, bare = rng.choice(self.bank.modifiers[kind]), frame.removesuffix(".")
            if kind == "frame":
                frame = f"{capitalise(words)} {bare}."
            elif rng.random() < 0.5:
                frame = f"{capitalise(words)}, {bare}."
            else:
                frame = f"{bare}{', ' if kind == 'adverb' else ' '}{words}."
            detail = statement.detail or kind in {"date", "place"}
            statement = replace(statement, frame=frame, detail=detail)
        return statement

    def of_kind(self) -> Block:
        """Return a block of one relation of a kind, its things named.

        The four kinds whose phrasings say the same are drawn three times as often as the others.
        """
        rng = self.rng
        kind = rng.choice([k for k in self.kinds for _ in range(3 if k.name in MEANT_KINDS else 1)])
        relation = rng.choice(kind.bank.relations)
        says = "=" if kind.name in MEANT_KINDS else "?"
        denied = {v.number: v.frame for v in self.variants.get(relation.id, ()) if not v.modality}
        found = []
        numbers = range(len(relation.phrasings))
        for number in rng.sample(numbers, min(4, len(numbers))):
            found.append(BankStatement(relation, relation.phrasings[number], number, says))  # type: ignore[arg-type]
            if number in denied and rng.random() < 0.5:
                found.append(replace(found[-1], frame=denied[number], negated=True))
        return Block(found, (*kind.bank.draw(relation, rng), ""), True)

    def _types(self, relation: BankRelation) -> tuple[str, str]:
        head = self.rng.choice(relation.head)
        tails: Sequence[str] = relation.tail
        if relation.head == relation.tail:
            tails = [t for t in tails if t in BEINGS] if head in BEINGS else [head]
        return head, self.rng.choice(tails)

    def _things(self, head: str, tail: str) -> tuple[str, str, str]:
        """Draw two things and a third one that share no word, if that is possible."""
        found: list[str] = []
        for kind in (head, tail, self.rng.choice((head, tail))):
            for _ in range(50):
                drawn = self.rng.choice(self.bank.entities[kind])
                words = set(drawn.casefold().split()) - {"the", "a", "of"}
                if not any(words & set(other.casefold().split()) for other in found):
                    break
            found.append(drawn)
        return found[0], found[1], found[2]


@dataclass(frozen=True)
class LabelledPairs:
    """The pairs of a step: rows of premises and hypotheses, labels, and kinds as text."""

    premises: Tensor
    hypotheses: Tensor
    exchanged: Tensor
    labels: Tensor
    kinds: Sequence[str]


def pairs_of(blocks: Iterable[Block], inference: Inference, rng: random.Random) -> LabelledPairs:
    """Return all labelled pairs of the statements of each block, numbered through the blocks.

    Of pairs of unrelated relations, which are most, a share is drawn.
    """
    rows = []
    start = 0
    for block in blocks:
        numbered = list(enumerate(block.statements, start))
        start += len(numbered)
        for i, one in numbered:
            for j, two in numbered:
                for exchanged in (False, True):
                    kind = _kind(one, two, exchanged)
                    rare = kind in {"another relation", "third thing elsewhere"}
                    if rare and rng.random() < 0.6:
                        continue
                    if (label := inference.label(one, two, exchanged)) is not None:
                        rows.append((i, j, exchanged, LABELS.index(label), kind))
    *columns, kinds = zip(*rows, strict=True)
    premises, hypotheses, turned, labels = map(torch.tensor, columns)
    return LabelledPairs(premises, hypotheses, turned, labels, kinds)


def _kind(one: BankStatement, two: BankStatement, exchanged: bool) -> str:
    """Return the kind of a pair, which says what is asked but not the label."""
    same = one.relation.id == two.relation.id
    if one.third or two.third:
        return "third thing" if same else "third thing elsewhere"
    if not same:
        return "another relation" if one.relation.group != two.relation.group else "near relation"
    if one.modality or two.modality:
        return "modality"
    if "!" in (one.says, two.says):
        return "ruled out, exchanged" if exchanged else "ruled out"
    if one.number == two.number and one.negated == two.negated and not exchanged:
        return "itself"
    if one == two and not one.negated:
        return "swap"
    if one.says != two.says and not (exchanged or one.negated or two.negated):
        return "narrower or wider"
    form = "another phrasing" if one.number != two.number else "the same phrasing"
    negation = f"{'denied' if one.negated else 'plain'} to {'denied' if two.negated else 'plain'}"
    return f"{form}, {negation}{', exchanged' if exchanged else ''}"


# Pairs as sentences, for the index and the baselines


def _sentence(statement: BankStatement, x: str, y: str, third: str) -> str:
    ends = (third if statement.third == which else end for which, end in (("X", x), ("Y", y)))
    return finish(fill(statement.frame, *ends))


def _spelt_out(block: Block, pairs: LabelledPairs, row: int) -> Pair:
    """Return a row of the pairs of a block as sentences about its things."""
    premise, hypothesis = (
        block.statements[int(places[row])] for places in (pairs.premises, pairs.hypotheses)
    )
    head, tail, third = block.things
    turned = (tail, head) if pairs.exchanged[row] else (head, tail)
    one, two = _sentence(premise, head, tail, third), _sentence(hypothesis, *turned, third)
    label = LABELS[int(pairs.labels[row])]
    return Pair(one, two, label, premise.relation.id, head, tail)


def draw_pairs(blocks: Blocks, n: int, seed: int) -> list[tuple[str, Pair]]:
    """Return (kind, pair) of `n` pairs of the bank, the kinds in equal parts as far as they go."""
    rng, own = random.Random(seed), blocks.afresh(seed)
    by_kind: dict[str, list[Pair]] = defaultdict(list)
    for _ in range(n // 8):
        block = own.of_bank()
        made = pairs_of([block], own.inference, rng)
        rows = {kind: number for number, kind in enumerate(made.kinds)}
        for kind, row in rows.items():
            by_kind[kind].append(_spelt_out(block, made, row))
    share = -(-n // len(by_kind))
    found = [(kind, pair) for kind, some in sorted(by_kind.items()) for pair in some[:share]]
    rng.shuffle(found)
    return found[:n]
