"""Exchange two phrases in a sentence, and adapt capitals, cases, verbs and pronouns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from symdemo.swapping import lexicon
from symdemo.swapping.parsing import Clause, Edit, apply, surface
from symdemo.swapping.phrases import (
    SUBJECTS,
    Arguments,
    Phrase,
    Place,
    children,
    finite_verb,
    is_animate,
    is_name,
    is_tenseless,
    number_of,
)

if TYPE_CHECKING:
    from spacy.tokens import Token


@dataclass(frozen=True)
class Swap:
    """A sentence, the same sentence with subject and object exchanged, and its parts.

    Attributes:
        premise: the sentence that was swapped.
        hypothesis: the swapped sentence.
        subject: as written in the premise.
        object: as written in the premise.
        relation: the premise with [X] for the subject and [Y] for the object.
        doubts: why this may not be the swap that a person would make.
        others: what else the swap may be, the likeliest first.
        note: what was read instead of the sentence as typed (a question, a typing error).
    """

    premise: str
    hypothesis: str
    subject: str
    object: str
    relation: str
    doubts: tuple[str, ...] = ()
    others: tuple[Swap, ...] = ()
    note: str = ""

    @property
    def sure(self) -> bool:
        """True if there is no reason to doubt the swap."""
        return not self.doubts


def exchange(clauses: list[Clause], pair: Arguments) -> Swap:
    """Exchange a pair of phrases of the first clause, and what refers to them in all clauses."""
    text = clauses[0].text
    one, two = Place(clauses[0], *pair), Place(clauses[0], *pair[::-1])
    one.middle_text = without_capital(one, two)
    mentions = find_mentions(clauses, (one, two))
    edits = [
        *one.filled_with(two),
        *two.filled_with(one),
        *(mention.place.edit(mention.text) for mention in mentions),
    ]
    for old, new in ((one, two), (two, one)) if not one.listed else ():
        was = number_of(old.phrase)
        # "hers" is as many as what it is compared with
        person = was if new.phrase.absolute else number_of(new.phrase)
        changed = old.pronoun is not None and new.pronoun is None
        teams = is_name(old.phrase.head) and is_name(new.phrase.head)  # "Japan have beaten Iran"
        if person != was or changed or (person != "plural" and not teams):
            edits += agree(old.clause, old.phrase, person, changed=changed)
    for place, _, person, _ in mentions:
        edits += agree(place.clause, place.phrase, person, changed=False)
    hypothesis = apply(text, list(dict.fromkeys(edits)))
    if not _opening(text).islower():
        hypothesis = lexicon.capitalise(hypothesis)
    if text.islower():
        hypothesis = re.sub(r"\bI\b", "i", hypothesis)
    if text.isupper():
        hypothesis = hypothesis.upper()
    if text.endswith(".") and not text.endswith(".."):  # its dot also ends "U.S."
        hypothesis = hypothesis.rstrip(".") + "."
    marks = [one.edit("[X]" + one.ending), two.edit("[Y]" + two.ending)]
    doubts = tuple(dict.fromkeys(m.doubt for m in mentions if m.doubt))
    return Swap(text, hypothesis, one.text, two.text, apply(text, marks), doubts)


def _opening(text: str) -> str:
    return next((c for c in text if c.isalnum()), "")


_QUOTES = "\"'“‘"


def without_capital(one: Place, two: Place) -> str:
    """Return the first phrase, without a capital that it has only because it opens the sentence."""
    doc, text = one.clause.doc, one.text
    opening = doc[one.phrase.first]
    if not one.clause.opens(opening) or one.pronoun is not None or not _opening(one.text).isupper():
        return text
    first, second = one.text.split()[0], two.text.split()[0]
    headline = any(t.text != surface(t) and t.text == surface(t).lower() for t in doc)
    if first == second or headline:
        return text  # "The Hobbit is older than The Lord of the Rings"
    quoted = first[0] in _QUOTES and second[0] in _QUOTES and _opening(second).islower()
    if quoted or lexicon.lower_first(first) == second:
        return lexicon.lower_first(text)  # "Line A crosses line B"
    beside = lexicon.starts_like_name(two.text)
    return lexicon.move_to_middle(
        text, lambda: not lexicon.is_common_noun(opening, surface(opening), beside_name=beside)
    )


# ---- Agreement of verbs


def verbs_of(phrase: Phrase) -> list[Token]:
    """Return the finite verbs that agree with a phrase; [] unless it is a whole subject."""
    head = phrase.head
    if phrase.absolute or is_tenseless(head.head):
        return []
    outside = [c for c in children(head, "conj") if not phrase.first <= c.i <= phrase.last]
    if head.dep_ not in SUBJECTS or outside:
        return []
    verb = head.head
    helpers = children(verb, "aux", "auxpass")
    found = [finite_verb(verb)]
    # "The dogs chase the cat and bite it"; but "can chase and bite" has one finite verb.
    while following := [c for c in children(verb, "conj") if c.pos_ in {"VERB", "AUX"}]:
        verb = following[0]
        own = children(verb, "aux", "auxpass")
        if children(verb, *SUBJECTS):
            break
        if own or not (helpers and verb.tag_ in {"VB", "VBN", "VBG"}):
            found.append(finite_verb(verb))
    return [token for token in found if token is not None]


def _plain(form: str) -> str:
    return form.lower().replace("’", "'")


def agree(clause: Clause, phrase: Phrase, person: str, *, changed: bool) -> list[Edit]:
    """Return edits that make the verbs of a phrase agree with a new subject.

    `person` is ``I``, ``singular`` or ``plural``. `changed` is True if the new subject is not a
    pronoun and the old one is: then a contracted verb is written in full.
    """
    edits = []
    after = phrase.head.doc[phrase.last + 1 : phrase.last + 2]
    short = next((t for t in after if changed and t.dep_ not in {"case", "poss"}), None)
    if short is not None and phrase.head.dep_ in SUBJECTS and (full := _full(short, person)):
        edits.append(clause.edit(short, full))
    for verb in verbs_of(phrase):
        if verb == short and edits:
            continue
        form = surface(verb)
        # A stand-in hides another verb, in the present or in a past in -ed.
        stands_in = form != verb.text and form[0].isalpha()  # "is" for "'s" is the same verb
        if stands_in and form.endswith("ed"):
            continue
        lemma = lexicon.base_form(form.lower()) if stands_in else verb.lemma_.lower()
        if lemma == "be" and _plain(form) == "'s" and _is_perfect(verb):
            lemma = "have"  # "She's known them"
        new, stop = lexicon.verb_form(form, lemma, person), clause.stop(verb)
        after = verb.doc[verb.i + 1 : verb.i + 2]
        if person == "I" and new == "am" and any(_plain(surface(t)) == "n't" for t in after):
            new, stop = "am not", clause.stop(after[0])  # "I amn't" is not said
        edits.append(Edit(clause.start(verb), stop, new))
        if lemma == "be":
            edits += _class_in_number(clause, phrase, verb, person)
    return edits


def _is_perfect(short: Token) -> bool:
    """True if 's is "has": before "been", or a participle with an object of its own."""
    verb = short.head
    been = any(c.lower_ == "been" for c in verb.children) or verb.lower_ in {"been", "got", "had"}
    return been or (verb.tag_ in {"VBN", "VBD"} and bool(children(verb, "dobj")))


