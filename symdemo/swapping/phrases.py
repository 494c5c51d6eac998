"""Phrases of a parsed sentence: where they begin and end, what they name, what leads to them.

The labels (nsubj, dobj, pobj, ...) are those of spaCy's English pipelines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from symdemo.swapping import lexicon
from symdemo.swapping.parsing import Clause, Edit, dictionary, knows_noun

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token


SUBJECTS = {"nsubj", "nsubjpass"}
SPECIFIERS = {"det", "poss", "predet", "nummod"}
FINITE = frozenset({"VBZ", "VBD", "VBP", "MD"})
"""Tags of finite verbs; every statement has one."""


class Phrase(NamedTuple):
    """A noun phrase by its head and its first and last token; `comma`: set off by commas."""

    head: Token
    first: int
    last: int
    comma: bool = False

    @property
    def tokens(self) -> Span:
        """The words of the phrase in the parse."""
        return self.head.doc[self.first : self.last + 1]

    @property
    def possessive(self) -> bool:
        """True if the phrase is a possessor: Bob's, her."""
        # "Ann's book is Bob's": the last word is a possessor too, of something left unsaid.
        ends = self.head.doc[self.last].dep_ == "case"
        alone = self.head.lower_ in lexicon.ABSOLUTES and self.first == self.last
        return self.head.dep_ == "poss" or ends or alone

    @property
    def absolute(self) -> bool:
        """True for a possessor that stands alone: mine, hers."""
        alone = self.first == self.last and self.head.dep_ != "poss"
        return alone and self.head.lower_ in lexicon.ABSOLUTES and not self._owns

    @property
    def ends_in_s(self) -> bool:
        """True if 's ends a name and nothing owned follows: "Wendy's opened"."""
        owner = self.head.dep_ == "poss" and self.head.head.pos_ not in {"VERB", "AUX"}
        return self.head.doc[self.last].dep_ == "case" and not (owner or self._owns)

    @property
    def _owns(self) -> bool:
        """True in "a classmate of Igor's", "a friend of mine", "that pen is mine"."""
        return self.head.dep_ == "attr" or self.head.head.lower_ == "of"


class Arguments(NamedTuple):
    """Two phrases that change places."""

    subject: Phrase
    object: Phrase


def children(token: Token, *labels: str) -> list[Token]:
    """Return the direct dependents of a token with one of the labels, from left to right."""
    return [c for c in token.children if c.dep_ in labels]


def subject_of(verb: Token) -> Token | None:
    """Return the subject of a verb, or None; in "is engaged to" it may be under the auxiliary.

    A second verb has the subject of the first: "The standby promotes itself and fences it off".
    """
    helpers = children(verb, "aux", "auxpass")
    found = [s for head in (verb, *helpers) for s in children(head, *SUBJECTS)]
    if not found:
        found = [
            c
            for c in children(verb, "csubj")
            if c.left_edge.lower_ in {"what", "whatever", "who", "whoever"}
        ]
    if not found and verb.dep_ in {"xcomp", "conj"} and verb.head.pos_ in {"VERB", "AUX"}:
        return subject_of(verb.head)
    return found[0] if found else None


def is_name(token: Token) -> bool:
    """True if a noun is a proper noun."""
    return token.tag_.startswith("NNP")


def is_animate(token: Token) -> bool:
    """True if a phrase names someone rather than something: a name, he/she, "the girl"."""
    if token.tag_ == "PRP":
        return token.lower_ != "it"
    # "The cleaner", "the general": taken for adjectives at times.
    if (
        is_name(token)
        or lexicon.is_animate_noun(token.lemma_.lower())
        or lexicon.is_animate_noun(token.lower_)
    ):
        return True
    # A name that the tagger does not know (Ann): bare, with a capital, and in no dictionary.
    bare = token.tag_ == "NN" and token.text[:1].isupper() and token.left_edge == token
    given = token.lower_ in lexicon.COUNTED_NAMES | lexicon.UNCOUNTED_NAMES
    return bare and (given or not knows_noun(token.lower_))


