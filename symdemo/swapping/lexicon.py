"""Lists of words by what they do in a sentence; `assets/words.toml` holds and describes them.

Each is a set of words by the list's name in capitals, such as `IDIOMS` for `idioms`; sets made of
several lists follow below.
"""

from __future__ import annotations

import tomllib

from symdemo.files.paths import ASSETS

_LISTS = tomllib.loads((ASSETS / "words.toml").read_text(encoding="utf-8"))


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
    """Return what follows the slash by what comes before it."""
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
