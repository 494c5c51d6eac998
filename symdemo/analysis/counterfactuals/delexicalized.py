"""Entities replaced by opaque ids, as in the paper: “Q3870 borders Q114.”"""

from __future__ import annotations

from functools import cache
from itertools import islice

from symdemo.analysis.counterfactuals.kinds import DELEXICALIZED, Counterfactual, known_label
from symdemo.analysis.counterfactuals.parties import Parties, find_parties
from symdemo.data.relations import Entity, load_facts
from symdemo.pairs import Pair
from symdemo.swapping.mending.agreement import agree
from symdemo.swapping.mending.places import Clause, Place, apply
from symdemo.swapping.reading.parser import readings
from symdemo.swapping.reading.phrases import number_of


def delexicalize(pair: Pair) -> list[Counterfactual]:
    """Both entities as ids: those of our facts where they are known, else made-up ones (QX…)."""
    parties = find_parties(pair)
    plain = Pair(
        _for_one(pair.premise, parties), _for_one(pair.hypothesis, parties),
        head=parties.x, tail=parties.y,
    )  # fmt: skip
    if plain.premise != pair.premise or plain.hypothesis != pair.hypothesis:
        parties = find_parties(plain)
    x, y = entity_id(parties.x), entity_id(parties.y)
    premise, hypothesis = parties.fill(x, y)
    expected = known_label(pair)
    made = Pair(premise, hypothesis, expected, pair.relation, x, y)
    return [Counterfactual(DELEXICALIZED, made, expected, "Both names replaced by ids.")]


def entity_id(name: str) -> str:
    """The id that stands for an entity."""
    return Entity(name, _ids().get(name.casefold(), "")).name_without_words


@cache
def _ids() -> dict[str, str]:
    known: dict[str, str] = {}
    for fact in load_facts():
        for entity in (fact.head, fact.tail):
            if entity.id:
                known.setdefault(entity.label.casefold(), entity.id)
    return known


def _for_one(sentence: str, parties: Parties) -> str:
    """The sentence with verbs in the singular where a party in the plural is their subject.

    An id is one thing: “Q12 hunts Q34”, whatever hunted before.
    """
    names = {parties.x.casefold(), parties.y.casefold()}
    for reading in islice(readings(sentence), 1):
        clause = Clause(sentence, reading.doc)
        edits = []
        for phrase in reading.pair:
            place = Place(clause, phrase)
            if place.text.casefold() in names and number_of(phrase) == "plural":
                edits += agree(clause, phrase, "singular", changed=False)
        return apply(sentence, list(dict.fromkeys(edits)))
    return sentence
