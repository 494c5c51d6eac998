"""Whether the capital of a sentence's first word is a name's or the sentence's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symdemo.errors import ModelError
from symdemo.swapping import beings, lexicon, words
from symdemo.swapping.names import is_often_name, is_usually_name
from symdemo.swapping.phrases import SUBJECTS
from symdemo.swapping.pipeline import knows_noun, parse

if TYPE_CHECKING:
    from spacy.tokens import Token


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
    # An adjective alone before a verb is a name: "Celtic edged Rangers".
    alone = token.dep_ in SUBJECTS and token.left_edge == token.right_edge
    if token.tag_.startswith("NNP") or (token.tag_ == "JJ" and alone):
        return known and not beside_name and not _is_name_without_capital(lowered)
    # A noun that no dictionary knows is a name that the tagger does not (Zofia).
    return known or not token.tag_.startswith("NN")


def _is_name_without_capital(word: str) -> bool:
    """Whether the tagger, which leans on the capital, takes a word for a name without it too."""
    if not is_often_name(word):  # and not usually: all names that are nouns are in the lists
        return False
    return parse(f"{word} is part of it.")[0].tag_.startswith("NNP")


def _by_word_alone(token: Token, word: str, *, beside_name: bool) -> bool | None:
    """The same, where the lists of names and of common nouns say it; None where they do not."""
    if word in lexicon.KIN_NAMES and token.left_edge == token:
        return False
    # "Python inspired Ruby": a common noun in the singular would have an article.
    bare = beside_name and token.tag_ in {"NN", "NNP"} and token.dep_ != "compound"
    if bare and (is_often_name(word) or word in lexicon.TECHNICAL_NAMES):
        return False
    if word in beings.BEINGS or word in lexicon.SEASONS:
        return True
    alone = token.tag_ in {"NN", "NNP"} and token.left_edge == token.right_edge == token
    if alone and token.dep_ in SUBJECTS and beings.has_being_ending(word):
        return False  # "Docker depends on Rust": what can be counted has an article
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
