"""The fixed wordings of the fourteen relations, swapped without the parser."""

from __future__ import annotations

import re

from symdemo.data.relations import RELATIONS
from symdemo.swapping.mending.capitals import (
    capitalise,
    move_to_middle,
    name_at_start,
    starts_like_name,
)
from symdemo.swapping.mending.exchange import Exchanged
from symdemo.swapping.reading import lexicon
from symdemo.swapping.reading.inflection import is_pronoun

# The verbs of the wordings, in the singular and the plural.
_NUMBERS = (("has", "have"), ("is", "are"), ("overlaps", "overlap"))


def _compile(wording: str) -> re.Pattern[str]:
    """Turn a wording into a pattern with the groups one, middle, two and end."""
    middle, end = re.split(r"\[[XY]\]", wording.removesuffix("."))[1:]
    # The verb may stand in the plural too: "Ann and Bob are different from Carl."
    wording = re.escape(middle)
    for singular, plural in _NUMBERS:
        wording = re.sub(rf"(?<!\w){singular}(?!\w)", f"(?:{singular}|{plural})", wording, count=1)
    return re.compile(
        rf"(?P<one>\S.*?)(?P<middle>{wording})(?P<two>.*?\S)"
        rf"(?P<end>{re.escape(end)}\s*[.!]?)",
        re.IGNORECASE,
    )


TEMPLATES = tuple(_compile(relation.template) for relation in RELATIONS)

# Words that no plain noun phrase holds: with one of them the fixed wording may be only a part of a
# longer sentence ("The storm led to the flood that caused ..."), which is left to the parser.
_CLAUSE_WORDS = re.compile(
    r"\b(?:is|are|was|were|be|been|that|which|who|whom|has|have|had|led|caused|because|when|if|"
    r"does|did|said|says|not|also|overlaps|possibly)\b|[;?]",
    re.IGNORECASE,
)
# "the lungs", "my parents": plural, but not "the Treaty of Versailles".
_PLURAL_SIDE = re.compile(
    r"(?:the|my|our|his|her|its|their|these|those)\b(?:(?! of | in | for ).)*[^siu']s(?: of .*)?",
    re.IGNORECASE,
)
# "Ann and Carl", "Ann, Bob and Carl", but not "Ministry of Health and Welfare" or "James VI and I".
_SEVERAL = re.compile(
    r"(?:[Tt]he\b|[A-Z])(?:(?! of | for ).)* and (?:the |an? |(?![IVX]+\b)[A-Z]).*"
)


def by_wording(premise: str, *, strict: bool = True) -> Exchanged | None:
    """Swap by the fixed wording of a known relation, where it leaves two noun phrases."""
    found = [m for pattern in TEMPLATES if (m := pattern.fullmatch(premise))]
    if len(found) != 1:
        return None
    one, two = found[0]["one"].strip(), found[0]["two"].strip()
    middle, end = found[0]["middle"], found[0]["end"]
    changed = _in_number(middle, one, two)
    if strict:
        for side in (one, two):
            if _CLAUSE_WORDS.search(side) or is_pronoun(side) or changed is None:
                return None
    if strict and re.match(r"(?:last|next|every) \w+ (?:the|an?) ", one, re.IGNORECASE):
        return None
    # A comma before the wording sets off a fronted or inserted phrase; names such as "Don Bosco
    # Technical College, Mandaluyong" hold one too, but go on with a capital.
    if strict and re.search(r"^(?:in|after|before|according|since|when)\b.*,", one, re.IGNORECASE):
        return None
    upper = premise[:1].isupper()
    to_middle = move_to_middle(one, lambda: name_at_start(premise, one, two)) if upper else one
    to_front = capitalise(two) if upper else two
    return Exchanged(
        to_front + (changed or middle) + to_middle + end, one, two, f"[X]{middle}[Y]{end}"
    )


def _is_several(side: str) -> bool:
    return bool(_SEVERAL.fullmatch(side)) and side.lower() not in lexicon.DOUBLE_NAMES


def _in_number(middle: str, one: str, two: str) -> str | None:
    """Give the wording with its verb in the number of the new subject; None: ask the parser.

    A coordinated subject with a singular verb is one name ("Romeo and Juliet is part of ...").
    """
    if _PLURAL_SIDE.fullmatch(one) or _PLURAL_SIDE.fullmatch(two):
        return None
    for singular, plural in _NUMBERS:
        if re.search(rf"\b{singular}\b", middle):
            return re.sub(rf"\b{singular}\b", plural, middle) if _is_several(two) else middle
        if re.search(rf"\b{plural}\b(?! instances)", middle):
            if not _is_several(one) or not starts_like_name(two):
                return None
            return middle if _is_several(two) else re.sub(rf"\b{plural}\b", singular, middle)
    return middle
