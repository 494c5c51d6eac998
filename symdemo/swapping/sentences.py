"""Swap subject and object of an English sentence: ``swap("The cat chased the dog.")``.

Three steps: clean the text, find the two phrases, exchange them and mend what that breaks:
capitals, case, possessives, agreement of verbs, pronouns. The known wordings of the fourteen
relations are tried first; all other sentences go through the rules in `symdemo.swapping.grammar`.
"""

from __future__ import annotations

from dataclasses import replace

from symdemo.errors import NoPairFound
from symdemo.swapping.candidates import Candidate, chosen
from symdemo.swapping.guess import guess_boxes
from symdemo.swapping.questions import is_question, statement_of
from symdemo.swapping.swaps import Swap
from symdemo.swapping.text import SELF_HELP, check, clean, shown, spelt_out
from symdemo.swapping.wordings import by_wording
from symdemo.swapping.words import capitalise


def swap(sentence: str) -> Swap:
    """Exchange subject and object of one English sentence.

    A yes/no question is read as the statement it asks about, and a line of chat with its short
    words spelt out; the note says so. Raises `NoPairFound`
    where there is a sentence but no pair, any other `InputError` where there is no such sentence,
    and `ModelError` where the parser that free sentences need is not installed.
    """
    premise = clean(sentence)
    check(premise)
    if is_question(premise):
        asked = statement_of(premise)
        found = _swap_statement(asked.text)
        if premise[:1].isupper():
            found = _with_capitals(found)
        doubts = (*filter(None, [asked.doubt]), *found.doubts)
        note = f"The question is read as the statement “{found.premise}”"
        return replace(found, note=note, doubts=doubts)
    premise, note = spelt_out(premise)
    return replace(_swap_statement(premise), note=note) if note else _swap_statement(premise)


def _with_capitals(found: Swap) -> Swap:
    """Give a statement made of a question the capital that it has had no need of until here."""
    return replace(
        found,
        premise=capitalise(found.premise),
        hypothesis=capitalise(found.hypothesis),
        others=tuple(map(_with_capitals, found.others)),
    )


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
