"""Swap subject and object of an English sentence: ``swap("The cat chased the dog.")``.

Three steps: clean the text, find the two phrases, exchange them and mend what that breaks:
capitals, case, possessives, agreement of verbs, pronouns. The known wordings of the fourteen
relations are tried first; all other sentences are parsed. In `swap_at` a person picks the phrases.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from symdemo.data.relations import RELATIONS
from symdemo.errors import InputError, ModelError, NoPairFound
from symdemo.swapping import lexicon
from symdemo.swapping.candidates import chosen
from symdemo.swapping.exchange import (
    Exchanged,
    capitalise,
    exchange,
    is_name_start,
    lower_first,
    move_to_middle,
    name_at_start,
    starts_like_name,
)
from symdemo.swapping.mentions import Clause
from symdemo.swapping.parsing import PIPELINE, SECOND, parse, parse_ahead
from symdemo.swapping.phrases import SUBJECTS, Arguments, Phrase, subject_of
from symdemo.swapping.questions import statement_of
from symdemo.swapping.words import NOMINATIVE, genitive, is_pronoun, pronoun_in

if TYPE_CHECKING:
    from spacy.tokens import Token


MAX_CHARACTERS = 2000
SELF_HELP = "type the swapped sentence yourself"


def clean(text: str) -> str:
    """Take out control and invisible characters; line breaks and tabs become single spaces."""
    text = unicodedata.normalize("NFC", str(text))
    text = re.sub(r"[\t\r\n\v\f\u2028\u2029]+", " ", text)
    # Cc: control, Cf: formatting, Cs and Co: no character at all.
    text = "".join(c for c in text if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co"})
    return text.strip()


_IN_HASTE = {"im": "I am", "ive": "I have", "u": "you", "ur": "your", "urs": "yours"}


def spelt_out(text: str) -> tuple[str, str]:
    """A line of chat, all in small letters, with its short words spelt out, and a note of them."""
    found = [word for word in text.split() if word in _IN_HASTE]
    if not found or text != text.lower():
        return text, ""
    spelt = " ".join(_IN_HASTE.get(word, word) if word in found else word for word in text.split())
    read = (f"“{word}” is read as “{_IN_HASTE[word]}”" for word in dict.fromkeys(found))
    return spelt, f"{', '.join(read)}."


def shown(text: str) -> str:
    """Quote a text for a message, short enough to read."""
    return f"'{text}'" if len(text) <= 60 else f"'{text[:57]}...'"


def check(text: str) -> None:
    """Refuse what cannot be a sentence about two things, saying what was seen."""
    expected = "give one English sentence with a subject and an object"
    if not text:
        raise InputError(f"The sentence is empty: {expected}.")
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"The sentence has {len(text):,} characters, and at most {MAX_CHARACTERS:,} are read: "
            "give one shorter sentence."
        )
    if not any(c.isalpha() for c in text):
        raise InputError(f"There are no letters in {shown(text)}: {expected}.")
    if len(text.split()) == 1 and text.isascii():
        raise InputError(f"There is only one word in {shown(text)}: {expected}.")
    letters = [c for c in text if c.isalpha()]
    latin = sum("LATIN" in unicodedata.name(c, "") for c in letters)
    if latin < len(letters) / 2:
        raise InputError(
            f"Most letters of {shown(text)} are not Latin, and only English can be parsed: "
            f"{SELF_HELP}."
        )


def words_of(sentence: str) -> list[str]:
    """The words that `symdemo.swapping.swap_at` counts: what white space parts."""
    return sentence.split()


def is_question(text: str) -> bool:
    """True if a text ends in a question mark."""
    return text.rstrip("\"'”’)! ").endswith("?")


_TOGETHER = 32
"""Sentences that are parsed together; others who ask the parser wait for as many."""


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
        """True if nothing speaks against showing this swap as the one that was meant."""
        return not self.doubts


def swap(sentence: str) -> Swap:
    """Exchange subject and object of one English sentence.

    A yes/no question is read as the statement it asks about, and a line of chat with its short
    words spelt out; the note says so. Raises `NoPairFound` where there is a sentence but no pair,
    any other `InputError` where there is no such sentence, and `ModelError` where the parser that
    free sentences need is not installed.
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


