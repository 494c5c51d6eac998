"""The sets of pairs that come with symdemo, and the worked example: runs on one of them."""

from __future__ import annotations

import tomllib
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
from symdemo.files.paths import ASSETS, asset_rows
from symdemo.pairs import Pair
from symdemo.text import shorten

EXAMPLE = "free-sentences"
EXAMPLE_MODELS = ("general", "wikidata14")
EXAMPLE_RUNS = ASSETS / "analysis"
"""Runs of these models on that set; `python -m experiments.recipes.example` makes them again."""

SEED = 2_026  # draws the entities of sets made from the bank; no model is trained with it


@dataclass(frozen=True, slots=True)
class BuiltInSet:
    """A set of pairs that comes with symdemo, as `assets/sets.toml` describes it."""

    id: str  # for `load_built_in`
    name: str  # shown to people
    words: str  # a description in a sentence or two


_Made = tuple[Sequence[Pair], Sequence[str | None], str]  # pairs, constructions and source


@cache
def built_in_sets() -> tuple[BuiltInSet, ...]:
    """Return all built-in sets, in the order in which they are offered."""
    text = (ASSETS / "sets.toml").read_text(encoding="utf-8")
    return tuple(BuiltInSet(**known) for known in tomllib.loads(text)["set"])


@cache
def load_built_in(id: str) -> LoadedPairs:
    """Return the pairs of a built-in set; `InputError` if there is no set with this id."""
    names = {known.id: known.name for known in built_in_sets()}
    if id not in names:
        known = ", ".join(names)
        raise InputError(f"There is no set “{shorten(str(id), 30)}”; expected one of: {known}.")
    pairs, constructions, source = _MAKERS[id]()
    return LoadedPairs(names[id], source, tuple(pairs), tuple(constructions), built_in=id)


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
    kinds = [phrasing_kind(row["pattern"]) for row in asset_rows(file)]
    return load_pairs(ASSETS / file), kinds, f"assets/{file}"


_MAKERS: dict[str, Callable[[], _Made]] = {
    "facts": partial(_facts, "facts"),
    "facts-delexicalized": partial(_facts, "facts-delexicalized"),
    "bank": _bank,
    "kinds": _kinds,
    "free-sentences": partial(_sentences, "free_sentences.csv"),
    "blind-sentences": partial(_sentences, "blind_sentences.csv"),
}
