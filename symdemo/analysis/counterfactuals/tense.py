"""Both sentences in another tense: the present and the past change places, "will" is undone."""

from __future__ import annotations

import re

from symdemo.analysis.counterfactuals.kinds import (
    TENSE,
    Counterfactual,
    NothingToMakeError,
    known_label,
)
from symdemo.analysis.counterfactuals.statements import Statement, read_alike
from symdemo.pairs import Pair
from symdemo.swapping.lexicon import DAYS_AND_MONTHS, word_set
from symdemo.swapping.mentions import Edit, apply
from symdemo.swapping.words import past, third_person, verb_form

_FIXED = word_set(
    "yesterday ago last formerly previously recently now currently today nowadays tomorrow "
    "tonight next soon"
)
_OTHER_MODAL = {"can": "could", "could": "can", "may": "might", "might": "may", "ca": "could"}
_BE_OTHER = {"am": "was", "is": "was", "are": "were"}
_HAVE_DO = {"has": "had", "have": "had", "does": "did", "do": "did"}


def change_tense(pair: Pair) -> list[Counterfactual]:
    """Premise and hypothesis in the past for the present, or the other way round.

    Raises:
        NothingToMakeError: a time is named, several verbs, or a verb whose tense is not clear.
    """
    statements = read_alike(pair.premise, pair.hypothesis)
    changes = [_changed(statement) for statement in statements]
    if changes[0][1] != changes[1][1]:
        raise NothingToMakeError("The tenses of the two sentences are not clear.")
    expected = known_label(pair)
    made = Pair(changes[0][0], changes[1][0], expected, pair.relation, pair.head, pair.tail)
    return [Counterfactual(TENSE, made, expected, changes[0][1])]


def _changed(statement: Statement) -> tuple[str, str]:
    """The sentence in another tense, and what was done."""
    clause, finite = statement.clause, statement.finite
    if _names_time(statement):
        raise NothingToMakeError("The sentence says when it is so.")
    if statement.has_other_verbs():
        raise NothingToMakeError("The sentence has more than one verb.")
    form = statement.form(finite)
    if statement.tense == "modal":
        return _with_other_modal(statement, form)
    if not statement.tense or form.startswith("'") or _is_used_to(statement):
        raise NothingToMakeError("The tense of the verb is not clear.")
    if statement.tense == "present":
        new = _BE_OTHER.get(form) or _HAVE_DO.get(form) or past(statement.base)
        how = "Both sentences put into the past."
    else:
        person = statement.person
        lemma = "be" if form in {"was", "were"} else {"had": "have", "did": "do"}.get(form, "")
        if lemma == "be":
            new = verb_form("is", "be", person)
        else:
            base = lemma or statement.base
            new = third_person(base) if person == "singular" else base
        how = "Both sentences put into the present."
    if new == form:
        raise NothingToMakeError(f"“{form}” is the same in the present and the past.")
    return apply(clause.text, [clause.edit(finite, new)]), how


def _with_other_modal(statement: Statement, form: str) -> tuple[str, str]:
    clause, finite = statement.clause, statement.finite
    if form in _OTHER_MODAL:
        if form == "could" and statement.no is not None and finite.whitespace_:
            # "could not": "cannot" is one word.
            stop = clause.start(statement.no) if statement.no.i == finite.i + 1 else None
            if stop is not None:
                return apply(clause.text, [Edit(clause.start(finite), stop, "can")]), _MODAL
        other = _OTHER_MODAL[form]
        return apply(clause.text, [clause.edit(finite, other)]), _MODAL
    following = statement.clause.doc[finite.i + 1]
    if form == "will" and statement.helpers == (finite,) and following == statement.verb:
        new = _present(statement.base, statement.person)
        edits = [Edit(clause.start(finite), clause.stop(statement.verb), new)]
        return apply(clause.text, edits), "Both sentences put from the future into the present."
    if form == "will" and following in statement.helpers:
        base = {"be": "be", "have": "have"}.get(statement.form(following), "")
        if base:
            new = _present(base, statement.person)
            edits = [Edit(clause.start(finite), clause.stop(following), new)]
            return apply(clause.text, edits), "Both sentences put from the future into the present."
    raise NothingToMakeError(f"“{form}” has no other tense that would mean the same.")


_MODAL = "The helping verb of both sentences put into another tense."


def _present(base: str, person: str) -> str:
    if base == "be":
        return verb_form("is", "be", person)
    return third_person(base) if person == "singular" else base


def _is_used_to(statement: Statement) -> bool:
    return statement.base == "use" and any(c.dep_ == "xcomp" for c in statement.verb.children)


def _names_time(statement: Statement) -> bool:
    """Whether a date or a word such as "yesterday" fixes the time."""
    text = statement.clause.text
    words = set(re.findall(r"\w+", text.lower()))
    if words & _FIXED or re.search(r"\bonce\b(?! (?:every|an?|again|more)\b)", text):
        return True
    year = re.search(r"\b(?:in|until|by|from|during|of|before|after)(?: the)? \d{4}\b", text)
    day = re.search(r"\b(?:on|in|last|next) (?:early |late )?([A-Z]\w+)", text)
    return bool(year) or (day is not None and day[1].lower() in DAYS_AND_MONTHS)
