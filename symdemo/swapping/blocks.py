"""Compare two sentences word by word, allowing for what a swap may change.

Words of an argument that moves stay the same but for capitals and pronoun case (`same_word`). Words
of the frame around the arguments may also agree with another subject, or refer to it with another
pronoun (`same_frame`). A word with a typing error counts as the word that was meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from unicodedata import combining, normalize

from symdemo.swapping import lexicon
from symdemo.swapping.lexicon import (
    ABSOLUTES,
    POSSESSIVES,
    PRONOUNS,
    REFLEXIVES,
    is_pronoun,
    third_person,
)

THIRD_PERSONS = lexicon.word_set("he she it they")
LONGEST_ABBREVIATION = 8
"""A text in capitals of at most so many characters is no shouted sentence: "A = B", "NATO"."""

_NEVER_NAMES = ABSOLUTES - POSSESSIVES
"""Words that are pronouns in capitals as well: MINE, THEIRS."""
_PERSON_OF = {form.lower(): row[0].lower() for row in PRONOUNS for form in row}
_AGREEING = (
    "am is are 'm 're 's | have has 've 's | was were | will 'll | had 'd | would 'd | this these |"
    "that those | who which that | someone something | child children | wife wives | man men |"
    "woman women |" + " ".join(REFLEXIVES)
)
_GROUPS = _AGREEING.split("|")
_GROUPS_OF = {
    word: frozenset(group for group in _GROUPS if word in group.split())
    for word in _AGREEING.replace("|", " ").split()
}

_TOKEN = re.compile(
    r"(?:\w(?:(?:[\w'./&+–-]|(?<=\d),(?=\d))*\w)?'?|[^\w\s'\"“”().,;:!?…\[\]–—-])(?P<comma>,(?!\d))?"
)
_HYPHEN = re.compile(r"(?<=[^\W\d]{2})-(?=[^\W\d]{2})")
_CONTRACTED = re.compile(r"(?<=\w)(n't|'(?:s|m|re|ve|ll|d))$", re.IGNORECASE)
_VERBS = lexicon.word_set("is are was were do does did has have had could would should")
_UNMARKED = {f"{verb}nt": f"{verb}n't" for verb in _VERBS} | {
    "cant": "can't", "wont": "won't", "cannot": "cann't", "im": "I'm", "ive": "I've",
    "youre": "you're", "theyre": "they're",
}  # fmt: skip
"""Contractions without their apostrophe, and "cannot"."""
_WRITTEN_OTHERWISE = {"an": "a", "&": "and"}
_BEFORE_NOT = {"ca": "can", "can": "can", "wo": "will", "sha": "shall", "ai": "is"}
# After these, 's is always a verb.
_TAKES_VERB = lexicon.word_set("i you he she it we they that there here who what this where how")


@dataclass(frozen=True, slots=True)
class Word:
    """A word as typed. Two words with the same `key` count as the same word."""

    text: str
    key: str
    person: str = ""
    """The nominative of a personal or possessive pronoun ("she" of "hers"), else empty."""
    owner: bool = False
    """True if a possessive mark follows."""
    comma: bool = False
    forms: frozenset[str] = frozenset()
    """Groups of forms that agree with different subjects ("am is are"). In the frame, words that
    share a group count as the same."""
    start: int = field(default=0, compare=False)
    stop: int = field(default=0, compare=False)
    """Its place in the text; that of a contracted word is a guess."""

    @property
    def capital(self) -> bool:
        """True if it begins with a capital: within a sentence, a name."""
        return self.text[:1].isupper()


Sentence = tuple[Word, ...]


def read(sentence: str, *, verbal: bool) -> Sentence:
    """Split a text into words; a contraction is two words, and of punctuation only commas are kept.

    If `verbal`, an 's after a noun is read as "is" or "has", else as a possessive mark.
    """
    found: list[Word] = []
    sentence = sentence.replace("’", "'").replace("‘", "'")
    if sentence.isupper() and len(sentence) > LONGEST_ABBREVIATION:
        sentence = sentence.lower()  # all in capitals, which then mark no names
    for match in _TOKEN.finditer(sentence):
        comma = match["comma"] is not None
        at = match.start()
        for word in _taken_apart(match[0].removesuffix(","), comma, verbal):
            stop = min(at + len(word.text), match.end())
            found.append(replace(word, start=at, stop=stop))
            at = stop
    return tuple(found)


def _taken_apart(token: str, comma: bool, verbal: bool) -> list[Word]:
    """Return a token as one word, or as the two that it contracts."""
    match = _CONTRACTED.search(_UNMARKED.get(token.lower(), token))
    if match is None:
        return [_word(token.rstrip("'"), token.endswith("'"), comma)]
    stem, ending = match.string[: match.start()], match[1].lower()
    if ending == "n't":
        return [_word(_BEFORE_NOT.get(stem.lower(), stem)), _word("not", comma=comma)]
    if ending == "'s" and not verbal and stem.lower() not in _TAKES_VERB:
        return [_word(stem, True, comma)]
    return [_word(stem), _word(ending, comma=comma)]


def _word(text: str, owner: bool = False, comma: bool = False) -> Word:
    low = text.lower()
    # US and IT are names.
    if low in _NEVER_NAMES or is_pronoun(text):
        person = _PERSON_OF[low]
        return Word(text, f"<{person}>", person, comma=comma, forms=frozenset({"pronoun"}))
    key = _WRITTEN_OTHERWISE.get(low) or _HYPHEN.sub("", low)
    if not key.isascii():  # São Paulo is typed as Sao Paulo
        key = "".join(c for c in normalize("NFKD", key) if not combining(c))
    forms = _GROUPS_OF.get(key) or frozenset({key, third_person(key)})
    return Word(text, key, owner=owner, comma=comma, forms=forms)


def same_word(one: Word, two: Word) -> bool:
    """True if two words are the same, up to capitals and pronoun case."""
    return one.key == two.key


def same_words(one: Sequence[Word], two: Sequence[Word]) -> bool:
    """True if two sequences hold the same words, each by `same_word`."""
    return len(one) == len(two) and all(map(same_word, one, two))


def same_frame(one: Word, two: Word) -> bool:
    """True if two words outside the arguments are the same, up to agreement and pronouns as well.

    Any two pronouns count as the same here; `pronouns_agree` checks them.
    """
    return one.key == two.key or not one.forms.isdisjoint(two.forms)


@dataclass(frozen=True, slots=True)
class Blocks:
    """Two sentences of equal length, read as X b Y between a and c, and Y b' X between a' and c'.

    In the first, X is ``one[i:j]`` and Y is ``one[k:l]``.
    """

    one: Sentence
    two: Sentence
    i: int
    j: int
    k: int
    l: int

    @property
    def exchanged(self) -> tuple[Sentence, Sentence]:
        """X and Y, each from the sentence where it comes second, so that a capital marks a name."""
        return self.two[self.l - (self.j - self.i) : self.l], self.one[self.k : self.l]

    @property
    def between(self) -> Sentence:
        """The words b of the first sentence."""
        return self.one[self.j : self.k]

    @property
    def before(self) -> tuple[Word | None, Word | None]:
        """The words of the frame just before X and Y in the first sentence."""
        return self._word(self.i - 1), self.between[-1] if self.between else None

    @property
    def after(self) -> tuple[Word | None, Word | None]:
        """The words of the frame just after X and Y in the first sentence."""
        return self.between[0] if self.between else None, self._word(self.l)

    @property
    def frame(self) -> Iterator[tuple[Word, Word]]:
        """Pairs of a word of a, b or c and its counterpart in a', b' or c'."""
        shift = self.i + self.l - self.k - self.j
        yield from zip(self.one[: self.i], self.two[: self.i], strict=True)
        yield from zip(self.between, self.two[self.j + shift : self.k + shift], strict=True)
        yield from zip(self.one[self.l :], self.two[self.l :], strict=True)

    def _word(self, place: int) -> Word | None:
        return self.one[place] if 0 <= place < len(self.one) else None


