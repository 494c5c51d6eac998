"""A guess at subject, relation and object where no pair was found: what fills the three boxes."""

from __future__ import annotations

from symdemo.errors import ModelError
from symdemo.swapping.phrases import SUBJECTS, subject_of
from symdemo.swapping.pipeline import parse


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
    verb = max(subject.head.i, last + 1)
    for token in doc[verb + 1 :]:
        if token.dep_ not in {"prt", "prep", "neg", "aux", "agent"} or token.i != verb + 1:
            break
        verb = token.i
    return doc[: last + 1].text, doc[last + 1 : verb + 1].text, doc[verb + 1 :].text
