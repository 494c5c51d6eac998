"""Swap subject and object of an English sentence: ``swap("The cat chased the dog.")``.

Clean the text, rank all pairs of phrases that could change places, exchange the likeliest and adapt
what that breaks: capitals, case, possessives, agreement of verbs, pronouns. The fixed wordings of
the fourteen relations are tried first. In `swap_at` a person picks the phrases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from symdemo.data.relations import RELATIONS
from symdemo.errors import InputError, NoPairFound
from symdemo.swapping import lexicon
from symdemo.swapping.exchange import Swap, exchange
from symdemo.swapping.parsing import PIPELINE, SECOND, Clause, parse, parse_ahead, surface
from symdemo.swapping.phrases import SUBJECTS, Arguments, Phrase, subject_of
from symdemo.swapping.ranking import rank
from symdemo.swapping.readings import with_stop
from symdemo.swapping.statements import (
    MAX_CHARACTERS,
    check_typed,
    clean,
    is_word,
    spelt_out,
    statement_of,
    word_numbers,
)
from symdemo.text import shorten

if TYPE_CHECKING:
    from spacy.tokens import Token

_HELP = "type the swapped sentence yourself"
_BATCH = 32
"""Sentences that are parsed together; other callers of the parser wait for them."""


def swap(sentence: str) -> Swap:
    """Exchange subject and object of one English sentence.

    A yes/no question is read as the statement that it asks about. In a line of chat, abbreviations
    are spelt out: “im” as “I am”. The swap's `note` says so.

    Raises:
        NoPairFound: no subject and object were found in the sentence.
        InputError: the text is no English sentence.
        ModelError: the parser that free sentences need is not installed.
    """
    premise = clean(sentence)
    check_typed(premise)
    premise, note = spelt_out(premise)
    if premise.rstrip("\"'”’)! ").endswith("?"):
        statement, doubt = statement_of(premise)
        found = _swap_statement(statement)
        if premise[:1].isupper():
            found = _with_capitals(found)
        doubts = (doubt, *found.doubts) if doubt else found.doubts
        note = f"{note} The question is read as the statement “{found.premise}”".strip()
        return replace(found, note=note, doubts=doubts)
    return replace(_swap_statement(premise), note=note)


def swap_many(sentences: Iterable[str]) -> Iterator[Swap | InputError]:
    """Yield what `swap` returns or raises for each sentence, in order, faster than one by one.

    Raises:
        ModelError: the parser is not installed.
    """
    waiting = iter(sentences)
    while batch := list(islice(waiting, _BATCH)):
        free = [text for text in map(clean, batch) if len(text) < MAX_CHARACTERS]
        free = [text for text in free if by_wording(text) is None]
        for parser in (PIPELINE, SECOND):
            parse_ahead(map(with_stop, free), parser)
        for sentence in batch:
            try:
                yield swap(sentence)
            except InputError as error:
                yield error


def _swap_statement(premise: str) -> Swap:
    found = by_wording(premise) or chosen(premise)
    if found is None:
        raise NoPairFound(
            f"No subject and object were found in '{shorten(premise)}': give an English sentence "
            f"about two things, such as 'The cat chased the dog.', or {_HELP}.",
            guess_boxes(premise),
        )
    return found


def _with_capitals(found: Swap) -> Swap:
    """Put capitals on both sentences of a swap, and of its `others`: a question was capitalised."""
    return replace(
        found,
        premise=lexicon.capitalise(found.premise),
        hypothesis=lexicon.capitalise(found.hypothesis),
        others=tuple(map(_with_capitals, found.others)),
    )


# ---- The likeliest swap of a sentence, and what is doubtful about it

TWO_READINGS = "The sentence can be read in more than one way."

SURE = 0.9
"""Probability from which a swap is not doubted."""
LIKELY = 0.1
"""Probability from which another swap is shown beside the likeliest."""
MOST_OTHERS = 2
MOST_MADE = 12
"""Number of the likeliest pairs that are exchanged; several may give the same sentence."""


def chosen(premise: str) -> Swap | None:
    """Return the likeliest swap, with its doubts and the next likely ones in `others`.

    None if making no swap is likeliest.
    """
    shares: dict[str, float] = {}
    made: dict[str, tuple[Swap, Arguments]] = {}
    for option, share in rank(premise)[:MOST_MADE]:
        swap = option.swap()
        text = swap.hypothesis if swap else ""
        shares[text] = shares.get(text, 0.0) + share
        if swap and option.pair:
            made.setdefault(text, (swap, option.pair))
    best, *others = sorted(shares, key=shares.__getitem__, reverse=True)
    if not best:
        return None
    found, pair = made[best]
    doubts = [*found.doubts, *_doubts(pair)]
    if shares[best] < SURE:
        doubts.append(TWO_READINGS)
    likely = [made[text][0] for text in others if text and shares[text] >= LIKELY]
    return replace(found, doubts=tuple(doubts), others=tuple(likely[:MOST_OTHERS]))


_POINTING = {"it", "this", "that", "these", "those", "the other one"}


def _doubts(pair: Arguments) -> Iterator[str]:
    """Yield what is doubtful about a reading, as sentences for a visitor."""
    names = [phrase.tokens.text.lower() for phrase in pair]
    if pointing := [name for name in names if name in _POINTING]:
        yield f"The sentence does not say what “{pointing[0]}” is."
    for token in pair.subject.head.doc:
        word = surface(token)
        known = not word.isalpha() or not word.islower() or len(word) < 4 or is_word(word)
        if not known and token.pos_ in {"NOUN", "ADJ", "ADV", "ADP", "X", "PROPN"}:
            yield f"We don’t know the word “{word}”."
            return


# ---- The fixed wordings of the relations

# The verbs of the wordings, in the singular and the plural.
_NUMBERS = (("has", "have"), ("is", "are"), ("overlaps", "overlap"))


def _compile(wording: str) -> re.Pattern[str]:
    """Turn a wording into a pattern with the groups one, middle, two and end."""
    middle, end = re.split(r"\[[XY]\]", wording.removesuffix("."))[1:]
    # The verb may be plural too: "Ann and Bob are different from Carl."
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
# "Last year the", "In 1990, the"
_TIME_FIRST = re.compile(
    r"(?:last|next|every) \w+ (?:the|an?) |(?:in|after|before|according|since|when)\b.*,",
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


def by_wording(premise: str) -> Swap | None:
    """Swap a sentence in the fixed wording of one of the fourteen relations.

    None if no wording fits, or several do, or [X] or [Y] would be more than a plain noun phrase.
    """
    found = [m for pattern in TEMPLATES if (m := pattern.fullmatch(premise))]
    if len(found) != 1:
        return None
    one, two = found[0]["one"].strip(), found[0]["two"].strip()
    middle, end = found[0]["middle"], found[0]["end"]
    changed = _in_number(middle, one, two)
    clauses = any(_CLAUSE_WORDS.search(side) or lexicon.is_pronoun(side) for side in (one, two))
    if changed is None or clauses or _TIME_FIRST.match(one):
        return None
    upper = premise[:1].isupper()
    to_middle = (
        lexicon.move_to_middle(one, lambda: lexicon.name_at_start(premise, one, two))
        if upper
        else one
    )
    to_front = lexicon.capitalise(two) if upper else two
    hypothesis = to_front + changed + to_middle + end
    return Swap(premise, hypothesis, one, two, f"[X]{middle}[Y]{end}")


def _is_several(side: str) -> bool:
    return bool(_SEVERAL.fullmatch(side)) and side.lower() not in lexicon.DOUBLE_NAMES


def _in_number(middle: str, one: str, two: str) -> str | None:
    """Return the words between the phrases, with the verb in the number of the new subject.

    None if the number is unclear, so that the parser is needed. A coordinated subject with a
    singular verb is one name ("Romeo and Juliet is part of ...").
    """
    if _PLURAL_SIDE.fullmatch(one) or _PLURAL_SIDE.fullmatch(two):
        return None
    for singular, plural in _NUMBERS:
        if re.search(rf"\b{singular}\b", middle):
            return re.sub(rf"\b{singular}\b", plural, middle) if _is_several(two) else middle
        if re.search(rf"\b{plural}\b(?! instances)", middle):
            if not _is_several(one) or not lexicon.starts_like_name(two):
                return None
            return middle if _is_several(two) else re.sub(rf"\b{plural}\b", singular, middle)
    return middle


# ---- What a person picks or types


def words_of(sentence: str) -> list[str]:
    """Return the words that `swap_at` counts: what white space separates."""
    return sentence.split()


def swap_at(sentence: str, one: tuple[int, int], two: tuple[int, int]) -> Swap:
    """Exchange two phrases, each a half-open range of word numbers as `words_of` counts.

    ``swap_at("Ann, my boss, met Bob.", (0, 1), (4, 5))`` exchanges Ann and Bob. Grammar is adapted
    as by `swap`; punctuation at the edge of a phrase stays in its place.

    Raises:
        InputError: a range is empty, outside the sentence or without a letter or digit, or the two
            overlap.
    """
    premise = clean(sentence)
    words = words_of(premise)
    first, second = sorted((tuple(one), tuple(two)))
    for start, stop in (first, second):
        if not 0 <= start < stop <= len(words):
            raise InputError(
                f"Words {start} up to {stop} were picked, but a phrase is at least one of the "
                f"words 0 to {len(words) - 1}, its start before its end."
            )
        if not any(c.isalnum() for c in "".join(words[start:stop])):
            raise InputError(
                f"'{' '.join(words[start:stop])}' was picked, and a phrase has a letter or a digit."
            )
    if first[1] > second[0]:
        raise InputError(
            f"The two phrases share a word: words {first[0]} to {first[1] - 1} and words "
            f"{second[0]} to {second[1] - 1} were picked, and they must not overlap."
        )
    clause = Clause(premise, parse(" ".join(words)))
    picked = Arguments(_phrase_at(clause, *first), _phrase_at(clause, *second))
    return exchange([clause], picked)


def _phrase_at(clause: Clause, start: int, stop: int) -> Phrase:
    """Return the phrase of words `start` to `stop` - 1, without the punctuation at its edges."""
    doc = clause.doc
    inside = [t for t, word in zip(doc, word_numbers(doc), strict=True) if start <= word < stop]

    def at_edge(token: Token) -> bool:
        if token.is_quote or token.is_bracket:  # a pair of them is picked with the phrase
            return sum(t.is_quote or t.is_bracket for t in inside) % 2 == 1
        return token.is_punct

    while len(inside) > 1 and at_edge(inside[-1]):
        inside.pop()
    while len(inside) > 1 and at_edge(inside[0]):
        inside.pop(0)
    # A possessive ending stays in the phrase ("Ann's car"), a verb does not ("Ann's taller").
    if len(inside) > 1 and inside[-1].text in {"'s", "’s"} and inside[-1].dep_ != "case":
        inside.pop()
    return Phrase(doc[inside[0].i : inside[-1].i + 1].root, inside[0].i, inside[-1].i)


def join(subject: str, relation: str, object: str) -> str:
    """Build a sentence from its parts; the relation is plain ("is the mother of") or a template.

    A template has [X] for the subject and [Y] for the object.

    Raises:
        InputError: a part is empty, or the template has not exactly one of each.
    """
    parts = {"subject": clean(subject), "relation": clean(relation), "object": clean(object)}
    for name, text in parts.items():
        if not re.search(r"\w", text):
            seen = f"“{shorten(text)}”" if text else "empty"
            raise InputError(f"The {name} is {seen}: give at least one word.")
    template = parts["relation"]
    marks = (template.count("[X]"), template.count("[Y]"))
    if marks == (0, 0):
        template = f"[X] {template} [Y]"
    elif marks != (1, 1):
        raise InputError(
            f"The relation '{shorten(template)}' names [X] {marks[0]} times and [Y] {marks[1]} "
            "times: give each once, or neither."
        )
    values = {"X": parts["subject"], "Y": parts["object"]}
    text = lexicon.capitalise(
        re.sub(r"\[([XY])\]('s)?", lambda m: _fill(m, values[m[1]]), template)
    )
    return text if text[-1] in ".!?…" else text + "."


def _fill(match: re.Match[str], text: str) -> str:
    """Adapt a phrase to its place: possessive before 's, without a sentence capital inside."""
    if match.start() > 0 and lexicon.is_name_start(text.split()) is False:
        text = lexicon.lower_first(text)
    # In "[X]'s taller", 's is a verb after he, she or it; any other pronoun is a possessor.
    nominative = (
        lexicon.is_pronoun(text) and lexicon.pronoun_in(text, lexicon.NOMINATIVE) == text.lower()
    )
    return lexicon.genitive(text) if match[2] and not nominative else text + (match[2] or "")


def guess_boxes(sentence: str) -> tuple[str, str, str]:
    """Return the best guess at (subject, relation, object), any of them possibly empty.

    The subject is what precedes the verb, the object what follows the verb and its
    preposition; a person corrects it from there.
    """
    bare = sentence.strip().rstrip(".!?… ")
    doc = parse(bare)
    root = next(doc.sents).root
    subject = subject_of(root)
    if subject is None:
        subject = next((t for t in doc if t.dep_ in SUBJECTS), None)
    if subject is None:
        is_verb = root.pos_ in {"VERB", "AUX"}
        return ("", doc[: root.i + 1].text, doc[root.i + 1 :].text) if is_verb else (bare, "", "")
    last = subject.right_edge.i
    end = max(subject.head.i, last + 1)
    for token in doc[end + 1 :]:
        if token.dep_ not in {"prt", "prep", "neg", "aux", "agent"}:
            break
        end = token.i
    return doc[: last + 1].text, doc[last + 1 : end + 1].text, doc[end + 1 :].text