def splits(one: Sentence, two: Sentence) -> Iterator[Blocks]:
    """Yield all ways to read `two` as `one` with two of its blocks exchanged, also adjacent ones.

    Both sentences must have the same number of words.
    """
    n = len(one)
    same, frame = runs(one, two, same_word), runs(one, two, same_frame)
    starts = range(min(frame[0][0], n - 1) + 1)
    stops = [stop for stop in range(n, 0, -1) if frame[stop][stop] == n - stop]
    for i, l in product(starts, stops):
        for k in range(i + 1, l):
            y = l - k
            if same[k][i] < y:
                continue
            for j in range(i + 1, k + 1):
                x = j - i
                if same[i][l - x] >= x and frame[j][i + y] >= k - j:
                    yield Blocks(one, two, i, j, k, l)


def runs(
    one: Sequence[Word], two: Sequence[Word], same: Callable[[Word, Word], bool]
) -> list[list[int]]:
    """Return a table of how many words in a row match, from any two places on.

    Its [i][j] is the number of words from `one[i]` on that equal those from `two[j]` on, by `same`.
    """
    table = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) - 1, -1, -1):
        for j in range(len(two) - 1, -1, -1):
            if same(one[i], two[j]):
                table[i][j] = table[i + 1][j + 1] + 1
    return table


