"""Capitals: whether the first word has a name's or the sentence's, and where it keeps it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from symdemo.errors import ModelError
from symdemo.swapping.reading import lexicon, nouns
from symdemo.swapping.reading.phrases import SUBJECTS
from symdemo.swapping.reading.pipeline import knows_noun, parse

if TYPE_CHECKING:
    from spacy.tokens import Token


def has_fixed_capitals(word: str) -> bool:
    """Whether a word's capitals never depend on its place: I, NATO, Q42, iPhone, McGill."""
    return word == "I" or any(c.isdigit() for c in word) or any(c.isupper() for c in word[1:])


def is_name_start(words: list[str]) -> bool | None:
    """Whether a capitalised sentence opening is a name; ``None`` where words alone cannot tell."""
    first = words[0].strip("\"'“”‘’(),")
    if has_fixed_capitals(first) or (len(words) == 1 and len(first) == 1):
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
    """Whether a phrase from the middle of a sentence opens with a capital."""
    first = text.lstrip("\"'“‘(").split(maxsplit=1)[:1]
    return bool(first) and (first[0][:1].isupper() or has_fixed_capitals(first[0]))


def move_to_middle(text: str, is_name: Callable[[], bool]) -> str:
    """Take the sentence capital off a phrase, unless it opens with a name.

    `is_name` is asked only where the words alone cannot tell.
    """
    quoted = not text[:1].isalnum()
    if quoted or (not text[:1].isupper() and not text[1:2].isupper()):
        return text
    name = is_name_start(text.split())
    if name is None:
        name = is_name()
    return text if name else lower_first(text)


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
    if not nouns.is_often_name(word):  # and not usually: all names that are nouns are in the lists
        return False
    return parse(f"{word} is part of it.")[0].tag_.startswith("NNP")


def _by_word_alone(token: Token, word: str, *, beside_name: bool) -> bool | None:
    """The same, where the lists of names and of common nouns say it; None where they do not."""
    if word in lexicon.KIN_NAMES and token.left_edge == token:
        return False
    # "Python inspired Ruby": a common noun in the singular would have an article.
    bare = beside_name and token.tag_ in {"NN", "NNP"} and token.dep_ != "compound"
    if bare and (nouns.is_often_name(word) or word in lexicon.TECHNICAL_NAMES):
        return False
    if word in nouns.ANIMATES or word in lexicon.SEASONS:
        return True
    alone = token.tag_ in {"NN", "NNP"} and token.left_edge == token.right_edge == token
    if alone and token.dep_ in SUBJECTS and nouns.is_agent_noun(word):
        return False  # "Docker depends on Rust": what can be counted has an article
    given = lexicon.ALWAYS_NAMES | lexicon.DAYS_AND_MONTHS | lexicon.COUNTED_NAMES
    return False if word in given or nouns.is_usually_name(word) else None


def name_at_start(premise: str, one: str, two: str) -> bool:
    """Whether the sentence opens with a name; without the parser a capital counts as one."""
    beside = starts_like_name(two)
    try:
        first = next(t for t in parse(premise) if t.is_alpha or t.text[:1].isalnum())
        return not is_common_noun(first, first.text, beside_name=beside)
    except (ModelError, StopIteration):
        return True
