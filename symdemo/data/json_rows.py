"""Objects of JSON and JSONL files: one a line, or a document of rows in any usual arrangement."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator

from symdemo.data.text_rows import MAX_COLUMNS, MAX_LINE, timed
from symdemo.errors import InputError
from symdemo.text import shorten


def json_rows(
    lines: Iterable[str], name: str, document: bool, most: float
) -> Iterator[tuple[int, str, dict[str, object] | InputError]]:
    """Yield (line or number, its beginning, the object or what is wrong), also of a document."""
    if document:
        whole = "".join(lines)
        if (openers := whole.count("{") + whole.count("[")) > most:
            raise InputError(
                f"{name} has {openers:,} lists and objects; at most {most:,} are read."
            )
        try:
            items = _records(json.loads(whole))
        except RecursionError:
            raise InputError(f"{name} is nested too deeply.") from None
        except ValueError:
            lines = io.StringIO(whole)  # an object a line after all
        else:
            for number, item in enumerate(timed(items, most), start=1):
                text = shorten(json.dumps(item, ensure_ascii=False)[:201], 200)
                yield number, text, _flat(item)
            return
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, shorten(line.strip()[:201], 200), _object(line)


def _object(line: str) -> dict[str, object] | InputError:
    """Return the object on a line of JSONL, or what is wrong."""
    if len(line) > MAX_LINE:
        return InputError(f"This has {len(line):,} characters; at most {MAX_LINE:,} are read.")
    try:
        return _flat(json.loads(line.removeprefix("\ufeff")))
    except (ValueError, RecursionError):
        return InputError("This is not a JSON object; one object of cells a line is expected.")


def _flat(values: object) -> dict[str, object] | InputError:
    """Return an object with the fields of its own objects beside them, as “example.premise”."""
    if not isinstance(values, dict):
        return InputError(
            f"This is a JSON {type(values).__name__}; one object of cells a line is expected."
        )
    flat: dict[str, object] = {}
    for name, value in values.items():
        inner = value if isinstance(value, dict) else {}
        flat |= {f"{name}.{key}": cell for key, cell in inner.items()} or {name: value}
    return flat


def _records(values: object) -> Iterable[object]:
    """Return the rows of a JSON document: a list, lists by name, or columns as pandas has them."""
    if isinstance(values, list):
        return values
    if isinstance(values, dict) and values:
        if all(isinstance(own, dict) for own in values.values()) and len(values) <= MAX_COLUMNS:
            own_keys = dict.fromkeys(key for own in values.values() for key in own)
            return ({name: own.get(key) for name, own in values.items()} for key in own_keys)
        lists = [own for own in values.values() if isinstance(own, list)]
        if any(isinstance(item, dict) for own in lists for item in own):
            return [item for own in lists for item in own]
        if len(lists) == len(values):
            rows = zip(*lists, strict=False)
            return [dict(zip(values, row, strict=True)) for row in rows]
    return [values]
