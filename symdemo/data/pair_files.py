"""Labelled pairs in files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from logging import getLogger
from pathlib import Path
from typing import Any

from symdemo.data.columns import PARTS, check_mapping, read_label
from symdemo.data.tables import TableFile, TableRow
from symdemo.errors import InputError
from symdemo.pairs import LABELS, NOT_ENTAILMENT, Pair, check_sentence
from symdemo.text import count, shorten, tidy_text

MAX_FILE_ROWS = 2_000_000
MAX_KEPT = 50
"""Rows that were set aside and are kept with the reason; the others are counted."""
MAX_LABEL = 80
"""Characters of a label."""

NO_LABEL = "row without a label"
SET_ASIDE = "row that cannot be used"
ALL = "all"
"""Part of a source that is read whole."""

_LABELS = (*LABELS, NOT_ENTAILMENT)
_REQUIRED = ("premise", "hypothesis", "label")

Build = Callable[[Mapping[str, str], str | None], Pair]
"""Makes a pair of the cells of a row, by field, and its label."""

logger = getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PairData:
    """Labelled pairs and their source.

    Attributes:
        name: of the source, for people.
        pairs: in the order of their source.
        part: "train", "test", or "all"; a source without parts is read whole.
        source: in words.
        licence: the licence of the pairs, as far as it is known.
        dropped: reason → rows or triples of the whole source without a pair.
        set_aside: line of a file → what is wrong with it, for the first 50.
        systems: column of a file → the label that another system gave each pair; None for none.
    """

    name: str
    pairs: tuple[Pair, ...]
    part: str
    source: str
    licence: str
    dropped: dict[str, int] = field(default_factory=dict)
    set_aside: dict[int, str] = field(default_factory=dict)
    systems: dict[str, tuple[str | None, ...]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return everything but the pairs and the labels of other systems, as JSON values."""
        return {
            "name": self.name,
            "pairs": len(self.pairs),
            "part": self.part,
            "source": self.source,
            "licence": self.licence,
            "dropped": {reason: n for reason, n in self.dropped.items() if n},
            "set_aside": [{"line": n, "reason": why} for n, why in self.set_aside.items()],
        }

    @property
    def summary(self) -> str:
        """The rows that were set aside in a sentence; "" if there are none."""
        n = self.dropped.get(SET_ASIDE, 0)
        if not n:
            return ""
        number, reason = next(iter(self.set_aside.items()))
        rows = f"{count(n, 'row')} {'was' if n == 1 else 'were'} set aside"
        return f"{Path(self.name).name}: {rows}; line {number}: {reason}"


def load_pairs(
    path: str | Path,
    labels: Sequence[str] | None = _LABELS,
    label_words: bool = True,
    strict: bool = False,
    label_names: Mapping[str, str | None] | None = None,
) -> list[Pair]:
    """Read labelled pairs from a file; see `read_pairs` for arguments and errors.

    Rows that cannot be used are set aside with a warning in the log.
    """
    found = read_pairs(path, labels, label_words, strict, label_names)
    if found.summary:
        logger.warning("%s", found.summary)
    return list(found.pairs)


