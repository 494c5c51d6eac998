"""Single words: lists of them, forms of pronouns, nouns and verbs, names and capitals.

`assets/words.toml` holds and describes the lists. Each is a set of words by the list's name in
capitals, such as `IDIOMS` for `idioms`; sets made of several lists follow below.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from symdemo.errors import ModelError
from symdemo.files.paths import ASSETS
from symdemo.swapping.parsing import dictionary, knows_noun, knows_verb, parse, surface

if TYPE_CHECKING:
    from spacy.tokens import Token

_LISTS = tomllib.loads((ASSETS / "words.toml").read_text(encoding="utf-8"))
_GIVEN = tomllib.loads((ASSETS / "given_names.toml").read_text(encoding="utf-8"))
_LISTS |= {sex: _LISTS[sex] + names for sex, names in _GIVEN.items()}


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def _words(*names: str) -> frozenset[str]:
    lists = (_LISTS[name] for name in names)
    return frozenset(w for words in lists for w in (words.split() if type(words) is str else words))


def __getattr__(name: str) -> frozenset[str]:
    if name != name.upper() or name.lower() not in _LISTS:
        raise AttributeError(
            f"no list '{name.lower()}' in words.toml, which has {', '.join(_LISTS)}"
        )
    words = globals()[name] = _words(name.lower())
    return words


def _table(name: str) -> dict[str, str]:
    """Return a list of "a/b" as {a: b}."""
    return dict(pair.split("/") for pair in _LISTS[name].split())


DAYS_AND_MONTHS = _words("calendar", "feasts")
TIME_WORDS = (_words("calendar", "seasons", "day_adverbs") - {"tonight"}) | _words("times")
AUXILIARIES = _words("copulas", "other_auxiliaries")
CLOSED_CLASS = AUXILIARIES | _words("determiners", "coordinators", "prepositions", "adverbs")
ANIMATES = _words("animals", "groups", "other_beings")
PASTS = _table("pasts")
PARTICIPLES = _table("participles")
SECOND_OBJECTS = {way: word_set(verbs) for way, verbs in _LISTS["second_objects"].items()}
STATING_WORDS = _words("stating_verbs", "stating_adjectives")
MODIFIERS = _words("adjectives", "other_modifiers")
FUNCTION_WORDS = _words("function_words")
NOT_AGENTS = _words("not_agents")
PASTS_LIKE_OTHER_VERBS = _words("pasts_like_other_verbs")
NAMES_WITH_ARTICLE = _words("names_with_article")
NATIONAL_ADJECTIVES = _words("national_adjectives")
COUNTED_NAMES = _words("counted_names")
UNCOUNTED_NAMES = _words("uncounted_names")
ALWAYS_NAMES = _words("always_names")
KIN_NAMES = _words("kin_names")
_GENDERED = _words("male", "female")
_GIVEN_NAMES = _GENDERED - _words("other_beings", "kin_names")  # and nouns: king
TECHNICAL_NAMES = _words("technical_names")
SEASONS = _words("seasons")
NEGATIONS = word_set("not no never nobody none nothing neither without cannot false")

# nominative, accusative, genitive, genitive alone, reflexive; "her" belongs to the row of "she"
PRONOUNS = (
    ("I", "me", "my", "mine", "myself"),
    ("you", "you", "your", "yours", "yourself"),
    ("he", "him", "his", "his", "himself"),
    ("she", "her", "her", "hers", "herself"),
    ("it", "it", "its", "its", "itself"),
    ("we", "us", "our", "ours", "ourselves"),
    ("they", "them", "their", "theirs", "themselves"),
)
NOMINATIVE, ACCUSATIVE, GENITIVE, ABSOLUTE, REFLEXIVE = range(5)
_ROW_OF = {form.lower(): row for row in PRONOUNS for form in row}
POSSESSIVES = frozenset(row[GENITIVE] for row in PRONOUNS)
ABSOLUTES = frozenset(row[ABSOLUTE] for row in PRONOUNS)
"""Pronouns for an owner and what is owned: "My house is bigger than yours"."""
REFLEXIVES = frozenset(row[REFLEXIVE] for row in PRONOUNS) | {"oneself", "yourselves"}
_PERSONAL = frozenset(form.lower() for row in PRONOUNS for form in row[: GENITIVE + 1])

_BE = {"present": ("am", "is", "are"), "past": ("was", "was", "were")}
_IRREGULAR_THIRD = {"have": "has", "do": "does", "go": "goes"}
_PLURALS = {"man": "men", "child": "children", "wife": "wives", "person": "people"}


def is_pronoun(text: str) -> bool:
    """True if the text is one personal or possessive pronoun; US and IT are names."""
    return text.lower() in _PERSONAL and not (len(text) > 1 and text.isupper())


def forms_of(text: str) -> tuple[str, ...] | None:
    """Return all forms of a pronoun: I, me, my, mine, myself for “me”; None for any other text."""
    return None if len(text) > 1 and text.isupper() else _ROW_OF.get(text.lower())


def pronoun_in(text: str, case: int) -> str:
    """Return the pronoun in another case: ``pronoun_in("He", ACCUSATIVE)`` is ``"him"``."""
    return _ROW_OF[text.lower()][case]


def genitive(text: str) -> str:
    """Return the possessive form of a noun phrase or a pronoun: Bob's, the dogs', her."""
    if is_pronoun(text):
        return pronoun_in(text, GENITIVE)
    # A plural in -s takes the bare apostrophe; a capital in the last word is a name (James's).
    last = text.rsplit(maxsplit=1)[-1]
    many = last.islower() or re.fullmatch(r"the \w+", text, re.IGNORECASE)  # "the Singhs"
    plural = last.endswith("s") and many and not last.endswith("ss")
    return text + ("'" if plural else "'s")


def third_person(lemma: str) -> str:
    """Return the third person singular of a verb: chase, chases; miss, misses; carry, carries."""
    if lemma in _IRREGULAR_THIRD:
        return _IRREGULAR_THIRD[lemma]
    if re.search(r"(?:s|x|z|ch|sh|o)$", lemma):
        return lemma + "es"
    if re.search(r"[^aeiou]y$", lemma):
        return lemma[:-1] + "ies"
    return lemma + "s"


def plural_of(noun: str) -> str:
    """Return the plural of a noun: ally, allies; fellow countryman, fellow countrymen."""
    for ending, plural in _PLURALS.items():
        if noun.endswith(ending):
            return noun.removesuffix(ending) + plural
    return third_person(noun)  # nouns and verbs take the same ending


def article_for(word: str) -> str:
    """Return a or an, by the first letter of a word."""
    return "an" if word[:1].lower() in {"a", "e", "i", "o", "u"} else "a"


def base_form(third: str) -> str:
    """Return the base of a third person singular: borders, border; carries, carry."""
    if third.endswith("ies") and len(third) > 4:
        return third[:-3] + "y"
    if re.search(r"(?:s|x|z|ch|sh|o)es$", third):
        return third[:-2]
    return third.removesuffix("s")


def verb_form(form: str, lemma: str, person: str) -> str:
    """Adapt a finite verb to a subject that is ``I``, ``singular`` or ``plural``.

    Past forms other than was and were are the same for all subjects.
    """
    adapted = _verb_form(form, lemma, {"I": 0, "singular": 1, "plural": 2}[person])
    if form.isupper() and len(form) > 1:
        return adapted.upper()
    return adapted.capitalize() if form[:1].isupper() else adapted


def _verb_form(form: str, lemma: str, column: int) -> str:
    low = form.lower()
    if low in {"'s", "'re", "'m", "'ve", "’s", "’re", "’m", "’ve"}:
        short = {"be": ("'m", "'s", "'re"), "have": ("'ve", "'s", "'ve")}.get(lemma)
        return form[0] + short[column][1:] if short else form
    for forms in _BE.values():
        if low in forms:
            return forms[column]
    if low == lemma and re.search(r"[^su]s$", low):
        lemma = base_form(low)  # the lemmatizer left the ending on: "overlaps"
    if low.endswith("s") and low not in {lemma, third_person(lemma)}:
        lemma = base_form(low)  # the lemmatizer took "hates" for a form of "hat"
    if low == third_person(lemma) or low == lemma:
        return third_person(lemma) if column == 1 else lemma
    return form


# A verb is inflected as what follows these: foresee, foresaw.
_PREFIXED = re.compile(
    r"(?P<prefix>fore|inter|mis|out|over|pre|re|under|un|up|with)(?P<verb>\w{2,})"
)


def _irregular(base: str, *tables: dict[str, str]) -> str | None:
    """Return the irregular form of a verb, or None: foresee, foresaw."""
    for forms in tables:
        if base in forms:
            return forms[base]
        prefixed = _PREFIXED.fullmatch(base)
        # "relay" (relayed) is not "lay" with a prefix
        if prefixed and base != "relay" and prefixed["verb"] in forms:
            return prefixed["prefix"] + forms[prefixed["verb"]]
    return None


def past(base: str) -> str:
    """Return the past of a verb: write, wrote; carry, carried; refer, referred; twib, twibbed."""
    low = base.lower()
    if (irregular := _irregular(low, PASTS)) is not None:
        return irregular
    if low.endswith("e"):
        return base + "d"
    if re.search(r"[^aeiou]y$", low):
        return base[:-1] + "ied"
    if low.endswith("ic"):
        return base + "ked"
    return base + base[-1:] * _doubles(low) + "ed"


def participle(base: str) -> str:
    """Return the past participle: refer, referred; write, written."""
    return _irregular(base.lower(), PARTICIPLES, PASTS) or past(base)


def gerund(base: str) -> str:
    """Return the form in -ing: chase, chasing; lie, lying; refer, referring."""
    low = base.lower()
    if low.endswith("ie"):
        return base[:-2] + "ying"
    if re.search(r"[^eoy]e$", low) and low != "be":
        return base[:-1] + "ing"
    if low.endswith("ic"):
        return base + "king"
    return base + base[-1:] * _doubles(low) + "ing"


def _doubles(base: str) -> bool:
    """True if a verb doubles its last letter: stop, stopped; refer, referred; not border."""
    # The dictionary has these doubled too; with one letter they are never wrong.
    if base in {"focus", "benefit", "bias", "combat", "pivot", "profit"}:
        return False
    if re.fullmatch(r"(?:[^aeiou]*|qu|[^aeiou]*qu)[aeiou][bdgklmnprt]", base):
        return True
    listed = (_irregular_bases(f"{base}{base[-1:]}{ending}") for ending in ("ed", "ing"))
    return any(base in bases for bases in listed)


def _irregular_bases(form: str) -> list[str]:
    """Return the base forms that the dictionary has for an irregular form of a verb."""
    return list(dictionary("lemma_exc")["verb"].get(form, ()))


def verb_lemma(token: Token) -> str:
    """Return the base form of a verb in lower case; for a stand-in, that of the real word."""
    word = surface(token).lower()
    if word == token.lower_:
        return token.lemma_.lower()
    if bases := _irregular_bases(word):
        return bases[0]
    if word.endswith("ed"):
        regular = (word[:-1], word[:-2], word[:-3] + "y", word[:-3])
        return next(filter(knows_verb, regular), word[:-2])
    return base_form(word) if word.endswith("s") else word


def base_of(verb: Token) -> str | None:
    """Return the base form of the verb in the sentence; None if no verb has that form.

    The lemmatizer takes "hates" for a form of "hat" and leaves "overlaps" as it is, so a base only
    counts where one of its own forms is the word.
    """
    form = surface(verb).lower()
    bases = [verb_lemma(verb), *_irregular_bases(form)]
    if (prefixed := _PREFIXED.fullmatch(form)) is not None:  # "outswam"
        bases += [prefixed["prefix"] + base for base in _irregular_bases(prefixed["verb"])]
    bases += [base_form(form), form]
    for ending in ("ed", "ing"):
        if form.endswith(ending):
            stem = form.removesuffix(ending)
            bases += [stem + "e", stem, stem[:-1], stem[:-1] + "y"]
    bases = [
        base
        for base in dict.fromkeys(filter(None, bases))
        if form in {base, third_person(base), past(base), participle(base), gerund(base)}
    ]
    return min(bases, key=lambda base: (not knows_verb(base), base == form), default=None)


def is_animate_noun(lemma: str) -> bool:
    """True if a common noun is animate: a person, an animal or a body of people."""
    return lemma in ANIMATES or is_agent_noun(lemma)


def is_agent_noun(lemma: str) -> bool:
    """True if a noun looks like an agent noun (one who does something): baker, not lavender."""
    if len(lemma) <= 4 or lemma in NOT_AGENTS:
        return False
    if lemma.endswith(("er", "or")):
        stem = lemma[:-2]
        return any(knows_verb(base) for base in (stem, stem + "e", stem[:-1], stem[:-1] + "y"))
    return lemma.endswith(("ist", "man", "woman", "ian", "guard", "herd", "smith"))


NAMES_FILE = ASSETS / "names.txt"
"""Nouns that are usually written with a capital; its first lines say how it was made."""
DOUBT = "?"
"""Mark after a word that is a name as often as not."""


@cache
def _names() -> tuple[frozenset[str], frozenset[str]]:
    """Return two sets of lower-cased words: usually names, and as often names as not."""
    lines = NAMES_FILE.read_text(encoding="utf-8").splitlines()
    words = {line for line in lines if line and not line.startswith("#")}
    often = {word for word in words if word.endswith(DOUBT)}
    return frozenset(words - often), frozenset(word.removesuffix(DOUBT) for word in often)


def is_usually_name(word: str) -> bool:
    """True if a lower-cased noun hardly occurs without a capital: denmark, galileo."""
    return word in _names()[0]


def is_often_name(word: str) -> bool:
    """True if a lower-cased noun occurs with a capital as often as without: ruby, python."""
    return word in _names()[1]


def is_irregular_past(word: str) -> bool:
    """True if a word is an irregular past or participle unlike its base form: met, bitten."""
    if word in PASTS_LIKE_OTHER_VERBS:
        return True
    if word.endswith(("s", "ing", "ed")) or knows_verb(word):
        return False
    return word in dictionary("lemma_exc")["verb"]


def has_fixed_capitals(word: str) -> bool:
    """True if a word has the same capitals everywhere: I, NATO, Q42, iPhone, McGill."""
    return word == "I" or any(c.isdigit() for c in word) or any(c.isupper() for c in word[1:])


def is_name_start(words: list[str]) -> bool | None:
    """True if a capitalised opening is a name; None if words alone cannot tell."""
    first = words[0].strip("\"'“”‘’(),")
    accent = any(c.isalpha() and not c.isascii() for c in first)  # Émile; few other English words
    if accent or has_fixed_capitals(first) or (len(words) == 1 and len(first) == 1):
        return True
    national = NATIONAL_ADJECTIVES & {first.lower(), first.lower().removesuffix("s")}
    if national or " ".join(words[:2]).lower() in NAMES_WITH_ARTICLE:
        return True
    # A capital on the next word too: a name of several words (Mount Kenya, Treaty of Versailles).
    links = {"of", "the", "de", "la", "van", "von", "and", "&"}
    follows = [w for w in words[1:3] if w not in links]
    described = first in {"Old", "Young", "Little", "Baby"} and follows  # "old Mr. Kaya"
    if first.lower() in FUNCTION_WORDS or (described and _could_be_given(follows[0])):
        return False
    if follows and follows[0][:1].isupper():
        return True
    return None


def has_gender(word: str) -> bool:
    """True if a lower-cased word is a given name, or a noun such as aunt."""
    return word in _GENDERED


def _could_be_given(word: str) -> bool:
    low = word.lower().removesuffix("'s")
    return has_gender(low) or not (knows_noun(low) or is_usually_name(low))


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
    """True if a capitalised sentence opening is a common noun that loses its capital elsewhere.

    `token` is the word in the parse, and `beside_name` is True if the other phrase is a name.
    """
    lowered, after = word.lower(), token.doc[token.i + 1 : token.i + 2]
    opens, tag = token.left_edge == token, token.tag_
    # "Python inspired Ruby": a common noun in the singular would have an article.
    bare = tag in {"NN", "NNP"} and token.dep_ != "compound"
    named = bare and (is_often_name(lowered) or lowered in TECHNICAL_NAMES | ANIMATES)
    named = beside_name and (named or any(t.like_num for t in after))  # "Route 66"
    if named or (opens and lowered in KIN_NAMES):
        return False
    if lowered in ANIMATES or lowered in SEASONS:
        return True
    # So would it in "Will is afraid of dogs" and "Fern visited her brother".
    alone = opens and all(child.dep_ in {"cc", "conj"} for child in token.rights)
    alone = alone and (token.dep_ in {"nsubj", "nsubjpass", "aux"} or after[:1].text == "and")
    owns = tag == "NNP" and any(t.tag_ == "PRP$" and t.lower_ in {"his", "her"} for t in token.doc)
    singular = lowered.removesuffix("s")  # "Mondays", "Sikhs"
    dated = not DAYS_AND_MONTHS.isdisjoint({lowered, singular})
    named = lowered in ALWAYS_NAMES | COUNTED_NAMES or is_usually_name(lowered)
    if named or dated or (alone and (owns or lowered in _GIVEN_NAMES)):
        return False
    if lowered in UNCOUNTED_NAMES:
        return not (beside_name or any(t.tag_ == "POS" for t in after))
    lemma = token.lemma_.lower() if token.lower_ == lowered else lowered  # not of a stand-in
    known = any(map(knows_noun, (lowered, lemma, singular)))
    known = known or lowered in dictionary("lemma_exc")["noun"]
    # An adjective alone before a verb is a name: "Celtic edged Rangers".
    if tag.startswith("NNP") or (tag == "JJ" and alone):
        common = known and not beside_name
        if common and is_often_name(lowered):  # a name for the tagger without its capital too?
            common = not parse(f"{lowered} is part of it.")[0].tag_.startswith("NNP")
        return common
    # A word that no dictionary knows is a name that the tagger does not (Zofia).
    listed = any(lowered in words for words in dictionary("lemma_index").values())
    return known or (not tag.startswith("NN") and (listed or not alone))


def name_at_start(premise: str, one: str, two: str) -> bool:
    """True if the sentence opens with a name; without the parser, every opening counts as one."""
    beside = starts_like_name(two)
    try:
        first = next(t for t in parse(premise) if t.is_alpha or t.text[:1].isalnum())
        return not is_common_noun(first, first.text, beside_name=beside)
    except (ModelError, StopIteration):
        return True
