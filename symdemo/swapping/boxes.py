"""A sentence joined from three boxes: subject, relation and object."""

from __future__ import annotations

import re

from symdemo.errors import InputError
from symdemo.swapping import words
from symdemo.swapping.text import clean, shown


def join(subject: str, relation: str, object: str) -> str:
    """Build a sentence from three boxes; the relation is plain ("is the mother of") or a template.

    A template names both places, [X] for the subject and [Y] for the object.
    """
    parts = {"subject": clean(subject), "relation": clean(relation), "object": clean(object)}
    for name, text in parts.items():
        if not re.search(r"\w", text):
            raise InputError(f"The {name} is empty: give at least one word.")
    template = parts["relation"]
    marks = (template.count("[X]"), template.count("[Y]"))
    if marks == (0, 0):
        template = f"[X] {template} [Y]"
    elif marks != (1, 1):
        raise InputError(
            f"The relation {shown(template)} names [X] {marks[0]} times and [Y] {marks[1]} times: "
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
