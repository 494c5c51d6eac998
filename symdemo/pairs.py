"""Premise-hypothesis pairs: the one data type that every part of symdemo exchanges."""

from __future__ import annotations

import csv
import hashlib
import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from symdemo.errors import InputError
from symdemo.text import shorten, tidy_text

ENTAILMENT = "entailment"
CONTRADICTION = "contradiction"
NEUTRAL = "neutral"
LABELS = (ENTAILMENT, CONTRADICTION, NEUTRAL)

MAX_CHARACTERS = 2_000
"""The longest sentence that is read, in characters; an encoder's own limit in tokens is tighter."""

MAX_FILE_ROWS = 1_000_000
_REQUIRED = ("premise", "hypothesis", "label")


@dataclass(frozen=True, slots=True)
class Pair:
    """A premise, a hypothesis, and what is known about them.

    `relation` names the relation (a Wikidata property id or any text), `head` and `tail` the two
    entities as they stand in the sentences. Only the two sentences are ever shown to an encoder.
    """

    premise: str
    hypothesis: str
    label: str | None = None
    relation: str | None = None
    head: str | None = None
    tail: str | None = None

    @property
    def entity_pair(self) -> tuple[str, str]:
        """The unordered pair of entities: what a split must keep on one side.

        Without head and tail the two sentences stand in for them, so that a pair and its reverse
        still fall together.
        """
        ends = (
            (self.head, self.tail) if self.head and self.tail else (self.premise, self.hypothesis)
        )
        first, second = sorted(end.casefold() for end in ends)
        return first, second

    def reversed(self) -> Pair:
        """The same pair read the other way: the hypothesis becomes the premise."""
        return Pair(self.hypothesis, self.premise, self.label, self.relation, self.tail, self.head)


def check_sentence(text: object, name: str = "sentence") -> str:
    """Return `text` with white space tidied, or raise.

    Raises:
        InputError: not text, empty, one word, control characters, or over `MAX_CHARACTERS`.
    """
    tidy = tidy_text(name, text, MAX_CHARACTERS, "a sentence as text")
    if not tidy:
        raise InputError(f"The {name} is empty; a sentence of at least two words is expected.")
    if len(tidy.split()) == 1 or not any(c.isalpha() for c in tidy):
        raise InputError(
            f"The {name} is “{shorten(tidy)}”; a sentence of at least two words is expected."
        )
    return tidy


def check_script(text: str, name: str = "sentence", script: str = "LATIN") -> None:
    """Raise `InputError` where most letters of `text` belong to another script than `script`."""
    letters = [c for c in text if c.isalpha()]
    others = [c for c in letters if not unicodedata.name(c, "").startswith(script)]
    if len(others) * 2 > len(letters):
        seen = unicodedata.name(others[0], "unknown").split()[0].capitalize()
        raise InputError(
            f"The {name} is written in {seen} letters; this encoder was made for English text in "
            f"{script.capitalize()} letters."
        )


def check_pair(pair: Pair) -> Pair:
    """Return `pair` with both sentences checked, or raise `InputError`."""
    premise = check_sentence(pair.premise, "premise")
    hypothesis = check_sentence(pair.hypothesis, "hypothesis")
    if premise.casefold() == hypothesis.casefold():
        raise InputError(
            f"Premise and hypothesis are the same sentence, “{shorten(premise)}”; the hypothesis "
            "should have subject and object swapped."
        )
    return Pair(premise, hypothesis, pair.label, pair.relation, pair.head, pair.tail)


