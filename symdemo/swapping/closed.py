"""Word lists by which blocks of words are told apart without a parser."""

from __future__ import annotations

from symdemo.swapping import words
from symdemo.swapping.words import word_set

DETERMINERS = word_set(
    "the a this that these those every each no some any all both most many few several"
)
COPULAS = word_set("am is are was were 's 're 'm")
AUXILIARIES = COPULAS | word_set(
    "be been being 've 'll 'd has have had do does did will would can could may might must shall "
    "should not"
)
JOINTS = word_set("and or")
PREPOSITIONS = word_set(
    "in on at by for of to from with without into onto than as about over under above below "
    "between among after before since until during through against across behind beside near "
    "towards upon within despite because although though while when if unless whereas where"
)
COMPLEMENTS = word_set("of than")
"""Prepositions whose phrase belongs to the word before it and never moves alone."""
ADVERBS = word_set(
    "yesterday today tomorrow now then often sometimes always never once twice again still ago "
    "already soon later earlier together very quite too also just only even ever here there"
)
CLOSED = DETERMINERS | AUXILIARIES | JOINTS | PREPOSITIONS | ADVERBS

NO_OPENING = CLOSED - DETERMINERS
"""No party opens with one of these, unless it is a name or a title."""
NO_ENDING = word_set("the a than as of") | JOINTS | AUXILIARIES - {"will"}
RELATIVES = word_set("who whom whose which that what")
POSSESSIVES = frozenset(row[words.GENITIVE] for row in words.PRONOUNS)
LINKS = word_set("of from in as by to with for than")
"""What a relation between two parties ends in: "is part of", "is older than"."""

ADJECTIVES = word_set(
    "old young new big small large tall short long great rich poor strong weak happy sad angry "
    "hungry busy clever bright dark heavy hot cold wet dirty full quiet loud red blue green yellow "
    "black white brown grey pink purple orange wooden golden silver former local foreign northern "
    "southern eastern western male female other older younger bigger smaller larger taller shorter "
    "richer poorer"
)
"""Adjectives that are hardly ever another kind of word before a noun."""
MODIFIERS = ADJECTIVES | word_set(
    "little high low good bad fast slow tired kind light warm cool dry clean empty early late left "
    "right upper lower first second third last next main own two three four five six seven eight "
    "nine ten eleven twelve"
)
"""What may stand before a noun, but stands elsewhere too."""
