"""What was typed, as one English statement: checked, and questions turned into statements.

"Does Kenya border Uganda?" is read as "Kenya borders Uganda."; in a line of chat, "im" as "I am".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from symdemo.errors import InputError, ModelError
from symdemo.swapping import lexicon
from symdemo.swapping.lexicon import UNCHANGED_PASTS, is_irregular_past, past, third_person
from symdemo.swapping.parsing import dictionary, knows_noun, knows_verb, parse
from symdemo.swapping.phrases import SUBJECTS, children
from symdemo.swapping.readings import plain_verb_parse
from symdemo.text import shorten

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier
    from spacy.tokens import Doc


MAX_CHARACTERS = 2000
_SHORT_WORDS = {"im": "i am", "ive": "i have", "u": "you", "ur": "your", "urs": "yours", "r": "are"}


def clean(text: str) -> str:
    """Remove control and invisible characters; line breaks and tabs become single spaces."""
    text = unicodedata.normalize("NFC", str(text))
    text = re.sub(r"[\t\r\n\v\f\u2028\u2029]+", " ", text)
    # Cc: control, Cf: formatting, Cs and Co: no character at all.
    text = "".join(c for c in text if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co"})
    return text.strip()


def check_typed(text: str) -> None:
    """Refuse what cannot be an English sentence about two things."""
    expected = "give one English sentence with a subject and an object"
    if not text:
        raise InputError(f"The sentence is empty: {expected}.")
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"The sentence has {len(text):,} characters, and at most {MAX_CHARACTERS:,} are read: "
            "give one shorter sentence."
        )
    letters = [c for c in text if c.isalpha()]
    if not letters:
        raise InputError(f"There are no letters in '{shorten(text)}': {expected}.")
    if len(text.split()) == 1 and text.isascii():
        raise InputError(f"There is only one word in '{shorten(text)}': {expected}.")
    check_english(text)


def spelt_out(text: str) -> tuple[str, str]:
    """Return a line with abbreviations spelt out, and a note that says which; "" if none are.

    Only a line all in lower case, as in chat, is changed. A name with a final s before a noun is
    read as a possessive: "marys dad" as "mary's dad".
    """
    if text != text.lower():
        return text, ""
    words = text.split()
    full = [
        _spelt(word, following) for word, following in zip_longest(words, words[1:], fillvalue="")
    ]
    if not any(full):
        return text, ""
    both = [(word, new) for word, new in zip(words, full, strict=True) if new]
    read = ", ".join(f"“{word}” is read as “{new}”" for word, new in dict.fromkeys(both))
    return " ".join(new or word for word, new in zip(words, full, strict=True)), f"{read}."


def _spelt(word: str, following: str) -> str:
    if word == "r" and following in {"", "and", "or", *lexicon.AUXILIARIES}:
        return ""  # the language
    return _SHORT_WORDS.get(word) or _owner(word, following)


def _owner(word: str, following: str) -> str:
    """Return "mary's" for "marys" before a noun, else ""."""
    name = word[:-1] if word.endswith("s") else ""
    known = lexicon.has_gender(name)
    if not known or (knows_noun(name) and not lexicon.is_usually_name(name)):
        return ""
    return f"{name}'s" if knows_noun(following.rstrip(".,!")) else ""


# ---- Other languages, which the parsers and encoders would misread

LIKELY = 0.025
"""A sentence whose probability of being English is lower is refused. All sentences of `assets/` and
the golden test have a higher one; see `check_english` for how English words raise it."""

_WORD = re.compile(r"[^\W\d_]{2,}")
_NAME = "John"
"""Put in place of every name: a name tells the language of its bearer, not of the sentence."""


@lru_cache(maxsize=512)
def check_english(text: str) -> None:
    """Refuse a sentence that is most likely in another language.

    Each word that is found in English alone makes English three times as likely. Where most are,
    the language is not estimated at all.

    Raises:
        InputError: another language, or other letters than Latin ones.
    """
    letters = [c for c in text if c.isalpha()]
    if sum("LATIN" in unicodedata.name(c, "") for c in letters) < len(letters) / 2:
        raise InputError(
            f"Most letters of '{shorten(text)}' are not Latin, and only English can be parsed: "
            "give an English sentence."
        )
    words = _WORD.findall(text.lower() if text.isupper() else text)
    if words and words[0].lower() in _FUNCTION_WORDS:
        words[0] = words[0].lower()
    plain = [word for word in words if word.islower()]
    english = sum(map(_only_english, plain)) + bool(re.search(r"['’]s\b", text))
    if 2 * english > len(plain) or not plain:
        return
    masked = " ".join(word if word.islower() else _NAME for word in words)
    chances: dict[str, float] = dict(_identifier().rank(masked))
    if chances.get("en", 0.0) * 3**english < LIKELY:
        raise InputError(
            f"“{shorten(text)}” does not seem to be English, and only English can be read: give an "
            "English sentence."
        )


def _only_english(word: str) -> bool:
    if len(word) < 4:  # "die", "hat" and "ten" are words elsewhere, too
        return word in {"the", "and", "of", "to", "has", *UNCHANGED_PASTS} or is_irregular_past(
            word
        )
    return is_word(word) or word.endswith(("s", "ed", "ing"))


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


_FUNCTION_WORDS = (
    lexicon.FUNCTION_WORDS
    | lexicon.CLOSED_CLASS
    | lexicon.RELATIVES
    | lexicon.word_set("me us them him am mine yours hers ours theirs but nor")
)
_ENDINGS = (
    ("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ied", "y"), ("ing", ""),
    ("ing", "e"), ("er", ""), ("er", "e"), ("ier", "y"), ("est", ""), ("est", "e"), ("iest", "y"),
    ("ly", ""), ("men", "man"),
)  # fmt: skip
_CHANGING_Y = re.compile(r"[^aeiou]y$")
"""A word whose y an ending changes: carried, not "carryed"."""
_DOUBLED = re.compile(r"[^aeiou][aeiou]([^aeiouwxy])\1$")
_DOUBLES = re.compile(r"^[^aeiou]*[aeiou][^aeiouwxy]$")
"""A word whose last consonant doubles before an ending with a vowel: bigger, not "biger"."""


def is_word(word: str) -> bool:
    """True if the parser's dictionary has a lower-cased word or its base form.

    Without the parser no word is known.
    """
    known = _known_words()
    if word in known or word in _FUNCTION_WORDS:
        return True
    for ending, base in _ENDINGS:
        if word.endswith(ending):
            stem = word.removesuffix(ending) + base
            if _CHANGING_Y.search(stem) and not base and ending[0] in "se":
                continue
            if ending[0] in "ei" and ending != "es" and not base and _DOUBLES.search(stem):
                continue
            if stem in known or (_DOUBLED.search(stem) and stem[:-1] in known):
                return True
    return False


@cache
def _known_words() -> frozenset[str]:
    try:
        tables = [dictionary(name) for name in ("lemma_index", "lemma_exc")]
    except ModelError:
        return frozenset()
    return frozenset(word for table in tables for listed in table.values() for word in listed)


# ---- Questions

_DO = {"do", "does", "did"}
_FINITE = lexicon.word_set(
    "is are am was were has have had can could will would shall should may might must"
)
_INTERROGATIVES = lexicon.word_set("who whom whose what which when where why how")
_BEFORE_INTERROGATIVES = lexicon.word_set("in at on to by from with for of")
_NEVER_LAST = lexicon.word_set("my your his her its our their the a an and or of")
_ADVERBS = lexicon.word_set("ever still also often always never just even not")
_TAG = re.compile(
    r",\s*(?:is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|should)"
    r"(?:n['’]t)?\s+(?:i|you|he|she|it|we|they|there)(?:\s+not)?\s*\?+$|,\s*(?:right|no|eh|ok)\s*\?+$",
    re.IGNORECASE,
)


def statement_of(question: str) -> tuple[str, str]:
    """Return the statement that a yes/no question asks about, and a doubt about it or "".

    The statement has no opening capital. Raises `InputError` for any other question.
    """
    without_tag = _TAG.sub(".", question)
    if without_tag != question:
        return without_tag, ""
    body = re.sub(r"\s*\?+[!?]*([\"'”’)]*)\s*$", r"\1", question)
    first, _, rest = body.partition(" ")
    opening, negated = re.subn(r"n['’]t$", "", first.lower())
    opening = {"ca": "can", "wo": "will"}.get(opening, opening)
    second = rest.strip().partition(" ")[0].lower()
    asking = re.split(r"['’]", opening)[0] in _INTERROGATIVES
    choice = re.search(r"\bor\b(?! not\b)", rest)
    if asking or choice or (opening in _BEFORE_INTERROGATIVES and second in _INTERROGATIVES):
        word = re.split(r"['’]", first.lower() if asking else second)[0]
        word = "which" if choice and not asking else word
        raise InputError(
            f"“{shorten(question)}” asks “{word}?” Try a statement such as 'Ann knows Bob.', or a "
            "question that yes or no would answer."
        )
    if opening not in _DO and opening not in _FINITE:
        return body + ".", ""
    rest = re.sub(r"\bever ", "", rest)  # "Did Ann ever meet Bob?" asks whether she met him
    rest = re.sub(r" yet$", "", rest)
    found = _turned(opening, first, rest, bool(negated))
    if found is None:
        raise InputError(
            f"“{shorten(question)}” is a question whose subject was not found: give a statement "
            "such as 'Ann knows Bob.'."
        )
    statement, splits_name = found
    doubt = ""
    if negated:
        doubt = "The question has a “not” in it, so it may ask about the opposite."
    elif splits_name:
        doubt = "It is not clear where the subject of the question ends."
    elif opening in {"could", "would", "can", "will"} and rest.lower().startswith("you "):
        doubt = "This may be a request and not a statement about two things."
    return statement + ".", doubt


def _turned(opening: str, first: str, rest: str, negated: bool) -> tuple[str, bool] | None:
    """Put the verb after the likeliest subject that the parser confirms; None if none is.

    Also return True if the verb now parts two capitalised words: "Is Lake | Geneva deep?".
    """
    tokens = rest.split()
    for length in _lengths(first, tokens):
        statement, verb_at = _built(opening, first, tokens[:length], tokens[length:], negated)
        if _begins_with_subject(statement, length, verb_at):
            return statement, all(word[0].isupper() for word in tokens[length - 1 : length + 1])
    return None


def _lengths(first: str, tokens: list[str]) -> Iterator[int]:
    """Yield how many words the subject may have, the likeliest first."""
    doc = parse(f"{first} {' '.join(tokens)}?")
    numbers = word_numbers(doc)
    parsed = next(
        (
            numbers[token.right_edge.i]
            for token in doc
            if token.dep_ in SUBJECTS and token.head.dep_ == "ROOT" and token.right_edge.i
        ),
        0,
    )
    bases = {numbers[t.i] - 1 for t in doc if t.tag_ == "VB" and numbers[t.i] > 1}
    # After "do", a verb follows the subject; of two, prefer one that cannot be a noun.
    asked = first.lower() in _DO
    yield from sorted(
        range(1, min(len(tokens), 12)),
        key=lambda n: (
            asked and tokens[n][:1].isupper(),
            asked and not (_is_adverb(tokens[n]) or knows_verb(tokens[n].lower())),
            _goes_on(tokens[n - 1], tokens[n]),
            n != parsed,
            n not in bases,
            asked and knows_noun(tokens[n].lower()),
            n,
        ),
    )


def _goes_on(last: str, following: str) -> bool:
    """True if a subject is unlikely to end between two words: "Ann's | son", "Lake | Como"."""
    joined = last in _NEVER_LAST or following.lower() in {"and", "or", "of"}
    possessor, name = last.endswith(("'s", "’s", "s'", "s’")), last[:1].isupper()
    return joined or possessor or (name and following[:1].isupper())


def _built(
    opening: str, first: str, subject: list[str], after: list[str], negated: bool
) -> tuple[str, int]:
    """Return the statement and the place of its finite verb, counted in words."""
    if opening in _FINITE or negated:
        return " ".join([*subject, first.lower(), *after]), len(subject)
    # "Did Salieri really poison Mozart?": the verb comes after an adverb or two.
    at = 0
    while at < len(after) - 1 and _is_adverb(after[at]):
        at += 1
    base = after[at]
    inflect: dict[str, Callable[[str], str]] = {"do": str, "does": third_person, "did": past}
    form = inflect[opening](base)
    return " ".join([*subject, *after[:at], form, *after[at + 1 :]]), len(subject) + at


def _is_adverb(word: str) -> bool:
    return word.endswith("ly") or word.lower() in _ADVERBS


def _begins_with_subject(sentence: str, length: int, verb_at: int) -> bool:
    """True if the first words are the whole subject of the verb behind them."""
    doc = parse(sentence + ".")
    starts = word_numbers(doc)

    def confirms(reading: Doc) -> bool:
        for token in reading:
            if token.dep_ not in SUBJECTS or token.head.dep_ not in {"ROOT", "aux"}:
                continue
            ends = starts[token.left_edge.i], starts[token.right_edge.i]
            verbs = [token.head, *children(token.head, "aux", "auxpass")]
            named = token.text not in {"the", "a", "an"}
            if named and ends == (0, length - 1) and verb_at in {starts[v.i] for v in verbs}:
                return True
        return False

    return confirms(doc) or confirms(plain_verb_parse(doc, starts.index(verb_at)))


def word_numbers(doc: Doc) -> list[int]:
    """Return for each token the number of the word that it is a part of."""
    out, word = [], 0
    for token in doc:
        out.append(word)
        word += bool(token.whitespace_)
    return out
