"""CSV files that people open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


def csv_text(lines: Iterable[Iterable[Any]], end: str = "\r\n") -> str:
    """Lines of cells as CSV; a text that a spreadsheet would run as a formula gets a sign first."""
    file = io.StringIO()
    csv.writer(file, lineterminator=end).writerows(map(_safe, line) for line in lines)
    return file.getvalue()


def _safe(cell: Any) -> Any:
    is_formula = isinstance(cell, str) and cell.startswith(_FORMULA_SIGNS)
    return f"'{cell}" if is_formula else cell
