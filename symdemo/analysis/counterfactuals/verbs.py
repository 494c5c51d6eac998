"""Both sentences negated, affirmed, put into another tense, or made active or passive."""

from __future__ import annotations

import re
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
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair
from symdemo.swapping import lexicon
from symdemo.swapping.exchange import without_capital
from symdemo.swapping.parsing import Clause, Edit, surface
from symdemo.swapping.phrases import Phrase, Place, children, direct_object, phrase_of

if TYPE_CHECKING:
    from spacy.tokens import Token

_FULL = {"ca": "can", "wo": "will", "sha": "shall"}
_OTHER_MODAL = {"can": "could", "could": "can", "may": "might", "might": "may", "ca": "could"}
_PAST_OF = {
    "am": "was", "is": "was", "are": "were", "has": "had", "have": "had", "does": "did",
    "do": "did",
}  # fmt: skip
_MODAL = "The helping verb of both sentences put into another tense."
_FUTURE = "Both sentences put from the future into the present."
_NO_AGENTS = lexicon.MANNERS | lexicon.TIME_WORDS | lexicon.DAYS_AND_MONTHS
_BACK = frozenset({"his", "her", "its", "their"})
_BACK_ALONE = lexicon.REFLEXIVES | {"other", "another"}


def negate(pair: Pair) -> list[Change]:
    """Negate both sentences, or remove their “not”."""
    one, two = read_alike(pair.premise, pair.hypothesis)
    undone = one.no is not None
    premise, hypothesis = map(_affirm if undone else _deny, (one, two))
    # A contradiction turns neutral: “Ann is not Bob's mother” leaves open if Bob is Ann's. Where a
    # “not” is removed, nothing follows from neutral or contradiction.
    follows = {ENTAILMENT: ENTAILMENT}
    if not undone:
        follows |= {CONTRADICTION: NEUTRAL, NEUTRAL: NEUTRAL}
    # "Not" changes the number meant by "some" or "all", too.
    words = {token.lower_ for token in one.subject.tokens}
    counts = words & (lexicon.WORDS_FOR_SOME | lexicon.WORDS_FOR_ALL)
    how = "“Not” taken out of both sentences." if undone else "Both sentences negated."
    label = None if counts else follows.get(pair.label or "")
    return [Change(premise, hypothesis, how, label=label)]


def _deny(statement: Statement) -> str:
    clause, finite = statement.clause, statement.finite
    words = {token.lower_ for token in clause.doc}
    if words & (lexicon.NEGATIVE_WORDS | {"not"}):  # "Oslo, not Bergen, is the capital"
        raise NothingToMakeError("The sentence says no in other words than “not”.")
    if found := sorted(words & lexicon.NEVER_NEGATED):
        raise NothingToMakeError(f"Beside “not” there can be no “{found[0]}”.")
    opening = statement.subject.tokens[0]
    if opening.lower_ in lexicon.WORDS_FOR_ALL:
        start = clause.start(opening)
        return statement.edited(Edit(start, start + 1, f"not {clause.text[start].lower()}"))
    if not statement.helpers and statement.base != "be":
        return statement.edited(*_with_do(statement))
    at = clause.stop(finite)
    if statement.form(finite) == "can":
        return statement.edited(Edit(at, at, "not"))
    following = clause.doc[finite.i + 1 : finite.i + 2]
    if following.text.lower() in lexicon.ADVERBS_BEFORE_NOT:
        at = clause.stop(following[0])
    return statement.edited(Edit(at, at, " not"))


def _with_do(statement: Statement) -> list[Edit]:
    """Return edits that put "does not" before the verb or its adverb: does not often meet."""
    clause, verb = statement.clause, statement.verb
    if not statement.tense:
        raise NothingToMakeError(f"“{statement.form(verb)}” may be the present or the past.")
    present = "does" if statement.person == "singular" else "do"
    do = "did" if statement.tense == "past" else present
    adverbs = [a for a in statement.adverbs if a.lower_ not in lexicon.ADVERBS_BEFORE_NOT]
    if not adverbs:
        return [clause.edit(verb, f"{do} not {statement.base}")]
    at = clause.start(adverbs[0])
    return [Edit(at, at, f"{do} not "), clause.edit(verb, statement.base)]


