"""Labelled pairs in files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from symdemo.data.columns import label_of_word
from symdemo.data.tables import TableFile
from symdemo.errors import InputError
from symdemo.pairs import LABELS, Pair, check_sentence
from symdemo.text import shorten

MAX_FILE_ROWS = 1_000_000
_REQUIRED = ("premise", "hypothesis", "label")


def load_pairs(
    path: str | Path, labels: Sequence[str] | None = LABELS, label_words: bool = True
) -> list[Pair]:
    """Read labelled pairs from a CSV, TSV or JSONL file.

    Args:
        path: columns for premise, hypothesis and label, and optionally for relation (or pid), head
            and tail, under any name that `guess_mapping` knows; other columns are ignored.
        labels: the labels that are allowed; None allows any name.
        label_words: whether yes, no, maybe and the like are read as the labels they mean.

    Raises:
        InputError: a file that cannot be read, a missing column or cell, a broken line, a label
            that is not allowed, a sentence that cannot be used, or no rows. The message names the
            line.
    """
    table = TableFile(path, max_bytes=None)
    mapping: dict[str, str] = dict(table.guess())
    mapping |= {name: name for name in ("premise", "hypothesis", "label") if name in table.columns}
    if missing := [name for name in ("premise", "hypothesis", "label") if name not in mapping]:
        seen = shorten(", ".join(table.columns), 120)
        raise InputError(
            f"{table.name} has no column for {' and none for '.join(missing)}; seen: {seen}."
        )
    by_id = "pid" if "pid" in table.columns else mapping.get("relation", "")
    pairs = []
    for row in table.rows((*mapping.values(), *filter(None, [by_id]))):
        try:
            if row.error:
                raise row.error
            given = {name: row.cells[column] for name, column in mapping.items()}
            pairs.append(
                Pair(  # equal sentences pass: namesakes differ only in their ids
                    check_sentence(given["premise"], "premise"),
                    check_sentence(given["hypothesis"], "hypothesis"),
                    _checked_label(given["label"].strip(), labels, label_words),
                    row.cells.get(by_id) or given.get("relation") or None,
                    given.get("subject") or None,
                    given.get("object") or None,
                )
            )
        except InputError as error:
            raise InputError(f"{table.name}, line {row.number}: {error}") from None
        if len(pairs) > MAX_FILE_ROWS:
            raise InputError(f"{table.name} has more than {MAX_FILE_ROWS:,} rows.")
    if not pairs:
        raise InputError(f"{table.name} has no rows; at least one labelled pair is expected.")
    return pairs


def _checked_label(label: str, labels: Sequence[str] | None, words: bool) -> str:
    if not label:
        raise InputError("The label is empty; a name is expected.")
    if words and label not in (labels or LABELS):
        label = label_of_word(label)
    if labels is not None and label not in labels:
        raise InputError(f"The label is “{shorten(label)}”; expected: {', '.join(labels)}.")
    return label


def save_pairs(pairs: Iterable[Pair], path: str | Path) -> None:
    """Write pairs as JSONL for `load_pairs`."""
    lines = (json.dumps(asdict(pair), ensure_ascii=False) for pair in pairs)
    Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
