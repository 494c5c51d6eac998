"""Active sentences made passive, and passive ones active."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symdemo.analysis.counterfactuals.arguments import Change, NothingToMakeError
from symdemo.analysis.counterfactuals.statements import UNSURE, Statement, person_of, read_alike
from symdemo.pairs import Pair
from symdemo.swapping.exchange import Place, without_capital
from symdemo.swapping.lexicon import (
    DAYS_AND_MONTHS,
    LIGHT_VERBS,
    MANNERS,
    REFLEXIVES,
    TIME_WORDS,
    capitalise,
    gerund,
    participle,
    past,
    third_person,
    verb_form,
    word_set,
)
from symdemo.swapping.parsing import Clause, Edit, apply, surface
from symdemo.swapping.phrases import Phrase, children, direct_object, is_time, phrase_of

if TYPE_CHECKING:
    from spacy.tokens import Token

_WITHOUT_PASSIVE = word_set(
    "have be become resemble equal lack cost weigh fit suit mean marry meet wed divorce date "
    "remain seem total outnumber get comprise"
)
"""Verbs without a passive, or whose passive means something else: "was married by"."""
_NO_AGENTS = MANNERS | TIME_WORDS | DAYS_AND_MONTHS
_RECIPROCAL = frozenset({"other", "another"})


def change_voice(pair: Pair) -> list[Change]:
    """Turn active sentences passive, or passive ones active.

    Raises:
        NothingToMakeError: No object can become the subject, no “by”, or an unclear reading.
    """
    one, two = read_alike(pair.premise, pair.hypothesis)
    to_active = bool(one.helpers) and bool(children(one.verb, "auxpass"))
    make = _active if to_active else _passive
    premise, hypothesis = make(one, _text(two.subject)), make(two, _text(one.subject))
    how = "Both sentences made active." if to_active else "Both sentences made passive."
    return [Change(premise, hypothesis, how)]


def _text(phrase: Phrase) -> str:
    return " ".join(token.text for token in phrase.tokens).casefold()


def _extended(clause: Clause, phrase: Phrase, whole: str) -> Phrase:
    """Extend a phrase to `whole`, its text as the subject of the other sentence of the pair.

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


def _finished(clause: Clause, edits: list[Edit]) -> str:
    made = apply(clause.text, edits)
    return capitalise(made) if clause.text[:1].isupper() else made


def _passive(statement: Statement, whole: str) -> str:
    clause, verb = statement.clause, statement.verb
    thing = _object_of(statement)
    phrase = _extended(clause, phrase_of(thing), whole)
    person, new = person_of(phrase), participle(statement.base)
    edits, agent, place = _exchange(clause, statement.subject, phrase)
    edits.append(place.edit(f"by {agent}"))
    helpers = statement.helpers
    if not helpers:
        if not statement.tense:
            raise NothingToMakeError(UNSURE)
        be = _be(statement.tense, person)
        if statement.adverbs:
            at = clause.start(statement.adverbs[0])
            return _finished(clause, [*edits, Edit(at, at, f"{be} "), clause.edit(verb, new)])
        return _finished(clause, [*edits, clause.edit(verb, f"{be} {new}")])
    first, last = helpers[0], statement.form(helpers[-1])
    if statement.form(first) in {"do", "does", "did"}:
        tense = "past" if statement.form(first) == "did" else "present"
        edits += [clause.edit(first, _be(tense, person)), clause.edit(verb, new)]
        return _finished(clause, edits)
    if len(helpers) > 1 and last in {"be", "been"}:
        raise NothingToMakeError("The passive of this tense is hardly ever used.")
    link = "being" if last in {"am", "is", "are", "was", "were"} else ""
    link = link or ("been" if last in {"has", "have", "had"} else "be")
    edits += [*_agreeing(statement, first, person), clause.edit(verb, f"{link} {new}")]
    return _finished(clause, edits)


def _be(tense: str, person: str) -> str:
    return verb_form("was" if tense == "past" else "is", "be", person)


