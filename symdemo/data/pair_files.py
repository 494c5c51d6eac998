"""Labelled pairs in files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from logging import getLogger
from pathlib import Path
from typing import Any

from symdemo.data.columns import SENTENCES, check_mapping, names_sentences, read_label
from symdemo.data.tables import TableFile, TableRow
from symdemo.errors import InputError
from symdemo.pairs import LABELS, NOT_ENTAILMENT, Pair, check_sentence
from symdemo.text import count, shorten, tidy_text

MAX_FILE_ROWS = 2_000_000
MAX_KEPT = 50  # set-aside rows that are kept with the reason; further ones are only counted
MAX_LABEL = 80  # characters of a label
NO_LABEL = "row without a label"
SET_ASIDE = "row that cannot be used"
ALL = "all"  # part of a source that is read whole
_LABELS = (*LABELS, NOT_ENTAILMENT)
_REQUIRED = ("premise", "hypothesis", "label")
Build = Callable[[Mapping[str, str], str | None], Pair]
"""Makes a pair of the cells of a row, by field, and its label."""

logger = getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PairData:
    """Labelled pairs and their source."""

    name: str  # of the source, for people
    pairs: tuple[Pair, ...]  # in the order of their source
    part: str  # "train", "test", or "all"; a source without parts is read whole
    source: str  # in words
    licence: str  # the licence of the pairs, as far as it is known
    dropped: dict[str, int] = field(default_factory=dict)
    """Reason → rows or triples of the whole source without a pair."""
    set_aside: dict[int, str] = field(default_factory=dict)
    """Line of a file → what is wrong with it, for the first 50."""
    systems: dict[str, tuple[str | None, ...]] = field(default_factory=dict)
    """Column of a file → the label that another system gave each pair; None for none."""

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


def load_pairs(path: str | Path, labels: Sequence[str] | None = _LABELS, **how: Any) -> list[Pair]:
    """Read pairs as `read_pairs` does, and warn in the log of rows that cannot be used."""
    found = read_pairs(path, labels, **how)
    if n := found.dropped.get(SET_ASIDE, 0):
        number, reason = next(iter(found.set_aside.items()))
        rows = f"{count(n, 'row')} {'was' if n == 1 else 'were'} set aside"
        logger.warning("%s: %s; line %d: %s", Path(found.name).name, rows, number, reason)
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
    """Read labelled pairs, and set aside rows that give none.

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
            no usable row, or, if `strict`, an unusable one. Errors of rows name the line.
    """
    table = path if isinstance(path, TableFile) else TableFile(path, max_bytes=None)
    mapping = table.guess() | {name: name for name in _REQUIRED if name in table.columns}
    missing = [name for name in _REQUIRED if name not in mapping]
    if missing and not (build and "label" in mapping and names_sentences(mapping)):
        seen = shorten(", ".join(table.columns), 120)
        raise InputError(
            f"{table.name} has no column for {' and none for '.join(missing)}; seen: {seen}."
        )
    meanings = table.label_meanings(mapping["label"], label_names) if label_words else None
    for column in systems:
        check_mapping({"premise": column}, table.columns, labelled=False)
    of_systems = {name: table.label_meanings(name, label_names) for name in systems}
    columns = [*mapping.values(), *systems, *({"pid"} & {*table.columns})]
    found: list[tuple[Pair, tuple[str | None, ...]]] = []
    dropped: Counter[str] = Counter()
    set_aside: dict[int, str] = {}
    for row in table.rows(columns):
        try:
            if row.error:
                raise row.error
            pair = _pair_of(row, mapping, labels, meanings, build if missing else None)
            if not pair.label and strict:
                raise InputError("The label is empty; a name is expected.")
            verdicts = tuple(
                read_label(tidy_text("label", row.cells[name], MAX_LABEL), own)
                for name, own in of_systems.items()
            )
        except InputError as error:
            if strict:
                raise InputError(f"{table.name}, line {row.number}: {error}") from None
            dropped[SET_ASIDE] += 1
            if len(set_aside) < MAX_KEPT:
                set_aside[row.number] = str(error)
            continue
        if pair.label:
            found.append((pair, verdicts))
        else:
            dropped[NO_LABEL] += 1
        if len(found) > MAX_FILE_ROWS:
            raise InputError(f"{table.name} has more than {MAX_FILE_ROWS:,} rows.")
    if not found:
        number, reason = next(iter(set_aside.items()), (0, ""))
        seen = "row with a label" if dropped else "rows"
        raise InputError(
            f"{table.name}, line {number}: {reason} No row of the file can be used."
            if set_aside
            else f"{table.name} has no {seen}; at least one labelled pair is expected."
        )
    pairs, verdicts_of_all = zip(*found, strict=True)
    built = ", without hypotheses: swaps of its rows" if missing else ""
    return PairData(
        name=str(table.path),
        pairs=pairs,
        part=ALL,
        source=f"the file {table.name}{built}",
        licence="its owner's",
        dropped=dict(dropped),
        set_aside=set_aside,
        systems=dict(zip(of_systems, zip(*verdicts_of_all, strict=True), strict=False)),
    )


def _pair_of(
    row: TableRow,
    mapping: Mapping[str, str],
    labels: Sequence[str] | None,
    meanings: Mapping[str, str] | None,
    build: Build | None,
) -> Pair:
    cells = {name: row.cells.get(column, "") for name, column in mapping.items()}
    label = tidy_text("label", cells["label"], MAX_LABEL) or None
    if label and meanings is not None and label not in (labels or _LABELS):
        label = read_label(label, meanings)
    if label and labels is not None and label not in labels:
        raise InputError(f"The label is “{shorten(label)}”; expected: {', '.join(labels)}.")
    if build:
        return build(cells, label)
    # Equal sentences pass: namesakes differ only in their ids.
    premise, hypothesis = (check_sentence(cells[name], name) for name in SENTENCES)
    relation = row.cells.get("pid") or cells.get("relation")
    about = (text or None for text in (relation, cells.get("subject"), cells.get("object")))
    return Pair(premise, hypothesis, label, *about)


def save_pairs(pairs: Iterable[Pair], path: str | Path) -> None:
    """Write pairs as JSONL for `load_pairs`."""
    lines = (json.dumps(asdict(pair), ensure_ascii=False) for pair in pairs)
    Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