_NO_OPENING = lexicon.CLOSED_CLASS - lexicon.DETERMINERS
"""No argument opens with one of these, unless it is a name or a title."""
_NO_ENDING = (
    lexicon.word_set("the a than as of") | lexicon.COORDINATORS | lexicon.AUXILIARIES - {"will"}
)
_COMPLEMENTS = lexicon.word_set("of than")
"""Prepositions whose phrase never moves without the word before it."""
_LINKS = lexicon.word_set("of from in as by to with for than")
"""Last words of a relation between two arguments: "is part of", "is older than"."""

_LONGEST_JOINED = 5
"""Most words of a list such as "Bob and the old neighbour"; a longer one says more than that."""


def are_arguments(blocks: Blocks) -> bool:
    """True if the blocks can be the two arguments, and the rest changed only to agree with them."""
    return (
        not same_words(*blocks.exchanged)
        and _are_apart(blocks)
        and (_is_whole(blocks) or all(map(is_argument, blocks.exchanged)))
        and not _is_identity(blocks)
        and not any(check(blocks) for check in _TORN)
        and pronouns_agree(blocks.frame, *blocks.exchanged)
    )


def is_argument(block: Sequence[Word]) -> bool:
    """True if a block can be an argument as far as its own words tell."""
    first, last = block[0], block[-1]
    if first.key in _NO_OPENING and not (first.capital or first.owner):
        return False
    if last.key in _NO_ENDING and not last.capital:
        return False
    keys = [word.key for word in block]
    # "A" and "B", but not "a" and "the"
    return (last.capital or not lexicon.DETERMINERS.issuperset(keys)) and not _is_statement(keys)


def _is_statement(keys: Sequence[str]) -> bool:
    """True if the block has a verb, as in "Ann is tall", but not "the man who is tall"."""
    verbs = [n for n, key in enumerate(keys[:-1]) if n and key in lexicon.AUXILIARIES]
    return bool(verbs) and not lexicon.RELATIVES.intersection(keys[: verbs[0]])


def is_adverb(word: Word) -> bool:
    """True if a word by itself can be an adverb."""
    return word.key in lexicon.ADVERBS or (word.key.endswith("ly") and not word.capital)


def is_adverbial(block: Sequence[Word]) -> bool:
    """True if a block of several words can say when, where or why."""
    last = block[-1].key
    opens_so = block[0].key in lexicon.PREPOSITIONS - _COMPLEMENTS
    return opens_so or last in lexicon.ADVERBS or last in lexicon.TIME_WORDS


def _are_apart(blocks: Blocks) -> bool:
    """True if something separates the blocks; without that, one just moved past the other.

    Words between the blocks separate them. So does the verb before both in a question ("Is Ann
    Bob's aunt?"), and a comma between them if there are also words before or after both blocks
    ("To Ann, Bob is a hero.", but not "Yesterday, Ann sang.").
    """
    if blocks.between:
        return True
    before, after = blocks.before[0], blocks.after[1]
    if before is not None and blocks.i == 1 and before.key in lexicon.AUXILIARIES:
        return after is not None
    y = blocks.l - blocks.k
    comma = blocks.one[blocks.j - 1].comma and blocks.two[blocks.i + y - 1].comma
    return comma and (before is not None or after is not None)


def _is_whole(blocks: Blocks) -> bool:
    """True if the rest of the sentence is a relation such as "is located in".

    Then any block may be an argument, since it may be the title of a book or film.
    """
    whole = blocks.i == 0 and blocks.l == len(blocks.one)
    return whole and len(blocks.between) > 1 and blocks.between[-1].key in _LINKS


def _is_identity(blocks: Blocks) -> bool:
    """True if the two sides of a plain "is" changed places, and one of them names the relation.

    "Ann is Bob's mother" and "Bob's mother is Ann" say the same; their arguments are Ann and Bob.
    """
    if [word.key in lexicon.COPULAS for word in blocks.between] != [True]:
        return False
    for one, two in (blocks.exchanged, blocks.exchanged[::-1]):
        # "Bob's mother", "the capital of France": named by another
        related = any(w.owner for w in one[:-1]) or any(w.key == "of" for w in one[1:-1])
        if related and (two[0].capital or two[0].person or two[0].key == "the"):
            return True
    return False


