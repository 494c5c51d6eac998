"""Changes of a pair, and sentences read as statements: subject, verb, helping verbs, negation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product, takewhile
from typing import TYPE_CHECKING, NamedTuple

from symdemo.swapping import lexicon
from symdemo.swapping.parsing import Clause, Edit, apply, surface
from symdemo.swapping.phrases import (
    FINITE,
    Arguments,
    Phrase,
    children,
    is_name,
    number_of,
    phrase_of,
    subject_of,
)
from symdemo.swapping.ranking import rank
from symdemo.swapping.readings import split_frame

if TYPE_CHECKING:
    from spacy.tokens import Token

SAME_LABEL = "same"
READINGS = 3  # readings of each sentence that are compared
_PRESENT = {"be": "am is are 'm 're", "have": "has have 've", "do": "does do"}
_PAST = {"be": "was were", "have": "had", "do": "did"}
LEMMAS = {
    form: base for table in (_PRESENT, _PAST) for base in table for form in table[base].split()
}
_PAST_FORMS = lexicon.word_set(" ".join(_PAST.values()))
_MODALS = lexicon.word_set("can could may might must shall should will would ca wo sha 'll")
UNSURE = "The grammar of the sentence is not clear enough."


class Change(NamedTuple):
    """Two new sentences for a pair, and what was changed, in a short sentence.

    `ends` are the new head and tail; None keeps the old ones. `label` is the new label, by default
    the old one; None if no label follows.
    """

    premise: str
    hypothesis: str
    how: str
    ends: tuple[str | None, ...] | None = None
    label: str | None = SAME_LABEL


class NothingToMakeError(Exception):
    """A generator has nothing to make of a pair; the message is the reason, for people."""


@dataclass(frozen=True, eq=False)
class Statement:
    """A clause with a subject and a finite verb."""

    clause: Clause  # its words and their places in the text; a frame before it stays as it is
    pair: Arguments  # the two arguments, which change places in a swap
    subject: Phrase  # the phrase that the verb agrees with
    verb: Token  # the main verb or the copula
    base: str  # its base form
    helpers: tuple[Token, ...]  # helping verbs before it: has, been, does, will
    no: Token | None  # “not”, “n't” or “never”, or None

    @property
    def finite(self) -> Token:
        """The word that carries the tense: the first helping verb, or the verb."""
        return self.helpers[0] if self.helpers else self.verb

    def form(self, token: Token) -> str:
        """Return a word in lower case."""
        return surface(token).lower().replace("’", "'")

    @cached_property
    def tense(self) -> str:
        """Present, past or modal; "" if unclear."""
        form = self.form(self.finite)
        if self.finite in self.helpers or self.base in {"be", "have", "do"}:
            if form in _MODALS:
                return "modal"
            return "past" if form in _PAST_FORMS else "present" if form in LEMMAS else ""
        if form == lexicon.third_person(self.base):
            return "present"
        if form == lexicon.past(self.base) and form != self.base:
            return "past"
        if self.base in lexicon.UNCHANGED_PASTS:
            return "past" if self.person == "singular" else ""
        known = surface(self.subject.head) == self.subject.head.text
        # No present tense after a singular, as in "The baker outswam".
        return "" if known and person_of(self.subject) == "singular" else "present"

    @cached_property
    def person(self) -> str:
        """Person and number of the verb: I, singular or plural."""
        form = self.form(self.finite)
        singular = {"is", "was", "has", "does"} | {lexicon.third_person(self.base)} - {self.base}
        if form in singular:
            return "I" if self.subject.tokens.text == "I" else "singular"
        bare = not self.helpers and form == self.base and form != lexicon.past(self.base)
        if form in {"are", "were", "'re", "do", "have"} or bare:
            return "plural"
        return person_of(self.subject)

    @cached_property
    def adverbs(self) -> list[Token]:
        """The adverbs right before the verb, in order."""
        before = reversed(self.clause.doc[self.subject.last + 1 : self.verb.i])
        return [*takewhile(lambda token: token.dep_ in {"advmod", "npadvmod"}, before)][::-1]

    @property
    def shape(self) -> tuple[str, ...]:
        """Verb, helping verbs and negation, which a sentence and its swap share."""
        forms = [self.form(token) for token in self.helpers]
        no = self.form(self.no) if self.no is not None else ""
        return (self.base, *(LEMMAS.get(form, form) for form in forms), no)

    def edited(self, *edits: Edit) -> str:
        """Return the sentence with some edits, with a capital if it had one."""
        made = apply(self.clause.text, list(edits)).lstrip()
        return lexicon.capitalise(made) if self.clause.text[:1].isupper() else made

    def without(self, token: Token) -> Edit:
        """Return the edit that removes a word and the space before it."""
        start, text = self.clause.start(token), self.clause.text
        while text[:start][-1:].isspace():
            start -= 1
        return Edit(start, self.clause.stop(token), "")

    def has_other_verbs(self) -> bool:
        """True if there is a finite verb of another clause."""
        for token in self.clause.doc:
            if token in {self.verb, *self.helpers} or token.tag_ not in FINITE:
                continue
            # Not "round" in "round the barn", which is tagged as a verb.
            is_verb = token.dep_ in {"aux", "auxpass"} or children(
                token, "nsubj", "nsubjpass", "aux"
            )
            if is_verb and not {token.dep_, *(a.dep_ for a in token.ancestors)} & {"relcl", "acl"}:
                return True
        return False


def read_alike(premise: str, hypothesis: str) -> tuple[Statement, Statement]:
    """Read both sentences with verbs of the same form; `NothingToMakeError` if that fails."""
    if any(text.rstrip().endswith("?") for text in (premise, hypothesis)):
        raise NothingToMakeError("A question is not changed.")
    if ";" in premise + hypothesis:
        raise NothingToMakeError("The sentence has more than one clause.")
    found = [list(_statements(text)) for text in (premise, hypothesis)]
    if not all(found):
        raise NothingToMakeError("No single clause with a subject and a verb was found.")
    # Likeliest readings of both first.
    ways = sorted(product(*map(enumerate, found)), key=lambda way: way[0][0] + way[1][0])
    for (_, one), (_, two) in ways:
        if one.shape == two.shape:
            return one, two
    raise NothingToMakeError("The verbs of the two sentences differ, so only one could be changed.")


def _is_elsewhere(token: Token) -> bool:
    """True if a phrase is outside the main clause: "You know that A hit B"."""
    return any(
        above.dep_ in {"ccomp", "parataxis", "advcl"} and children(above, "nsubj", "nsubjpass")
        for above in token.ancestors
    )


def _statements(text: str) -> Iterator[Statement]:
    parts = split_frame(text)
    origin = len(parts[0]) if parts else 0
    for pair in ways_to_read(text[origin:]):
        verb = pair.subject.head.sent.root
        subject = subject_of(verb)
        if subject is None or subject.i > verb.i or verb.pos_ not in {"VERB", "AUX"}:
            continue
        helpers = tuple(c for c in children(verb, "aux", "auxpass") if c.i < verb.i)
        base = _base(verb)
        if base is None or _is_unfit(verb, helpers) or any(_is_elsewhere(p.head) for p in pair):
            continue
        no = next((c for head in (verb, *helpers) for c in children(head, "neg")), None)
        clause = Clause(text, verb.doc, origin)
        yield Statement(clause, pair, phrase_of(subject), verb, base, helpers, no)


@lru_cache(maxsize=64)  # several kinds ask for the same sentences
def ways_to_read(text: str) -> tuple[Arguments, ...]:
    """Return the likeliest pairs of arguments; pairs read with a stand-in (“Peter”) come last."""
    found = [option.pair for option, _ in rank(text)[:READINGS] if option.pair]
    found.sort(key=lambda pair: any(surface(p.head) != p.head.text for p in pair))
    return tuple(found)


def person_of(phrase: Phrase) -> str:
    """Return the person and number of a phrase, I, singular or plural; one name is singular."""
    head, tokens = phrase.head, phrase.tokens
    named = is_name(head) and len(tokens) > 1 and all(t.text[:1].isupper() for t in tokens)
    one = named and not any(t.dep_ in {"det", "cc"} for t in tokens)
    person = number_of(phrase)
    # "Francis I" is not the speaker.
    return "singular" if one or (person == "I" and tokens.text != "I") else person


def _is_unfit(verb: Token, helpers: tuple[Token, ...]) -> bool:
    """True if a verb is coordinated, or lacks its "was"."""
    behind = verb.doc[verb.i + 1 :][:1].text.lower()
    fragment = not helpers and behind == "by" and surface(verb).endswith(("ed", "en"))
    return fragment or any(c.pos_ in {"VERB", "AUX"} for c in children(verb, "conj"))


def _base(verb: Token) -> str | None:
    """Return the base form of a verb; the dictionary lacks some forms of be, have and do."""
    word = surface(verb).lower().replace("’", "'")
    if LEMMAS.get(word) == "be" or word in {"be", "been", "being"}:
        return "be"
    return lexicon.base_of(verb) or LEMMAS.get(word)
