"""Swap subject and object of an English sentence: ``swap("The cat chased the dog.")``.

Three steps: clean the text, find the two phrases, exchange them and mend what that breaks:
capitals, case, possessives, agreement of verbs, pronouns. The known wordings of the fourteen
relations are tried first; all other sentences go through the rules in `symdemo.swapping.grammar`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from symdemo.errors import NoPairFound
from symdemo.swapping.clauses import split_clauses
from symdemo.swapping.frames import split_frame
from symdemo.swapping.guess import guess_boxes
from symdemo.swapping.mend import exchange
from symdemo.swapping.parser import FINITE, Reading, find
from symdemo.swapping.places import Clause
from symdemo.swapping.questions import is_question, statement_of
from symdemo.swapping.text import SELF_HELP, check, clean, shown
from symdemo.swapping.wordings import by_wording


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

    A yes/no question is read as the statement it asks about; the note says so. Raises `NoPairFound`
    where there is a sentence but no pair, any other `InputError` where there is no such sentence,
    and `ModelError` where the parser that free sentences need is not installed.
    """
    premise = clean(sentence)
    check(premise)
    if is_question(premise):
        asked = statement_of(premise)
        found = _swap_statement(asked.text)
        return replace(found, note=asked.note, doubts=(*filter(None, [asked.doubt]), *found.doubts))
    return _swap_statement(premise)


def _swap_statement(premise: str) -> Swap:
    if (known := by_wording(premise)) is not None:
        return Swap(premise, *known)
    for way in (_in_frame, _in_clauses, _whole):
        if (found := way(premise)) is not None:
            return found
    if (known := by_wording(premise, strict=False)) is not None:
        return Swap(premise, *known)
    raise NoPairFound(
        f"No subject and object were found in {shown(premise)}: give an English sentence "
        f"about two things, such as 'The cat chased the dog.', or {SELF_HELP}.",
        guess_boxes(premise),
    )


def _whole(premise: str) -> Swap | None:
    reading = find(premise)
    return _swapped(premise, reading, [Clause(premise, reading.doc)]) if reading else None


def _in_frame(premise: str) -> Swap | None:
    """Swap what an introduction such as "Experts agree that" introduces; None without one."""
    parts = split_frame(premise)
    reading = find(parts[1]) if parts else None
    if reading is None or not any(t.tag_ in FINITE for t in reading.doc):
        return None
    return _swapped(premise, reading, [Clause(premise, reading.doc, len(parts[0]))])


def _in_clauses(premise: str) -> Swap | None:
    """Swap the first of two full clauses, and what the second says of the same two."""
    parts = split_clauses(premise)
    reading = find(premise[: parts.stop]) if parts else None
    if reading is None:
        return None
    second = Clause(premise, parts.second, parts.start)
    return _swapped(premise, reading, [Clause(premise, reading.doc), second])


def _swapped(premise: str, reading: Reading, clauses: list[Clause]) -> Swap:
    got = exchange(clauses, reading.pair)
    return Swap(premise, *got[:4], doubts=got.unclear)
