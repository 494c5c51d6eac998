"""What was typed: cleaned, checked and quoted."""

from __future__ import annotations

import re
import unicodedata

from symdemo.errors import InputError

MAX_CHARACTERS = 2000
SELF_HELP = "type the swapped sentence yourself"


def clean(text: str) -> str:
    """Take out control and invisible characters; line breaks and tabs become single spaces."""
    text = unicodedata.normalize("NFC", str(text))
    text = re.sub(r"[\t\r\n\v\f\u2028\u2029]+", " ", text)
    # Cc: control, Cf: formatting, Cs and Co: no character at all.
    text = "".join(c for c in text if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co"})
    return text.strip()


_IN_HASTE = {"im": "I am", "ive": "I have", "u": "you", "ur": "your", "urs": "yours"}


def spelt_out(text: str) -> tuple[str, str]:
    """A line of chat, all in small letters, with its short words spelt out, and a note of them."""
    found = [word for word in text.split() if word in _IN_HASTE]
    if not found or text != text.lower():
        return text, ""
    spelt = " ".join(_IN_HASTE.get(word, word) if word in found else word for word in text.split())
    read = (f"“{word}” is read as “{_IN_HASTE[word]}”" for word in dict.fromkeys(found))
    return spelt, f"{', '.join(read)}."


def shown(text: str) -> str:
    """Quote a text for a message, short enough to read."""
    return f"'{text}'" if len(text) <= 60 else f"'{text[:57]}...'"


def check(text: str) -> None:
    """Refuse what cannot be a sentence about two things, saying what was seen."""
    expected = "give one English sentence with a subject and an object"
    if not text:
        raise InputError(f"The sentence is empty: {expected}.")
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"The sentence has {len(text):,} characters, and at most {MAX_CHARACTERS:,} are read: "
            "give one shorter sentence."
        )
    if not any(c.isalpha() for c in text):
        raise InputError(f"There are no letters in {shown(text)}: {expected}.")
    if len(text.split()) == 1 and text.isascii():
        raise InputError(f"There is only one word in {shown(text)}: {expected}.")
    letters = [c for c in text if c.isalpha()]
    latin = sum("LATIN" in unicodedata.name(c, "") for c in letters)
    if latin < len(letters) / 2:
        raise InputError(
            f"Most letters of {shown(text)} are not Latin, and only English can be parsed: "
            f"{SELF_HELP}."
        )


def words_of(sentence: str) -> list[str]:
    """The words that `symdemo.swapping.swap_at` counts: what white space parts."""
    return sentence.split()
