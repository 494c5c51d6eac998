"""Which candidate is shown as the swap, and what may be wrong about it, told to a visitor.

Each check looks at one candidate alone; whether another reading differs, and whether the way back
leads to the sentence, is asked of the one that is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from symdemo.swapping.candidates import Candidate, candidate
from symdemo.swapping.reading import lexicon
from symdemo.swapping.reading.parser import find
from symdemo.swapping.reading.phrases import SUBJECTS, Pair, Phrase, children, is_animate
from symdemo.swapping.reading.pipeline import PIPELINE, SECOND, surface
from symdemo.swapping.reading.spelling import is_word

TWO_READINGS = "The sentence can be read in more than one way."
NOT_BACK = "Swapped once more, this does not give the sentence back."


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
    for phrase in filter(None, (thing_owned(pair), without_place(pair))):
        other = best.with_second(phrase)
        if other.exchanged.hypothesis not in known:
            found.append(other)
    return found


def _badness(found: Candidate) -> tuple[bool, ...]:
    """What speaks against a candidate, the gravest first."""
    helped = found.reading.how == "verb"
    return bool(without_verb(found)), bool(no_noun(found)), helped, not _swaps_back(found)


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


_NOUNS = {"NOUN", "PROPN", "PRON", "NUM", "SYM", "X"}
_WHERE = lexicon.word_set(
    "in on at from for near by under behind inside outside beside with before after"
)
_THIRD = lexicon.word_set("he she him her his hers they them their it its")
_ANYBODY = lexicon.word_set("everyone everybody someone somebody nobody anyone anybody those")
_SUBORDINATORS = lexicon.word_set(
    "if when before after because although though while since unless once"
)
_POINTING = lexicon.word_set("it this that these those")


def doubts_about(candidate: Candidate) -> tuple[str, ...]:
    """Give each reason to doubt a candidate, none twice."""
    found = [check(candidate) for check in _CHECKS]
    return tuple(dict.fromkeys([*candidate.exchanged.unclear, *filter(None, found)]))


def without_verb(candidate: Candidate) -> str:
    """As in "the road from Oslo", or where the parser has not seen the verb."""
    unseen = candidate.reading.how in {"fragment", "no verb"}
    return "No verb was found that joins the two." if unseen else ""


def no_noun(candidate: Candidate) -> str:
    """A phrase about a word that names nothing: the parser has gone astray."""
    for phrase in candidate.reading.pair:
        opens = any(c.dep_ in {"det", "poss"} for c in phrase.head.children)
        named = phrase.head.text[:1].isupper() or opens or phrase.head.tag_ in {"DT", "CD", "VBG"}
        if phrase.head.pos_ not in _NOUNS and phrase.head.dep_ != "csubj" and not named:
            return f"“{phrase.tokens.text}” may be no person or thing."
    return ""


def holds_a_verb(candidate: Candidate) -> str:
    """A phrase with a verb that belongs to no relative clause in it."""
    for phrase in candidate.reading.pair:
        for token in phrase.tokens:
            if token.pos_ == "VERB" and token.dep_ in {"ROOT", "ccomp", "advcl", "parataxis"}:
                return f"“{phrase.tokens.text}” may be more than one of the two."
    return ""


def pointing(candidate: Candidate) -> str:
    """A word that stands for something outside the sentence: "I cannot believe it"."""
    for phrase in candidate.reading.pair:
        word = phrase.head.lower_
        if phrase.first == phrase.last and word in _POINTING:
            return f"“{word}” stands for something that the sentence does not name."
    return ""


def whose(candidate: Candidate) -> str:
    """An owner taken for the other side: "Ann drank Bob's coffee" may be about the coffee."""
    owned = thing_owned(candidate.reading.pair)
    return f"The other side may be “{owned.tokens.text}” as a whole." if owned else ""


def thing_owned(pair: Pair) -> Phrase | None:
    """Give what the second phrase owns, where that may be the other side itself."""
    owned = pair.two.head.head
    if pair.two.head.dep_ != "poss" or pair.one.head.dep_ == "poss":
        return None
    if owned.dep_ not in {"dobj", "pobj"}:
        return None
    return Phrase(owned, owned.left_edge.i, owned.i)


def attached(candidate: Candidate) -> str:
    """A place or time at the end that may be said of the whole: "met the man in Paris"."""
    two, short = candidate.reading.pair.two, without_place(candidate.reading.pair)
    if short is None:
        return ""
    where = two.head.doc[short.last + 1 : two.last + 1].text
    return f"“{where}” may be said of the whole sentence."


def without_place(pair: Pair) -> Phrase | None:
    """Give the second phrase without a place at its end, where that may not belong to it."""
    two = pair.two
    if two.head.dep_ in SUBJECTS or any(c.lower_ in {"a", "an"} for c in two.head.children):
        return None
    for prep in children(two.head, "prep"):
        ends = prep.right_edge.i == two.last and prep.i > two.head.i
        if ends and prep.lower_ in _WHERE:
            return two._replace(last=prep.i - 1)
    return None


def more_than_two(candidate: Candidate) -> str:
    """A list of which only the ends change places: "Ann, Bob and Carl are friends"."""
    one, two = candidate.reading.pair
    listed = [t for t in one.head.subtree if t.dep_ == "conj"]
    if two.head in listed and len([t for t in listed if t.i <= two.head.i]) > 1:
        return "More than two are named: only the first and the last change places."
    return ""


def shared_adjectives(candidate: Candidate) -> str:
    """Adjectives of which one cannot tell whether they are meant of both."""
    one, two = candidate.reading.pair
    if two.head not in children(one.head, "conj") or one.first == one.head.left_edge.i:
        return ""
    adjectives = [c for c in children(one.head, "amod") if c.i < one.head.i]
    unclear = len(adjectives) > 1 and not children(two.head, "amod", "det", "poss")
    return "It is not clear whether the adjectives are meant of both." if unclear else ""


def other_couple(candidate: Candidate) -> str:
    """A second clause about two others: "Ann married Bob and Carl married Dora"."""
    if len(candidate.clauses) < 2:
        return ""
    clause = candidate.clauses[1]
    second = find(clause.text[clause.starts[0] :])
    if second is None or not all(is_animate(s.head) for s in second.pair):
        return ""
    if candidate.exchanged.mentioned >= 2:
        return ""
    return "The sentence says something of two others as well, and that is left as it is."


def unchanged_pronoun(candidate: Candidate) -> str:
    """A "he" or "their" that stays as it is, and may be one of the two: "Before he died, Ann …"."""
    kept = f" {candidate.exchanged.hypothesis.lower()} "
    parties = {t.i for s in candidate.reading.pair for t in s.tokens}
    for token in candidate.reading.doc:
        low = token.lower_
        if low in _THIRD and token.i not in parties and f" {low} " in kept:
            return f"“{token.text}” may be one of the two."
    return ""


def starts_with_condition(candidate: Candidate) -> str:
    """A clause before the one that changes: "If my brothers visit you, they will want …"."""
    one = candidate.reading.pair.one
    opening = candidate.reading.doc[0]
    fronted = opening.lower_ in _SUBORDINATORS and opening.dep_ in {"mark", "advmod"}
    if fronted and opening.i < one.first:
        return "The two may stand in the first clause."
    return ""


def cut_short(candidate: Candidate) -> str:
    """What follows may tell who is meant: "a player | from Chennai", "everybody | in town"."""
    two = candidate.reading.pair.two
    rest = two.head.doc[two.last + 1 :]
    if not len(rest) or rest[0].tag_ != "IN" or two.head.pos_ == "PROPN":
        return ""
    if rest[0].lower_ == "from" or two.head.lower_ in _ANYBODY:
        return f"“{rest[0].text} …” may belong to “{two.tokens.text}”."
    return ""


def quantity(candidate: Candidate) -> str:
    """A number of things compared: "More people speak Bengali than Danish"."""
    one = candidate.reading.pair.one
    if one.head.doc[one.first].lower_ in {"more", "fewer", "less"}:
        return f"“{one.tokens.text}” is an amount."
    return ""


def without_owned(candidate: Candidate) -> str:
    """A possessive without what it owns: "between the butcher's and the bank"."""
    for phrase in candidate.reading.pair:
        doc, after = phrase.head.doc, phrase.last + 1
        ends = doc[phrase.last].tag_ == "POS" or (after < len(doc) and doc[after].tag_ == "POS")
        last = phrase.last if doc[phrase.last].tag_ == "POS" else after
        if ends and last + 1 < len(doc) and doc[last + 1].pos_ == "CCONJ":
            return f"It is not said what is of “{phrase.tokens.text}”."
    return ""


def misspelt(candidate: Candidate) -> str:
    """A word in small letters that no dictionary has: what follows from it is a guess."""
    for token in candidate.reading.doc:
        word = surface(token)
        known = not word.isalpha() or not word.islower() or len(word) < 4 or is_word(word)
        if not known and token.pos_ in {"NOUN", "ADJ", "ADV", "ADP", "X", "PROPN"}:
            return f"“{word}” is in no dictionary."
    return ""


_CHECKS: tuple[Callable[[Candidate], str], ...] = (
    without_verb,
    no_noun,
    holds_a_verb,
    pointing,
    whose,
    attached,
    more_than_two,
    shared_adjectives,
    other_couple,
    unchanged_pronoun,
    starts_with_condition,
    cut_short,
    quantity,
    without_owned,
    misspelt,
)
