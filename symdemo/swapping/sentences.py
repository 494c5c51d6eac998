"""Swap subject and object of an English sentence: ``swap("The cat chased the dog.")``.

Three steps: clean the text, find the two phrases, exchange them and mend what that breaks:
capitals, pronoun case, possessives, agreement of the verb. The known wordings of the fourteen
relations are tried first; all other sentences go through the rules in `symdemo.swapping.grammar`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from symdemo.errors import InputError
from symdemo.swapping import words
from symdemo.swapping.frames import split_frame
from symdemo.swapping.mend import exchange, move_to_front, move_to_middle
from symdemo.swapping.parser import find, name_at_start

MAX_CHARACTERS = 2000
SELF_HELP = "type the swapped sentence yourself"

WORDINGS = (
    "[Y] is a child of [X].",
    "[X] partially overlaps with [Y].",
    "[X] is a type of [Y].",
    "[X] is a sibling of [Y].",
    "[X] is an equivalent name of [Y] for other gender.",
    "[X] is located in [Y].",
    "[Y] is the mother of [X].",
    "[Y] is the father of [X].",
    "[X] possibly the same as [Y].",
    "[X] has part(s) that are instances of [Y].",
    "[X] led to [Y].",
    "[X] is different from [Y].",
    "[X] is part of [Y].",
    "[X] caused by [Y].",
)


# The verbs of the wordings, in the singular and the plural.
_NUMBERS = (("has", "have"), ("is", "are"), ("overlaps", "overlap"))


def _compile(wording: str) -> re.Pattern[str]:
    """Turn a wording into a pattern with the groups one, middle, two and end."""
    middle, end = re.match(r"\[[XY]\](.+)\[[XY]\](.*)\.$", wording).groups()
    # The verb may stand in the plural too: "Ann and Bob are different from Carl."
    wording = re.escape(middle)
    for singular, plural in _NUMBERS:
        wording = re.sub(rf"(?<!\w){singular}(?!\w)", f"(?:{singular}|{plural})", wording, count=1)
    return re.compile(
        rf"(?P<one>\S.*?)(?P<middle>{wording})(?P<two>.*?\S)"
        rf"(?P<end>{re.escape(end)}\s*[.!]?)",
        re.IGNORECASE,
    )


TEMPLATES = tuple(_compile(wording) for wording in WORDINGS)

# Words that no plain noun phrase holds: with one of them the fixed wording may be only a part of a
# longer sentence ("The storm led to the flood that caused ..."), which is left to the parser.
_CLAUSE_WORDS = re.compile(
    r"\b(?:is|are|was|were|be|been|that|which|who|whom|has|have|had|led|caused|because|when|if|"
    r"does|did|said|says|not|also|overlaps|possibly)\b|[;?]",
    re.IGNORECASE,
)
# Tags of which a statement holds one.
_FINITE = {"VBZ", "VBD", "VBP", "MD"}
# "the lungs", "my parents": plural, but not "the Treaty of Versailles".
_PLURAL_SIDE = re.compile(
    r"(?:the|my|our|his|her|its|their|these|those)\b(?:(?! of | in | for ).)*[^siu']s(?: of .*)?",
    re.IGNORECASE,
)
# "Ann and Carl", "Ann, Bob and Carl", but not "Ministry of Health and Welfare" or "James VI and I".
_SEVERAL = re.compile(
    r"(?:[Tt]he\b|[A-Z])(?:(?! of | for ).)* and (?:the |an? |(?![IVX]+\b)[A-Z]).*"
)


@dataclass(frozen=True)
class Swap:
    """A sentence, the same sentence with subject and object changed places, and its parts.

    `subject` and `object` stand as they do in the premise. `relation` is the premise with [X] for
    the subject and [Y] for the object: "[X] was married to [Y] in 1895."

    `doubts` says in plain sentences why this may not be the swap that a person would make, and
    `others` gives what else it may be, the likeliest first. `note` says what was read in place of
    what was typed, where the premise is not the sentence as given (a question, a typing error).
    """

    premise: str
    hypothesis: str
    subject: str
    object: str
    relation: str
    doubts: tuple[str, ...] = ()
    others: tuple[Swap, ...] = ()
    note: str = ""

    @property
    def sure(self) -> bool:
        """Whether nothing speaks against showing this swap as the one that was meant."""
        return not self.doubts


def swap(sentence: str) -> Swap:
    """Exchange subject and object of one English sentence.

    Raises `InputError` where the text is no such sentence, and `ModelError` where the parser that
    free sentences need is not installed.
    """
    premise = _clean(sentence)
    _check(premise)
    if (known := _by_template(premise)) is not None:
        return known
    if (framed := _in_frame(premise)) is not None:
        return framed
    pair = find(premise)
    if pair is None:
        known = _by_template(premise, strict=False)
        if known is not None:
            return known
        raise InputError(
            f"No subject and object were found in {_shown(premise)}: give an English sentence "
            f"about two things, such as 'The cat chased the dog.', or {SELF_HELP}."
        )
    return Swap(premise, *exchange(premise, pair))


def _in_frame(premise: str) -> Swap | None:
    """Swap what an introduction such as "Experts agree that" introduces; None without one."""
    parts = split_frame(premise)
    pair = find(parts[1]) if parts else None
    if pair is None or not any(t.tag_ in _FINITE for t in pair.one.head.doc):
        return None
    frame, statement = parts
    hypothesis, subject, object, relation = exchange(statement, pair, opens_sentence=False)
    return Swap(premise, frame + hypothesis, subject, object, frame + relation)


def join(subject: str, relation: str, object: str) -> str:
    """Build a sentence from three boxes; the relation is plain ("is the mother of") or a template.

    A template names both places, [X] for the subject and [Y] for the object.
    """
    parts = {"subject": _clean(subject), "relation": _clean(relation), "object": _clean(object)}
    for name, text in parts.items():
        if not re.search(r"\w", text):
            raise InputError(f"The {name} is empty: give at least one word.")
    template = parts["relation"]
    marks = (template.count("[X]"), template.count("[Y]"))
    if marks == (0, 0):
        template = f"[X] {template} [Y]"
    elif marks != (1, 1):
        raise InputError(
            f"The relation {_shown(template)} names [X] {marks[0]} times and [Y] {marks[1]} times: "
            "give each once, or neither."
        )
    values = {"[X]": parts["subject"], "[Y]": parts["object"]}
    text = re.sub(r"\[([XY])\]('s)?", lambda m: _fill(m, values, template), template)
    text = words.capitalise(text)
    return text if text[-1] in ".!?…" else text + "."


def _fill(match: re.Match[str], values: dict[str, str], template: str) -> str:
    """Put a phrase in its place: possessive before 's, without a sentence capital in the middle."""
    text = values[f"[{match[1]}]"]
    if match.start() > 0 and words.is_name_start(text.split()) is False:
        text = words.lower_first(text)
    # "[X]'s taller" with he, she or it is the verb; any other pronoun there is a possessor.
    nominative = words.is_pronoun(text) and words.pronoun_in(text, words.NOMINATIVE) == text.lower()
    return words.genitive(text) if match[2] and not nominative else text + (match[2] or "")


