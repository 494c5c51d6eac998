"""What keeps one sentence from being the swap of another, in a short sentence for a visitor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symdemo.swapping.comparing.same_words import Word, left_over, same_frame

NOTHING_MOVED = "Nothing changed places."
OTHERWISE_MOVED = "The words are the same, but it is not the two parties that changed places."
UNRELATED = "The two sentences say different things."
MOST_WORDS = 6
"""Changed words beyond which they are no longer listed."""
_CARRIERS = {"do", "does", "did"}
"""What "not" brings along: "borders" and "does not border"."""

Phrase = list[Word]
Changes = tuple[list[int], list[int]]
"""The places of words that only the first sentence has, and of those that only the second has."""


def changes(one: Sequence[Word], two: Sequence[Word]) -> Changes:
    """What is in one sentence only, wherever it stands, agreement and pronouns left out of account.

    Where nothing else differs and the words moved, the pronouns and endings are what differs.
    """
    exact = _places(one, left_over(one, two)), _places(two, left_over(two, one))
    gone, new = list(exact[0]), list(exact[1])
    for i in exact[0]:
        match = next((j for j in new if same_frame(one[i], two[j])), None)
        if match is not None:
            gone.remove(i)
            new.remove(match)
    if gone or new:
        return gone, new
    changed = {one[i].person != two[j].person for i, j in zip(*exact, strict=True)}
    return exact if True in changed or not _unmoved(one, two) else ([], [])


def _places(text: Sequence[Word], chosen: Iterable[Word]) -> list[int]:
    """Where words stand that are among the text's, found by identity."""
    ids = set(map(id, chosen))
    return [place for place, word in enumerate(text) if id(word) in ids]


def _unmoved(one: Sequence[Word], two: Sequence[Word]) -> bool:
    return len(one) == len(two) and all(map(same_frame, one, two))


def describe(
    premise: Sequence[Word], hypothesis: Sequence[Word], changed: Changes, moved: Sequence[Word]
) -> str:
    """Say what keeps the hypothesis from being the swap of the premise.

    Args:
        premise: the words of the first sentence.
        hypothesis: the words of the second.
        changed: what is in one of them only, as `changes` gives it.
        moved: the stretch that has moved, where nothing else differs; may be empty.
    """
    if sum(map(len, changed)) > MOST_WORDS or len(changed[0]) == len(premise):
        return UNRELATED
    if any(changed):
        gone, new = _phrases(premise, changed[0]), _phrases(hypothesis, changed[1])
        return _of_words(gone, new, _new_names(new, premise, hypothesis))
    if _unmoved(premise, hypothesis):
        return NOTHING_MOVED
    return f"Only {_quoted(moved)} moved." if moved else OTHERWISE_MOVED


def _of_words(gone: Sequence[Phrase], new: Sequence[Phrase], names: Sequence[Phrase]) -> str:
    """Say which phrases went and came, or only which names came."""
    if names:
        return f"{_listed(names)} {'is' if len(names) == 1 else 'are'} new."
    if len(gone) == len(new) == 1:
        return f"{_listed(gone)} became {_listed(new)}."
    if gone and new:
        return f"{_listed(new)} came in for {_listed(gone)}."
    verb = "was" if len(gone or new) == 1 else "were"
    return f"{_listed(gone or new)} {verb} {'added' if new else 'left out'}."


def _new_names(
    new: Sequence[Phrase], premise: Sequence[Word], hypothesis: Sequence[Word]
) -> list[Phrase]:
    """The phrases that open with a name, as far as capitals within a sentence tell."""
    known = {word.key for word in (*premise, hypothesis[0])} | {"<i>"}
    return [p for p in new if p[0].text[:1].isupper() and p[0].key not in known]


def _phrases(text: Sequence[Word], places: Sequence[int]) -> list[Phrase]:
    """The words at some places, neighbours together."""
    negated = any(text[place].key == "not" for place in places)
    found: list[Phrase] = []
    last = -2
    for place in places:
        if negated and text[place].key in _CARRIERS:
            continue
        if place == last + 1:
            found[-1].append(text[place])
        else:
            found.append([text[place]])
        last = place
    return found


def _quoted(phrase: Sequence[Word]) -> str:
    return f"“{' '.join(word.text for word in phrase)}”"


def _listed(found: Sequence[Phrase]) -> str:
    *others, last = map(_quoted, found)
    return f"{', '.join(others)} and {last}" if others else last
