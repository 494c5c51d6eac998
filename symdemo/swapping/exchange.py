"""Exchange two phrases in a sentence, and adapt capitals, cases and verbs to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdemo.errors import ModelError
from symdemo.swapping import lexicon
from symdemo.swapping.mentions import Clause, Edit, Place, apply, find_mentions
from symdemo.swapping.parsing import knows_noun, parse, surface
from symdemo.swapping.phrases import (
    SUBJECTS,
    Arguments,
    Phrase,
    children,
    finite_verb,
    is_name,
    number_of,
)
from symdemo.swapping.words import (
    base_form,
    is_often_name,
    is_usually_name,
    plural_of,
    verb_form,
)

if TYPE_CHECKING:
    from spacy.tokens import Token


def has_fixed_capitals(word: str) -> bool:
    """True if a word has the same capitals everywhere: I, NATO, Q42, iPhone, McGill."""
    return word == "I" or any(c.isdigit() for c in word) or any(c.isupper() for c in word[1:])


def is_name_start(words: list[str]) -> bool | None:
    """True if a capitalised opening is a name; None if words alone cannot tell."""
    first = words[0].strip("\"'“”‘’(),")
    accent = any(c.isalpha() and not c.isascii() for c in first)  # Émile; few other English words
    if accent or has_fixed_capitals(first) or (len(words) == 1 and len(first) == 1):
        return True
    if " ".join(words[:2]).lower() in lexicon.NAMES_WITH_ARTICLE:
        return True
    if first.lower() in lexicon.FUNCTION_WORDS:
        return False
    if first.lower() in lexicon.NATIONAL_ADJECTIVES:
        return True
    # A capital on the next word too: a name of several words (Mount Kenya, Treaty of Versailles).
    links = {"of", "the", "de", "la", "van", "von", "and", "&"}
    follows = [w for w in words[1:3] if w not in links]
    if follows and follows[0][:1].isupper():
        return True
    return None


def capitalise(text: str) -> str:
    """Put a capital on the first letter, leaving words such as iPhone as they are."""
    for i, c in enumerate(text):
        if c.isalpha():
            word = text[i:].split(maxsplit=1)[0]
            code = word.rstrip(".,;:!?\"'”’").endswith(")") or "_" in word  # foo(), my_function
            if c.islower() and (code or any(x.isupper() for x in re.findall(r"\w+", word)[0])):
                return text
            return text[:i] + c.upper() + text[i + 1 :]
        if c.isalnum():
            return text
    return text


def lower_first(text: str) -> str:
    """Take the capital off the first letter."""
    for i, c in enumerate(text):
        if c.isalnum():
            return text[:i] + c.lower() + text[i + 1 :]
    return text


def starts_like_name(text: str) -> bool:
    """True if a phrase from the middle of a sentence opens with a capital."""
    first = text.lstrip("\"'“‘(").split(maxsplit=1)[:1]
    return bool(first) and (first[0][:1].isupper() or has_fixed_capitals(first[0]))


def move_to_middle(text: str, is_name: Callable[[], bool]) -> str:
    """Take the sentence capital off a phrase, unless it opens with a name.

    `is_name` is asked only where the words alone cannot tell.
    """
    if not text[:1].isalnum():
        return text  # in quotes or brackets
    name = is_name_start(text.split())
    if name is None:
        name = is_name()
    return text if name else lower_first(text)


def is_common_noun(token: Token, word: str, *, beside_name: bool) -> bool:
    """True if a capitalised sentence opening is a common noun that loses its capital elsewhere."""
    lowered = word.lower()
    told = _by_word_alone(token, lowered, beside_name=beside_name)
    if told is not None:
        return told
    owns = token.i + 1 < len(token.doc) and token.nbor().tag_ == "POS"
    if lowered in lexicon.UNCOUNTED_NAMES:
        return not (beside_name or owns)
    known = any(map(knows_noun, (lowered, token.lemma_.lower(), lowered.rstrip("s"))))
    # An adjective alone before a verb is a name: "Celtic edged Rangers".
    alone = token.dep_ in SUBJECTS and token.left_edge == token.right_edge
    if token.tag_.startswith("NNP") or (token.tag_ == "JJ" and alone):
        if not known or beside_name:
            return False
        # A name for the tagger without its capital too?
        often = is_often_name(lowered)
        return not (often and parse(f"{lowered} is part of it.")[0].tag_.startswith("NNP"))
    # A noun that no dictionary knows is a name that the tagger does not (Zofia).
    return known or not token.tag_.startswith("NN")


def _by_word_alone(token: Token, word: str, *, beside_name: bool) -> bool | None:
    """Decide `is_common_noun` by lists of names and nouns; None where they do not."""
    if word in lexicon.KIN_NAMES and token.left_edge == token:
        return False
    # "Python inspired Ruby": a common noun in the singular would have an article.
    bare = beside_name and token.tag_ in {"NN", "NNP"} and token.dep_ != "compound"
    if bare and (is_often_name(word) or word in lexicon.TECHNICAL_NAMES):
        return False
    if word in lexicon.ANIMATES or word in lexicon.SEASONS:
        return True
    given = lexicon.ALWAYS_NAMES | lexicon.DAYS_AND_MONTHS | lexicon.COUNTED_NAMES
    return False if word in given or is_usually_name(word) else None


def name_at_start(premise: str, one: str, two: str) -> bool:
    """True if the sentence opens with a name; without the parser a capital counts as one."""
    beside = starts_like_name(two)
    try:
        first = next(t for t in parse(premise) if t.is_alpha or t.text[:1].isalnum())
        return not is_common_noun(first, first.text, beside_name=beside)
    except (ModelError, StopIteration):
        return True


def verbs_of(phrase: Phrase) -> list[Token]:
    """Return the finite verbs that agree with a phrase; none unless it is a subject by itself."""
    head = phrase.head
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


def short_verb_of(phrase: Phrase) -> Token | None:
    """Return the 'll, 'd, 've, 'm, 're or 's that hangs on a subject."""
    if phrase.head.dep_ not in SUBJECTS or phrase.last + 1 >= len(phrase.head.doc):
        return None
    token = phrase.head.doc[phrase.last + 1]
    short = _plain(surface(token)) in {"'m", "'s", "'re", "'ve", "'d", "'ll"}
    return token if short and token.dep_ not in {"case", "poss"} else None


def _plain(form: str) -> str:
    return form.lower().replace("’", "'")


def agree(clause: Clause, phrase: Phrase, person: str, *, changed: bool) -> list[Edit]:
    """Adapt the verbs of a subject to a new one that is ``I``, ``singular`` or ``plural``.

    `changed`: a phrase replaces a pronoun, after which a verb cannot be short.
    """
    edits = []
    short = short_verb_of(phrase) if changed else None
    if short is not None and (full := _full(short, person)) is not None:
        edits.append(clause.edit(short, full))
    for verb in verbs_of(phrase):
        if verb == short and edits:
            continue
        form = surface(verb)
        # Behind a stand-in is another verb, in the present or a past in -ed.
        stands_in = form != verb.text and form[0].isalpha()  # "is" for "'s" is the same verb
        if stands_in and form.endswith("ed"):
            continue
        lemma = base_form(form) if stands_in else verb.lemma_.lower()
        if lemma == "be" and _plain(form) == "'s" and _is_perfect(verb):
            lemma = "have"  # "She's known them"
        new, stop = verb_form(form, lemma, person), clause.stop(verb)
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
    """Adapt the complement of a subject: "were allies of", "was an ally of"."""
    for noun in children(verb, "attr"):
        if noun.i <= phrase.last or not children(noun, "prep"):
            continue
        opening = noun.left_edge
        if person == "plural" and opening.lower_ in {"a", "an"} and noun.tag_ == "NN":
            start = clause.start(noun.doc[opening.i + 1])
            plural = clause.edit(noun, plural_of(surface(noun)))
            return [Edit(clause.start(opening), start, ""), plural]
        bare = all(c.dep_ in {"amod", "compound"} for c in noun.children if c.i < noun.i)
        if person != "plural" and noun.tag_ == "NNS" and bare and noun.lemma_ != noun.lower_:
            article = "an " if surface(opening)[0].lower() in "aeiou" else "a "
            at = clause.start(opening)
            return [Edit(at, at, article), clause.edit(noun, noun.lemma_)]
    return []


def _full(short: Token, person: str) -> str | None:
    """Return the long form of a short verb where the new subject cannot have a short one."""
    form = _plain(surface(short))
    if form in {"'ll", "'d"}:
        after = short.doc[short.i + 1].lower_
        had = after != "have" and (short.head.tag_ in {"VBN", "VBD"} or after == "better")
        return " will" if form == "'ll" else " had" if had else " would"
    if form == "'ve":
        return " has" if person == "singular" else " have"
    return " are" if person == "plural" else None


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
    """Exchange the pair found in the first of the clauses, and its mentions in all of them."""
    text = clauses[0].text
    one, two = Place(clauses[0], *pair), Place(clauses[0], *pair[::-1])
    one.middle_text = without_capital(one, two)
    mentions = find_mentions(clauses, (one, two))
    edits = [
        one.edit(two.text_for(one)),
        two.edit(one.text_for(two)),
        *(mention.place.edit(mention.text) for mention in mentions),
    ]
    edits += _agreement(one, two) + _agreement(two, one)
    for mention in mentions:
        phrase = mention.place.phrase
        edits += agree(mention.place.clause, phrase, mention.person, changed=False)
    hypothesis = apply(text, list(dict.fromkeys(edits)))
    if not _opening(text).islower():
        hypothesis = capitalise(hypothesis)
    if text.isupper():
        hypothesis = hypothesis.upper()
    if text.endswith(".") and not text.endswith(".."):  # the stop of "U.S." is the sentence's, too
        hypothesis = hypothesis.rstrip(".") + "."
    marks = [one.edit("[X]" + one.ending), two.edit("[Y]" + two.ending)]
    doubts = tuple(dict.fromkeys(m.doubt for m in mentions if m.doubt))
    return Swap(text, hypothesis, one.text, two.text, apply(text, marks), doubts)


def _opening(text: str) -> str:
    return next((c for c in text if c.isalnum()), "")


def without_capital(one: Place, two: Place) -> str:
    """Return the first phrase without the capital that only the opening of a sentence asks for."""
    doc, text = one.clause.doc, one.text
    opening = doc[one.phrase.first]
    if not one.clause.opens(opening) or one.pronoun is not None or not _opening(one.text).isupper():
        return text
    first, second = one.text.split()[0], two.text.split()[0]
    if lower_first(first) == second:
        return lower_first(text)  # "Line A crosses line B"
    beside = starts_like_name(two.text) or surface(two.phrase.head) == "I"
    return move_to_middle(
        text, lambda: not is_common_noun(opening, surface(opening), beside_name=beside)
    )


def _agreement(old: Place, new: Place) -> list[Edit]:
    """Adapt the verbs of a place to the phrase that comes into it."""
    person, was = number_of(new.phrase), number_of(old.phrase)
    changed = old.pronoun is not None and new.pronoun is None
    teams = is_name(old.phrase.head) and is_name(new.phrase.head)  # "Japan have beaten Iran"
    if person == was and (teams or person == "plural") and not changed:
        return []
    return agree(old.clause, old.phrase, person, changed=changed)