def swap_many(sentences: Iterable[str]) -> Iterator[Swap | InputError]:
    """Yield what `swap` returns or raises for each sentence, in order, faster than one by one.

    Raises `ModelError` where the parser is not installed.
    """
    waiting = iter(sentences)
    while batch := list(islice(waiting, _TOGETHER)):
        free = [text for text in map(clean, batch) if len(text) < MAX_CHARACTERS]
        for parser in (PIPELINE, SECOND):
            parse_ahead((text for text in free if by_wording(text) is None), parser)
        for sentence in batch:
            try:
                yield swap(sentence)
            except InputError as error:
                yield error


def _with_capitals(found: Swap) -> Swap:
    """Return a statement made of a question the capital that it has had no need of until here."""
    return replace(
        found,
        premise=capitalise(found.premise),
        hypothesis=capitalise(found.hypothesis),
        others=tuple(map(_with_capitals, found.others)),
    )


def _swap_statement(premise: str) -> Swap:
    if (known := by_wording(premise)) is not None:
        return _swap_of(premise, known)
    if (found := chosen(premise)) is not None:
        got, doubts, ways = found
        others = tuple(_swap_of(way.premise, way.exchanged) for way in ways)
        return replace(_swap_of(got.premise, got.exchanged), doubts=doubts, others=others)
    if (known := by_wording(premise, strict=False)) is not None:
        return _swap_of(premise, known)
    raise NoPairFound(
        f"No subject and object were found in {shown(premise)}: give an English sentence "
        f"about two things, such as 'The cat chased the dog.', or {SELF_HELP}.",
        guess_boxes(premise),
    )


def _swap_of(premise: str, got: Exchanged) -> Swap:
    return Swap(premise, got.hypothesis, got.subject, got.object, got.relation)


def swap_at(sentence: str, one: tuple[int, int], two: tuple[int, int]) -> Swap:
    """Exchange two phrases, each a half-open range of word numbers as `words_of` gives the words.

    ``swap_at("Ann, my boss, met Bob.", (0, 1), (4, 5))`` exchanges Ann and Bob. What the exchange
    breaks is mended as by `symdemo.swapping.swap`; punctuation at the edge of a phrase stays in its
    place. Raises `InputError` where a range is empty, outside the sentence or without a letter or
    digit, and where the two overlap.
    """
    premise = clean(sentence)
    words = words_of(premise)
    first, second = sorted((tuple(one), tuple(two)))
    for start, stop in (first, second):
        _check_range(start, stop, words)
    if first[1] > second[0]:
        raise InputError(
            f"The two phrases share a word: words {first[0]} to {first[1] - 1} and words "
            f"{second[0]} to {second[1] - 1} were picked, and they must not overlap."
        )
    clause = Clause(premise, parse(" ".join(words)))
    got = exchange([clause], Arguments(_phrase_at(clause, *first), _phrase_at(clause, *second)))
    return replace(_swap_of(premise, got), doubts=got.unclear)


def _check_range(start: int, stop: int, words: list[str]) -> None:
    """Refuse a range that picks no words of the sentence."""
    if not 0 <= start < stop <= len(words):
        raise InputError(
            f"Words {start} up to {stop} were picked, but a phrase is at least one of the words "
            f"0 to {len(words) - 1}, its start before its end."
        )
    if not any(c.isalnum() for c in "".join(words[start:stop])):
        raise InputError(
            f"'{' '.join(words[start:stop])}' was picked, and a phrase has a letter or a digit."
        )


def _at_edge(token: Token, inside: list[Token]) -> bool:
    """True if punctuation belongs to the sentence and not to the phrase that it opens or closes."""
    if token.is_quote or token.is_bracket:  # a pair of them is picked with the phrase
        return sum(t.is_quote or t.is_bracket for t in inside) % 2 == 1
    return token.is_punct


