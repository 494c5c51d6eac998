"""Cells of a CSV file that people open in a spreadsheet."""

from __future__ import annotations

from typing import Any

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


def safe_cell(value: Any) -> Any:
    """A text that a spreadsheet would run as a formula gets a sign before it; numbers stay."""
    if isinstance(value, str) and value.startswith(FORMULA_SIGNS):
        return f"'{value}"
    return value