def _class_in_number(clause: Clause, phrase: Phrase, verb: Token, person: str) -> list[Edit]:
    """Put the noun after the verb into the number of the subject: "were allies", "was an ally"."""
    for noun in children(verb, "attr"):
        # "are friends with" is said of one, too
        if noun.i <= phrase.last or not any(c.lower_ != "with" for c in children(noun, "prep")):
            continue
        opening = noun.left_edge
        if person == "plural" and opening.lower_ in {"a", "an"} and noun.tag_ == "NN":
            start = clause.start(noun.doc[opening.i + 1])
            plural = clause.edit(noun, lexicon.plural_of(surface(noun)))
            return [Edit(clause.start(opening), start, ""), plural]
        bare = all(c.dep_ in {"amod", "compound"} for c in noun.children if c.i < noun.i)
        if person != "plural" and noun.tag_ == "NNS" and bare and noun.lemma_ != noun.lower_:
            at, article = clause.start(opening), lexicon.article_for(surface(opening))
            return [Edit(at, at, f"{article} "), clause.edit(noun, noun.lemma_)]
    return []


def _full(short: Token, person: str) -> str:
    """Return the full form of a contracted verb that the new subject cannot contract, or ""."""
    form = _plain(surface(short))
    if form in {"'ll", "'d"}:
        after = short.doc[short.i + 1].lower_
        had = after != "have" and (short.head.tag_ in {"VBN", "VBD"} or after == "better")
        return " will" if form == "'ll" else " had" if had else " would"
    if form == "'ve":
        return " has" if person == "singular" else " have"
    return " are" if person == "plural" and form in {"'m", "'s", "'re"} else ""


