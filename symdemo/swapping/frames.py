"""The two arguments of a pair, and both sentences as frames with [X] and [Y] in their places.

A model that reads sentences in roles (`training.methods`) needs to know which two things a pair is
about. They are the first of these that can be found: the pair's own head and tail; the two blocks
that change places in a swap; two things of the premise, both or one of which the hypothesis names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise, takewhile

from symdemo.pairs import Pair
from symdemo.swapping import lexicon
from symdemo.swapping.blocks import Blocks, are_arguments, read, same_words, splits
from symdemo.swapping.comparing import LONGEST
from symdemo.swapping.lexicon import POSSESSIVES, forms_of, is_pronoun
from symdemo.swapping.parsing import PIPELINE, SECOND, parse, parse_ahead
from symdemo.swapping.phrases import is_time
from symdemo.swapping.ranking import rank
from symdemo.swapping.swaps import by_wording

_ARTICLES = ("the ", "a ", "an ")
Places = list[tuple[int, int, str]]
"""(start, stop, "X" or "Y") of arguments in a sentence."""
_OWNING = POSSESSIVES - {"her"}
_MOST_NEW = 6
"""Most words of a thing that replaces an argument."""
_BATCH = 32
"""Sentences that are parsed together."""


@dataclass(frozen=True)
class Frames:
    """Two arguments as they occur inside a sentence, and the frames of premise and hypothesis.

    Frames have [X] for every `x` and [Y] for every `y`, followed by 's for any possessive ending.
    The premise has both; the hypothesis of a pair that is no swap may lack one.
    """

    x: str
    y: str
    premise: str
    hypothesis: str

    @property
    def has_both(self) -> bool:
        """True if the hypothesis has both arguments, as the premise has."""
        return "[X]" in self.hypothesis and "[Y]" in self.hypothesis

    @property
    def replaces_one(self) -> bool:
        """True if the hypothesis is the premise, or its denial, with another thing in one place.

        The new thing is where the missing argument was, beside the same word.
        """
        premise, hypothesis = (_stems(f) for f in (self.premise, self.hypothesis))
        gone = next((name for name in ("[x]", "[y]") if name not in hypothesis), None)
        if gone is None or gone not in premise:
            return False
        known = {*premise, *_LITTLE}
        new = [n for n, word in enumerate(hypothesis) if word not in known]
        if not new:
            return False
        start, stop = new[0], new[-1] + 1
        while start and hypothesis[start - 1] in _BEFORE_NOUNS:
            start -= 1
        kept = {*hypothesis[:start], *hypothesis[stop:]} - {"[x]", "[y]"} - _LITTLE
        place, ends = premise.index(gone), [""]
        one = (ends + premise)[place], (premise + ends)[place + 1]
        two = (ends + hypothesis)[start], (hypothesis + ends)[stop]
        beside = any(a == b != "" for a, b in zip(one, two, strict=True))
        return stop - start <= _MOST_NEW and bool(kept) and beside


def find_frames(pair: Pair) -> Frames | None:
    """Return the frames of a pair; None if its sentences are not about the same two things."""
    return _by_words(pair) or _parsed(pair.premise, pair.hypothesis)


def find_many(pairs: Sequence[Pair]) -> list[Frames | None]:
    """Return `find_frames` of each pair; sentences that have to be parsed are parsed together."""
    found = list(map(_by_words, pairs))
    later = [row for row, frames in enumerate(found) if frames is None]
    for start in range(0, len(later), _BATCH):
        rows = later[start : start + _BATCH]
        for parser in (PIPELINE, SECOND):
            parse_ahead((pairs[row].premise for row in rows), parser)
        for row in rows:
            found[row] = _parsed(pairs[row].premise, pairs[row].hypothesis)
    return found


def _by_words(pair: Pair) -> Frames | None:
    """Return the frames that can be found without parsing."""
    given = locate(pair, pair.head, pair.tail) if pair.head and pair.tail else None
    return given or _of_swap(pair.premise, pair.hypothesis)


_BEFORE_NOUNS = {word[:4] for word in lexicon.DETERMINERS | POSSESSIVES}
_LITTLE = (
    _BEFORE_NOUNS
    | {word[:4] for word in lexicon.NEGATIONS}
    | lexicon.word_set("am is are was were be been do does did has have had t")
)
"""Starts of words that a denial may add, or that say nothing about a relation."""


def _stems(frame: str) -> list[str]:
    """Return the first four letters of each word, and [x] and [y]."""
    return [word[:4] for word in re.findall(r"\[[xy]\]|\w+", frame.lower())]


# A swap: two blocks that change places


@lru_cache(maxsize=512)
def _of_swap(premise: str, hypothesis: str) -> Frames | None:
    """Return frames with the blocks that change places between two sentences, if any do.

    Blocks that can be arguments come first; else the shortest ones, as in "The red car hit the blue
    van", whose adjectives change places.
    """
    ways: list[Blocks] = []
    for verbal in (False, True):
        one, two = read(premise, verbal=verbal), read(hypothesis, verbal=verbal)
        if len(one) == len(two) <= LONGEST:
            ways += (way for way in splits(one, two) if not same_words(*way.exchanged))
    apart = (way for way in ways if way.between)
    shortest = min(apart, key=lambda way: sum(map(len, way.exchanged)), default=None)
    best = next(filter(are_arguments, ways), shortest)
    return _mark_blocks(best, premise, hypothesis) if best else None


def _mark_blocks(way: Blocks, premise: str, hypothesis: str) -> Frames:
    """Return frames; "her" is possessive if a possessive is in its place in the other sentence."""
    x, y = way.exchanged
    first = [(way.one[way.i : way.j], "X"), (y, "Y")]
    second = [(way.two[way.i : way.i + len(y)], "Y"), (x, "X")]
    frames = []
    for text, blocks, others in ((premise, first, second), (hypothesis, second, first)):
        places = [(block[0].start, block[-1].stop, which) for block, which in blocks]
        owns = any(
            block[0].text.lower() == "her" and (other[-1].owner or other[0].text.lower() in _OWNING)
            for (block, _), (other, _) in zip(blocks, others, strict=True)
        )
        frames.append(_mark(text, places, POSSESSIVES if owns else _OWNING))
    names = hypothesis[x[0].start : x[-1].stop], premise[y[0].start : y[-1].stop]
    return Frames(*names, *frames)


# Any other pair: two things that both sentences name


def _parsed(premise: str, hypothesis: str) -> Frames | None:
    """Return frames with two things of the premise, both or one of which the hypothesis names.

    Prefer the arguments of the likeliest swap and two names or beings; if there is a tie, what
    comes first.
    """
    if not premise.strip():
        return None
    arguments, mentions = _arguments(premise), _mentions(premise)
    whole = [name for name in arguments if _span(name, hypothesis)]
    # "a cousin in Ulm" is no argument if the hypothesis speaks of Ulm, but not of the cousin.
    trusted = not any(
        part in name and _span(part, hypothesis)
        for name in {*arguments} - {*whole}
        for part in {*mentions} - {name}
    )
    arguments, mentions = (
        tuple(_as_shared(name, premise, hypothesis) for name in names)
        for names in (arguments, mentions)
    )
    # "the boy" and "the red coat" are not two things if an argument is "the boy in the red coat".
    others = (
        pair
        for pair in combinations(dict.fromkeys([*arguments, *mentions]), 2)
        if not any(all(name in long for name in pair) for long in whole)
    )
    best: tuple[tuple[int, ...], Frames] | None = None
    for x, y in filter(None, (arguments, *others)):
        if (found := _mark_loosely(premise, hypothesis, x, y)) is None:
            continue
        parties = sum(map(_is_party, (found.x, found.y)))
        names = sum(name[:1].isupper() for name in (found.x, found.y))
        plain = -sum(map(bool, map(_SEVERAL.search, (x, y))))
        likely = parties == 2 or (trusted and (x, y) == arguments)
        fits = found.has_both or found.replaces_one
        score = (fits + likely, found.has_both, plain, parties, names)
        if best is None or score > best[0]:
            best = score, found
    return best and best[1]


def _is_party(name: str) -> bool:
    """True if a thing is a name or a being, as both arguments of most relations are."""
    words = [word for word in name.split() if word.lower() not in lexicon.DETERMINERS | POSSESSIVES]
    words = words[: _opening(words)]
    return bool(words) and (words[0][:1].isupper() or lexicon.is_animate_noun(words[-1].lower()))


def _span(name: str, sentence: str) -> tuple[int, int] | None:
    """Return where a sentence has an argument, whatever its article; None if it has not."""
    found = re.search(next(_variants(name)), sentence)
    return found and found.span()


def _as_shared(name: str, premise: str, hypothesis: str) -> str:
    """Return an argument as far as both sentences have it.

    "The man" grows to "the man at the counter" where both sentences go on like that; "a cousin in
    Ulm" becomes "a cousin" where the hypothesis has no more.
    """
    words = name.split()
    short = " ".join(words[: _opening(words)])
    if not _span(name, hypothesis) and _span(short, hypothesis):
        name = short
    one, two = (_span(name, sentence) for sentence in (premise, hypothesis))
    if one is None or two is None or is_pronoun(name):
        return name
    start = end = one[1]
    both = zip(premise[start:].lower(), hypothesis[two[1] :].lower(), strict=False)
    shared = start + sum(1 for _ in takewhile(lambda letters: letters[0] == letters[1], both))
    doc = parse(premise)
    tokens = [token for token in doc if token.idx >= start]
    alike = premise[: one[0]].lower() == hypothesis[: two[0]].lower()
    if alike and tokens and tokens[0].pos_ != "ADP":
        return name  # not "Kenya borders", where the parser takes this verb for a noun
    for token in tokens:
        stop = token.idx + len(token)
        if stop > shared or premise[stop : shared + 1][:1].isalnum() or token.pos_ in _NOT_INSIDE:
            break
        adverbial = token.pos_ == "ADP" and token.lower_ != "of"  # "in 1989", "for money"
        if adverbial and [following.pos_ for following in doc[token.i + 1 : token.i + 2]] != [
            "DET"
        ]:
            break
        if token.pos_ in _NOUNS:
            end = stop
    return name + premise[start:end]


_NOT_INSIDE = {"VERB", "AUX", "CCONJ", "SCONJ", "PUNCT", "PRON"}
_NOUNS = {"NOUN", "PROPN", "NUM"}


_SEVERAL = re.compile(r" (?:and|or|that|who|which) |,|^(?:both|neither) ", re.IGNORECASE)
"""Found in an argument that is several things, or says more than a name."""


_QUOTES = '"“”‘ '
_OWNERS = POSSESSIVES | {"it", "there", "this", "that"}


def _arguments(sentence: str) -> tuple[str, ...]:
    """Return subject and object of the likeliest swap; () if that is no swap."""
    found = by_wording(sentence) or rank(sentence)[0][0].swap()
    names = (found.subject, found.object) if found else ()
    bare = tuple(name.strip(_QUOTES) for name in names)
    return bare if all(bare) else ()


@lru_cache(maxsize=256)
def _mentions(sentence: str) -> tuple[str, ...]:
    """Return the noun phrases of a sentence, and the owners in them, but not phrases of time."""
    found: list[str] = []
    doc = parse(sentence)
    chunks = list(doc.noun_chunks)
    for one, two in pairwise(chunks):  # "the chamber of commerce"
        if two.start == one.end + 1 and doc[one.end].lower_ == "of":
            found.append(doc[one.start : two.end].text)
    for chunk in chunks:
        first = chunk[0].i
        for token in chunk:
            if token.dep_ == "case" and token.i > first:
                found.append(chunk.doc[first : token.i].text)
                first = token.i + 1
        rest = chunk.doc[first : chunk.end]
        if len(rest) and not is_time(rest.root) and rest.root.lower_ not in _OWNERS:
            found.append(rest.text)
    return tuple(dict.fromkeys(filter(None, (name.strip(_QUOTES) for name in found))))


def _mark_loosely(premise: str, hypothesis: str, x: str, y: str) -> Frames | None:
    """Return frames in which an argument may be named in part: "the old nurse", "the nurse".

    None if the premise lacks an argument, or the hypothesis both.
    """
    sentences = (premise, hypothesis)
    marked = [_places(sentence, x, y, _variants) for sentence in sentences]
    named = [{which for *_, which in places} for places in marked]
    if named[0] != {"X", "Y"} or not named[1]:
        return None
    return _framed(sentences, marked, x, y)


def _variants(name: str) -> Iterator[str]:
    """Yield patterns for an argument: its forms if a pronoun, else all of it, then parts of it.

    A part has the head, as in "Charles III" or "nurse", or begins a name, as in "King Charles".
    """
    if is_pronoun(name) and (forms := forms_of(name)):
        yield rf"(?i)(?<!\w)(?:{'|'.join(sorted(set(forms), key=len, reverse=True))})(?!\w)"
        return
    words = name.split()
    while len(words) > 1 and words[0].lower() in lexicon.DETERMINERS | POSSESSIVES:
        words = words[1:]
    # "It is not true that Ann knows Bob" loses its "that", too; the model reads it better without.
    opening = r"(?i)(?<!\w)(?:(?:the|an?|this|that|these|those|my|your|his|her|our|their|its) )?"
    yield rf"{opening}{re.escape(' '.join(words))}(?!\w)"
    stop = _opening(words)
    parts = [part for cut in range(stop) for part in (words[cut:], words[cut:stop])]
    if words[0][0].isupper():
        parts += [words[:end] for end in range(1, stop)]
    for part in sorted(parts, key=len, reverse=True):
        text, ends = " ".join(part), {part[0].lower(), part[-1].lower()}
        if len(text) > 2 and not ends & lexicon.CLOSED_CLASS:
            yield rf"{opening}{re.escape(text)}(?!\w)"


def _opening(words: Sequence[str]) -> int:
    """Return the place of the word that opens what follows a noun: "king [of] France"."""
    return next((n for n, word in enumerate(words) if n and word in _OPENINGS), len(words))


_OPENINGS = {
    *("of", "in", "from", "with", "at", "on", "for", "to", "as", "by"),
    *("who", "that", "which", "next"),
}


# Exact places of two given names


def locate(pair: Pair, x: str, y: str) -> Frames | None:
    """Return frames with two given arguments marked, or None if a sentence lacks one."""
    x, y = x.strip(), y.strip()
    if not x or not y or x.casefold() == y.casefold():
        return None
    sentences = (pair.premise, pair.hypothesis)
    x, y = (_with_article(name, sentences) for name in (x, y))
    places = [_places(sentence, x, y, lambda name: [_pattern(name)]) for sentence in sentences]
    if any({which for _, _, which in found} != {"X", "Y"} for found in places):
        return None
    return _framed(sentences, places, x, y)


def _framed(sentences: tuple[str, str], places: Sequence[Places], x: str, y: str) -> Frames:
    """Return frames; `x` and `y` are spelt as inside a sentence, where a capital marks a name."""
    named = {"X": x, "Y": y}
    for sentence, found in reversed(list(zip(sentences, places, strict=True))):
        for start, stop, which in reversed(found):
            text = sentence[start:stop]
            if (
                any(c.isalnum() for c in sentence[:start])
                and text.casefold() == named[which].casefold()
            ):
                named[which] = text
    premise, hypothesis = map(_mark, sentences, places, map(_owners, sentences, places))
    return Frames(named["X"], named["Y"], premise, hypothesis)


def _owners(sentence: str, places: Places) -> frozenset[str]:
    """Return the pronouns that are possessive here; the parser decides if an argument "her" is.

    The parser reads "gave her flowers" like "saw her house", so "her" before a direct object is not
    taken for a possessive.
    """
    if all(sentence[start:stop].lower() != "her" for start, stop, _ in places):
        return _OWNING
    own = (token for token in parse(sentence) if token.lower_ == "her" and token.tag_ == "PRP$")
    return POSSESSIVES if any(token.head.dep_ != "dobj" for token in own) else _OWNING


def exchange_places(frame: str) -> str:
    """Return a frame with [X] and [Y] exchanged."""
    return re.sub(r"\[([XY])\]", lambda place: "[Y]" if place[1] == "X" else "[X]", frame)


def _pattern(name: str) -> str:
    """Return a pattern for a name as whole words, with its first letter in either case."""
    first = name[0]
    start = f"(?:{re.escape(first.lower())}|{re.escape(first.upper())})"
    left = r"(?<!\w)" if first.isalnum() else ""
    right = r"(?!\w)" if name[-1].isalnum() else ""
    return left + start + re.escape(name[1:]) + right


def _places(sentence: str, x: str, y: str, variants: Callable[[str], Iterable[str]]) -> Places:
    """Return the places of both arguments, each by the first of its variants that occurs.

    Where they overlap, the longer name takes precedence.
    """
    places: Places = []
    for which, name in sorted((("X", x), ("Y", y)), key=lambda item: -len(item[1])):
        for pattern in variants(name):
            new = [
                (match.start(), match.end(), which)
                for match in re.finditer(pattern, sentence)
                if not any(s < match.end() and match.start() < e for s, e, _ in places)
            ]
            if new:
                places += new
                break
    return sorted(places)


def _with_article(name: str, sentences: tuple[str, str]) -> str:
    """Return a name with its article if every occurrence has the same: "dog", "the dog"."""
    if name.casefold().startswith(_ARTICLES):
        return name
    before = [
        sentence[: match.start()].casefold()
        for sentence in sentences
        for match in re.finditer(_pattern(name), sentence)
    ]
    for article in _ARTICLES:
        if before and all(re.search(rf"(?<!\w){article}$", text) for text in before):
            return article + name
    return name


def _mark(sentence: str, places: Places, owners: frozenset[str] = _OWNING) -> str:
    """Replace arguments by [X] and [Y], and possessive endings by 's."""
    frame, end = "", 0
    for start, stop, which in places:
        ending = re.match(
            r"['’]s\b" if not sentence[:stop].endswith("s") else r"['’]s?(?!\w)", sentence[stop:]
        )
        owner = bool(ending) or sentence[start:stop].lower() in owners
        frame += f"{sentence[end:start]}[{which}]" + ("'s" if owner else "")
        end = stop + (ending.end() if ending else 0)
    return frame + sentence[end:]
