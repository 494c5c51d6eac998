"""The sets of pairs that come with symdemo."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

from symdemo.analysis.loaded import LoadedPairs
from symdemo.data.bank import load_kinds, shipped_bank
from symdemo.data.bank_phrasings import phrasing_kind
from symdemo.data.pair_files import load_pairs
from symdemo.data.relations import RELATION_BY_ID
from symdemo.data.sources import load_data
from symdemo.errors import InputError
from symdemo.files.paths import ASSETS
from symdemo.pairs import Pair
from symdemo.text import shorten

SEED = 2_026  # draws the entities of sets made from the bank; no model is trained with it


@dataclass(frozen=True, slots=True)
class BuiltInSet:
    """A set of pairs that comes with symdemo."""

    id: str  # for `load_built_in`
    name: str  # shown to people
    words: str  # a description in a sentence or two
    n: int | None = None  # number of pairs, if known without making them


_Made = tuple[Sequence[Pair], Sequence[str | None], str]  # pairs, constructions and source


def built_in_sets() -> tuple[BuiltInSet, ...]:
    """Return all built-in sets, in the order in which they are offered."""
    return tuple(_SETS)


@cache
def load_built_in(id: str) -> LoadedPairs:
    """Return the pairs of a built-in set; `InputError` if there is no set with this id."""
    for known, make in _SETS.items():
        if known.id == id:
            pairs, constructions, source = make()
            return LoadedPairs(known.name, source, tuple(pairs), tuple(constructions), built_in=id)
    ids = ", ".join(known.id for known in _SETS)
    raise InputError(f"There is no set “{shorten(str(id), 30)}”; expected one of: {ids}.")


def _facts(id: str) -> _Made:
    found = load_data(id)
    kinds = [phrasing_kind(RELATION_BY_ID[pair.relation or ""].template) for pair in found.pairs]
    return found.pairs, kinds, found.source


def _bank() -> _Made:
    bank = shipped_bank()
    phrasings = [phrasing for own in bank.relations for phrasing in own.phrasings]
    return bank.pairs(seed=SEED), list(map(phrasing_kind, phrasings)), "assets/bank"


def _kinds() -> _Made:
    pairs: list[Pair] = []
    constructions: list[str] = []
    for kind in load_kinds():
        own = kind.bank.pairs(seed=SEED)
        pairs += own
        constructions += [kind.name.replace("_", " ")] * len(own)
    return pairs, constructions, "assets/bank/kinds"


def _sentences(file: str) -> _Made:
    path = ASSETS / file
    with path.open(encoding="utf-8", newline="") as text:
        kinds = [phrasing_kind(row["pattern"]) for row in csv.DictReader(text)]
    return load_pairs(path), kinds, f"assets/{file}"


_SETS: dict[BuiltInSet, Callable[[], _Made]] = {
    BuiltInSet(
        "facts",
        "14 relations, with names",
        "Facts of the paper’s 14 relations, read in both directions, each relation in one wording.",
    ): partial(_facts, "facts"),
    BuiltInSet(
        "facts-delexicalized",
        "14 relations, with ids",
        "The same facts with an id in the place of every name.",
    ): partial(_facts, "facts-delexicalized"),
    BuiltInSet(
        "bank",
        "Relation bank",
        "Every wording of every relation in the bank, once each. The shipped model “general” was "
        "taught these relations, about other people and things.",
    ): _bank,
    BuiltInSet(
        "kinds",
        "Special constructions",
        "Arithmetic, sport, roles of one sex and other constructions that are rare in the bank. "
        "“general” was taught four fifths of these relations.",
    ): _kinds,
    BuiltInSet(
        "free-sentences",
        "Free sentences",
        "Sentences written by hand about many relations, which are not taught as such.",
        234,
    ): partial(_sentences, "free_sentences.csv"),
    BuiltInSet(
        "blind-sentences",
        "Blind sentences",
        "Sentences written by hand without a look at the bank or at a model.",
        172,
    ): partial(_sentences, "blind_sentences.csv"),
}
