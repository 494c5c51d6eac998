"""The rows of an analysis in columns: filtered, sorted, paged, and taken home."""

from symdemo.analysis.table.query import (
    Between,
    Condition,
    Contains,
    Differs,
    Inside,
    OneOf,
    Query,
    RowsOf,
)
from symdemo.analysis.table.store import PairTable

__all__ = [
    "Between",
    "Condition",
    "Contains",
    "Differs",
    "Inside",
    "OneOf",
    "PairTable",
    "Query",
    "RowsOf",
]
