"""Is a JSON value of the kind that typed dictionaries say? Asked of reports when they are read."""

from collections.abc import Mapping
from types import UnionType
from typing import Any, get_args, get_origin, is_typeddict


def misfit(value: object, kind: Any, where: str) -> str:
    """Where a JSON value is not of a kind, in a few words; empty where it is."""
    if kind is Any or (kind is float and isinstance(value, int | float)):
        return ""
    if isinstance(kind, UnionType):  # a kind or None
        return "" if value is None else misfit(value, get_args(kind)[0], where)
    parts: list[tuple[object, Any, str]] = []
    if is_typeddict(kind) and isinstance(value, Mapping):
        if lost := sorted(kind.__required_keys__ - value.keys()):
            return f"{where} has no “{lost[0]}”"
        known = kind.__annotations__.items()
        parts = [(value[key], own, f"“{key}”") for key, own in known if key in value]
    elif get_origin(kind) is dict and isinstance(value, Mapping):
        parts = [(own, get_args(kind)[1], f"“{key}”") for key, own in value.items()]
    elif get_origin(kind) is list and isinstance(value, list | tuple):
        parts = [(own, get_args(kind)[0], f"a row of {where}") for own in value]
    elif is_typeddict(kind) or not isinstance(value, get_origin(kind) or kind):
        return f"{where} is {type(value).__name__}"
    return next(filter(None, (misfit(*part) for part in parts)), "")