def read_pairs(
    path: str | Path | TableFile,
    labels: Sequence[str] | None = _LABELS,
    label_words: bool = True,
    strict: bool = False,
    label_names: Mapping[str, str | None] | None = None,
    systems: Sequence[str] = (),
    build: Build | None = None,
) -> PairData:
    """Read labelled pairs, and set aside what gives none.

    Args:
        path: a `TableFile`, or the path of one, with columns for premise, hypothesis and label, and
            optionally for relation (or pid), head and tail, under any name that `guess_mapping`
            knows; other columns are ignored.
        labels: the labels that are allowed; None allows any name.
        label_words: whether yes, entails, 0 and the like are read as the labels they mean.
        strict: whether a row that cannot be used, or has no label, is an error.
        label_names: what words in the columns of labels mean; None or "" for no label.
        systems: columns with labels that other systems gave.
        build: reads a file without a hypothesis, or with subject, relation and object instead of
            sentences; without it, such a file is an error.

    Raises:
        InputError: a file that cannot be read, a missing column, labels whose order is not known,
            no usable row, or one that is not if `strict`. The message names the line.
    """
    table = path if isinstance(path, TableFile) else TableFile(path, max_bytes=None)
    mapping = table.guess()
    mapping |= {name: name for name in _REQUIRED if name in table.columns}
    is_built = _is_built(table, mapping, build is not None)
    by_id = "pid" if "pid" in table.columns else mapping.get("relation", "")
    meanings = table.label_meanings(mapping["label"], label_names) if label_words else None
    given_by = _meanings_by_column(table, systems, label_names)

    def pair_of(row: TableRow) -> Pair | None:
        if row.error:
            raise row.error
        given = {name: row.cells.get(column, "") for name, column in mapping.items()}
        label = tidy_text("label", given["label"], MAX_LABEL) or None
        if label and label_words and label not in (labels or _LABELS):
            label = read_label(label, meanings)
        if label and labels is not None and label not in labels:
            raise InputError(f"The label is “{shorten(label)}”; expected: {', '.join(labels)}.")
        pair = (
            build(given, label)
            if is_built and build
            else Pair(  # equal sentences pass: namesakes differ only in their ids
                check_sentence(given["premise"], "premise"),
                check_sentence(given["hypothesis"], "hypothesis"),
                label,
                row.cells.get(by_id) or given.get("relation") or None,
                given.get("subject") or None,
                given.get("object") or None,
            )
        )
        if not label and strict:
            raise InputError("The label is empty; a name is expected.")
        return pair if label else None

    pairs: list[Pair] = []
    verdicts: list[tuple[str | None, ...]] = []
    dropped: Counter[str] = Counter()
    set_aside: dict[int, str] = {}
    for row in table.rows((*mapping.values(), *filter(None, [by_id]), *systems)):
        try:
            pair = pair_of(row)
            said = tuple(
                read_label(tidy_text("label", row.cells[name], MAX_LABEL), own)
                for name, own in given_by.items()
            )
        except InputError as error:
            if strict:
                raise InputError(f"{table.name}, line {row.number}: {error}") from None
            dropped[SET_ASIDE] += 1
            if len(set_aside) < MAX_KEPT:
                set_aside[row.number] = str(error)
            continue
        if pair is None:
            dropped[NO_LABEL] += 1
        else:
            pairs.append(pair)
            verdicts.append(said)
        if len(pairs) > MAX_FILE_ROWS:
            raise InputError(f"{table.name} has more than {MAX_FILE_ROWS:,} rows.")
    if not pairs:
        raise _no_pairs(table.name, set_aside, bool(dropped))
    return PairData(
        name=str(table.path),
        pairs=tuple(pairs),
        part=ALL,
        source=f"the file {table.name}" + ", without hypotheses: swaps of its rows" * is_built,
        licence="its owner's",
        dropped=dict(dropped),
        set_aside=set_aside,
        systems=dict(zip(given_by, zip(*verdicts, strict=True), strict=False)),
    )


def _is_built(table: TableFile, mapping: Mapping[str, str], can_build: bool) -> bool:
    """True if pairs are not whole in a file but can be built of its columns.

    Raises:
        InputError: they cannot.
    """
    missing = [name for name in _REQUIRED if name not in mapping]
    told = "premise" in mapping or mapping.keys() >= set(PARTS)
    if missing and not (can_build and told and "label" in mapping):
        seen = shorten(", ".join(table.columns), 120)
        raise InputError(
            f"{table.name} has no column for {' and none for '.join(missing)}; seen: {seen}."
        )
    return bool(missing)


def _meanings_by_column(
    table: TableFile, columns: Sequence[str], named: Mapping[str, str | None] | None
) -> dict[str, dict[str, str]]:
    """Return what the words in each of these columns of labels mean."""
    for column in columns:
        check_mapping({"premise": column}, table.columns, labelled=False)
    return {column: table.label_meanings(column, named) for column in columns}


def _no_pairs(name: str, set_aside: Mapping[int, str], any_rows: bool) -> InputError:
    for number, reason in set_aside.items():
        return InputError(f"{name}, line {number}: {reason} No row of the file can be used.")
    seen = "row with a label" if any_rows else "rows"
    return InputError(f"{name} has no {seen}; at least one labelled pair is expected.")


def save_pairs(pairs: Iterable[Pair], path: str | Path) -> None:
    """Write pairs as JSONL for `load_pairs`."""
    lines = (json.dumps(asdict(pair), ensure_ascii=False) for pair in pairs)
    Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