def _phrase_at(clause: Clause, start: int, stop: int) -> Phrase:
    """Return the tokens of some words, without the punctuation at their edges."""
    doc, word, inside = clause.doc, 0, []
    for token in doc:
        if start <= word < stop:
            inside.append(token)
        word += bool(token.whitespace_)
    while len(inside) > 1 and _at_edge(inside[-1], inside):
        inside.pop()
    while len(inside) > 1 and _at_edge(inside[0], inside):
        inside.pop(0)
    # "Ann's | car": the ending belongs to the place, but not that of a verb ("Ann's taller").
    if len(inside) > 1 and inside[-1].text in {"'s", "’s"} and inside[-1].dep_ != "case":
        inside.pop()
    return Phrase(doc[inside[0].i : inside[-1].i + 1].root, inside[0].i, inside[-1].i)


# The verbs of the wordings, in the singular and the plural.
_NUMBERS = (("has", "have"), ("is", "are"), ("overlaps", "overlap"))


def _compile(wording: str) -> re.Pattern[str]:
    """Turn a wording into a pattern with the groups one, middle, two and end."""
    middle, end = re.split(r"\[[XY]\]", wording.removesuffix("."))[1:]
    # The verb may stand in the plural too: "Ann and Bob are different from Carl."
    wording = re.escape(middle)
    for singular, plural in _NUMBERS:
        wording = re.sub(rf"(?<!\w){singular}(?!\w)", f"(?:{singular}|{plural})", wording, count=1)
    return re.compile(
        rf"(?P<one>\S.*?)(?P<middle>{wording})(?P<two>.*?\S)"
        rf"(?P<end>{re.escape(end)}\s*[.!]?)",
        re.IGNORECASE,
    )


TEMPLATES = tuple(_compile(relation.template) for relation in RELATIONS)

# Words that no plain noun phrase holds: with one of them the fixed wording may be only a part of a
# longer sentence ("The storm led to the flood that caused ..."), which is left to the parser.
_CLAUSE_WORDS = re.compile(
    r"\b(?:is|are|was|were|be|been|that|which|who|whom|has|have|had|led|caused|because|when|if|"
    r"does|did|said|says|not|also|overlaps|possibly)\b|[;?]",
    re.IGNORECASE,
)
# "the lungs", "my parents": plural, but not "the Treaty of Versailles".
_PLURAL_SIDE = re.compile(
    r"(?:the|my|our|his|her|its|their|these|those)\b(?:(?! of | in | for ).)*[^siu']s(?: of .*)?",
    re.IGNORECASE,
)
# "Ann and Carl", "Ann, Bob and Carl", but not "Ministry of Health and Welfare" or "James VI and I".
_SEVERAL = re.compile(
    r"(?:[Tt]he\b|[A-Z])(?:(?! of | for ).)* and (?:the |an? |(?![IVX]+\b)[A-Z]).*"
)


def by_wording(premise: str, *, strict: bool = True) -> Exchanged | None:
    """Swap by the fixed wording of a known relation, where it leaves two noun phrases."""
    found = [m for pattern in TEMPLATES if (m := pattern.fullmatch(premise))]
    if len(found) != 1:
        return None
    one, two = found[0]["one"].strip(), found[0]["two"].strip()
    middle, end = found[0]["middle"], found[0]["end"]
    changed = _in_number(middle, one, two)
    if strict:
        for side in (one, two):
            if _CLAUSE_WORDS.search(side) or is_pronoun(side) or changed is None:
                return None
    if strict and re.match(r"(?:last|next|every) \w+ (?:the|an?) ", one, re.IGNORECASE):
        return None
    # A comma before the wording sets off a fronted or inserted phrase; names such as "Don Bosco
    # Technical College, Mandaluyong" hold one too, but go on with a capital.
    if strict and re.search(r"^(?:in|after|before|according|since|when)\b.*,", one, re.IGNORECASE):
        return None
    upper = premise[:1].isupper()
    to_middle = move_to_middle(one, lambda: name_at_start(premise, one, two)) if upper else one
    to_front = capitalise(two) if upper else two
    return Exchanged(
        to_front + (changed or middle) + to_middle + end, one, two, f"[X]{middle}[Y]{end}"
    )


