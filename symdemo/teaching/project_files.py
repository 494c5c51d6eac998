"""The folder of a project.

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
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeGuard, TypeVar

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

JOB, JOB_LOCK, VERSIONS = "job.json", ".job.lock", "versions"
DRAFT, DELETED, WEIGHTS = ".draft-", ".deleted-", ".weights"
JOB_BYTES = 16 * 1024**2
VERSION_ID = r"v[0-9]{6}-[0-9a-f]{8}"
"""Form of a version's id, which is its folder's name; ids sort by age."""

_PROJECT_ID = re.compile(r"[A-Za-z0-9_-]{24}")  # early ids used all of these; keys fit, too
ALIVE = ("waiting", "running", "stopping")  # states of a job that has not ended
BROKEN_OFF = "broken off"  # state of a job whose process died


CURVE_POINTS = 1_000
_STRICT = ConfigDict(strict=True, extra="forbid", frozen=True)
_Record = TypeVar("_Record", bound=BaseModel)


class Stored:
    """A record of a project, in the file `FILE` of a folder."""

    FILE: ClassVar[str]
    MOST_BYTES: ClassVar[int]

    @classmethod
    def from_json(cls, values: Any, folder: Path) -> Self:
        """Validate the content of the file in `folder`, or raise `InputError`."""
        raise NotImplementedError

    def to_json(self) -> Any:
        """Return the record as JSON values."""
        raise NotImplementedError

    @classmethod
    def read(cls, folder: Path, notes: list[str] | None = None) -> Self:
        """Read the file or, if it is damaged, its copy, of which `notes` gets a sentence."""
        try:
            return cls.from_json(read_json(folder / cls.FILE, cls.MOST_BYTES), folder)
        except InputError as error:
            copy = cls.copy_in(folder)
            if not copy.exists():
                raise
            found = cls.from_json(read_json(copy, cls.MOST_BYTES, cls.FILE), folder)
            if notes is not None:
                notes.append(f"{error} Its copy was used instead; your last change may be missing.")
            return found

    def write(self, folder: Path) -> None:
        """Write the file and its copy, each atomically."""
        write_json(folder / self.FILE, self.to_json())
        write_json(self.copy_in(folder), self.to_json())

    @classmethod
    def copy_in(cls, folder: Path) -> Path:
        """Return the path of the copy."""
        return folder / f"{cls.FILE}.copy"


class _StoredModel(BaseModel, Stored):
    model_config = _STRICT

    @classmethod
    def from_json(cls, values: Any, folder: Path) -> Self:
        return parse(cls, values, cls.FILE)

    def to_json(self) -> dict[str, Any]:
        return self.model_dump()


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


def _check_time(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("a time with its distance from UTC is expected")
    return text


def _thinned(curve: list) -> list:
    step = -(-len(curve) // CURVE_POINTS) or 1
    return curve[::-1][::step][::-1]


_Time = Annotated[str, AfterValidator(_check_time)]
_VersionId = Annotated[str, Field(pattern=f"^{VERSION_ID}$")]


class ProjectInfo(_StoredModel):
    """The content of project.json."""

    FILE: ClassVar[str] = "project.json"
    MOST_BYTES: ClassVar[int] = 64 * 1024

    name: str
    base: str  # the name of the base model
    created: _Time
    touched: _Time  # when it was last used
    selected: _VersionId | None  # the version in use; None for the base model
    made: Annotated[int, Field(ge=0, le=999_999)]  # versions ever made
    used: list[_VersionId | None] | None = None
    """Versions in use before, oldest first; None for a project from before they were kept."""

    def save(self, folder: Path, **changes: Any) -> None:
        """Write the file with changes and the current time."""
        self.model_copy(update={"touched": now()} | changes).write(folder)


class Version(_StoredModel):
    """One version of a model that a person taught; the content of version.json."""

    FILE: ClassVar[str] = "version.json"
    MOST_BYTES: ClassVar[int] = 4 * 1024**2

    id: _VersionId  # name of its folder
    name: str
    created: _Time
    parent: _VersionId | None  # the version it was made from; None for the base model
    how: Literal["instant", "retrained"]
    base: str  # the name of the base model that it goes back to
    scores: dict  # measured figures
    training: dict  # hyperparameters, by name
    rows: NonNegativeInt  # lines in the table
    labels: Annotated[tuple[str, ...], Field(strict=False)]  # that it can answer with
    method: Annotated[str, AfterValidator(check_method)]
    curve: Annotated[list, AfterValidator(_thinned)]  # points of its learning curve

    @model_validator(mode="after")
    def _parent_is_older(self) -> Version:
        if self.parent is not None and self.parent >= self.id:  # so there are no circles
            raise ValueError("the parent is not older than the version")
        return self

    @classmethod
    def from_json(cls, values: Any, folder: Path) -> Self:
        """Validate the content of version.json in the folder of the version."""
        version = parse(cls, values, cls.FILE)
        if version.id != folder.name:
            raise InputError(f"The file {cls.FILE} in {folder.name} is another version's.")
        return version


_ROW_ID = re.compile(r"[A-Za-z0-9_-]{1,24}")
_StoredRow = create_model(
    "_StoredRow",
    __config__=_STRICT,
    id=(Annotated[str, Field(pattern=f"^{_ROW_ID.pattern}$")], ...),
    **dict.fromkeys(FIELDS, (str, "")),
)  # type: ignore[call-overload]
_StoredTable = create_model(
    "_StoredTable",
    __config__=_STRICT,
    revision=(NonNegativeInt, ...),
    rows=(list[_StoredRow], ...),  # type: ignore[valid-type]
)


def new_row_id() -> str:
    """Return a random id for a row."""
    return secrets.token_urlsafe(6)


def is_row_id(text: object) -> TypeGuard[str]:
    """True if `text` has the form of a row's id; pages make such ids too."""
    return isinstance(text, str) and _ROW_ID.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class RowTable(Stored):
    """The rows of a project; ids and revision tell an open page what another one changed."""

    FILE = "rows.json"
    MOST_BYTES = 16 * 1024**2

    rows: tuple[TeachRow, ...] = ()
    ids: tuple[str, ...] = ()  # one unique name per row
    revision: int = 0  # counts the changes of the table

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

    def labelled(self, row: TeachRow) -> tuple[RowTable, int, str | None]:
        """Append a row or relabel its sentences; return table, place, old label (None if new)."""
        pair = row.pair()
        for place, old in enumerate(self.rows):
            with suppress(InputError):  # it is unfinished
                known = old.pair()
                if same_sentence(known.premise, pair.premise) and same_sentence(
                    known.hypothesis, pair.hypothesis
                ):
                    rows = list(self.rows)
                    rows[place] = replace(old, label=row.label)
                    return replace(self, rows=tuple(rows)), place, old.label
        return self.with_new([row]), len(self.rows), None

    def to_json(self) -> dict[str, Any]:
        """Return the table as JSON values."""
        rows = [{"id": id, **row.to_json()} for id, row in self.by_id().items()]
        return {"revision": self.revision, "rows": rows}

    @classmethod
    def from_json(cls, values: Any, folder: Path | None = None) -> RowTable:
        """Read what `to_json` returned, or the plain list of rows of an archive."""
        if isinstance(values, list):  # the same archive gives the same ids
            named = [
                {"id": f"row-{number}", **row} if isinstance(row, dict) else row
                for number, row in enumerate(values)
            ]
            values = {"revision": 1, "rows": named}
        table: Any = parse(_StoredTable, values, cls.FILE)
        ids = tuple(row.id for row in table.rows)
        if len(set(ids)) < len(ids):
            raise InputError(f"Two rows in the file {cls.FILE} have the same id.")
        rows = tuple(TeachRow(**row.model_dump(exclude={"id"})) for row in table.rows)
        return cls(rows, ids, table.revision)

    @classmethod
    def read(cls, folder: Path, notes: list[str] | None = None) -> RowTable:
        """Read the table like other records; it is empty if none was saved yet."""
        if not (folder / cls.FILE).exists() and not cls.copy_in(folder).exists():
            return cls()
        return super(RowTable, cls).read(folder, notes)


