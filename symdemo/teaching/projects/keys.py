"""The keys of projects: long enough that nobody guesses one, and fit to be written down and typed.

A key is five groups of four signs, such as 7k2m-q9xd-04ct-hv8w-m3rs: digits and small letters
without i, l, o and u, as in Crockford's base 32. The last sign is computed from the others, so that
a slip is told from a project that is gone.
"""

from __future__ import annotations

import re
import secrets

from symdemo.errors import InputError

_SIGNS = "0123456789abcdefghjkmnpqrstvwxyz"
_READ_AS = str.maketrans("oil", "011", " -–—\t\r\n")
_LENGTH, _GROUP = 20, 4
_PRIME = 31  # a changed sign changes the sum, and so do two neighbours in each other's place

PROJECT_ID = re.compile(r"[A-Za-z0-9_-]{24}")
"""What the id of a project looks like; those of before were 24 signs of any kind."""


def new_key() -> str:
    """A key that no project has: 95 random bits."""
    signs = "".join(secrets.choice(_SIGNS) for _ in range(_LENGTH - 1))
    return _grouped(signs + _check_sign(signs))


def read_key(text: object) -> str:
    """The key that a person typed: capitals, spaces, and o for 0 or l for 1 are no slips.

    Raises:
        InputError: it has not the form of a key, or a sign of it is wrong.
    """
    text = text.strip() if isinstance(text, str) else ""
    signs = text[:100].lower().translate(_READ_AS)
    if len(signs) == _LENGTH and set(signs) <= set(_SIGNS):
        if signs[-1] != _check_sign(signs[:-1]):
            raise InputError("There is a slip in this key; compare it sign by sign.")
        return _grouped(signs)
    if PROJECT_ID.fullmatch(text):
        return text
    raise InputError(
        "This is no key: five groups of four signs are expected, such as 7k2m-q9xd-04ct-hv8w-m3rs."
    )


def _check_sign(signs: str) -> str:
    return _SIGNS[sum(n * _SIGNS.index(s) for n, s in enumerate(signs, start=1)) % _PRIME]


def _grouped(signs: str) -> str:
    return "-".join(signs[at : at + _GROUP] for at in range(0, _LENGTH, _GROUP))
