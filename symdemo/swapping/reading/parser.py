"""Ask the parser for the two phrases, and help it where its first reading holds no pair.

The parser is small: it takes "bit" for a noun, "Monday" for the time of what happens and a name it
has never seen for an adverb. So a sentence that it has not understood is parsed a few times more,
with words it knows well in those places; the phrases are then read off the real words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from symdemo.swapping.reading import lexicon
from symdemo.swapping.reading.constructions import find_in, fragment
from symdemo.swapping.reading.coordination import NoPartiesError
from symdemo.swapping.reading.phrases import FINITE, Pair, subject_of
from symdemo.swapping.reading.pipeline import (
    PIPELINE,
    is_irregular_past,
    parse,
    parse_with_stand_ins,
    surface,
    verb_lemma,
)
from symdemo.swapping.reading.stand_ins import (
    PAST_VERB,
    PRESENT_VERB,
    plain_names,
    plain_verbs,
    plain_words,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc


class Reading(NamedTuple):
    """The two phrases, and what it took to find them: nothing, or stand-ins for some words."""

    pair: Pair
    how: str = ""

    @property
    def doc(self) -> Doc:
        """The parse that the phrases are read off."""
        return self.pair.one.head.doc


def find(text: str, parser: str = PIPELINE) -> Reading | None:
    """Give the two phrases that change places, or None."""
    try:
        reading = next(readings(text, parser), None)
    except NoPartiesError:
        return None
    return None if reading and _is_idiom(reading.pair) else reading


def readings(text: str, parser: str = PIPELINE) -> Iterator[Reading]:
    """Give what the sentence may mean, the likeliest first, each with its two phrases."""
    doc = parse(text, parser)
    if replaced := plain_words(doc):
        doc = parse_with_stand_ins(doc, replaced)
    plain = _pair_in(doc)
    if plain is not None and _is_understood(doc):
        yield Reading(plain)
    yield from _with_stand_ins(doc)
    if plain is not None and not _is_understood(doc):
        yield Reading(plain, "no verb")
    if (pair := find_in(next(doc.sents).root, (fragment,))) is not None:
        yield Reading(pair, "fragment")


def _is_understood(doc: Doc) -> bool:
    """Whether the parse is that of a sentence: a finite verb with a subject, or an order."""
    for sentence in doc.sents:
        root = sentence.root
        if root.pos_ in {"VERB", "AUX"} and (
            subject_of(root) is not None or any(c.dep_ in {"expl", "csubj"} for c in root.children)
        ):
            return any(t.tag_ in FINITE for t in [root, *root.children])
        if root.tag_ == "VB":
            return True
    return False


def _with_stand_ins(doc: Doc) -> Iterator[Reading]:
    """Parse again with a plain verb where the real one may have misled the parser, and plain names.

    "Lake Chad borders Niger" is read as one long noun. Each word that could be a verb gives way to
    "loves" in turn; a reading with that word as the main verb stands, with the real word in place.
    """
    names = plain_names(doc)
    roots = [t for t in doc if t.dep_ == "ROOT" and t.tag_ in {"VBZ", "VBD", "VBP", "VBN"}]
    if names and (roots or any(t.pos_ == "AUX" for t in doc)):
        other = parse_with_stand_ins(doc, names)
        if _is_understood(other) and (pair := _pair_in(other)) is not None:
            yield Reading(pair, "names")
    for token, verb in plain_verbs(roots or doc[1:-1]):
        for others in (names, {}) if names else ({},):
            probed = parse_with_stand_ins(doc, {**others, token.i: verb})[token.i]
            if probed.dep_ == "ROOT" and (pair := find_in(probed)) is not None:
                yield Reading(pair, "verb")


def _pair_in(doc: Doc) -> Pair | None:
    pairs = (find_in(sentence.root) for sentence in doc.sents)
    return next((pair for pair in pairs if pair is not None), None)


def plain_verb_parse(doc: Doc, at: int) -> Doc:
    """Parse again with a plain verb in one place, in the form of the word that stands there."""
    past = doc[at].text.endswith("ed") or is_irregular_past(doc[at].lower_)
    return parse_with_stand_ins(doc, {at: PAST_VERB if past else PRESENT_VERB})


def _is_idiom(pair: Pair) -> bool:
    """Whether the second phrase is no party at all: "The two leaders shook hands"."""
    thing = pair.two.head
    return f"{verb_lemma(thing.head)} {surface(thing).lower()}" in lexicon.IDIOMS
