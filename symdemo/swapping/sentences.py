"""Swap subject and object of an English sentence: ``swap("The cat chased the dog.")``.

Three steps: clean the text, find the two phrases, exchange them and mend what that breaks:
capitals, case, possessives, agreement of verbs, pronouns. The known wordings of the fourteen
relations are tried first; all other sentences go through the rules in `symdemo.swapping.grammar`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from symdemo.errors import NoPairFound
from symdemo.swapping.candidates import Candidate, chosen
from symdemo.swapping.guess import guess_boxes
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
    if (found := chosen(premise)) is not None:
        got, doubts, others = found
        return replace(_swap_of(got), doubts=doubts, others=tuple(map(_swap_of, others)))
    if (known := by_wording(premise, strict=False)) is not None:
        return Swap(premise, *known)
    raise NoPairFound(
        f"No subject and object were found in {shown(premise)}: give an English sentence "
        f"about two things, such as 'The cat chased the dog.', or {SELF_HELP}.",
        guess_boxes(premise),
    )


def _swap_of(candidate: Candidate) -> Swap:
    got = candidate.exchanged
    return Swap(candidate.premise, got.hypothesis, got.subject, got.object, got.relation)