# ---- Other mentions of an argument

_WEATHER = lexicon.word_set("rain snow thunder freeze hail drizzle")


class Mention(NamedTuple):
    """Another place that refers to an argument, and the text that the swap puts there.

    `person` is the form of the verb that the new text needs: ``I``, ``singular`` or ``plural``.
    `doubt` says in a sentence what is unclear, if anything is.
    """

    place: Place
    text: str
    person: str
    doubt: str = ""


def find_mentions(clauses: list[Clause], arguments: tuple[Place, Place]) -> list[Mention]:
    """Return all mentions of either argument outside the two phrases themselves."""
    found = _repeats(clauses, arguments)
    taken = [*(mention.place for mention in found), *arguments]
    used = {0: "", 1: ""}
    pronouns = []
    for clause in clauses:
        for token in clause.doc:
            if not _is_free_pronoun(token) or _inside(clause.start(token), taken):
                continue
            place = Place(clause, Phrase(token, token.i, token.i))
            if (meant := _antecedent(place, arguments)) is not None:
                pronouns.append((place, meant))
                used[meant] = used[meant] or place.row
    others = (_as_other(place, meant, arguments, used) for place, meant in pronouns)
    return found + [mention for mention in others if mention is not None]


def _inside(at: int, places: Iterable[Place]) -> bool:
    return any(place.start <= at < place.stop for place in places)


def _is_free_pronoun(token: Token) -> bool:
    if lexicon.forms_of(token.text) is None or not token.tag_.startswith(("PRP", "NN", "JJ")):
        return False
    if token.lower_ != "it" or token.dep_ not in SUBJECTS:
        return token.dep_ != "expl"
    # "it rains", "it is clear that": it refers to nothing.
    verb = token.head
    clausal = children(verb, "ccomp", "xcomp", "advcl") and children(verb, "acomp", "attr")
    return lexicon.verb_lemma(verb) not in _WEATHER and not clausal


def _repeats(clauses: list[Clause], arguments: tuple[Place, Place]) -> list[Mention]:
    """Return the places that repeat the words of an argument: "Ann loves Bob and Bob loves Ann"."""
    found: list[Mention] = []
    if any(place.pronoun is not None for place in arguments):
        return found
    for clause, argument in product(clauses, (0, 1)):
        own, other = arguments[argument], arguments[1 - argument]
        tokens = own.phrase.tokens
        letter = len(tokens) == 1 and surface(tokens[0]).isupper()  # "A hates B and B hates A"
        # Words such as "the" alone mean something else each time.
        if not letter and all(t.is_stop or t.is_punct for t in tokens):
            continue
        for place in _places_of(clause, own, arguments):
            if not any(place.start < m.place.stop and m.place.start < place.stop for m in found):
                text = other.text_for(place)
                found.append(Mention(place, text, number_of(other.phrase)))
    return found


def _places_of(clause: Clause, own: Place, arguments: tuple[Place, Place]) -> list[Place]:
    wanted = [surface(t) for t in own.phrase.tokens]
    if own.ending and wanted[-1:] in (["'s"], ["'"], ["’s"]):
        wanted.pop()
    length, opens = len(wanted), own.clause.opens(own.phrase.tokens[0])
    if opens:
        wanted[0] = wanted[0].lower()
    out = []
    for first in range(len(clause.doc) - length + 1):
        tokens = clause.doc[first : first + length]
        texts = [surface(t) for t in tokens]
        if clause.opens(tokens[0]) or opens:
            same = texts[1:] == wanted[1:] and texts[0].lower() == wanted[0].lower()
            # "A hates B and a dog": the letter keeps its capital.
            same = same and (len(texts[0]) > 1 or texts[0] == own.text)
        else:
            same = texts == wanted
        # "Ann's sister", "the Ann Street": part of a longer phrase, and another thing.
        if not same or tokens.root.dep_ in {"compound", "nmod", "amod"}:
            continue
        if _inside(clause.start(tokens[0]), arguments):
            continue
        stop = first + length
        ending = stop < len(clause.doc) and clause.doc[stop].dep_ == "case"
        out.append(Place(clause, Phrase(tokens.root, first, stop - 1 + ending)))
    return out


