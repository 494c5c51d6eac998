"""Parse a sentence, and parse it again with stand-in words if the result is no whole sentence.

The parsers are small and make mistakes: they tag the verb "bit" as a noun, an unfamiliar name as an
adverb, and "Monday" as a time even where it is the subject. Simple words in their places mend many
of these mistakes; `parsing.surface` returns the original words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from symdemo.swapping import lexicon
from symdemo.swapping.lexicon import base_form, is_irregular_past, is_usually_name, verb_lemma
from symdemo.swapping.parsing import (
    knows_noun,
    knows_verb,
    parse,
    parse_with_stand_ins,
)
from symdemo.swapping.phrases import FINITE, children, subject_of

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


def with_stop(text: str) -> str:
    """Return a text with the full stop that it lacks: the parser has hardly seen any without."""
    return text + "." if text[-1:].isalnum() else text


def parsed(text: str, parser: str) -> Doc:
    """Parse a text, with stand-ins for words that the parser misreads in any sentence."""
    doc = parse(text, parser)
    replaced = _lowered(doc) or dict(_misread_words(doc)) | lettered_things(doc)
    return parse_with_stand_ins(doc, replaced) if replaced else doc


def understood(text: str, parser: str) -> Doc:
    """Parse a text; if that gives no whole sentence, try plain names, then a plain verb.

    Return the first parse if these do not help.
    """
    doc = parsed(text, parser)
    if is_understood(doc):
        return doc
    names = plain_names(doc)
    roots = [t for t in doc if t.dep_ == "ROOT" and t.tag_ in {"VBZ", "VBD", "VBP", "VBN"}]
    if names and (roots or any(t.pos_ == "AUX" for t in doc)):
        other = parse_with_stand_ins(doc, names)
        if is_understood(other):
            return other
    misread = any(map(_could_be_object, roots))
    for token, verb in plain_verbs(doc[1:-1] if misread or not roots else roots):
        for others in ({}, names) if names else ({},):
            probed = parse_with_stand_ins(doc, {**others, token.i: verb})[token.i]
            goes_on = any(c.i > probed.i and not c.is_punct for c in probed.children)
            if probed.dep_ == "ROOT" and subject_of(probed) is not None and goes_on:
                return probed.doc
    return doc


def is_understood(doc: Doc) -> bool:
    """True if a text was parsed as a sentence: a finite verb with a subject, or an imperative."""
    for sentence in doc.sents:
        root = sentence.root
        if (
            root.pos_ in {"VERB", "AUX"}
            and not _could_be_object(root)
            and (
                subject_of(root) is not None
                or any(c.dep_ in {"expl", "csubj"} for c in root.children)
            )
        ):
            return any(t.tag_ in FINITE for t in [root, *root.children])
        if root.tag_ == "VB":
            return True
    return False


def _could_be_object(verb: Token) -> bool:
    """True if a verb is the last word, and may be a noun: "Storm delays | ferry"."""
    if children(verb, "aux", "auxpass") or not (verb.i + 2 > len(verb.doc) or verb.nbor().is_punct):
        return False
    subject = subject_of(verb)
    longer = subject is not None and children(subject, "conj", "det", "poss")
    return not longer and (knows_noun(verb.lower_) or knows_noun(base_form(verb.lower_)))


def plain_verb_parse(doc: Doc, at: int) -> Doc:
    """Parse again with “loves” or “loved” in place of one word, depending on its tense."""
    past = doc[at].text.endswith("ed") or is_irregular_past(doc[at].lower_)
    return parse_with_stand_ins(doc, {at: PAST_VERB if past else PRESENT_VERB})


# A verb that the parser hardly ever takes for a noun, in the present and in the past.
PRESENT_VERB, PAST_VERB = "loves", "loved"
# Names that it knows well; in a sentence with more names, the others stay.
GIVEN_NAMES = ("Peter", "Maria", "Thomas", "Sarah", "David", "Helen")
FAMILY_NAME = "Smith"
_BEFORE_PLURALS = {"few", "several", "many", "most"}
# Most words that are tried as the verb: each takes a parse or two.
MOST_VERBS = 4


def lettered_things(doc: Doc) -> dict[int, str]:
    """Return {token number: stand-in} for things that only a letter tells apart.

    "Company A bought company B" becomes "Peter Smith bought Maria Smith". If one of the letters is
    a capital, "a" is an article: "Ann met a man who met B".
    """
    found: dict[str, dict[str, int]] = {}
    for thing, letter in pairwise(doc):
        code = letter.is_upper and len(letter.text) <= 3
        is_letter = letter.is_alpha and letter.text != "I" and (len(letter.text) == 1 or code)
        verb = thing.i > 0 and len(thing.nbor(-1).text) == 1  # "A hates B and B hates A"
        if thing.is_alpha and not thing.is_stop and not verb and is_letter:
            found.setdefault(thing.lower_, {}).setdefault(letter.text, thing.i)
    for places in found.values():
        if any(letter.isupper() for letter in places):
            places.pop("a", None)
    alike = [place for places in found.values() if len(places) > 1 for place in places.values()]
    names = zip(GIVEN_NAMES, sorted(alike), strict=False)
    return {i: word for name, at in names for i, word in ((at, name), (at + 1, FAMILY_NAME))}


def _misread_words(doc: Doc) -> Iterator[tuple[int, str]]:
    """Yield stand-ins for single words that the parser misreads in any sentence."""
    for token in doc:
        if re.fullmatch(r"\d{1,3}[-–:]\d{1,3}", token.text):
            yield token.i, "easily"  # a score, taken for a part of a name: "Chelsea 3-1"
        compared = token.i > 0 and token.nbor(-1).lower_ in {"than", "as"}
        if compared and token.text.istitle() and token.tag_.startswith("VB"):
            yield token.i, FAMILY_NAME  # "bigger than Spotify"
        if token.text == "I" and token.i and _could_have_number(token.nbor(-1)):
            yield token.i, "II"  # "Charles I", taken for a pronoun
        if token.i and re.fullmatch(r"(?:al|el|ben|bin|ibn|as|ad)-[A-Z]\w+", token.text):
            yield token.i, FAMILY_NAME  # "Harun al-Rashid"
    for token in doc[1:-1]:  # "He bought her lunch": she does not own what is given
        gift = token.lower_ == "her" and token.nbor().lower_ in lexicon.GIFTS
        if gift and verb_lemma(token.nbor(-1)) in lexicon.GIVING_VERBS:
            yield token.i, "him"
    for token in doc[1:-2]:  # "Bob's taller than me": no possessor
        if token.dep_ != "case" or token.lower_ not in {"'s", "’s"}:
            continue
        after = doc[token.i + 1 :]
        comparing = after[0].tag_ in {"JJR", "RBR"} and any(t.lower_ == "than" for t in after[1:3])
        if comparing or after[0].tag_ in {"DT", "PRP$"} or after[0].lower_ == "not":
            yield token.i, "is"
            return


def _could_have_number(name: Token) -> bool:
    days = lexicon.DAYS_AND_MONTHS | lexicon.DAY_ADVERBS
    return name.text.istitle() and not name.is_stop and name.lower_ not in days


def _lowered(doc: Doc) -> dict[int, str]:
    """Return {token number: word in lower case} for a headline or a text in capitals, else {}.

    Names keep their first capital.
    """
    letters = [t for t in doc if t.is_alpha]
    shouted = all(t.text.isupper() for t in letters)
    titled = all(t.text[:1].isupper() for t in letters) and any(
        _has_verb_form(t.lower_) and not t.is_stop for t in letters[1:]
    )
    if not shouted and not titled:
        return {}
    out = {}
    for token in letters:
        known = token.is_stop or knows_noun(token.lower_) or _has_verb_form(token.lower_)
        name = is_usually_name(token.lower_) or token.lower_ in lexicon.COUNTED_NAMES or not known
        if shouted or not name:
            out[token.i] = token.lower_.capitalize() if name else token.lower_
    return out


def plain_names(doc: Doc) -> dict[int, str]:
    """Return {token number: stand-in} for short names, and for days, months and seasons."""
    out: dict[int, str] = {}
    given = iter(GIVEN_NAMES)
    places = enumerate(t.i for t in doc if _could_be_name(t))
    for _, neighbours in groupby(places, key=lambda place: place[1] - place[0]):
        run = [i for _, i in neighbours]
        first, last = run[0], run[-1]
        opening = doc[first - 1].tag_ if first else ""
        # Leave "the Alps", "in June" and "last spring": more than a name, or a place or time.
        placed = first and doc[first - 1].lower_ in lexicon.ADJUNCT_PREPOSITIONS
        placed = placed and doc[first - 1].lower_ not in {"before", "after"}
        if last - first > 1 or opening in {"DT", "CD", "JJ"} or placed:
            continue
        plain = next(given, None)
        if plain is None:
            break
        out[first] = plain
    return out


def _could_be_name(token: Token) -> bool:
    word = token.lower_
    if word in lexicon.DAYS_AND_MONTHS | lexicon.SEASONS:
        return word in lexicon.SEASONS or token.text[:1].isupper()
    letter = len(word) == 1 and word.isalpha() and token.text != "I"
    if letter and (word != "a" or (token.i and token.text == "A")):
        return True  # "x equals y", "Player A beat player B"
    given = token.i == 0 and word in lexicon.COUNTED_NAMES | lexicon.UNCOUNTED_NAMES
    if not token.text[0].isupper() or (token.is_stop and not given):
        return False
    if token.i > 0:
        return True
    # The first word always has a capital: "Reportedly, ...", "Lions hunt the zebra".
    adverb = word in lexicon.DAY_ADVERBS or word.endswith("ly")
    plural = word.endswith("s") and knows_noun(base_form(word))
    return not adverb and not plural


def _has_verb_form(word: str) -> bool:
    """True if a word is a regular form of a verb that the dictionary knows."""
    if word.endswith("s"):
        return knows_verb(base_form(word)) or knows_verb(word[:-1])
    if word.endswith("ed"):
        return any(knows_verb(v) for v in (word[:-1], word[:-2], word[:-3] + "y"))
    return knows_verb(word) or is_irregular_past(word)


def plain_verbs(tokens: Iterable[Token]) -> list[tuple[Token, str]]:
    """Return (word, stand-in verb) for the words that could be the verb, the surest first."""
    found = []
    for token in tokens:
        word, before = token.lower_, token.doc[: token.i]
        # "a bit", "Ann's left arm", "few dogs": no finite verb follows these.
        last = before[-1:]
        if not token.is_lower or any(
            t.tag_ in {"DT", "PRP$", "POS"} or t.lower_ in _BEFORE_PLURALS for t in last
        ):
            continue
        ends = word.endswith(("s", "ed"))
        # A base form is a verb only after a plural: "The Alps border Italy".
        plural = any(
            t.lower_.endswith("s") or t.lower_ in {"and", *lexicon.SAME_IN_PLURAL}
            for t in before
            if t.tag_ != "POS"
        )
        known = token.is_stop or knows_noun(word) or knows_noun(base_form(word))
        if is_irregular_past(word) or word in lexicon.UNCHANGED_PASTS:
            found.append((0, token.i, token, PAST_VERB))
        elif not token.is_stop and (_has_verb_form(word) if ends else knows_verb(word) and plural):
            # Words in -ed get the present as well, which cannot be read as a participle.
            found.append((1, token.i, token, PRESENT_VERB))
        # A word that is in no dictionary ("twibs", "lee-bowed", "conquerd"), or a plural noun to
        # which all else is attached ("The worker thread deadlocks with").
        elif (not known and len(word) > 3 and word.endswith(("s", "ed", "d"))) or (
            token.dep_ == "ROOT" and token.tag_ == "NNS" and token.i > 1
        ):
            past = not token.text.endswith("s")
            found.append((2, token.i, token, PAST_VERB if past else PRESENT_VERB))
    return [(token, verb) for _, _, token, verb in sorted(found)[:MOST_VERBS]]


_STATED = "|".join(sorted(lexicon.STATING_WORDS))
_FRAME = re.compile(
    rf"""
    (?P<frame> [^,;:]{{0,60}}? \b (?:
        (?:{_STATED}) (?: \s (?: out | here | to\ (?:me|us) | (?:in|on|at|from)\ the\ \w+ ) )?
      | (?:tell|tells|told|remind|reminds|reminded|assures?|assured|teaches|taught|shows?|showed)
        \s (?:me|us|you|him|her|them|everyone|everybody|people|the\ \w+)
      | (?:a|no|the|of|any) \s (?:fact|doubt|secret|truth|news|proof|question)
      | (?:fact|truth|point|news) \s (?:is|was)
      | what\ [^,;:]+ \s (?:is|was)
      | has\ it
    ) \s that \s )
    (?P<statement> .+ )
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)