def is_time(token: Token) -> bool:
    """True if a noun says when: 1895, May, the next morning, the 1990s."""
    if {token.lemma_.lower(), token.lower_.removesuffix("s")} & lexicon.TIME_WORDS:
        return not any(c.dep_ == "compound" and is_name(c) for c in token.children)
    if token.lower_ in {"one", "ones"} and any(token.children):
        return False  # "the new one"
    return token.tag_ == "CD"


def is_measure(noun: Token) -> bool:
    """True if a noun says how much: three per cent, 200 metres, ten points."""
    before = [noun.nbor(-1)] if noun.i else []
    counted = any(t.tag_ == "CD" for t in [*before, *noun.children])
    return counted and noun.lemma_.lower() in lexicon.UNITS | lexicon.TIME_WORDS


_BEFORE_BARE = lexicon.word_set("make let help have see hear watch feel")


def is_tenseless(verb: Token) -> bool:
    """True if the verb of a subject has no tense: "made Ann laugh", "asked Ann to go"."""
    helpers = children(verb, "aux", "auxpass")
    if verb.dep_ not in {"ccomp", "xcomp", "pcomp"} or any(t.tag_ in FINITE for t in helpers):
        return False
    if helpers or verb.tag_ == "VBG" or verb.pos_ not in {"VERB", "AUX"}:
        return True
    return verb.tag_ in {"VB", "VBP"} and lexicon.verb_lemma(verb.head) in _BEFORE_BARE


def are_listed(one: Phrase, two: Phrase) -> bool:
    """True if both are members of one list: "the soup and the stew"."""
    first, second = sorted((one, two), key=lambda phrase: phrase.first)
    between = first.head.doc[first.last + 1 : second.first]
    if not between or (second.head.dep_ in SUBJECTS and first.head.dep_ not in SUBJECTS):
        return False
    ends = between[0].lower_, between[-1].lower_
    joined = ends[1] in lexicon.COORDINATORS and ends[0] in lexicon.COORDINATORS | {","}
    return joined and all(t.pos_ not in {"VERB", "AUX"} for t in between)


def finite_verb(verb: Token) -> Token | None:
    """Return the word that agrees with the subject: the first auxiliary, or the verb itself."""
    helpers = children(verb, "aux", "auxpass")
    finite = helpers[0] if helpers else verb
    # Past forms never change, but for was and were; a bare form after a plural is tagged VB at
    # times ("Lions hunt the zebra"), and so is a past form ("forgave").
    past = finite.tag_ in {"VBD", "VBN", "VBG"} or lexicon.is_irregular_past(finite.lower_)
    verb_form = finite.tag_.startswith("VB")
    return finite if verb_form and (finite.lemma_ == "be" or not past) else None


_QUANTITIES = lexicon.word_set("some most all any none plenty")


def _is_surname(word: str) -> bool:
    """True for a name in -s that is no plural: "Adams", "Dickens"; not "Romans"."""
    base = word.removesuffix("s")
    people = lexicon.is_usually_name(base) and base not in lexicon.MALE
    return base != word and lexicon.is_usually_name(word) and not people


