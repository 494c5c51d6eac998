"""Pairs from pasted lines: sentences alone, with their swapped forms, with labels, or in parts."""

from __future__ import annotations

from symdemo.analysis.loading.cells import RowReader
from symdemo.analysis.loading.collecting import Collector
from symdemo.analysis.loading.loaded import LoadedPairs
from symdemo.data.columns import FIELDS
from symdemo.data.pasted import read_pasted


def load_pasted(text: str) -> LoadedPairs:
    """Load pasted lines as pairs; see `symdemo.data.pasted.read_pasted`.

    Raises:
        InputError: not text, too much of it, or no line that can be used.
        ModelError: a hypothesis has to be made, and the parser is not installed.
    """
    collector = Collector(RowReader({name: name for name in FIELDS}))
    for row in read_pasted(text, labelled=False)[1]:
        collector.read(row)
    return collector.pairs("The pasted text", "lines that were pasted")