def is_project_id(id: object) -> TypeGuard[str]:
    """True if a value has the form of a project's id."""
    return isinstance(id, str) and _PROJECT_ID.fullmatch(id) is not None


def is_version_id(text: object) -> TypeGuard[str]:
    """True if a value has the form of a version's id."""
    return isinstance(text, str) and re.fullmatch(VERSION_ID, text) is not None


def exists(root: Path, id: object) -> bool:
    """True if the folder of all projects holds the project `id`."""
    return is_project_id(id) and (root / id / ProjectInfo.FILE).is_file()


def unknown_project() -> InputError:
    """Make the error for an id that opens nothing, be it malformed or deleted."""
    return InputError(
        "There is no such project here; it may have been deleted, or the address is incomplete."
    )


def read_project(root: Path, id: object) -> ProjectInfo:
    """Read a project.json; `InputError` if there is no such project, or the file is damaged."""
    if not is_project_id(id) or not exists(root, id):
        raise unknown_project()
    try:
        return ProjectInfo.read(root / id)
    except InputError:
        if not exists(root, id):  # removed in the meantime
            raise unknown_project() from None
        raise


def version_folders(folder: Path) -> list[Path]:
    """Return the folders of a project's versions, oldest first, damaged or not."""
    return [path for path in sorted(folder.glob(f"{VERSIONS}/v*")) if is_version_id(path.name)]


