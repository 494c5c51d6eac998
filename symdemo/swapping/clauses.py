"""Two full clauses in one sentence: "Ann loves Bob, but Bob does not love Ann."

The parser reads such a sentence as one long clause at times; each half it reads well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from symdemo.swapping.phrases import subject_of
from symdemo.swapping.pipeline import PIPELINE, parse

if TYPE_CHECKING:
    from spacy.tokens import Doc

_JOINT = re.compile(
    r"\s*(?:,|;|\s-|–|—)?\s+(?:and|but|so|while|whereas|yet)\s+|\s*;\s+", re.IGNORECASE
)
_FINITE = {"VBZ", "VBD", "VBP", "MD"}


class Halves(NamedTuple):
    """Where the first clause stops and the second starts, and the second as parsed."""

    stop: int
    start: int
    second: Doc


def split_clauses(sentence: str, parser: str = PIPELINE) -> Halves | None:
    """Give the two halves of a sentence that both have a subject and a finite verb."""
    for joint in _JOINT.finditer(sentence):
        left, right = sentence[: joint.start()], sentence[joint.end() :]
        if len(left.split()) < 3 or len(right.split()) < 2:
            continue
        second = parse(right, parser)
        if _is_clause(parse(left, parser)) and _is_clause(second, at_once=True):
            return Halves(joint.start(), joint.end(), second)
    return None


def _is_clause(doc: Doc, *, at_once: bool = False) -> bool:
    """Whether a text has a subject with its finite verb; `at_once`: it begins with the subject."""
    root = next(doc.sents).root
    subject = subject_of(root)
    if subject is None or subject.i > root.i or subject.tag_ in {"WP", "WDT", "WP$"}:
        return False
    if at_once and subject.left_edge.i > 1:
        return False
    return any(t.tag_ in _FINITE for t in [root, *root.children])
