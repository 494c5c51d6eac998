"""What a sentence's swap may be: one candidate for each way of reading it."""

from __future__ import annotations

from typing import NamedTuple

from symdemo.swapping.mending.exchange import Exchanged, exchange
from symdemo.swapping.mending.places import Clause
from symdemo.swapping.reading.clauses import split_chat, split_clauses, split_frame
from symdemo.swapping.reading.parser import Reading, find
from symdemo.swapping.reading.phrases import FINITE, Phrase


class Candidate(NamedTuple):
    """A premise with one of the ways to swap it, and how it was read."""

    premise: str
    exchanged: Exchanged
    reading: Reading
    clauses: list[Clause]

    def with_second(self, two: Phrase) -> Candidate:
        """Give what the same reading makes with a longer or shorter second phrase."""
        reading = self.reading._replace(pair=self.reading.pair._replace(two=two))
        return _exchanged(self.premise, reading, self.clauses)


def candidate(premise: str, parser: str) -> Candidate | None:
    """Swap a sentence as one parser reads it; None where that finds no pair."""
    for way in (_in_chat, _in_frame, _in_clauses, _whole):
        if (found := way(premise, parser)) is not None:
            return found
    return None


def _whole(premise: str, parser: str) -> Candidate | None:
    reading = find(premise, parser)
    return _exchanged(premise, reading, [Clause(premise, reading.doc)]) if reading else None


def _in_chat(premise: str, parser: str) -> Candidate | None:
    """Swap what stands between words such as "ugh" and "lol"; None without any."""
    parts = split_chat(premise)
    if parts is None or (reading := find(premise[slice(*parts)], parser)) is None:
        return None
    return _exchanged(premise, reading, [Clause(premise, reading.doc, parts[0])])


def _in_frame(premise: str, parser: str) -> Candidate | None:
    """Swap what an introduction such as "Experts agree that" introduces; None without one."""
    parts = split_frame(premise)
    if parts is None or (reading := find(parts[1], parser)) is None:
        return None
    if not any(t.tag_ in FINITE for t in reading.doc):
        return None
    return _exchanged(premise, reading, [Clause(premise, reading.doc, len(parts[0]))])


def _in_clauses(premise: str, parser: str) -> Candidate | None:
    """Swap the first of two full clauses, and what the second says of the same two."""
    parts = split_clauses(premise, parser)
    if parts is None or (reading := find(premise[: parts.stop], parser)) is None:
        return None
    second = Clause(premise, parts.second, parts.start)
    return _exchanged(premise, reading, [Clause(premise, reading.doc), second])


def _exchanged(premise: str, reading: Reading, clauses: list[Clause]) -> Candidate:
    return Candidate(premise, exchange(clauses, reading.pair), reading, clauses)