def number_of(phrase: Phrase) -> str:
    """Return the form of the verb that a phrase needs: ``I``, ``singular`` or ``plural``."""
    head = phrase.head
    if (row := lexicon.forms_of(head.text)) is not None:
        named = row[lexicon.NOMINATIVE]
        return {"I": "I", "you": "plural", "we": "plural", "they": "plural"}.get(named, "singular")
    inside = range(phrase.first, phrase.last + 1)
    if any(c.i in inside for c in children(head, "conj")):
        # In "Ann, Bob and Carl" the "and" is attached to Bob.
        links = {c.lower_ for t in head.subtree if t.i in inside for c in children(t, "cc")}
        if links & {"and", "&"}:
            return "plural"
    word, articles = head.lower_, {c.lower_ for c in children(head, "det")}
    name = is_name(head) and word in lexicon.SINGULAR_NAMES
    known = lexicon.has_gender(word) or word in lexicon.SINGULAR_NOUNS
    if name or known or (not articles and _is_surname(word)):
        return "singular"
    whole = [c for prep in children(head, "prep") for c in children(prep, "pobj") if c.i in inside]
    if whole and word in _QUANTITIES:
        return number_of(phrase_of(whole[0]))  # "some of the chairs"
    # "The Alps", "the Beatles": with an article, a name in -s is a plural, tagged as one or not.
    plural = word in lexicon.PLURAL_NOUNS
    plural = plural or ("the" in articles and word in lexicon.PLURAL_ADJECTIVES)  # "the rich"
    if is_name(head) and "the" in articles and not plural:
        return "plural" if re.search(r"[^siu']s$", word) else "singular"
    # Lower-cased names are tagged as plurals at times ("romeo"), and they do not end in -s.
    base = lexicon.base_form(word)
    endings = re.search(r"(?:as|is|us|ss)$", word) and not knows_noun(base)
    tagged = not endings and head.tag_ in {"NNS", "NNPS"}
    tagged = tagged and (word.endswith(("s", "men")) or word in dictionary("lemma_exc")["noun"])
    bare = not articles and phrase.first == head.i and word in lexicon.SAME_IN_PLURAL
    # "Pixels", "Protesters": the plural of a common noun, written like a name.
    written = is_name(head) and re.search(r"[^siu']s$", word) and phrase.first == head.i
    numbered = any(c.i > head.i for c in children(head, "nummod"))  # "Windows 98"
    counted = written and head.i > 0 and len(word) > 4 and knows_noun(base) and not numbered
    return "plural" if plural or tagged or bare or counted else "singular"


# After a person, these are about the event: "blamed Bob | for the leak", "saw the girl | at noon".
_NOT_OF_ANIMATES = lexicon.word_set("for at on about by")
# After any noun, these are about the event: "calls the backend | over HTTPS".
_OF_ACTS = lexicon.word_set("against over")


def _is_outside(child: Token, head: Token) -> bool:
    """True if a dependent belongs to the sentence and not to the phrase."""
    if child.i > head.i:
        return child.dep_ == "punct" and child.text in {".", "!", ";", ":"}
    # "Tomorrow | Ann will meet Bob", "Even | Grandpa"
    day = child.lower_ in lexicon.DAY_ADVERBS and child.dep_ != "poss"
    return day or child.lower_ in lexicon.FOCUS_PARTICLES


def _follows(child: Token, head: Token) -> bool:
    """True if what follows a noun is about the whole event: "married Pierre Curie | in 1895"."""
    if child.i < head.i or child.dep_ not in {"prep", "npadvmod", "advmod", "advcl"}:
        return False
    word, led = child.lower_, children(child, "pobj")
    if word == "of":
        return head.dep_ == "dobj" and lexicon.verb_lemma(head.head) in lexicon.CHARGING_VERBS
    # "next to a vegan | at dinner", "knows Bob | from church"
    place = bool(led) and led[0].left_edge == led[0] and led[0].tag_ == "NN"
    # "kill ants | in the forests"; but "bolder than foxes in the countryside" tells foxes apart
    earlier = {t.lower_ for t in head.doc[: head.i]}
    opened = any(c.dep_ in SPECIFIERS for c in head.children)
    bare = head.tag_ in {"NNS", "NN"} and not opened and head.lower_ not in earlier
    return (
        (place and word in {"at", "from"})
        or (bool(led) and is_time(led[0]))
        or bool(children(child, "pcomp"))  # "accused the minister | of lying"
        or word in lexicon.SENTENCE_PREPOSITIONS | _OF_ACTS
        or (is_animate(head) and word in _NOT_OF_ANIMATES)
        or (bare and word in lexicon.ADJUNCT_PREPOSITIONS)
        or is_name(head)
        or head.tag_ == "PRP"
    )