def repair(folder: Path, write: bool = True) -> list[str]:
    """Write damaged files of a project again from their copies, and say what was damaged."""
    parts: list[tuple[type[Stored], Path]] = [(ProjectInfo, folder), (RowTable, folder)]
    parts += [(Version, path) for path in version_folders(folder)]
    notes = []
    for kind, place in parts:
        own: list[str] = []
        try:
            found = kind.read(place, own)
            if own and write:
                found.write(place)
        except InputError as error:
            own = [f"{error} There is no good copy of it, so it is left out."]
        notes += own if place == folder else [f"Version {place.name}: {note}" for note in own]
    return notes


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


def read_job(folder: Path) -> dict[str, Any] | None:
    """Read the state of the last job, None without one; `InputError` if it is damaged."""
    path = folder / JOB
    state = read_json(path, JOB_BYTES) if path.exists() else None
    return state if isinstance(state, dict) else None


def mark_job(folder: Path) -> None:
    """Mark an unfinished job as broken off, unless another process is still running it."""
    with suppress(InputError, OSError):  # an unreadable state cannot be marked
        state = read_job(folder)
        died = state and state.get("state") in ALIVE
        if state and died and not is_job_alive(folder / JOB_LOCK, elsewhere=True):
            write_json(folder / JOB, state | {"state": BROKEN_OFF})


_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_READ_AS = str.maketrans("oil", "011", " -–—\t\r\n")
_LENGTH, _GROUP = 20, 4
_PRIME = 31  # shows a changed digit and two swapped neighbours, except 0 for z


def new_key() -> str:
    """Return a new project id: 95 random bits that can be written down and typed.

    A key is five groups of four digits of Crockford's base 32, such as 7k2m-q9xd-04ct-hv8w-m3rs.
    The last one is a check digit, so that a typing error is not mistaken for a deleted project.
    """
    digits = "".join(secrets.choice(_DIGITS) for _ in range(_LENGTH - 1))
    return _grouped(digits + _check_digit(digits))


def read_key(text: object) -> str:
    """Return the key that a person typed; capitals, spaces, o for 0 and l for 1 are accepted.

    `InputError` if it does not have the form of a key, or its check digit is wrong.
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
