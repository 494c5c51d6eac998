"""Both sentences negated, or un-negated where they are negated."""

from __future__ import annotations

from symdemo.analysis.counterfactuals.kinds import (
    NEGATION,
    Counterfactual,
    NothingToMakeError,
    known_label,
)
from symdemo.analysis.counterfactuals.statements import UNSURE, Statement, read_alike
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair
from symdemo.swapping.lexicon import word_set
from symdemo.swapping.mentions import Edit, apply
from symdemo.swapping.words import past, third_person

_SAYS_NO = word_set(
    "no nobody nothing none nowhere neither nor hardly scarcely barely seldom rarely few"
)
_ALL = word_set("all every everyone everybody each both")
_SOME = word_set("some someone somebody something any most many several more fewer less")
_BEFORE_NOT = word_set("still probably apparently also certainly possibly perhaps simply now then")
_NEVER_NEGATED = word_set("sometimes too already somewhat")
_FULL = {"ca": "can", "wo": "will", "sha": "shall"}


def negate(pair: Pair) -> list[Counterfactual]:
    """Premise and hypothesis negated alike, or both without their "not".

    Raises:
        NothingToMakeError: a sentence that says no in another way, or one that is not understood.
    """
    one, two = read_alike(pair.premise, pair.hypothesis)
    undone = one.no is not None
    texts = [(_affirm if undone else _deny)(statement) for statement in (one, two)]
    expected = None if _is_about_some(one) else _expected(known_label(pair), undone)
    made = Pair(texts[0], texts[1], expected, pair.relation, pair.head, pair.tail)
    how = "“Not” taken out of both sentences." if undone else "Both sentences negated."
    return [Counterfactual(NEGATION, made, expected, how)]


def _expected(label: str | None, undone: bool) -> str | None:
    """What follows from the pattern of the relation.

    “Ann is not Bob's mother” leaves it open whether Bob is Ann's: antisymmetric becomes neutral. So
    a negated neutral may have been either before, and what a negated contradiction was is open.
    """
    if label == ENTAILMENT:
        return ENTAILMENT
    if undone:
        return None
    return NEUTRAL if label in {CONTRADICTION, NEUTRAL} else None


def _is_about_some(statement: Statement) -> bool:
    """Whether "some" or "all" is in the subject: "not" changes of how many it is said, too."""
    return bool({token.lower_ for token in statement.subject.tokens} & (_SOME | _ALL))


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
    """Put "not" behind the finite word: is not, cannot, still not."""
    clause, finite = statement.clause, statement.finite
    if statement.form(finite) == "can":
        return Edit(clause.stop(finite), clause.stop(finite), "not")
    following = finite.doc[finite.i + 1] if finite.i + 1 < len(finite.doc) else finite
    behind = following if following.lower_ in _BEFORE_NOT else finite
    return Edit(clause.stop(behind), clause.stop(behind), " not")


def _with_do(statement: Statement) -> list[Edit]:
    """Put "does not" before the verb, or before an adverb of it: does not often meet."""
    clause, verb = statement.clause, statement.verb
    if not statement.tense:
        raise NothingToMakeError(f"“{statement.form(verb)}” may be the present or the past.")
    do = "did" if statement.tense == "past" else _present_do(statement.person)
    adverbs = [a for a in statement.adverbs if a.lower_ not in _BEFORE_NOT]
    if not adverbs or adverbs != statement.adverbs[-len(adverbs) :]:
        return [clause.edit(verb, f"{do} not {statement.base}")]
    at = clause.start(adverbs[0])
    return [Edit(at, at, f"{do} not "), clause.edit(verb, statement.base)]


def _present_do(person: str) -> str:
    return "does" if person == "singular" else "do"


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
    """Take out "does not" and give the verb its form: does not meet, meets."""
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
