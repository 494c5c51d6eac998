"""What a sentence has that another has not, in one short sentence for a visitor."""

from __future__ import annotations

from collections.abc import Sequence

from symdemo.swapping.same_words import Word, same_frame

NOTHING_MOVED = "Nothing changed places."
OTHERWISE_MOVED = "The words are the same, but it is not two parties that changed places."
UNRELATED = "The two sentences say different things."
MOST_WORDS = 6
"""Changed words beyond which they are no longer listed."""
_HELPERS = {"do", "does", "did"}


def difference(premise: Sequence[Word], hypothesis: Sequence[Word]) -> str:
    """What keeps the hypothesis from being the premise with two parties exchanged."""
    gone, new = unmatched(premise, hypothesis)
    if len(gone) + len(new) > MOST_WORDS or len(gone) == len(premise):
        return UNRELATED
    gone, new = phrases(premise, gone), phrases(hypothesis, new)
    if not gone and not new:
        unmoved = len(premise) == len(hypothesis) and all(map(same_frame, premise, hypothesis))
        return NOTHING_MOVED if unmoved else OTHERWISE_MOVED
    if names := [
        phrase for phrase in new if phrase[0].text[:1].isupper() and phrase[0].text != "I"
    ]:
        return f"{_listed(names)} {'is' if len(names) == 1 else 'are'} new."
    if len(gone) == len(new) == 1:
        return f"{_listed(gone)} became {_listed(new)}."
    if not gone or not new:
        verb = "was" if len(gone or new) == 1 else "were"
        return f"{_listed(gone or new)} {verb} {'added' if new else 'left out'}."
    return f"{_listed(new)} came in for {_listed(gone)}."


def unmatched(one: Sequence[Word], two: Sequence[Word]) -> tuple[list[int], list[int]]:
    """The places of words of each sentence that the other has not, wherever they stand."""
    left, right = list(range(len(one))), list(range(len(two)))
    for same in (lambda a, b: a.key == b.key, same_frame):
        for i in list(left):
            match = next((j for j in right if same(one[i], two[j])), None)
            if match is not None:
                left.remove(i)
                right.remove(match)
    return left, right


def phrases(sentence: Sequence[Word], places: Sequence[int]) -> list[list[Word]]:
    """The words at some places, neighbours together; "do" beside "not" only carries it."""
    negated = any(sentence[place].key == "not" for place in places)
    found: list[list[Word]] = []
    last = -2
    for place in places:
        if negated and sentence[place].key in _HELPERS:
            continue
        if place == last + 1:
            found[-1].append(sentence[place])
        else:
            found.append([sentence[place]])
        last = place
    return found


def _listed(found: Sequence[Sequence[Word]]) -> str:
    quoted = [f"“{' '.join(word.text for word in phrase)}”" for phrase in found]
    return " and ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))
