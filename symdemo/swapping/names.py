"""Which words are usually names: a dictionary has "Denmark" and "Ruby" as nouns like any other.

`assets/names.txt` lists them; `names_list.py` makes it.
"""

from __future__ import annotations

from functools import cache

from symdemo.paths import ASSETS

FILE = ASSETS / "names.txt"
DOUBT = "?"
"""What follows a word that is a name as often as not."""


@cache
def _names() -> tuple[frozenset[str], frozenset[str]]:
    """Lower-cased words that are usually names, and those that often are."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    words = [line for line in lines if line and not line.startswith("#")]
    often = {word.removesuffix(DOUBT) for word in words if word.endswith(DOUBT)}
    return frozenset(words) - {word + DOUBT for word in often}, frozenset(often)


def is_usually_name(word: str) -> bool:
    """Whether a lower-cased noun hardly occurs without a capital: denmark, galileo."""
    return word in _names()[0]


def is_often_name(word: str) -> bool:
    """Whether a lower-cased noun occurs with a capital as often as without: ruby, python."""
    return word in _names()[1]
