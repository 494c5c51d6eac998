"""Exchange two phrases in a sentence and mend what that breaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from symdemo.swapping import words
from symdemo.swapping.parser import is_common_noun
from symdemo.swapping.phrases import SUBJECTS, Pair, Slot, number_of
from symdemo.swapping.pipeline import said

if TYPE_CHECKING:
    from spacy.tokens import Doc


def move_to_middle(text: str, is_name: Callable[[], bool]) -> str:
    """Take the sentence capital off a phrase, unless it opens with a name.

    `is_name` is asked only where the words alone cannot tell.
    """
    quoted = not text[:1].isalnum()
    if quoted or (not text[:1].isupper() and not text[1:2].isupper()):
        return text
    name = words.is_name_start(text.split())
    if name is None:
        name = is_name()
    return text if name else words.lower_first(text)


def move_to_front(text: str) -> str:
    """Give a phrase the capital of a sentence opening."""
    return words.capitalise(text)


def _open_alike(one: str, two: str) -> bool:
    """Whether the second begins with the first's word in lower case: "Line A crosses line B"."""
    first, second = one.split()[:1], two.split()[:1]
    return first != second and [words.lower_first(word) for word in first] == second


def exchange(premise: str, pair: Pair, *, opens_sentence: bool = True) -> tuple[str, str, str, str]:
    """Give hypothesis, subject, object and relation for the pair found in the premise.

    Where the premise does not open a sentence, a capital at its start is a name's.
    """
    doc = pair.one.head.doc
    one, two = (_Place(premise, s, _offsets(premise, doc)) for s in (pair.one, pair.two))
    opens = opens_sentence and not any(c.isalnum() for c in premise[: one.start])
    capital = opens and premise[one.start :].lstrip("\"'“‘(")[:1].isupper()

    first, second = two.text_for(one), one.text_for(two)
    if capital:
        beside = words.starts_like_name(two.text) or said(two.slot.head) == "I"
        opening = doc[one.slot.first]
        if _open_alike(one.text, two.text):
            second = words.lower_first(second)
        elif not words.is_pronoun(one.text):
            second = move_to_middle(
                second, lambda: not is_common_noun(opening, said(opening), beside_name=beside)
            )
        first = move_to_front(first)
    edits = [(one.start, one.stop, first), (two.start, two.stop, second)]
    edits += _agreement(pair, one)
    hypothesis = _apply(premise, edits)
    mark_x, mark_y = ("[X]" + one.ending, "[Y]" + two.ending)
    relation = _apply(premise, [(one.start, one.stop, mark_x), (two.start, two.stop, mark_y)])
    return hypothesis, one.text, two.text, relation


def _offsets(premise: str, doc: Doc) -> list[int]:
    """Give the place of each token in the premise, whose white space the parsed text may lack."""
    at, out = 0, []
    for token in doc:
        at = premise.index(said(token).strip(), at)
        out.append(at)
        at += len(said(token).strip())
    return out


class _Place:
    """A phrase with its place in the premise and its text as it can stand elsewhere."""

    def __init__(self, premise: str, slot: Slot, offsets: list[int]) -> None:
        doc = slot.head.doc
        self.slot, self.premise = slot, premise
        self.start = offsets[slot.first]
        self.stop = offsets[slot.last] + len(said(doc[slot.last]))
        self.text = premise[self.start : self.stop]
        self.ending = ""
        following = premise[self.stop :].lstrip()
        self.closed = slot.comma and following.startswith(",")
        if slot.possessive:
            # The ending ('s or ') belongs to the place; a pronoun (her) holds it within.
            last = doc[slot.last]
            if last.dep_ == "case":
                self.text = premise[self.start : offsets[slot.last]].rstrip()
            self.ending = "'s"
        if self.closed:
            self.stop = premise.index(",", self.stop) + 1
        self.before_word = premise[self.stop :].lstrip()[:1].isalnum()

    @property
    def case(self) -> int:
        """The case that this place asks of a pronoun."""
        if self.slot.possessive:
            return words.GENITIVE
        # "He and I are friends": a conjunct has the case of the phrase it is joined to.
        head = self.slot.head
        while head.dep_ == "conj":
            head = head.head
        return words.NOMINATIVE if head.dep_ in SUBJECTS else words.ACCUSATIVE

    def text_for(self, place: _Place) -> str:
        """Give this phrase in the form that another place asks for."""
        if words.is_pronoun(self.text):
            return words.pronoun_in(self.text, place.case)
        text = words.genitive(self.text) if place.slot.possessive else self.text
        # An inserted phrase is closed by a second comma wherever the sentence goes on.
        if self.slot.comma and place.before_word and (self.closed or self.slot.first > 0):
            text += ","
        return text


def _agreement(pair: Pair, one: _Place) -> list[tuple[int, int, str]]:
    """Mend the verb where the new subject differs in number or person from the old one."""
    verb = pair.verb
    if verb is None or pair.one.head.dep_ not in SUBJECTS:
        return []
    new, old = number_of(pair.two), number_of(pair.one)
    if new == old == "plural":
        return []
    start, form = _offsets(one.premise, verb.doc)[verb.i], said(verb)
    # Behind a stand-in is another verb, in the present or a past in -ed.
    stands_in = form != verb.text and form[0].isalpha()  # "is" for "'s" is the same verb
    lemma = words.base_form(form) if stands_in else verb.lemma_.lower()
    if stands_in and form.endswith("ed"):
        return []
    return [(start, start + len(form), words.verb_form(form, lemma, new))]


def _apply(text: str, edits: list[tuple[int, int, str]]) -> str:
    for start, stop, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[stop:]
    return text