_OPENERS = """
    At In On For From Since During Until After Before By Under Near Over Among Through Behind Inside
    Outside Within Throughout Halfway Last Next Every
"""
# A phrase such as "at the end of the season" ends before the next determiner or capital.
_DETERMINERS = "the a an my our his her its their your this these those"
_ENDS = re.compile(
    rf"""(?P<last>[\w'’]+)\ (?=(?P<next>(?:{_DETERMINERS.replace(" ", "|")})\b|[A-Z“"]))""",
    re.VERBOSE,
)
_LINKS = "of to with and or that between than as into onto who whom what"
_NEVER_LAST = f"{_OPENERS.lower()} {_DETERMINERS} {_LINKS}".split()

_CHAT = "|".join(sorted(lexicon.CHAT, key=len, reverse=True))
_PERSONS = "bro|dude|man"  # these close a sentence only after a comma: "saw the old man"
_CHATTING = re.compile(
    rf"(?P<opening>(?:(?:{_CHAT})\b[,!.…]*\s+)*)(?P<said>.*?)(?P<closing>(?:(?!\s+(?:{_PERSONS})\b)[,.!…]*\s+(?:{_CHAT})\b)*[.!…]*)",
    re.IGNORECASE | re.DOTALL,
)


def split_chat(sentence: str) -> tuple[int, int] | None:
    """Return where a sentence starts and stops between words such as "ugh" and "lol", if any."""
    match = _CHATTING.fullmatch(sentence)
    closing = match is not None and any(c.isalnum() for c in match["closing"])
    if match is None or not (match["opening"] or closing) or len(match["said"].split()) < 3:
        return None
    return match.start("said"), match.start("closing") if closing else len(sentence)


def split_frame(sentence: str) -> tuple[str, str] | None:
    """Return an introduction, with the space after it, and the statement that follows, if any.

    The introduction ends in "that", or is a phrase of time or place without a comma.
    """
    match = _FRAME.fullmatch(sentence)
    return (match["frame"], match["statement"]) if match else _split_time_or_place(sentence)


def _split_time_or_place(sentence: str) -> tuple[str, str] | None:
    if sentence.split(" ", 1)[0] not in _OPENERS.split() or "," in sentence:
        return None
    for match in _ENDS.finditer(sentence):
        last, capital = match["last"], not match["next"][0].islower()
        named = last[0].isupper() and last.lower().rstrip("s") not in lexicon.TIME_WORDS
        if last.lower() in _NEVER_LAST or (capital and named):
            continue
        return sentence[: match.end()], sentence[match.end() :]
    return None
