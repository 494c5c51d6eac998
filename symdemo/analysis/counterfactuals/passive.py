"""Active sentences made passive, and passive ones active."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symdemo.analysis.counterfactuals.statements import (
    LEMMAS,
    UNSURE,
    Change,
    NothingToMakeError,
    Statement,
    person_of,
    read_alike,
)
from symdemo.pairs import Pair
from symdemo.swapping import lexicon
from symdemo.swapping.exchange import without_capital
from symdemo.swapping.parsing import Clause, Edit, surface
from symdemo.swapping.phrases import Phrase, Place, children, direct_object, phrase_of

if TYPE_CHECKING:
    from spacy.tokens import Token

_WITHOUT_PASSIVE = lexicon.word_set(
    "have be become resemble equal lack cost weigh fit suit mean marry meet wed divorce date "
    "remain seem total outnumber get comprise"
)
"""Verbs without a passive, or whose passive means something else: "was married by"."""
_NO_AGENTS = lexicon.MANNERS | lexicon.TIME_WORDS | lexicon.DAYS_AND_MONTHS
_BACK = frozenset({"his", "her", "its", "their"})
_BACK_ALONE = lexicon.REFLEXIVES | {"other", "another"}


def change_voice(pair: Pair) -> list[Change]:
    """Turn active sentences passive, or passive ones active."""
    one, two = read_alike(pair.premise, pair.hypothesis)
    to_active = bool(one.helpers) and bool(children(one.verb, "auxpass"))
    make = _active if to_active else _passive
    premise, hypothesis = make(one, _text(two.subject)), make(two, _text(one.subject))
    how = "Both sentences made active." if to_active else "Both sentences made passive."
    return [Change(premise, hypothesis, how)]


def _text(phrase: Phrase) -> str:
    return " ".join(token.text for token in phrase.tokens).casefold()


def _extended(clause: Clause, phrase: Phrase, whole: str) -> Phrase:
    """Extend a phrase to `whole`, the text that it has as the subject of the other sentence.

    After a verb it is unclear whether “in the blue dress” belongs to it; before the verb it is not.
    """
    longest = len(clause.doc) - phrase.first
    for length in range(phrase.last - phrase.first + 2, longest + 1):
        longer = phrase._replace(last=phrase.first + length - 1)
        if _text(longer) == whole:
            return longer
    return phrase


def _exchange(clause: Clause, subject: Phrase, other: Phrase) -> tuple[list[Edit], str, Place]:
    """Return the edit that puts `other` first, the subject's text for its place, and that place."""
    one, two = Place(clause, subject), Place(clause, other)
    one.middle_text = without_capital(one, two)
    return [one.edit(two.text_for(one))], one.text_for(two), two


def _passive(statement: Statement, whole: str) -> str:
    clause, verb = statement.clause, statement.verb
    phrase = _extended(clause, phrase_of(_object_of(statement)), whole)
    person, new = person_of(phrase), lexicon.participle(statement.base)
    edits, agent, place = _exchange(clause, statement.subject, phrase)
    edits.append(place.edit(f"by {agent}"))
    if not statement.tense:
        raise NothingToMakeError(UNSURE)
    be = lexicon.verb_form("was" if statement.tense == "past" else "is", "be", person)
    if not statement.helpers:
        before = (*statement.adverbs, verb)[0]
        at = clause.start(before)
        return statement.edited(*edits, Edit(at, at, f"{be} "), clause.edit(verb, new))
    first, last = statement.helpers[0], statement.form(statement.helpers[-1])
    if statement.form(first) in {"do", "does", "did"}:
        return statement.edited(*edits, clause.edit(first, be), clause.edit(verb, new))
    if len(statement.helpers) > 1 and last in {"be", "been"}:
        raise NothingToMakeError("The passive of this tense is hardly ever used.")
    link = {"be": "being", "have": "been"}.get(LEMMAS.get(last, ""), "be")
    edits += [*_agreeing(statement, first, person), clause.edit(verb, f"{link} {new}")]
    return statement.edited(*edits)


