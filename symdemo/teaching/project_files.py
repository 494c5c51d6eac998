"""The files of a project's folder, their contents and validation.

project.json           `ProjectInfo`: its name, times, base model and selected version
rows.json              `RowTable`
versions/ID/           version.json (`Version`) and model/; complete because it was renamed there
job.json               the state of the last job

The first three have a copy each, project.json.copy and so on, for when the file is damaged.
Beside the projects, .weights/ keeps weights once that several versions share.
"""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, TypeGuard, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeInt,
    ValidationError,
    create_model,
    model_validator,
)

from symdemo.data.columns import FIELDS
from symdemo.errors import InputError
from symdemo.files.storage import is_job_alive, read_json, write_json
from symdemo.teaching.rows import TeachRow, same_sentence
from symdemo.text import one_line, shorten
from symdemo.training.methods import check_method

PROJECT, ROWS, JOB, VERSIONS, VERSION = (
    "project.json", "rows.json", "job.json", "versions", "version.json",
)  # fmt: skip
JOB_LOCK = ".job.lock"
DRAFT, DELETED, WEIGHTS = ".draft-", ".deleted-", ".weights"
PROJECT_BYTES = 64 * 1024
ROWS_BYTES = 16 * 1024**2
VERSION_BYTES = 4 * 1024**2
CURVE_POINTS = 1_000

PROJECT_ID = re.compile(r"[A-Za-z0-9_-]{24}")
"""Form of a project's id; early ones were 24 characters of any kind."""

VERSION_ID = re.compile(r"v[0-9]{6}-[0-9a-f]{8}")
"""Form of a version's id, which is its folder's name; ids sort by age."""

ALIVE = ("waiting", "running", "stopping")
"""States of a job that has not ended."""

BROKEN_OFF = "broken off"
"""State of a job whose process died."""