def pronouns_agree(frame: Iterable[tuple[Word, Word]], *arguments: Sequence[Word]) -> bool:
    """True if no pronoun of the frame changed without a reason.

    It may change among he, she, it and they, and to or from the person of a pronoun that is an
    argument.
    """
    persons = {word.person for argument in arguments for word in argument} - {""}
    for one, two in frame:
        changed = {one.person, two.person}
        if len(changed) == 2 and not (changed <= THIRD_PERSONS or changed & persons):
            return False
    return True


def _are_modifiers(blocks: Blocks) -> bool:
    """True if both blocks are adjectives or numbers: "two boys met three girls"."""
    return all(map(_is_modifier, _bare(blocks), blocks.after))


def _bare(blocks: Blocks) -> list[Sequence[Word]]:
    """Return the blocks without determiners; a block that has nothing else keeps them."""
    without = ([w for w in b if w.key not in lexicon.DETERMINERS] for b in blocks.exchanged)
    return [bare or block for bare, block in zip(without, blocks.exchanged, strict=True)]


def _is_modifier(block: Sequence[Word], following: Word | None) -> bool:
    word = block[0]
    if len(block) > 1 or word.owner or word.comma or word.capital or following is None:
        return False
    # "the blue one": the adjective is the argument
    if following.key in lexicon.CLOSED_CLASS | {"one", "ones"} or following.person:
        return False
    return word.key in lexicon.MODIFIERS or word.key.endswith(
        ("ful", "ous", "less", "able", "ible", "ish")
    )


def _are_predicates(blocks: Blocks) -> bool:
    """True if both blocks are said of one argument: "Ann is tall and thin"."""
    before = blocks.before[0]
    short = all(len(block) == 1 and not block[0].capital for block in _bare(blocks))
    joined = [word.key in lexicon.COORDINATORS for word in blocks.between] == [True]
    return before is not None and before.key in lexicon.COPULAS and short and joined


def _are_heads(blocks: Blocks) -> bool:
    """True if both blocks are nouns that leave something of their own behind.

    It is an owner ("my brother", "Ann's sister"), a complement ("king of Spain") or an adjective
    ("the old man", "the woman").
    """
    if all(w and (w.owner or w.text.lower() in POSSESSIVES) for w in blocks.before):
        return True
    if all(w and w.key in {"of", "from"} for w in blocks.after):
        return True
    described = any(
        word.key in lexicon.ADJECTIVES
        or (len(word.key) > 6 and word.key.endswith(("ful", "ous", "less")))
        for word in blocks.before
        if word
    )
    return described and not all(
        b[0].capital or b[0].person or b[0].key in lexicon.CLOSED_CLASS for b in blocks.exchanged
    )


def _are_verbs(blocks: Blocks) -> bool:
    """True if both blocks are verbs of one subject: "Ann loves Bob and hates Carl"."""
    before = blocks.before[0]
    if before is None or before.owner or before.comma or not before.capital:
        return False
    if before.key in lexicon.CLOSED_CLASS or any(
        len(b) > 1 or b[0].capital for b in blocks.exchanged
    ):
        return False
    x, y = (block[0].key for block in blocks.exchanged)
    return any(x.endswith(ending) and y.endswith(ending) for ending in ("s", "ed"))


def _is_name_part(blocks: Blocks) -> bool:
    """True if only part of a name was swapped: "Ann Smith met Bob Lee", "Bob Smith met Ann …"."""
    if not blocks.between:
        return False
    # In one sentence or the other, each block is in each of the two places.
    seams = [*product((block[-1] for block in blocks.exchanged), blocks.after)]
    seams += [(blocks.between[-1], block[0]) for block in blocks.exchanged]
    return any(
        word.capital
        and following.capital
        and not (word.owner or word.comma or word.person or following.person)
        for word, following in seams
        if following
    )


def _is_half(blocks: Blocks) -> bool:
    """True if one block leaves behind what "and" joins to it: Bob in "Ann met Bob and Carl"."""
    if not blocks.between or blocks.between[0].key in lexicon.COORDINATORS:
        return False  # both are members of one list
    first = _is_joined(blocks.one[blocks.j - 1 :])
    return first != _is_joined(blocks.one[blocks.l - 1 :])


def _is_joined(rest: Sequence[Word]) -> bool:
    """True if the rest is a word, "and", and one more argument: "Bob and the old neighbour"."""
    if (
        not 3 <= len(rest) <= _LONGEST_JOINED
        or rest[0].comma
        or rest[1].key not in lexicon.COORDINATORS
    ):
        return False
    return rest[2].key in {"the", "a"} or rest[2].capital


_TORN = (_are_modifiers, _are_predicates, _are_heads, _are_verbs, _is_name_part, _is_half)
"""Checks for a block that was torn from words with which it should have moved."""