def _antecedent(place: Place, arguments: tuple[Place, Place]) -> int | None:
    """Return the argument that a pronoun refers to, or None."""
    first, row = arguments[0], place.row
    above = list(place.phrase.head.ancestors)
    # A pronoun before both arguments refers to neither ("She sat between Omar and Ruth"), except
    # in a subordinate clause ("When he saw Ann, Bob ran").
    early = place.clause is first.clause and place.start <= first.start
    if early and not any(t.dep_ in {"advcl", "pcomp"} for t in above):
        return None
    fits = [i for i, p in enumerate(arguments) if row in pronouns_for(p.phrase)]
    sure = [i for i in fits if pronouns_for(arguments[i].phrase) == (row,)]
    # A possessive or reflexive in the clause of the subject may always mean the subject.
    bound = place.case in {lexicon.GENITIVE, lexicon.REFLEXIVE} and not any(
        a.dep_ in {"ccomp", "advcl", "relcl", "conj"} and children(a, *SUBJECTS)
        for a in above
        if a != first.phrase.head.head
    )
    # "Leo met Ann, and it was fun", "Leo and Ann said that they met"
    people = [p for p in arguments if pronouns_for(p.phrase) in {("he",), ("she",)}]
    if row in {"it", "they"} and people and not sure:
        return None
    if row in {"i", "we", "you"} or (len(sure) == 1 and not bound):
        fits = sure
    return next(iter(fits), None)


def _as_other(
    place: Place, meant: int, arguments: tuple[Place, Place], used: dict[int, str]
) -> Mention | None:
    """Return the pronoun that takes the place of one for the other argument.

    `meant` is the index of the argument that the old one refers to, and `used` has the pronoun by
    which the sentence refers to each, or "". None if the pronoun surely stays the same.
    """
    other = arguments[1 - meant]
    row, possible = place.row, pronouns_for(other.phrase)
    doubt = ""
    if len(possible) == 1:
        new = possible[0]
    elif used[1 - meant] in possible:
        new = used[1 - meant]
    elif row in possible:
        new = row
        same_kind = row in pronouns_for(arguments[meant].phrase)[1:]
        if len(pronouns_for(arguments[meant].phrase)) == 1 and not same_kind:
            doubt = f"“{other.text}” may be he or she: look at “{place.text}”."
    else:
        new = possible[0]
        doubt = f"“{other.text}” may be he or she, so the pronoun may have to be another."
    person = {"i": "I", "you": "plural", "we": "plural", "they": "plural"}.get(new, "singular")
    if new == row:
        return Mention(place, place.text, person, doubt) if doubt else None
    return Mention(place, lexicon.pronoun_in(new, place.case), person, doubt)


_HER_ENDING = re.compile(r".+(?:ika|ena|ina)|.*(?:elle|ette|iana|isha)")
"""Endings of given names that are most likely a woman's: Annika, Serena, Camille."""


def pronouns_for(phrase: Phrase) -> tuple[str, ...]:
    """Return the pronouns, in the nominative, that may refer to a phrase, the likeliest first.

    If only one is returned, it is certain.
    """
    head = phrase.head
    if (row := lexicon.forms_of(head.text)) is not None and head.tag_.startswith("PRP"):
        return (row[lexicon.NOMINATIVE].lower(),)
    if number_of(phrase) == "plural":
        return ("they",)
    return _of_noun(head)


def _of_noun(head: Token) -> tuple[str, ...]:
    """Return the pronouns for a noun in the singular, by its own word and those beside it."""
    beside = {c.lower_ for c in children(head, "compound", "appos", "amod", "nmod")}
    word = surface(head).lower()  # the parse may have another name in its place
    own = {word, head.lemma_.lower()} if word == head.lower_ else {word}
    known = own | (beside if is_name(head) else set())
    known |= beside & {"male", "female"}
    male, female = known & lexicon.MALE, known & lexicon.FEMALE
    if not male and not female and is_name(head) and _HER_ENDING.fullmatch(word):
        return ("she",)
    if bool(male) != bool(female):
        return ("he",) if male else ("she",)
    word = head.lemma_.lower()
    if word in lexicon.ANIMALS:
        return ("it", "he", "she")
    if word in lexicon.GROUPS:
        return ("it", "they")
    if is_name(head) or (head.text[:1].isupper() and is_animate(head)):
        return ("it", "he", "she", "they")
    return ("they", "she", "he") if is_animate(head) else ("it",)


def gender_of(word: str) -> str:
    """Return he or she for a given name or a noun of known gender, else ""."""
    low = word.lower()
    if (low in lexicon.MALE) == (low in lexicon.FEMALE):
        return ""
    return "he" if low in lexicon.MALE else "she"
