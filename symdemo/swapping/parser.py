"""Ask the parser for the two phrases, and help it where its first reading holds no pair.

The parser is small: it takes "bit" for a noun, "Monday" for the time of what happens and a name it
has never seen for an adverb. So a sentence without a pair is parsed a few times more, with words it
knows well in those places; the phrases are then read off the real words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from symdemo.errors import ModelError
from symdemo.swapping import beings, lexicon, words
from symdemo.swapping.grammar import find_in, fragment
from symdemo.swapping.names import is_often_name, is_usually_name
from symdemo.swapping.phrases import Pair
from symdemo.swapping.pipeline import (
    is_irregular_past,
    knows_noun,
    knows_verb,
    parse,
    parse_with_stand_ins,
    said,
)
from symdemo.swapping.together import NoPartiesError

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

# A verb that the parser hardly ever takes for a noun, in the present and in the past.
PRESENT_VERB, PAST_VERB = "loves", "loved"
# Names that it knows well, for a sentence with up to that many names to replace.
GIVEN_NAMES = ("Peter", "Maria", "Thomas", "Sarah", "David", "Helen")
FAMILY_NAME = "Smith"
# How many words are tried as the verb, so that a long sentence takes no longer than a few parses.
MOST_VERBS = 4


class Reading(NamedTuple):
    """The two phrases, and what it took to find them: nothing, or stand-ins for some words."""

    pair: Pair
    how: str = ""

    @property
    def doc(self) -> Doc:
        """The parse that the phrases are read off."""
        return self.pair.one.head.doc


def find(text: str) -> Reading | None:
    """Give the two phrases that change places, or None."""
    text = re.sub(r"\s+", " ", text)
    # "A loves B." ends in an initial to the tokenizer; a space shows that the full stop is one.
    doc = parse(re.sub(r"(?<=\b[A-Z])\.$", " .", text))
    doc = _with_short_verb(doc)
    try:
        reading = _first_reading(doc)
    except NoPartiesError:
        return None
    return None if reading and _is_idiom(reading.pair) else reading


def _first_reading(doc: Doc) -> Reading | None:
    first = parse_with_stand_ins(doc, lettered) if (lettered := _lettered_things(doc)) else doc
    if (pair := _pair_in(first)) is not None:
        return Reading(pair)
    if (pair := _find_with_stand_ins(doc)) is not None:
        return Reading(pair, "stand-ins")
    pair = find_in(next(doc.sents).root, (fragment,))
    return Reading(pair, "fragment") if pair else None


def plain_verb_parse(doc: Doc, at: int) -> Doc:
    """Parse again with a plain verb in one place, in the form of the word that stands there."""
    past = doc[at].text.endswith("ed") or is_irregular_past(doc[at].lower_)
    return parse_with_stand_ins(doc, {at: PAST_VERB if past else PRESENT_VERB})


def _is_idiom(pair: Pair) -> bool:
    """Whether the second phrase is no party at all: "The two leaders shook hands"."""
    thing = pair.two.head
    return f"{thing.head.lemma_.lower()} {said(thing).lower()}" in lexicon.IDIOMS


def _pair_in(doc: Doc) -> Pair | None:
    pairs = (find_in(sentence.root) for sentence in doc.sents)
    return next((pair for pair in pairs if pair is not None), None)


def _lettered_things(doc: Doc) -> dict[int, str]:
    """Give full names for things told apart by a letter alone: "Company A bought company B".

    Beside capitals "a" is an article: "Ann met a man who met B".
    """
    found: dict[str, dict[str, int]] = {}
    for thing, letter in pairwise(doc):
        if thing.is_alpha and not thing.is_stop and _is_letter(letter):
            found.setdefault(thing.lower_, {}).setdefault(letter.text, thing.i)
    for places in found.values():
        if any(letter.isupper() for letter in places):
            places.pop("a", None)
    alike = [place for places in found.values() if len(places) > 1 for place in places.values()]
    names = zip(GIVEN_NAMES, sorted(alike), strict=False)
    return {i: word for name, at in names for i, word in ((at, name), (at + 1, FAMILY_NAME))}


def _is_letter(token: Token) -> bool:
    return len(token.text) == 1 and token.is_alpha and token.text != "I"


def _with_short_verb(doc: Doc) -> Doc:
    """Parse "Bob's taller than me" again as "Bob is taller ...": no possessor stands there."""
    for token in doc[1:-2]:
        if token.dep_ != "case" or token.lower_ not in {"'s", "’s"}:
            continue
        after = doc[token.i + 1 :]
        comparing = after[0].tag_ in {"JJR", "RBR"} and any(t.lower_ == "than" for t in after[1:3])
        if comparing or after[0].tag_ in {"DT", "PRP$"} or after[0].lower_ == "not":
            return parse_with_stand_ins(doc, {token.i: "is"})
    return doc


def _find_with_stand_ins(doc: Doc) -> Pair | None:
    """Parse again with a plain verb where the real one may have misled the parser, and plain names.

    "Lake Chad borders Niger" is read as one long noun. Each word that could be a verb gives way to
    "loves" in turn; a reading with that word as the main verb stands, with the real word in place.
    """
    names = _names_to_replace(doc)
    roots = [t for t in doc if t.dep_ == "ROOT" and t.tag_ in {"VBZ", "VBD", "VBP", "VBN"}]
    if names and (roots or any(t.pos_ == "AUX" for t in doc)):
        pair = _pair_in(parse_with_stand_ins(doc, names))
        if pair is not None:
            return pair
    for token, verb in _verbs_to_replace(roots or doc[1:-1]):
        for others in (names, {}) if names else ({},):
            probed = parse_with_stand_ins(doc, {**others, token.i: verb})[token.i]
            if probed.dep_ == "ROOT" and (pair := find_in(probed)) is not None:
                return pair
    return None


def _names_to_replace(doc: Doc) -> dict[int, str]:
    """Give plain names for the names of one or two words, and for days, months and seasons."""
    out: dict[int, str] = {}
    given = iter(GIVEN_NAMES)
    for first, last in _runs(t.i for t in doc if _could_be_name(t)):
        opening = doc[first - 1].tag_ if first else ""
        # "the Alps", "in June", "last spring": no name alone, or one that says where or when.
        placed = first and doc[first - 1].lower_ in words.ADJUNCT_PREPOSITIONS - {"before", "after"}
        if last - first > 1 or opening in {"DT", "CD", "JJ"} or placed:
            continue
        plain = next(given, None)
        if plain is None:
            break
        out[first] = plain
        if last > first:
            out[last] = FAMILY_NAME
    return out


def _runs(places: Iterator[int]) -> Iterator[tuple[int, int]]:
    """Give the first and the last of each run of neighbouring places."""
    run: list[int] = []
    for place in places:
        if run and place != run[-1] + 1:
            yield run[0], run[-1]
            run = []
        run.append(place)
    if run:
        yield run[0], run[-1]


def _could_be_name(token: Token) -> bool:
    word = token.lower_
    if word in lexicon.DAYS_AND_MONTHS | lexicon.SEASONS:
        return word in lexicon.SEASONS or token.text[:1].isupper()
    letter = len(word) == 1 and word.isalpha() and token.text != "I"
    if letter and (word != "a" or (token.i and token.text == "A")):
        return True  # "x equals y", "Player A beat player B"
    given = token.i == 0 and word in lexicon.COUNTED_NAMES | lexicon.UNCOUNTED_NAMES
    if not token.text[0].isupper() or (token.is_stop and not given):
        return False
    if token.i > 0:
        return True
    # At the opening a capital says nothing: "Reportedly, ...", "Lions hunt the zebra".
    adverb = word in lexicon.DAY_ADVERBS or word.endswith("ly")
    plural = word.endswith("s") and knows_noun(words.base_form(word))
    return not adverb and not plural


def _verbs_to_replace(tokens: list[Token] | Iterator[Token]) -> list[tuple[Token, str]]:
    """Give the words that could be the verb with their stand-ins, the surest first."""
    found = []
    for token in tokens:
        before = token.nbor(-1) if token.i else None
        # "a bit", "Ann's left arm": no finite verb follows these.
        if before is not None and before.tag_ in {"DT", "PRP$", "POS"}:
            continue
        word = token.lower_
        if token.is_lower and (is_irregular_past(word) or word in lexicon.UNCHANGED_PASTS):
            found.append((0, token.i, token, PAST_VERB))
        elif _could_be_verb(token):
            found.append((1, token.i, token, PRESENT_VERB))
    return [(token, verb) for _, _, token, verb in sorted(found)[:MOST_VERBS]]


def _could_be_verb(token: Token) -> bool:
    """Whether a word has a regular form of a verb that the dictionary knows."""
    word = token.lower_
    if not token.is_lower or token.is_stop:
        return False
    if word.endswith("s"):
        return knows_verb(words.base_form(word)) or knows_verb(word[:-1])
    if word.endswith("ed"):
        return any(knows_verb(v) for v in (word[:-1], word[:-2], word[:-3] + "y"))
    # A base form only after a plural: "The Alps border Italy".
    before = [t.lower_ for t in token.doc[: token.i] if t.tag_ != "POS"]
    return knows_verb(word) and any(w.endswith("s") or w == "and" for w in before)


def is_common_noun(token: Token, word: str, *, beside_name: bool) -> bool:
    """Whether a capitalised sentence opening is a common noun that loses its capital elsewhere."""
    lowered = word.lower()
    told = _by_word_alone(token, lowered, beside_name=beside_name)
    if told is not None:
        return told
    owns = token.i + 1 < len(token.doc) and token.nbor().tag_ == "POS"
    if lowered in lexicon.UNCOUNTED_NAMES:
        return not (beside_name or owns)
    known = any(map(knows_noun, (lowered, token.lemma_.lower(), lowered.rstrip("s"))))
    if not token.tag_.startswith("NNP"):
        # A noun that no dictionary knows is a name that the tagger does not (Zofia).
        return known or not token.tag_.startswith("NN")
    if not known or beside_name:
        return False
    # The tagger leans on the capital; without it, it still knows most names.
    return not parse(f"{lowered} is part of it.")[0].tag_.startswith("NNP")


def _by_word_alone(token: Token, word: str, *, beside_name: bool) -> bool | None:
    """The same, where the lists of names and of common nouns say it; None where they do not."""
    # "Python inspired Ruby": a common noun in the singular would have an article.
    bare = beside_name and token.tag_ in {"NN", "NNP"} and token.dep_ != "compound"
    if bare and is_often_name(word):
        return False
    if word in beings.BEINGS or word in lexicon.SEASONS:
        return True
    given = words.ALWAYS_NAMES | lexicon.DAYS_AND_MONTHS | lexicon.COUNTED_NAMES
    return False if word in given or is_usually_name(word) else None


def name_at_start(premise: str, one: str, two: str) -> bool:
    """Whether the sentence opens with a name; without the parser a capital counts as one."""
    beside = words.starts_like_name(two)
    try:
        first = next(t for t in parse(premise) if t.is_alpha or t.text[:1].isalnum())
        return not is_common_noun(first, first.text, beside_name=beside)
    except (ModelError, StopIteration):
        return True
