"""Lists of words by what they do in a sentence; `assets/words.toml` holds and describes them."""

from __future__ import annotations

import tomllib

from symdemo.files.paths import ASSETS

_LISTS = tomllib.loads((ASSETS / "words.toml").read_text(encoding="utf-8"))


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def _words(name: str) -> frozenset[str]:
    listed = _LISTS[name]
    return frozenset(listed.split() if isinstance(listed, str) else listed)


def _table(name: str) -> dict[str, str]:
    """Return what follows the slash by what comes before it."""
    return dict(pair.split("/") for pair in _LISTS[name].split())


SINGULAR_NAMES = _words("singular_names")
PLURAL_NOUNS = _words("plural_nouns")
SAME_IN_PLURAL = _words("same_in_plural")
FUNCTION_WORDS = _words("function_words")
NAMES_WITH_ARTICLE = _words("names_with_article")
NATIONAL_ADJECTIVES = _words("national_adjectives")
ALWAYS_NAMES = _words("always_names")
DOUBLE_NAMES = _words("double_names")
COLLECTIVE_VERBS = _words("collective_verbs")
COMPARING_WORDS = _words("comparing_words")
UNITS = _words("units")
ADJUNCT_PREPOSITIONS = _words("adjunct_prepositions")
SENTENCE_PREPOSITIONS = _words("sentence_prepositions")
SIDES = _words("sides")
CONNECTING_VERBS = _words("connecting_verbs")
MANNERS = _words("manners")
ARGUMENT_PREPOSITIONS = _words("argument_prepositions")
COUNTED_NAMES = _words("counted_names")
UNCOUNTED_NAMES = _words("uncounted_names")
_CALENDAR = _words("calendar")
DAYS_AND_MONTHS = _CALENDAR | _words("feasts")
SEASONS = _words("seasons")
DAY_ADVERBS = _words("day_adverbs")
TIME_WORDS = (_CALENDAR | SEASONS | DAY_ADVERBS - {"tonight"}) | _words("times")
PASTS_LIKE_OTHER_VERBS = _words("pasts_like_other_verbs")
UNCHANGED_PASTS = _words("unchanged_pasts")
GIVING_VERBS = _words("giving_verbs")
IDIOMS = _words("idioms")
LIGHT_VERBS = _words("light_verbs")
GIFTS = _words("gifts")
CHAT = _words("chat")
KIN_NAMES = _words("kin_names")
FOCUS_PARTICLES = _words("focus_particles")
TAKING_VERBS = _words("taking_verbs")
VERBS_WITH_ON = _words("verbs_with_on")
THINKING_VERBS = _words("thinking_verbs")
TECHNICAL_NAMES = _words("technical_names")
DETERMINERS = _words("determiners")
COPULAS = _words("copulas")
AUXILIARIES = COPULAS | _words("other_auxiliaries")
COORDINATORS = _words("coordinators")
PREPOSITIONS = _words("prepositions")
ADVERBS = _words("adverbs")
CLOSED_CLASS = DETERMINERS | AUXILIARIES | COORDINATORS | PREPOSITIONS | ADVERBS
RELATIVES = _words("relatives")
ANIMALS = _words("animals")
GROUPS = _words("groups")
ANIMATES = ANIMALS | GROUPS | _words("other_beings")
NOT_AGENTS = _words("not_agents")
MALE = _words("male")
FEMALE = _words("female")
PASTS = _table("pasts")
PARTICIPLES = _table("participles")
INDEFINITE = _words("indefinite")
CHARGING_VERBS = _words("charging_verbs")
JOINING_VERBS = _words("joining_verbs")
WHO_MARRIES = _words("who_marries")
SECOND_OBJECTS = {way: word_set(verbs) for way, verbs in _LISTS["second_objects"].items()}
STATING_WORDS = _words("stating_verbs") | _words("stating_adjectives")
ADJECTIVES = _words("adjectives")
MODIFIERS = ADJECTIVES | _words("other_modifiers")
