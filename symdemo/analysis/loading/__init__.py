"""From what a researcher has to pairs to analyse: built-in sets, tables and pasted lines."""

from symdemo.analysis.loading.built_in import BuiltInSet, built_in_sets, load_built_in
from symdemo.analysis.loading.loaded import MAX_PAIRS, LoadedPairs, RefusedRow
from symdemo.analysis.loading.pasted import load_pasted
from symdemo.analysis.loading.tables import (
    OTHERS,
    TableLook,
    label_values,
    load_table,
    look_at_table,
)
from symdemo.analysis.loading.taught import taught_part

__all__ = [
    "MAX_PAIRS",
    "OTHERS",
    "BuiltInSet",
    "LoadedPairs",
    "RefusedRow",
    "TableLook",
    "built_in_sets",
    "label_values",
    "load_built_in",
    "load_pasted",
    "load_table",
    "look_at_table",
    "taught_part",
]
