"""Refuse sentences in other languages, which the parsers and encoders would misread."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from symdemo.errors import InputError
from symdemo.swapping.lexicon import UNCHANGED_PASTS
from symdemo.swapping.parsing import is_irregular_past
from symdemo.swapping.words import is_word
from symdemo.text import shorten

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

LIKELY = 0.025
"""A sentence is refused below this probability of being English. Lower than any sentence of
`assets/` and the golden test; see `check_english` for what English words add."""

_WORD = re.compile(r"[^\W\d_]{2,}")
_NAME = "John"
"""In place of every name: names say more about their bearers' languages than about a sentence's."""


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
