"""Both sentences negated, affirmed, or put into another tense."""

from __future__ import annotations

import re

from symdemo.analysis.counterfactuals.statements import (
    Change,
    NothingToMakeError,
    Statement,
    read_alike,
)
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair
from symdemo.swapping.lexicon import DAYS_AND_MONTHS, past, third_person, verb_form, word_set
from symdemo.swapping.parsing import Edit

_SAYS_NO = word_set(
    "no nobody nothing none nowhere neither nor hardly scarcely barely seldom rarely few"
)
_ALL = word_set("all every everyone everybody each both")
_SOME = word_set("some someone somebody something any most many several more fewer less")
_BEFORE_NOT = word_set("still probably apparently also certainly possibly perhaps simply now then")
_NEVER_NEGATED = word_set("sometimes too already somewhat")
_FULL = {"ca": "can", "wo": "will", "sha": "shall"}
_FIXED = word_set(
    "yesterday ago last formerly previously recently now currently today nowadays tomorrow "
    "tonight next soon"
)
_OTHER_MODAL = {"can": "could", "could": "can", "may": "might", "might": "may", "ca": "could"}
_PAST_OF = {
    "am": "was", "is": "was", "are": "were", "has": "had", "have": "had", "does": "did",
    "do": "did",
}  # fmt: skip
_MODAL = "The helping verb of both sentences put into another tense."
_FUTURE = "Both sentences put from the future into the present."


def negate(pair: Pair) -> list[Change]:
    """Negate both sentences, or remove their “not”."""
    one, two = read_alike(pair.premise, pair.hypothesis)
    undone = one.no is not None
    premise, hypothesis = map(_affirm if undone else _deny, (one, two))
    # “Ann is not Bob's mother” leaves open whether Bob is Ann's: antisymmetric becomes neutral. A
    # negated neutral may have been either, and nothing follows from a negated contradiction.
    follows = {ENTAILMENT: ENTAILMENT}
    if not undone:
        follows |= {CONTRADICTION: NEUTRAL, NEUTRAL: NEUTRAL}
    # "Not" changes the number meant by "some" or "all", too.
    counts = {token.lower_ for token in one.subject.tokens} & (_SOME | _ALL)
    how = "“Not” taken out of both sentences." if undone else "Both sentences negated."
    label = None if counts else follows.get(pair.label or "")
    return [Change(premise, hypothesis, how, label=label)]


def _deny(statement: Statement) -> str:
    clause, finite = statement.clause, statement.finite
    words = {token.lower_ for token in clause.doc}
    if words & (_SAYS_NO | {"not"}):  # "Oslo, not Bergen, is the capital"
        raise NothingToMakeError("The sentence says no in other words than “not”.")
    if found := sorted(words & _NEVER_NEGATED):
        raise NothingToMakeError(f"Beside “not” there can be no “{found[0]}”.")
    opening = statement.subject.tokens[0]
    if opening.lower_ in _ALL:
        start = clause.start(opening)
        return statement.edited(Edit(start, start + 1, f"not {clause.text[start].lower()}"))
    if not statement.helpers and statement.base != "be":
        return statement.edited(*_with_do(statement))
    at = clause.stop(finite)
    if statement.form(finite) == "can":
        return statement.edited(Edit(at, at, "not"))
    following = clause.doc[finite.i + 1 : finite.i + 2]
    if following.text.lower() in _BEFORE_NOT:
        at = clause.stop(following[0])
    return statement.edited(Edit(at, at, " not"))


def _with_do(statement: Statement) -> list[Edit]:
    """Return edits that put "does not" before the verb or its adverb: does not often meet."""
    clause, verb = statement.clause, statement.verb
    if not statement.tense:
        raise NothingToMakeError(f"“{statement.form(verb)}” may be the present or the past.")
    present = "does" if statement.person == "singular" else "do"
    do = "did" if statement.tense == "past" else present
    adverbs = [a for a in statement.adverbs if a.lower_ not in _BEFORE_NOT]
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
        new = {"do": base, "does": third_person(base), "did": past(base)}[form]
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
        new = _PAST_OF.get(form) or past(statement.base)
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
        return verb_form("is", "be", person)
    return third_person(base) if person == "singular" else base


def _names_time(statement: Statement) -> bool:
    text = statement.clause.text
    words = set(re.findall(r"\w+", text.lower()))
    if words & _FIXED or re.search(r"\bonce\b(?! (?:every|an?|again|more)\b)", text):
        return True
    year = re.search(r"\b(?:in|until|by|from|during|of|before|after)(?: the)? \d{4}\b", text)
    day = re.search(r"\b(?:on|in|last|next) (?:early |late )?([A-Z]\w+)", text)
    return bool(year) or (day is not None and day[1].lower() in DAYS_AND_MONTHS)