def load_pairs(path: str | Path, labels: Sequence[str] | None = LABELS) -> list[Pair]:
    """Read labelled pairs from a CSV or JSONL file.

    Args:
        path: columns `premise, hypothesis, label`, and optionally `relation` (or `pid`), `head`
            and `tail`; other columns are ignored.
        labels: the labels that are allowed; None allows any name.

    Raises:
        InputError: no such file, another ending, a missing column, a broken line, a label that is
            not allowed, a sentence that cannot be used, or no rows. The message names the line.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"There is no file {path}; a CSV or JSONL file of pairs is expected.")
    if path.suffix.lower() not in (".csv", ".tsv", ".jsonl"):
        raise InputError(f"{path.name} ends in “{path.suffix}”; .csv, .tsv or .jsonl is expected.")
    pairs = []
    try:
        for line, row in _rows(path):
            pairs.append(_pair_of_row(row, f"{path.name}, line {line}", labels))
            if len(pairs) > MAX_FILE_ROWS:
                raise InputError(f"{path.name} has more than {MAX_FILE_ROWS:,} rows.")
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name} is not UTF-8 text (byte {error.start}).") from None
    except csv.Error as error:
        raise InputError(f"{path.name} is not a readable CSV file: {error}.") from None
    if not pairs:
        raise InputError(f"{path.name} has no rows; at least one labelled pair is expected.")
    return pairs


def _rows(path: Path) -> Iterator[tuple[int, dict]]:
    """Yield (line number, row) from a CSV, TSV or JSONL file."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        if path.suffix.lower() == ".jsonl":
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, _json_row(line, f"{path.name}, line {number}")
            return
        reader = csv.DictReader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
        _check_columns(reader.fieldnames or (), path.name)
        for row in reader:
            if None in row or None in row.values():
                seen = (
                    len([v for v in row.values() if v is not None])
                    + len(row.get(None) or ())
                    - (None in row)
                )
                raise InputError(
                    f"{path.name}, line {reader.line_num}: {seen} fields, but the header has "
                    f"{len(reader.fieldnames or ())}."
                )
            yield reader.line_num, row


def _json_row(line: str, where: str) -> dict:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError(f"{where}: not a JSON object: “{shorten(line.strip(), 40)}”.") from None
    if not isinstance(row, dict):
        raise InputError(f"{where}: a JSON object is expected, not a {type(row).__name__}.")
    _check_columns(row, where)
    return row


def _check_columns(columns: Iterable[str], where: str) -> None:
    missing = [name for name in _REQUIRED if name not in columns]
    if missing:
        raise InputError(
            f"{where}: no column {' and '.join(missing)}; seen: {', '.join(columns) or 'none'}; "
            f"expected: {', '.join(_REQUIRED)}."
        )


def _pair_of_row(row: dict, where: str, labels: Sequence[str] | None) -> Pair:
    label = row["label"]
    if not isinstance(label, str) or not label.strip():
        raise InputError(f"{where}: the label is {label!r}; a name is expected.")
    label = label.strip()
    if labels is not None and label not in labels:
        raise InputError(
            f"{where}: the label is “{shorten(label)}”; expected: {', '.join(labels)}."
        )
    for name in ("head", "tail"):
        if not isinstance(row.get(name), str | None):
            raise InputError(f"{where}: the {name} is {row[name]!r}; a name is expected.")
    relation = row.get("pid") or row.get("relation")
    try:  # equal sentences pass: real data has them, namesakes that differ only in their id
        return Pair(
            check_sentence(row["premise"], "premise"),
            check_sentence(row["hypothesis"], "hypothesis"),
            label,
            None if relation is None else str(relation),
            row.get("head"),
            row.get("tail"),
        )
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def save_pairs(pairs: Iterable[Pair], path: str | Path) -> None:
    """Write pairs as JSONL, one object a line; the reader is `load_pairs`."""
    lines = (json.dumps(asdict(pair), ensure_ascii=False) for pair in pairs)
    Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def hash_pairs(pairs: Iterable[Pair]) -> str:
    """SHA-256 over sentences and labels in order: the name of a training set in a model card."""
    digest = hashlib.sha256()
    for pair in pairs:
        digest.update(f"{pair.premise}\t{pair.hypothesis}\t{pair.label}\n".encode())
    return digest.hexdigest()
