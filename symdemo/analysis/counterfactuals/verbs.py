"""Both sentences negated, affirmed, or put into another tense."""

from __future__ import annotations

import re

from symdemo.analysis.counterfactuals.arguments import Change, NothingToMakeError
from symdemo.analysis.counterfactuals.statements import UNSURE, Statement, read_alike
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair
from symdemo.swapping.lexicon import DAYS_AND_MONTHS, past, third_person, verb_form, word_set
from symdemo.swapping.parsing import Edit, apply

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
_BE_OTHER = {"am": "was", "is": "was", "are": "were"}
_HAVE_DO = {"has": "had", "have": "had", "does": "did", "do": "did"}
_MODAL = "The helping verb of both sentences put into another tense."
_FUTURE = "Both sentences put from the future into the present."


def negate(pair: Pair) -> list[Change]:
    """Negate both sentences, or remove their "not".

    Raises:
        NothingToMakeError: A sentence says no in another way, or is not understood.
    """
    one, two = read_alike(pair.premise, pair.hypothesis)
    undone = one.no is not None
    premise, hypothesis = map(_affirm if undone else _deny, (one, two))
    # "Not" changes the number meant by "some" or "all", too.
    counts = {token.lower_ for token in one.subject.tokens} & (_SOME | _ALL)
    # “Ann is not Bob's mother” leaves open whether Bob is Ann's: antisymmetric becomes neutral. A
    # negated neutral may have been either, and nothing follows from a negated contradiction.
    label = None
    if not counts and pair.label == ENTAILMENT:
        label = ENTAILMENT
    elif not counts and not undone and pair.label in {CONTRADICTION, NEUTRAL}:
        label = NEUTRAL
    how = "“Not” taken out of both sentences." if undone else "Both sentences negated."
    return [Change(premise, hypothesis, how, label=label)]


def _deny(statement: Statement) -> str:
    clause = statement.clause
    words = {token.lower_ for token in clause.doc}
    if words & (_SAYS_NO | {"not"}):  # "Oslo, not Bergen, is the capital"
        raise NothingToMakeError("The sentence says no in other words than “not”.")
    if found := sorted(words & _NEVER_NEGATED):
        raise NothingToMakeError(f"Beside “not” there can be no “{found[0]}”.")
    opening = statement.subject.tokens[0]
    if opening.lower_ in _ALL:
        if not clause.opens(opening) or opening.lower_ in {"each", "both"}:
            raise NothingToMakeError(UNSURE)
        start = clause.start(opening)
        return apply(clause.text, [Edit(start, start + 1, f"Not {clause.text[start].lower()}")])
    if statement.helpers or statement.base == "be":
        return apply(clause.text, [_not_behind(statement)])
    return apply(clause.text, _with_do(statement))


def _not_behind(statement: Statement) -> Edit:
    """Return the edit that puts "not" after the finite verb: is not, cannot, still not."""
    clause, finite = statement.clause, statement.finite
    if statement.form(finite) == "can":
        return Edit(clause.stop(finite), clause.stop(finite), "not")
    following = finite.doc[finite.i + 1] if finite.i + 1 < len(finite.doc) else finite
    behind = following if following.lower_ in _BEFORE_NOT else finite
    return Edit(clause.stop(behind), clause.stop(behind), " not")


def _with_do(statement: Statement) -> list[Edit]:
    """Return edits that put "does not" before the verb or its adverb: does not often meet."""
    clause, verb = statement.clause, statement.verb
    if not statement.tense:
        raise NothingToMakeError(f"“{statement.form(verb)}” may be the present or the past.")
    present = "does" if statement.person == "singular" else "do"
    do = "did" if statement.tense == "past" else present
    adverbs = [a for a in statement.adverbs if a.lower_ not in _BEFORE_NOT]
    if not adverbs or adverbs != statement.adverbs[-len(adverbs) :]:
        return [clause.edit(verb, f"{do} not {statement.base}")]
    at = clause.start(adverbs[0])
    return [Edit(at, at, f"{do} not "), clause.edit(verb, statement.base)]


