"""Three boxes, subject, relation and object: the sentence of them, and a guess at their texts."""

from __future__ import annotations

import re

from symdemo.errors import InputError, ModelError
from symdemo.swapping.mending.capitals import capitalise, is_name_start, lower_first
from symdemo.swapping.reading.inflection import NOMINATIVE, genitive, is_pronoun, pronoun_in
from symdemo.swapping.reading.phrases import SUBJECTS, subject_of
from symdemo.swapping.reading.pipeline import parse
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
    text = capitalise(text)
    return text if text[-1] in ".!?…" else text + "."


def _fill(match: re.Match[str], values: dict[str, str], template: str) -> str:
    """Put a phrase in its place: possessive before 's, without a sentence capital in the middle."""
    text = values[f"[{match[1]}]"]
    if match.start() > 0 and is_name_start(text.split()) is False:
        text = lower_first(text)
    # "[X]'s taller" with he, she or it is the verb; any other pronoun there is a possessor.
    nominative = is_pronoun(text) and pronoun_in(text, NOMINATIVE) == text.lower()
    return genitive(text) if match[2] and not nominative else text + (match[2] or "")


def guess_boxes(sentence: str) -> tuple[str, str, str]:
    """Give the best guess at (subject, relation, object), any of them possibly empty.

    The subject is what stands before the verb, the object what follows the verb and its
    preposition: a person mends it from there.
    """
    bare = sentence.strip().rstrip(".!?… ")
    try:
        doc = parse(bare)
    except ModelError:
        return bare, "", ""
    if not len(doc):
        return "", "", ""
    root = next(doc.sents).root
    subject = subject_of(root)
    if subject is None:
        subject = next((t for t in doc if t.dep_ in SUBJECTS), None)
    if subject is None:
        verb = root if root.pos_ in {"VERB", "AUX"} else None
        return ("", doc[: root.i + 1].text, doc[root.i + 1 :].text) if verb else (bare, "", "")
    last = subject.right_edge.i
    end = max(subject.head.i, last + 1)
    for token in doc[end + 1 :]:
        if token.dep_ not in {"prt", "prep", "neg", "aux", "agent"} or token.i != end + 1:
            break
        end = token.i
    return doc[: last + 1].text, doc[last + 1 : end + 1].text, doc[end + 1 :].text