def _agreeing(statement: Statement, first: Token, person: str) -> list[Edit]:
    """Return the edit of the first helping verb for another subject: has, have; was, were."""
    form = statement.form(first)
    if form.startswith("'"):
        raise NothingToMakeError(UNSURE)
    if form in {"has", "have"}:
        new = "has" if person == "singular" else "have"
    elif form in {"am", "is", "are", "was", "were"}:
        new = verb_form(form, "be", person)
    else:
        return []
    return [statement.clause.edit(first, new)]


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
    if words & (REFLEXIVES | _RECIPROCAL) or any(
        t.tag_ in {"PRP$", "WDT"}
        for t in phrase.tokens
        if t.lower_ in {"his", "her", "its", "their"}
    ):
        raise NothingToMakeError("The object points back to the subject.")
    particles = children(verb, "prt")
    behind = particles[0] if particles else verb
    if phrase.first != behind.i + 1:
        raise NothingToMakeError(UNSURE)
    joined = (
        pair.subject.head.i <= statement.subject.last
        and pair.object.head.i <= statement.subject.last
    )
    inside = phrase.first <= pair.object.head.i <= phrase.last
    light = statement.base in LIGHT_VERBS and pair.object.head != thing and not joined
    bare = len(phrase.tokens) == 1 and thing.tag_ == "NN" and thing.is_lower
    if bare and "-" in thing.text:
        raise NothingToMakeError(UNSURE)  # "collided head-on"
    if words & {"than", "as"}:
        raise NothingToMakeError("The object is compared with something.")
    if phrase.possessive or (
        pair.object.head.dep_ in {"compound", "nmod"} and pair.object.head != thing
    ):
        raise NothingToMakeError(UNSURE)  # "borders the Singhs'", "feeds the tokeniser one line"
    light = light or (bare and statement.base in LIGHT_VERBS)  # "took place"
    if light or not (joined or inside):
        raise NothingToMakeError("The object is not one of the two that change places.")
    return thing


def _active(statement: Statement, whole: str) -> str:
    clause, verb = statement.clause, statement.verb
    found = [c for c in children(verb, "agent", "prep") if c.lower_ == "by"]
    agents = children(found[0], "pobj") if len(found) == 1 else []
    if len(agents) != 1 or is_time(agents[0]) or surface(agents[0]).lower() in _NO_AGENTS:
        raise NothingToMakeError("The sentence does not say by whom.")
    by, behind = found[0], (verb, *children(verb, "prt"))[-1]
    phrase = _extended(clause, phrase_of(agents[0]), whole)
    if by.i != behind.i + 1 or phrase.first != by.i + 1:
        raise NothingToMakeError(UNSURE)
    person = person_of(phrase)
    edits, patient, place = _exchange(clause, statement.subject, phrase)
    edits.append(Edit(clause.start(by), place.stop, patient))
    return _finished(clause, [*edits, *_active_verb(statement, person)])


def _active_verb(statement: Statement, person: str) -> list[Edit]:
    """Return the edits that turn "was chased" into chased, "has been chased" into has chased."""
    clause, verb, base = statement.clause, statement.verb, statement.base
    helpers, be = statement.helpers, statement.helpers[-1]
    if base in {"marry", "bear"}:
        raise NothingToMakeError(f"The active of “{base}” means something else.")
    if len(helpers) == 1:
        form = statement.form(be)
        if form not in {"am", "is", "are", "was", "were"}:
            raise NothingToMakeError(UNSURE)
        is_past = form in {"was", "were"}
        if statement.no is not None:
            do = "did" if is_past else "does" if person == "singular" else "do"
            return [clause.edit(be, do), clause.edit(verb, base)]
        present = third_person(base) if person == "singular" else base
        end = clause.start(clause.doc[be.i + 1])
        return [
            Edit(clause.start(be), end, ""),
            clause.edit(verb, past(base) if is_past else present),
        ]
    new = {"be": base, "been": participle(base), "being": gerund(base)}.get(statement.form(be))
    if new is None:
        raise NothingToMakeError(UNSURE)
    end = clause.start(clause.doc[be.i + 1])
    taken = Edit(clause.start(be), end, "")
    return [taken, clause.edit(verb, new), *_agreeing(statement, helpers[0], person)]