def _affirm(statement: Statement) -> str:
    clause, no, finite = statement.clause, statement.no, statement.finite
    assert no is not None
    edits, form = [statement.without(no)], statement.form(finite)
    if form in {"do", "does", "did"} and finite in statement.helpers:  # does not meet, meets
        base = statement.base
        new = {"do": base, "does": lexicon.third_person(base), "did": lexicon.past(base)}[form]
        edits += [statement.without(finite), clause.edit(statement.verb, new)]
    elif form in _FULL:
        edits.append(clause.edit(finite, _FULL[form]))
    return statement.edited(*edits)


def change_tense(pair: Pair) -> list[Change]:
    """Put both sentences from present to past, past to present, or future to present."""
    statements = read_alike(pair.premise, pair.hypothesis)
    texts, hows = zip(*map(_in_other_tense, statements), strict=True)
    if hows[0] != hows[1]:
        raise NothingToMakeError("The tenses of the two sentences are not clear.")
    return [Change(texts[0], texts[1], hows[0])]


def _in_other_tense(statement: Statement) -> tuple[str, str]:
    clause, finite = statement.clause, statement.finite
    if _names_time(statement):
        raise NothingToMakeError("The sentence names a time.")
    if statement.has_other_verbs():
        raise NothingToMakeError("The sentence has more than one verb.")
    form = statement.form(finite)
    if statement.tense == "modal":
        return _with_other_modal(statement, form)
    used_to = statement.base == "use" and any(c.dep_ == "xcomp" for c in statement.verb.children)
    if not statement.tense or form.startswith("'") or used_to:
        raise NothingToMakeError("The tense of the verb is not clear.")
    if statement.tense == "present":
        new = _PAST_OF.get(form) or lexicon.past(statement.base)
        how = "Both sentences put into the past."
    else:
        lemma = {"was": "be", "were": "be", "had": "have", "did": "do"}.get(form, statement.base)
        new = _present(lemma, statement.person)
        how = "Both sentences put into the present."
    return statement.edited(clause.edit(finite, new)), how


def _with_other_modal(statement: Statement, form: str) -> tuple[str, str]:
    clause, finite, verb = statement.clause, statement.finite, statement.verb
    if form in _OTHER_MODAL:
        return statement.edited(clause.edit(finite, _OTHER_MODAL[form])), _MODAL
    if form == "will" and verb.i == finite.i + 1:
        new = _present(statement.base, statement.person)
        return statement.edited(Edit(clause.start(finite), clause.stop(verb), new)), _FUTURE
    raise NothingToMakeError(f"“{form}” has no other tense that would mean the same.")


def _present(base: str, person: str) -> str:
    if base == "be":
        return lexicon.verb_form("is", "be", person)
    return lexicon.third_person(base) if person == "singular" else base


def _names_time(statement: Statement) -> bool:
    text = statement.clause.text
    words = set(re.findall(r"\w+", text.lower()))
    once = re.search(r"\bonce\b(?! (?:every|an?|again|more)\b)", text)
    if once or words & lexicon.TIMES_OF_TENSES:
        return True
    year = re.search(r"\b(?:in|until|by|from|during|of|before|after)(?: the)? \d{4}\b", text)
    day = re.search(r"\b(?:on|in|last|next) (?:early |late )?([A-Z]\w+)", text)
    return bool(year) or (day is not None and day[1].lower() in lexicon.DAYS_AND_MONTHS)


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
    if statement.base in lexicon.VERBS_WITHOUT_PASSIVE:
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