def phrase_of(head: Token, *, alone: bool = False) -> Phrase:
    """Return the whole phrase of a head; `alone` leaves out what it is coordinated with."""
    after_verb = head.dep_ not in SUBJECTS
    skip = {c for c in head.children if _is_outside(c, head) or (after_verb and _follows(c, head))}
    if alone:
        skip |= set(children(head, "cc", "conj", "preconj"))
        skip |= {c for c in children(head, "det") if c.lower_ in {"both", "either", "neither"}}
    kept = [head]
    for child in head.children:
        if child not in skip:
            kept.extend(child.subtree)
    doc, first, last = head.doc, min(t.i for t in kept), max(t.i for t in kept)
    while last > head.i and doc[last].text in {",", ";", "--"}:
        last -= 1
    while first < head.i and doc[first].text in {",", ";"}:
        first += 1
    first, last = _without_extras(head, first, last)
    # "The river Thames flows": two subjects side by side are one.
    beside = [c for c in children(head.head, *SUBJECTS) if c.i > last and head.dep_ in SUBJECTS]
    if beside and beside[0].left_edge.i == last + 1:
        last = beside[0].i
    first, last = _with_quotes(doc, first, last)
    inner = [t for t in doc[head.i + 1 : last + 1] if t.dep_ in {"appos", "relcl", "acl"}]
    set_off = any(doc[c.left_edge.i - 1].text == "," and c.right_edge.i >= last for c in inner)
    return Phrase(head, first, last, set_off)


def _without_extras(head: Token, first: int, last: int) -> tuple[int, int]:
    """Leave out the "just" of "just butter", the "more than" of "more than ten", a ", not Bob"."""
    doc = head.doc
    if head.dep_ not in SUBJECTS:
        opening = doc[first : first + 2].text.lower()
        if opening in {"more than", "less than", "fewer than"} and first + 1 < head.i:
            first += 2
        elif doc[first].lower_ in lexicon.FOCUS_PARTICLES and first < head.i:
            first += 1
    for comma in range(head.i + 1, last):
        if doc[comma].text == "," and doc[comma + 1].lower_ == "not":
            return first, comma - 1
    return first, last


def _with_quotes(doc: Doc, first: int, last: int) -> tuple[int, int]:
    """Include the marks of a quoted phrase, wherever the parser attaches them."""
    before = first > 0 and doc[first - 1].is_quote
    after = last + 1 < len(doc) and doc[last + 1].is_quote
    unclosed = sum(t.is_quote for t in doc[first : last + 1]) % 2 == 1
    if unclosed:
        return (first, last + 1) if after else (first - before, last)
    if before and after:
        return first - 1, last + 1
    return first, last


_PRONOUN = "([Mm]e|I|[Hh]e|[Hh]im|[Ss]he|[Hh]er|[Ww]e|us|[Tt]hey|[Tt]hem)"
_JOINED_PRONOUN = re.compile(rf"^{_PRONOUN}(?= (?:and|or) )|(?:(?<= and )|(?<= or )){_PRONOUN}$")
"""A pronoun in a list, which has the case of the list's place: "Ann and I", "him and her"."""


