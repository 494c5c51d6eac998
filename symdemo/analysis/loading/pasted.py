"""Pairs from pasted lines: sentences alone, with their swapped forms, with labels, or in parts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from symdemo.analysis.loading.cells import MAX_LABEL, RowReader
from symdemo.analysis.loading.collecting import Collector
from symdemo.analysis.loading.loaded import LoadedPairs
from symdemo.data.columns import FIELDS, LABEL_OF_WORD, PARTS, SENTENCES
from symdemo.data.lines import Line, cut_lines, named_cells
from symdemo.errors import InputError

MAX_TEXT = 2_000_000
"""Characters that are pasted at once."""

_LABEL_WORDS = 4
"""Words of a label of one's own; what is longer is a sentence."""


def load_pasted(text: str) -> LoadedPairs:
    """Load pasted lines as pairs: under a header that names the columns, or by what they hold.

    Without a header a line is a premise; premise and label; premise and hypothesis; premise,
    hypothesis and label; or subject, relation, object and label. The separator is a tab, |, ; or a
    comma. A line that makes no sense when it is cut is one sentence.

    Raises:
        InputError: not text, too much of it, or no line that can be used.
        ModelError: a hypothesis has to be made, and the parser is not installed.
    """
    if not isinstance(text, str):
        raise InputError(f"The pasted text is {type(text).__name__}; lines of text are expected.")
    if len(text) > MAX_TEXT:
        raise InputError(
            f"The pasted text has {len(text):,} characters; at most {MAX_TEXT:,} are read at once."
        )
    header, lines = cut_lines(text)
    collector = Collector(RowReader({name: name for name in FIELDS}))
    for line in lines:
        collector.read(line.number, line.text, _cells(line, header))
    return collector.pairs("The pasted text", "lines that were pasted")


def _cells(line: Line, header: Sequence[str | None] | None) -> Mapping[str, str] | InputError:
    if not header:
        return _guessed_cells(line)
    try:
        return named_cells(line, header)
    except InputError as error:
        return error


def _guessed_cells(line: Line) -> Mapping[str, str]:
    """The cells of a line that no header names; the whole line as premise if nothing else fits."""
    cells = [cell.strip() for cell in line.cells]
    fields: tuple[str, ...] = ("premise",)
    match cells:
        case [premise, hypothesis] if _share_words(premise, hypothesis):
            fields = SENTENCES
        case [premise, label] if _may_be_label(label):
            fields = ("premise", "label")
        case [premise, hypothesis, label] if _may_be_label(label) and (
            not hypothesis or _share_words(premise, hypothesis)
        ):
            fields = (*SENTENCES, "label")
        case [_, _, _, label] if _may_be_label(label):
            fields = (*PARTS, "label")
        case _:
            cells = [" ".join(line.text.split())]
    return dict(zip(fields, cells, strict=True))


def _may_be_label(text: str) -> bool:
    """Whether a text stands where a label does: a known word, or a few words that end openly."""
    if not text or text.casefold().strip(".!\"'“”") in LABEL_OF_WORD:
        return True
    return len(text) <= MAX_LABEL and len(text.split()) <= _LABEL_WORDS and text[-1] not in ".!?"


def _share_words(one: str, other: str) -> bool:
    """Whether two texts may be a sentence and its swapped form."""
    first, second = (set(re.findall(r"\w+", text.casefold())) for text in (one, other))
    return min(len(first), len(second)) > 1 and len(first & second) > 1
