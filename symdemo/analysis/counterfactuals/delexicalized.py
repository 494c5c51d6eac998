"""Entities replaced by opaque ids, as in the paper: “Q3870 borders Q114.”"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from symdemo.analysis.counterfactuals.kinds import DELEXICALIZED, Counterfactual, known_label
from symdemo.analysis.counterfactuals.parties import (
    Parties,
    exchange_places,
    find_parties,
    locate,
)
from symdemo.analysis.counterfactuals.statements import person_of, ways_to_read
from symdemo.data.relations import Entity, load_facts
from symdemo.pairs import Pair
from symdemo.swapping.exchange import agree
from symdemo.swapping.mentions import Clause, Edit, Place, apply


def delexicalize(pair: Pair) -> list[Counterfactual]:
    """Both entities as ids: those of our facts where they are known, else made-up ones (QX…)."""
    parties = find_parties(pair)
    sentences = [_for_one(text, parties) for text in (pair.premise, pair.hypothesis)]
    mended = locate(Pair(sentences[0], sentences[1]), parties.x, parties.y) or parties
    if parties.hypothesis == exchange_places(parties.premise):
        # What the parser does not read the other way round: "Deer hunt wolves."
        mended = replace(mended, hypothesis=exchange_places(mended.premise))
    x, y = entity_id(parties.x), entity_id(parties.y)
    premise, hypothesis = mended.fill(x, y)
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
    for reading in ways_to_read(sentence)[:1]:
        clause = Clause(sentence, reading.doc)
        edits: list[Edit] = []
        for phrase in reading.arguments:
            place = Place(clause, phrase)
            if place.text.casefold() in names and person_of(phrase) == "plural":
                edits += agree(clause, phrase, "singular", changed=False)
        return apply(sentence, list(dict.fromkeys(edits)))
    return sentence
