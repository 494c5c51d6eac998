"""Labelled pairs in files: written as JSONL, read from a CSV, TSV or JSONL file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from symdemo.data.opening import Accepted
from symdemo.data.tables import file_records
from symdemo.errors import InputError
from symdemo.pairs import LABELS, Pair, check_sentence
from symdemo.text import shorten

MAX_FILE_ROWS = 1_000_000
_REQUIRED = ("premise", "hypothesis", "label")


def load_pairs(path: str | Path, labels: Sequence[str] | None = LABELS) -> list[Pair]:
    """Read labelled pairs from a CSV, TSV or JSONL file.

    Args:
        path: columns `premise, hypothesis, label`, and optionally `relation` (or `pid`), `head`
            and `tail`; other columns are ignored.
        labels: the labels that are allowed; None allows any name.

    Raises:
        InputError: no such file, another ending, a missing cell, a broken line, a label that is
            not allowed, a sentence that cannot be used, or no rows. The message names the line.
    """
    path = Path(path)
    pairs = []
    for line, _, row in file_records(path, accepted=Accepted(most_bytes=None)):
        try:
            pairs.append(_pair_of_row(row, labels))
        except InputError as error:
            raise InputError(f"{path.name}, line {line}: {error}") from None
        if len(pairs) > MAX_FILE_ROWS:
            raise InputError(f"{path.name} has more than {MAX_FILE_ROWS:,} rows.")
    if not pairs:
        raise InputError(f"{path.name} has no rows; at least one labelled pair is expected.")
    return pairs


def _pair_of_row(row: Mapping[str, object] | InputError, labels: Sequence[str] | None) -> Pair:
    if isinstance(row, InputError):
        raise row
    if missing := [name for name in _REQUIRED if name not in row]:
        raise InputError(
            f"There is no {' and no '.join(missing)}; seen: "
            f"{shorten(', '.join(row), 120) or 'nothing'}."
        )
    label = row["label"]
    if not isinstance(label, str) or not label.strip():
        raise InputError(f"The label is {label!r}; a name is expected.")
    label = label.strip()
    if labels is not None and label not in labels:
        raise InputError(f"The label is “{shorten(label)}”; expected: {', '.join(labels)}.")
    head, tail = _end(row, "head"), _end(row, "tail")
    relation = row.get("pid") or row.get("relation")
    return Pair(  # equal sentences pass: real data has them, namesakes that differ only in their id
        check_sentence(row["premise"], "premise"),
        check_sentence(row["hypothesis"], "hypothesis"),
        label,
        None if relation is None else str(relation),
        head,
        tail,
    )


def _end(row: Mapping[str, object], name: str) -> str | None:
    end = row.get(name)
    if not isinstance(end, str | None):
        raise InputError(f"The {name} is {end!r}; a name is expected.")
    return end


def save_pairs(pairs: Iterable[Pair], path: str | Path) -> None:
    """Write pairs as JSONL, one object a line; the reader is `load_pairs`."""
    lines = (json.dumps(asdict(pair), ensure_ascii=False) for pair in pairs)
    Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
