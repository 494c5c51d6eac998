"""What is written down of one version of a model.

What is read is checked by hand: with pydantic, its messages made into our sentences and the checks
of ids and times that stay would be as long as this is.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from typing import Any, TypeGuard

from symdemo.errors import InputError
from symdemo.training.methods import METHODS

VERSION_ID = re.compile(r"v[0-9]{6}-[0-9a-f]{8}")
"""What the id of a version looks like; it is the name of a folder, and the order of versions."""

VERSION_BYTES = 4 * 1024**2
CURVE_POINTS = 1_000
HOW = ("instant", "retrained")
_KINDS: dict[str, type] = {
    "id": str, "name": str, "created": str, "how": str, "base": str, "scores": dict,
    "training": dict, "rows": int, "labels": list, "method": str, "curve": list,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a model that a person taught.

    Attributes:
        id: its name in the folder; later versions have larger ones.
        name: what the person calls it.
        created: ISO 8601, UTC.
        parent: the id of the version it was made from; None where that was the base model.
        how: "instant" or "retrained".
        base: the name of the base model that the project started from.
        scores: what it was measured at.
        training: hyperparameters, by name.
        rows: how many lines the person's table had.
        labels: that it can answer with.
        method: one of `methods.METHODS`.
        curve: points of its learning curve, at most `CURVE_POINTS`.
    """

    id: str
    name: str
    created: str
    parent: str | None
    how: str
    base: str
    scores: dict = field(default_factory=dict)
    training: dict = field(default_factory=dict)
    rows: int = 0
    labels: tuple[str, ...] = ()
    method: str = METHODS[1]
    curve: list = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The version as JSON values."""
        return asdict(self) | {"labels": list(self.labels)}

    @classmethod
    def from_json(cls, values: Any) -> Version:
        """Read a version.

        Raises:
            InputError: a field is missing, foreign or of another kind.
        """
        if not isinstance(values, dict) or set(values) != {f.name for f in fields(cls)}:
            raise InputError("The file version.json has not the fields of a version.")
        wrong = [
            name
            for name, kind in _KINDS.items()
            if not isinstance(values[name], kind) or isinstance(values[name], bool)
        ]
        parent = values["parent"]
        if not (parent is None or (is_version_id(parent) and parent < str(values["id"]))):
            wrong.append("parent")  # each is older than its children, so there are no circles
        if wrong or not all(isinstance(label, str) for label in values["labels"]):
            raise InputError(
                f"The file version.json has another kind of value under “{(wrong or ['labels'])[0]}"
                "” than expected."
            )
        if not is_version_id(values["id"]) or not is_time(values["created"]) or values["rows"] < 0:
            raise InputError("The file version.json has no proper id, time or number of rows.")
        if values["how"] not in HOW or values["method"] not in METHODS:
            raise InputError("The file version.json names a way of teaching that is unknown.")
        return cls(**values | {"labels": tuple(values["labels"])})


def is_version_id(text: object) -> TypeGuard[str]:
    """Whether `text` has the form of a version's id."""
    return isinstance(text, str) and VERSION_ID.fullmatch(text) is not None


def is_time(text: object) -> bool:
    """Whether `text` is a time as it is written here: ISO 8601 with its distance from UTC."""
    try:
        return isinstance(text, str) and datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def thinned(curve: list) -> list:
    """`curve` with at most `CURVE_POINTS` points, evenly taken, the last one kept."""
    step = -(-len(curve) // CURVE_POINTS) or 1
    return list(reversed(list(reversed(curve))[::step]))