def _check_time(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("a time with its distance from UTC is expected")
    return text


Time = Annotated[str, AfterValidator(_check_time)]
"""ISO 8601 with its distance from UTC."""

_VersionId = Annotated[str, Field(pattern=f"^{VERSION_ID.pattern}$")]
_Record = TypeVar("_Record", bound=BaseModel)
_Read = TypeVar("_Read")
_FORM = ConfigDict(strict=True, extra="forbid", frozen=True)


def _thinned(curve: list) -> list:
    step = -(-len(curve) // CURVE_POINTS) or 1
    return curve[::-1][::step][::-1]


class ProjectInfo(BaseModel):
    """The content of project.json.

    Attributes:
        name: what the person calls the project.
        base: the name of the base model.
        created: when.
        touched: when it was last used.
        selected: the id of the version in use; None for the base model.
        made: number of versions ever made.
        used: the ids in use before, oldest first; None for a project from before they were kept.
    """

    model_config = _FORM

    name: str
    base: str
    created: Time
    touched: Time
    selected: _VersionId | None
    made: Annotated[int, Field(ge=0, le=999_999)]
    used: list[_VersionId | None] | None = None


class Version(BaseModel):
    """One version of a model that a person taught; the content of version.json.

    Attributes:
        id: name of its folder.
        name: what the person calls it.
        created: when.
        parent: the id of the version it was made from; None for the base model.
        how: "instant" or "retrained".
        base: the name of the base model that the project started from.
        scores: measured figures.
        training: hyperparameters, by name.
        rows: number of lines in the table.
        labels: that it can answer with.
        method: one of `training.methods.METHODS`.
        curve: points of its learning curve, at most `CURVE_POINTS`.
    """

    model_config = _FORM

    id: _VersionId
    name: str
    created: Time
    parent: _VersionId | None
    how: Literal["instant", "retrained"]
    base: str
    scores: dict
    training: dict
    rows: NonNegativeInt
    labels: Annotated[tuple[str, ...], Field(strict=False)]
    method: Annotated[str, AfterValidator(check_method)]
    curve: Annotated[list, AfterValidator(_thinned)]

    @model_validator(mode="after")
    def _parent_is_older(self) -> Version:
        if self.parent is not None and self.parent >= self.id:  # so there are no circles
            raise ValueError("the parent is not older than the version")
        return self


_ROW_ID = re.compile(r"[A-Za-z0-9_-]{1,24}")
_StoredRow = create_model(
    "_StoredRow",
    __config__=_FORM,
    id=(Annotated[str, Field(pattern=f"^{_ROW_ID.pattern}$")], ...),
    **dict.fromkeys(FIELDS, (str, "")),
)  # type: ignore[call-overload]
_StoredTable = create_model(
    "_StoredTable",
    __config__=_FORM,
    revision=(NonNegativeInt, ...),
    rows=(list[_StoredRow], ...),  # type: ignore[valid-type]
)


@dataclass(frozen=True, slots=True)
class RowTable:
    """The rows of a project.

    Ids and revision let two open pages that edit one table tell which rows the other changed.

    Attributes:
        rows: in order.
        ids: one unique name per row.
        revision: counts the changes of the table.
    """

    rows: tuple[TeachRow, ...] = ()
    ids: tuple[str, ...] = ()
    revision: int = 0

    @classmethod
    def of(cls, rows: Iterable[TeachRow], revision: int = 0) -> RowTable:
        """Make a table of rows that have no ids yet."""
        rows = tuple(rows)
        return cls(rows, tuple(new_row_id() for _ in rows), revision)

    def by_id(self) -> dict[str, TeachRow]:
        """Return the rows by id, in order."""
        return dict(zip(self.ids, self.rows, strict=True))

    def with_new(self, rows: Iterable[TeachRow]) -> RowTable:
        """Append those of `rows` that the table does not hold yet."""
        known = set(self.rows)
        more = RowTable.of(row for row in dict.fromkeys(rows) if row not in known)
        return RowTable((*self.rows, *more.rows), (*self.ids, *more.ids), self.revision)

    def with_row(self, place: int, row: TeachRow) -> RowTable:
        """Replace the row at a place, counted from 0."""
        return replace(self, rows=(*self.rows[:place], row, *self.rows[place + 1 :]))

    def labelled(self, row: TeachRow) -> tuple[RowTable, int, str | None]:
        """Append a row, or give its label to the row of the same two sentences.

        Return the table, the row's place, and the label that it had, None if it is new.
        """
        pair = row.pair()
        for place, old in enumerate(self.rows):
            with suppress(InputError):  # it is unfinished
                known = old.pair()
                if same_sentence(known.premise, pair.premise) and same_sentence(
                    known.hypothesis, pair.hypothesis
                ):
                    return self.with_row(place, replace(old, label=row.label)), place, old.label
        return self.with_new([row]), len(self.rows), None

    def to_json(self) -> dict[str, Any]:
        """Return the table as JSON values."""
        rows = [{"id": id, **row.to_json()} for id, row in self.by_id().items()]
        return {"revision": self.revision, "rows": rows}

    @classmethod
    def from_json(cls, values: Any) -> RowTable:
        """Read what `to_json` returned, or the plain list of rows of an archive.

        Raises:
            InputError: neither of these.
        """
        if isinstance(values, list):  # the same archive gives the same ids
            named = [
                {"id": f"row-{number}", **row} if isinstance(row, dict) else row
                for number, row in enumerate(values)
            ]
            values = {"revision": 1, "rows": named}
        table: Any = parse(_StoredTable, values, ROWS)
        ids = tuple(row.id for row in table.rows)
        if len(set(ids)) < len(ids):
            raise InputError(f"Two rows in the file {ROWS} have the same id.")
        rows = tuple(TeachRow(**row.model_dump(exclude={"id"})) for row in table.rows)
        return cls(rows, ids, table.revision)


def new_row_id() -> str:
    """Return a random id for a row."""
    return secrets.token_urlsafe(6)


def is_row_id(text: object) -> TypeGuard[str]:
    """True if `text` has the form of a row's id; pages make such ids too."""
    return isinstance(text, str) and _ROW_ID.fullmatch(text) is not None


def parse(model: type[_Record], values: Any, name: str) -> _Record:
    """Validate the content of the file `name`, or raise `InputError`."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        at = f" under “{shorten(one_line(place), 40)}”" if place else ""
        raise InputError(f"The file {name} is not valid{at}: {first['msg']}.") from None


def now() -> str:
    """Return the current time as it is stored: ISO 8601, UTC."""
    return datetime.now(UTC).isoformat()


def is_project_id(id: object) -> TypeGuard[str]:
    """True if a value has the form of a project's id."""
    return isinstance(id, str) and PROJECT_ID.fullmatch(id) is not None


def is_version_id(text: object) -> TypeGuard[str]:
    """True if a value has the form of a version's id."""
    return isinstance(text, str) and VERSION_ID.fullmatch(text) is not None


def exists(root: Path, id: object) -> bool:
    """True if the folder of all projects holds the project `id`."""
    return is_project_id(id) and (root / id / PROJECT).is_file()


def unknown_project() -> InputError:
    """Make the error for an id that opens nothing, be it malformed or deleted."""
    return InputError(
        "There is no such project here; it may have been deleted, or the address is incomplete."
    )


def read_project(root: Path, id: object) -> ProjectInfo:
    """Read the project.json of the project `id`.

    Raises:
        InputError: there is no such project, or the file is damaged.
    """
    if not is_project_id(id) or not exists(root, id):
        raise unknown_project()
    try:
        return read_info(root / id)
    except InputError:
        if not exists(root, id):  # removed in the meantime
            raise unknown_project() from None
        raise


def read_info(folder: Path, notes: list[str] | None = None) -> ProjectInfo:
    """Read the project.json in `folder`; `InputError` if it is missing or damaged.

    `notes`, here and below, gets a sentence if the file was damaged and its copy was read instead.
    """
    return _load(
        folder / PROJECT, PROJECT_BYTES, lambda found: parse(ProjectInfo, found, PROJECT), notes
    )


def write_info(folder: Path, info: ProjectInfo, **changes: Any) -> ProjectInfo:
    """Write project.json with changes and the current time, and return what was written."""
    info = info.model_copy(update={"touched": now()} | changes)
    _write(folder / PROJECT, info.model_dump())
    return info


def read_table(folder: Path, notes: list[str] | None = None) -> RowTable:
    """Read the table of the project in `folder`; empty if none was saved yet."""
    path = folder / ROWS
    if not path.exists() and not _copy_of(path).exists():
        return RowTable()
    return _load(path, ROWS_BYTES, RowTable.from_json, notes)


def write_table(folder: Path, table: RowTable) -> None:
    """Write the table of the project in `folder`."""
    _write(folder / ROWS, table.to_json())


def read_version(folder: Path, notes: list[str] | None = None) -> Version:
    """Read the version in a folder that is named after its id.

    Raises:
        InputError: version.json is missing, damaged or another version's.
    """

    def parsed(found: Any) -> Version:
        version = parse(Version, found, VERSION)
        if version.id != folder.name:
            raise InputError(f"The file {VERSION} in {folder.name} is another version's.")
        return version

    return _load(folder / VERSION, VERSION_BYTES, parsed, notes)


def write_version(folder: Path, version: Version) -> None:
    """Write the version.json of a version."""
    _write(folder / VERSION, version.model_dump())


def _copy_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.copy")


def _write(path: Path, values: Any) -> None:
    """Write a file, and a copy that is read if the file is damaged later."""
    write_json(path, values)
    write_json(_copy_of(path), values)


def _load(path: Path, most: int, parsed: Callable[[Any], _Read], notes: list[str] | None) -> _Read:
    """Read a file or, if it is damaged, its copy."""
    try:
        return parsed(read_json(path, most))
    except InputError as error:
        if not _copy_of(path).exists():
            raise
        found = parsed(read_json(_copy_of(path), most, path.name))
        if notes is not None:
            notes.append(f"{error} Its copy was used instead; your last change may be missing.")
        return found


def repair(folder: Path, write: bool = True) -> list[str]:
    """Write damaged files of a project again from their copies, and say what was damaged."""
    versions = [path for path in sorted(folder.glob(f"{VERSIONS}/v*")) if is_version_id(path.name)]
    parts: list[tuple[Path, Callable[[Path, list[str]], Any], Callable[[Path, Any], Any]]] = [
        (folder, read_info, write_info),
        (folder, read_table, write_table),
        *((path, read_version, write_version) for path in versions),
    ]
    notes = []
    for place, read, save in parts:
        own: list[str] = []
        try:
            found = read(place, own)
            if own and write:
                save(place, found)
        except InputError as error:
            own = [f"{error} There is no good copy of it, so it is left out."]
        notes += own if place == folder else [f"Version {place.name}: {note}" for note in own]
    return notes


def has_versions(folder: Path) -> bool:
    """True if anything was taught in the project in `folder`, damaged or not."""
    return any(is_version_id(path.name) for path in folder.glob(f"{VERSIONS}/v*"))


def remove(path: Path) -> None:
    """Remove a file or a folder; what cannot be removed is left to the next sweep."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def sweep_drafts(folder: Path) -> None:
    """Remove what a kill left half written in a project whose lock is held."""
    for path in [*folder.glob(".*"), *folder.glob(f"{VERSIONS}/.*")]:
        if path.name != JOB_LOCK:
            remove(path)


def mark_job(folder: Path) -> None:
    """Mark an unfinished job as broken off, unless another process is still at it."""
    with suppress(InputError, OSError):  # an unreadable state cannot be marked
        state = read_json(folder / JOB, ROWS_BYTES) if (folder / JOB).exists() else None
        if not isinstance(state, dict) or state.get("state") not in ALIVE:
            return
        if not is_job_alive(folder / JOB_LOCK, elsewhere=True):
            write_json(folder / JOB, state | {"state": BROKEN_OFF})


_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_READ_AS = str.maketrans("oil", "011", " -–—\t\r\n")
_LENGTH, _GROUP = 20, 4
_PRIME = 31  # detects a changed digit and two swapped neighbours


def new_key() -> str:
    """Return a new project id: 95 random bits that can be written down and typed.

    A key is five groups of four digits of Crockford's base 32, such as 7k2m-q9xd-04ct-hv8w-m3rs.
    The last one is a check digit, so that a typing error is not mistaken for a deleted project.
    """
    digits = "".join(secrets.choice(_DIGITS) for _ in range(_LENGTH - 1))
    return _grouped(digits + _check_digit(digits))


def read_key(text: object) -> str:
    """Return the key that a person typed; capitals, spaces, o for 0 and l for 1 are accepted.

    Raises:
        InputError: it does not have the form of a key, or its check digit is wrong.
    """
    text = text.strip() if isinstance(text, str) else ""
    digits = text[:100].lower().translate(_READ_AS)
    if len(digits) == _LENGTH and set(digits) <= set(_DIGITS):
        if digits[-1] != _check_digit(digits[:-1]):
            raise InputError("There is a typing error in this key; compare it letter by letter.")
        return _grouped(digits)
    if is_project_id(text):
        return text
    raise InputError("That isn’t a valid key. Keys look like 7k2m-q9xd-04ct-hv8w-m3rs.")


def _check_digit(digits: str) -> str:
    return _DIGITS[sum(n * _DIGITS.index(s) for n, s in enumerate(digits, start=1)) % _PRIME]


def _grouped(digits: str) -> str:
    return "-".join(digits[at : at + _GROUP] for at in range(0, _LENGTH, _GROUP))