def _affirm(statement: Statement) -> str:
    clause, no, finite = statement.clause, statement.no, statement.finite
    after = clause.doc[no.i + 1].lower_ if no is not None and no.i + 1 < len(clause.doc) else ""
    if (
        no is None
        or after in {"once", "ever"}
        or {token.lower_ for token in clause.doc if token != no} & _SAYS_NO
    ):
        raise NothingToMakeError(UNSURE)
    if clause.opens(no):  # "Not all poets are doctors"
        subject = statement.clause.doc[no.i + 1]
        start, stop = clause.start(no), clause.start(subject)
        return apply(clause.text, [Edit(start, stop + 1, clause.text[stop].upper())])
    form = statement.form(finite)
    if form in {"do", "does", "did"} and finite in statement.helpers:
        if no.i != finite.i + 1:
            raise NothingToMakeError(UNSURE)
        return apply(clause.text, _without_do(statement))
    edits = [statement.without(no)]
    if form in _FULL:
        edits.append(clause.edit(finite, _FULL[form]))
    return apply(clause.text, edits)


def _without_do(statement: Statement) -> list[Edit]:
    """Return edits that turn "does not meet" into "meets"."""
    clause, finite, no = statement.clause, statement.finite, statement.no
    assert no is not None
    form = {
        "does": third_person(statement.base),
        "do": statement.base,
        "did": past(statement.base),
    }[statement.form(finite)]
    following = clause.doc[no.i + 1]
    taken = Edit(clause.start(finite), clause.start(following), "")
    return [taken, clause.edit(statement.verb, form)]


def change_tense(pair: Pair) -> list[Change]:
    """Put both sentences from present to past, past to present, or future to present.

    Raises:
        NothingToMakeError: They name a time, have several verbs, or a tense that is unclear.
    """
    statements = read_alike(pair.premise, pair.hypothesis)
    texts, hows = zip(*map(_in_other_tense, statements), strict=True)
    if hows[0] != hows[1]:
        raise NothingToMakeError("The tenses of the two sentences are not clear.")
    return [Change(texts[0], texts[1], hows[0])]


def _in_other_tense(statement: Statement) -> tuple[str, str]:
    """Return the sentence in another tense, and the change in words."""
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
        new = _BE_OTHER.get(form) or _HAVE_DO.get(form) or past(statement.base)
        how = "Both sentences put into the past."
    else:
        lemma = "be" if form in {"was", "were"} else {"had": "have", "did": "do"}.get(form, "")
        new = _present(lemma or statement.base, statement.person)
        how = "Both sentences put into the present."
    if new == form:
        raise NothingToMakeError(f"“{form}” is the same in the present and the past.")
    return apply(clause.text, [clause.edit(finite, new)]), how


def _with_other_modal(statement: Statement, form: str) -> tuple[str, str]:
    clause, finite, no = statement.clause, statement.finite, statement.no
    if form in _OTHER_MODAL:
        edit = clause.edit(finite, _OTHER_MODAL[form])
        if form == "could" and no is not None and finite.whitespace_ and no.i == finite.i + 1:
            edit = edit._replace(stop=clause.start(no))  # "could not": "cannot" is one word
        return apply(clause.text, [edit]), _MODAL
    following, base = clause.doc[finite.i + 1], ""
    if form == "will" and statement.helpers == (finite,) and following == statement.verb:
        base = statement.base
    elif form == "will" and following in statement.helpers:
        base = {"be": "be", "have": "have"}.get(statement.form(following), "")
    if base:
        new = _present(base, statement.person)
        edit = Edit(clause.start(finite), clause.stop(following), new)
        return apply(clause.text, [edit]), _FUTURE
    raise NothingToMakeError(f"“{form}” has no other tense that would mean the same.")


def _present(base: str, person: str) -> str:
    if base == "be":
        return verb_form("is", "be", person)
    return third_person(base) if person == "singular" else base


def _names_time(statement: Statement) -> bool:
    """True if a date or a word such as "yesterday" fixes the time."""
    text = statement.clause.text
    words = set(re.findall(r"\w+", text.lower()))
    if words & _FIXED or re.search(r"\bonce\b(?! (?:every|an?|again|more)\b)", text):
        return True
    year = re.search(r"\b(?:in|until|by|from|during|of|before|after)(?: the)? \d{4}\b", text)
    day = re.search(r"\b(?:on|in|last|next) (?:early |late )?([A-Z]\w+)", text)
    return bool(year) or (day is not None and day[1].lower() in DAYS_AND_MONTHS)