class Place:
    """A phrase and its place in the text; gives its words in the form that another place needs."""

    def __init__(self, clause: Clause, phrase: Phrase, other: Phrase | None = None) -> None:
        doc, text = clause.doc, clause.text
        self.clause, self.phrase = clause, phrase
        self.listed = other is not None and are_listed(phrase, other)
        self.start, self.stop = clause.start(doc[phrase.first]), clause.stop(doc[phrase.last])
        self.text = text[self.start : self.stop]
        self.ending = ""
        self.middle_text = ""
        """The text inside a sentence, without the capital of a first word; "" if not known."""
        self.closed = phrase.comma and text[self.stop :].lstrip().startswith(",")
        # "Ann's car is faster than Bob's": Bob owns something if the other phrase does, too.
        whole = other is not None and not other.possessive
        named = whole and (phrase.ends_in_s or phrase.absolute)
        self.owner = phrase.possessive and not named
        if self.owner:
            # The ending ('s or ') belongs to the place; a pronoun such as her needs none.
            if doc[phrase.last].dep_ == "case":
                self.text = text[self.start : clause.starts[phrase.last]].rstrip()
            self.ending = "'s"
        if self.closed:
            self.stop = text.index(",", self.stop) + 1
        self.before_word = text[self.stop :].lstrip()[:1].isalnum()

    @property
    def pronoun(self) -> tuple[str, ...] | None:
        """All forms of the pronoun in this place, or None."""
        shouted = self.clause.text.isupper()  # "HE SENT HER A CARD"
        return lexicon.forms_of(self.text.lower() if shouted else self.text)

    @property
    def row(self) -> str:
        """The nominative of the pronoun in this place, in lower case, or ""."""
        return self.pronoun[lexicon.NOMINATIVE].lower() if self.pronoun is not None else ""

    @property
    def case(self) -> int:
        """The case that a pronoun has here: an index into a row of `lexicon.PRONOUNS`."""
        head = self.phrase.head
        if self.text.lower() in lexicon.REFLEXIVES:
            return lexicon.REFLEXIVE
        if self.owner:
            return lexicon.GENITIVE if head.dep_ == "poss" else lexicon.ABSOLUTE
        written = [form.lower() for form in self.pronoun or ()][: lexicon.GENITIVE]
        if written.count(self.text.lower()) == 1:  # not "you" or "it"
            return written.index(self.text.lower())
        # "He and I are friends": a conjunct has the case of the phrase it is joined to.
        while head.dep_ == "conj":
            head = head.head
        subject = head.dep_ in SUBJECTS and not is_tenseless(head.head)
        return lexicon.NOMINATIVE if subject else lexicon.ACCUSATIVE

    def edit(self, text: str) -> Edit:
        """Return the edit that puts a text in this place."""
        return Edit(self.start, self.stop, text)

    @property
    def article(self) -> list[Token]:
        """The a or an right before the phrase, if any."""
        before = self.clause.doc[max(self.phrase.first - 1, 0) : self.phrase.first]
        return [token for token in before if token.lower_ in {"a", "an"}]

    def filled_with(self, other: Place) -> list[Edit]:
        """Return the edits that put another phrase here: "a dog is an | animal |", "a | pet |"."""
        text, edits = other.text_for(self), []
        new = lexicon.article_for(text)
        # Phrases that both leave an article behind are no good pair, and the ranker avoids them.
        for article in self.article if not other.article else ():
            if article.lower_ == lexicon.article_for(self.text) != new:
                edits.append(self.clause.edit(article, new))
        return [*edits, self.edit(text)]

    def text_for(self, place: Place) -> str:
        """Return this phrase in the form that another place needs."""
        case = self.case if self.listed else place.case  # "me and Ann"
        if self.pronoun is not None:
            kept = self.phrase.absolute and not self.owner  # "behind hers": "Hers is behind"
            return self.pronoun[lexicon.ABSOLUTE if kept else case]
        text = self.middle_text or self.text
        if place.owner:
            text = lexicon.genitive(text)
        else:
            text = _JOINED_PRONOUN.sub(lambda m: lexicon.pronoun_in(m[0], case), text)
        # An inserted phrase is closed by a second comma wherever the sentence goes on.
        if self.phrase.comma and place.before_word and (self.closed or self.phrase.first > 0):
            text += ","
        return text


def direct_object(verb: Token) -> Token | None:
    """Return the direct object; a bare name after the verb is one, even if tagged as a time."""
    for child in verb.children:
        if child.dep_ == "dobj" and child.lower_ not in lexicon.REFLEXIVES:
            # "followed us home": a pronoun is a whole phrase
            first = child.left_edge
            return first if first.tag_ == "PRP" else child
        taken_for_time = child.dep_ in {"npadvmod", "advmod"} and is_name(child)
        if taken_for_time and child.i > verb.i and not is_time(child):
            return child
    return None