def _agreeing(statement: Statement, first: Token, person: str) -> list[Edit]:
    """Return the edit of the first helping verb for another subject: has, have; was, were."""
    form = statement.form(first)
    if form.startswith("'"):
        raise NothingToMakeError(UNSURE)
    if form not in LEMMAS or form == "had":
        return []
    return [statement.clause.edit(first, lexicon.verb_form(form, LEMMAS[form], person))]


def _object_of(statement: Statement) -> Token:
    """Return the direct object if it can become the subject of a passive."""
    verb, pair = statement.verb, statement.pair
    thing = direct_object(verb)
    if statement.base == "be" or thing is None or thing.i < verb.i:
        raise NothingToMakeError("The verb has no object that could become the subject.")
    if statement.base in _WITHOUT_PASSIVE:
        raise NothingToMakeError(f"“{statement.base}” has no passive that means the same.")
    if children(verb, "dative", "oprd", "ccomp", "xcomp", "advcl"):
        raise NothingToMakeError(UNSURE)
    if any(token.lower_ == "by" for token in verb.subtree):
        raise NothingToMakeError("There is a “by” in the sentence already.")
    phrase = phrase_of(thing)
    words = {token.lower_ for token in phrase.tokens}
    owned = any(t.tag_ == "PRP$" and t.lower_ in _BACK for t in phrase.tokens)
    if owned or words & _BACK_ALONE:
        raise NothingToMakeError("The object points back to the subject.")
    if words & {"than", "as"}:
        raise NothingToMakeError("The object is compared with something.")
    end, behind = pair.object.head, (verb, *children(verb, "prt"))[-1]
    bare = len(phrase.tokens) == 1 and thing.tag_ == "NN" and thing.is_lower
    if (
        phrase.first != behind.i + 1
        or (bare and "-" in thing.text)  # "collided head-on"
        or (end.dep_ in {"compound", "nmod"} and end != thing)  # "feeds the tokeniser one line"
    ):
        raise NothingToMakeError(UNSURE)
    joined = max(pair.subject.head.i, end.i) <= statement.subject.last
    inside = phrase.first <= end.i <= phrase.last
    is_light = statement.base in lexicon.LIGHT_VERBS  # took place
    if (is_light and (bare or (end != thing and not joined))) or not (joined or inside):
        raise NothingToMakeError("The object is not one of the two that change places.")
    return thing


def _active(statement: Statement, whole: str) -> str:
    clause, verb = statement.clause, statement.verb
    found = [c for c in children(verb, "agent", "prep") if c.lower_ == "by"]
    agents = children(found[0], "pobj") if len(found) == 1 else []
    if len(agents) != 1 or surface(agents[0]).lower() in _NO_AGENTS:
        raise NothingToMakeError("The sentence does not say by whom.")
    by, behind = found[0], (verb, *children(verb, "prt"))[-1]
    phrase = _extended(clause, phrase_of(agents[0]), whole)
    if by.i != behind.i + 1:
        raise NothingToMakeError(UNSURE)
    edits, patient, place = _exchange(clause, statement.subject, phrase)
    by_phrase = Edit(clause.start(by), place.stop, patient)
    return statement.edited(*edits, by_phrase, *_active_verb(statement, person_of(phrase)))


def _active_verb(statement: Statement, person: str) -> list[Edit]:
    """Return the edits that turn "was chased" into chased, "has been chased" into has chased."""
    clause, verb, base = statement.clause, statement.verb, statement.base
    be = statement.helpers[-1]
    form = statement.form(be)
    if len(statement.helpers) > 1:
        made = {"be": base, "been": lexicon.participle(base), "being": lexicon.gerund(base)}
        new = made.get(form)
        edits = _agreeing(statement, statement.helpers[0], person)
    elif statement.no is not None:
        do = "does" if person == "singular" else "do"
        edits = [clause.edit(be, "did" if form in {"was", "were"} else do)]
        return [*edits, clause.edit(verb, base)]
    else:
        present = lexicon.third_person(base) if person == "singular" else base
        forms = dict.fromkeys(("am", "is", "are"), present)
        new = (forms | dict.fromkeys(("was", "were"), lexicon.past(base))).get(form)
        edits = []
    if new is None:
        raise NothingToMakeError(UNSURE)
    taken = Edit(clause.start(be), clause.start(clause.doc[be.i + 1]), "")
    return [*edits, taken, clause.edit(verb, new)]