def _clean(text: str) -> str:
    """Take out control and invisible characters; line breaks and tabs become single spaces."""
    text = unicodedata.normalize("NFC", str(text))
    text = re.sub(r"[\t\r\n\v\f\u2028\u2029]+", " ", text)
    # Cc: control, Cf: formatting, Cs and Co: no character at all.
    text = "".join(c for c in text if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co"})
    return text.strip()


def _shown(text: str) -> str:
    """Quote a text for a message, short enough to read."""
    return f"'{text}'" if len(text) <= 60 else f"'{text[:57]}...'"


def _check(text: str) -> None:
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
        raise InputError(f"There are no letters in {_shown(text)}: {expected}.")
    if len(text.split()) == 1 and text.isascii():
        raise InputError(f"There is only one word in {_shown(text)}: {expected}.")
    letters = [c for c in text if c.isalpha()]
    latin = sum("LATIN" in unicodedata.name(c, "") for c in letters)
    if latin < len(letters) / 2:
        raise InputError(
            f"Most letters of {_shown(text)} are not Latin, and only English can be parsed: "
            f"{SELF_HELP}."
        )
    if text.rstrip("\"'”’) ").endswith("?"):
        raise InputError(
            f"{_shown(text)} is a question: give it as a statement, such as 'Ann knows Bob.'."
        )


def _by_template(premise: str, *, strict: bool = True) -> Swap | None:
    """Swap by the fixed wording of a known relation, where it leaves two noun phrases."""
    found = [m for pattern in TEMPLATES if (m := pattern.fullmatch(premise))]
    if len(found) != 1:
        return None
    one, two = found[0]["one"].strip(), found[0]["two"].strip()
    middle, end = found[0]["middle"], found[0]["end"]
    changed = _in_number(middle, one, two)
    if strict:
        for side in (one, two):
            if _CLAUSE_WORDS.search(side) or words.is_pronoun(side) or changed is None:
                return None
    if strict and re.match(r"(?:last|next|every) \w+ (?:the|an?) ", one, re.IGNORECASE):
        return None
    # A comma before the wording sets off a fronted or inserted phrase; names such as "Don Bosco
    # Technical College, Mandaluyong" hold one too, but go on with a capital.
    if strict and re.search(r"^(?:in|after|before|according|since|when)\b.*,", one, re.IGNORECASE):
        return None
    upper = premise[:1].isupper()
    to_middle = move_to_middle(one, lambda: name_at_start(premise, one, two)) if upper else one
    to_front = move_to_front(two) if upper else two
    return Swap(
        premise, to_front + (changed or middle) + to_middle + end, one, two, f"[X]{middle}[Y]{end}"
    )


def _is_several(side: str) -> bool:
    return bool(_SEVERAL.fullmatch(side)) and side.lower() not in words.DOUBLE_NAMES


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
            if not _is_several(one) or not words.starts_like_name(two):
                return None
            return middle if _is_several(two) else re.sub(rf"\b{plural}\b", singular, middle)
    return middle