def _is_several(side: str) -> bool:
    return bool(_SEVERAL.fullmatch(side)) and side.lower() not in lexicon.DOUBLE_NAMES


def _in_number(middle: str, one: str, two: str) -> str | None:
    """Return the wording with its verb in the number of the new subject; None: ask the parser.

    A coordinated subject with a singular verb is one name ("Romeo and Juliet is part of ...").
    """
    if _PLURAL_SIDE.fullmatch(one) or _PLURAL_SIDE.fullmatch(two):
        return None
    for singular, plural in _NUMBERS:
        if re.search(rf"\b{singular}\b", middle):
            return re.sub(rf"\b{singular}\b", plural, middle) if _is_several(two) else middle
        if re.search(rf"\b{plural}\b(?! instances)", middle):
            if not _is_several(one) or not starts_like_name(two):
                return None
            return middle if _is_several(two) else re.sub(rf"\b{plural}\b", singular, middle)
    return middle


def join(subject: str, relation: str, object: str) -> str:
    """Build a sentence from three boxes; the relation is plain ("is the mother of") or a template.

    A template names both places, [X] for the subject and [Y] for the object.
    """
    parts = {"subject": clean(subject), "relation": clean(relation), "object": clean(object)}
    for name, text in parts.items():
        if not re.search(r"\w", text):
            raise InputError(f"The {name} is empty: give at least one word.")
    template = parts["relation"]
    marks = (template.count("[X]"), template.count("[Y]"))
    if marks == (0, 0):
        template = f"[X] {template} [Y]"
    elif marks != (1, 1):
        raise InputError(
            f"The relation {shown(template)} names [X] {marks[0]} times and [Y] {marks[1]} times: "
            "give each once, or neither."
        )
    values = {"[X]": parts["subject"], "[Y]": parts["object"]}
    text = re.sub(r"\[([XY])\]('s)?", lambda m: _fill(m, values, template), template)
    text = capitalise(text)
    return text if text[-1] in ".!?…" else text + "."


def _fill(match: re.Match[str], values: dict[str, str], template: str) -> str:
    """Put a phrase in its place: possessive before 's, without a sentence capital in the middle."""
    text = values[f"[{match[1]}]"]
    if match.start() > 0 and is_name_start(text.split()) is False:
        text = lower_first(text)
    # "[X]'s taller" with he, she or it is the verb; any other pronoun there is a possessor.
    nominative = is_pronoun(text) and pronoun_in(text, NOMINATIVE) == text.lower()
    return genitive(text) if match[2] and not nominative else text + (match[2] or "")


def guess_boxes(sentence: str) -> tuple[str, str, str]:
    """Return the best guess at (subject, relation, object), any of them possibly empty.

    The subject is what stands before the verb, the object what follows the verb and its
    preposition: a person mends it from there.
    """
    bare = sentence.strip().rstrip(".!?… ")
    try:
        doc = parse(bare)
    except ModelError:
        return bare, "", ""
    if not len(doc):
        return "", "", ""
    root = next(doc.sents).root
    subject = subject_of(root)
    if subject is None:
        subject = next((t for t in doc if t.dep_ in SUBJECTS), None)
    if subject is None:
        verb = root if root.pos_ in {"VERB", "AUX"} else None
        return ("", doc[: root.i + 1].text, doc[root.i + 1 :].text) if verb else (bare, "", "")
    last = subject.right_edge.i
    end = max(subject.head.i, last + 1)
    for token in doc[end + 1 :]:
        if token.dep_ not in {"prt", "prep", "neg", "aux", "agent"} or token.i != end + 1:
            break
        end = token.i
    return doc[: last + 1].text, doc[last + 1 : end + 1].text, doc[end + 1 :].text
