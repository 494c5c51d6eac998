"""What a sentence's swap may be: one candidate for each way of reading it, and which to show."""

from __future__ import annotations

import re
from typing import NamedTuple

from symdemo.swapping.clauses import split_clauses
from symdemo.swapping.doubts import doubts_about, no_noun, thing_owned, without_place, without_verb
from symdemo.swapping.frames import split_chat, split_frame
from symdemo.swapping.mend import Exchanged, exchange
from symdemo.swapping.parser import FINITE, Reading, find
from symdemo.swapping.pipeline import PIPELINE, SECOND
from symdemo.swapping.places import Clause

TWO_READINGS = "The sentence can be read in more than one way."
NOT_BACK = "Swapped once more, this does not give the sentence back."


class Candidate(NamedTuple):
    """A premise with one of the ways to swap it, and how it was read."""

    premise: str
    exchanged: Exchanged
    reading: Reading
    clauses: list[Clause]


def chosen(premise: str) -> tuple[Candidate, tuple[str, ...], list[Candidate]] | None:
    """Give the likeliest candidate, the doubts about it, and the others; None without any."""
    found = [c for parser in (PIPELINE, SECOND) if (c := candidate(premise, parser)) is not None]
    if not found:
        return None
    doubts = [TWO_READINGS] if len(found) == 1 else []
    if len({c.exchanged.hypothesis for c in found}) == 1:
        best, others = found[0], []
    else:
        best, *others = sorted(found, key=_badness)
        doubts = [TWO_READINGS]
    if not _swaps_back(best):
        doubts.append(NOT_BACK)
    return best, (*doubts_about(best), *doubts), [*others, *_with_other_side(best, others)]


def _with_other_side(best: Candidate, others: list[Candidate]) -> list[Candidate]:
    """Give the candidates of the same reading whose second phrase is longer or shorter."""
    pair = best.reading.pair
    known = {c.exchanged.hypothesis for c in (best, *others)}
    found = []
    for slot in filter(None, (thing_owned(pair), without_place(pair))):
        reading = best.reading._replace(pair=pair._replace(two=slot))
        other = _exchanged(best.premise, reading, best.clauses)
        if other.exchanged.hypothesis not in known:
            found.append(other)
    return found


def _badness(found: Candidate) -> tuple[bool, ...]:
    """What speaks against a candidate, the gravest first."""
    helped = found.reading.how == "verb"
    return bool(without_verb(found)), bool(no_noun(found)), helped, not _swaps_back(found)


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
    reading = find(premise[slice(*parts)], parser) if parts else None
    if reading is None:
        return None
    return _exchanged(premise, reading, [Clause(premise, reading.doc, parts[0])])


def _in_frame(premise: str, parser: str) -> Candidate | None:
    """Swap what an introduction such as "Experts agree that" introduces; None without one."""
    parts = split_frame(premise)
    reading = find(parts[1], parser) if parts else None
    if reading is None or not any(t.tag_ in FINITE for t in reading.doc):
        return None
    return _exchanged(premise, reading, [Clause(premise, reading.doc, len(parts[0]))])


def _in_clauses(premise: str, parser: str) -> Candidate | None:
    """Swap the first of two full clauses, and what the second says of the same two."""
    parts = split_clauses(premise, parser)
    reading = find(premise[: parts.stop], parser) if parts else None
    if reading is None:
        return None
    second = Clause(premise, parts.second, parts.start)
    return _exchanged(premise, reading, [Clause(premise, reading.doc), second])


def _exchanged(premise: str, reading: Reading, clauses: list[Clause]) -> Candidate:
    return Candidate(premise, exchange(clauses, reading.pair), reading, clauses)


def _swaps_back(found: Candidate) -> bool:
    """Whether either parser reads the swapped sentence as the swap of the premise."""
    # A noun with 's for "is" may be read as a possessor, so the way back starts from the long form.
    short = re.search(
        r"\b(?:I|[Hh]e|[Ss]he|[Ii]t|[Ww]e|[Yy]ou|[Tt]hey)['’](?:m|s|re)\b", found.premise
    )
    text = found.exchanged.hypothesis
    text = re.sub(r"(?<=\w)['’]s\b", " is", text, count=1) if short else text
    again = (candidate(text, parser) for parser in (PIPELINE, SECOND))
    return any(_plain(c.exchanged.hypothesis) == _plain(found.premise) for c in again if c)


def _plain(text: str) -> str:
    """A sentence without what a swap there and back may change: capitals, short verbs, spaces."""
    text = text.lower().replace("’", "'")
    for short, long in (("'ll", " will"), ("'ve", " have"), ("'m", " am"), ("'re", " are")):
        text = text.replace(short, long)
    text = re.sub(r"\b(he|she|it)'s\b", r"\1 is", text)
    return " ".join(text.split()).rstrip(" .!")
