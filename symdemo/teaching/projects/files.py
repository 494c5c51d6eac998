"""The files of a project's folder: their names, how they are read, and what a kill leaves.

project.json           its name, times, base model and selected version
rows.json              the table
versions/ID/           version.json and model/, a model folder; whole because renamed there
job.json               the state of the last job

Beside the projects, .weights/ keeps weights once that several versions have.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from symdemo.errors import InputError
from symdemo.files.json_files import read_json, write_json
from symdemo.files.locks import is_job_elsewhere
from symdemo.teaching.limits import Limits
from symdemo.teaching.projects.keys import PROJECT_ID
from symdemo.teaching.projects.version import VERSION_BYTES, Version, is_time, is_version_id
from symdemo.teaching.rows.row import Row
from symdemo.teaching.rows.table import Table

PROJECT, ROWS, JOB, VERSIONS, VERSION = (
    "project.json", "rows.json", "job.json", "versions", "version.json",
)  # fmt: skip
JOB_LOCK = ".job.lock"
DRAFT, DELETED, WEIGHTS = ".draft-", ".deleted-", ".weights"
PROJECT_BYTES = 64 * 1024
ROWS_BYTES = 16 * 1024**2

_UNKNOWN = "There is no such project here; it may have been deleted, or the address is incomplete."

ALIVE = ("waiting", "running", "stopping")
"""The states of a job that has not ended."""

BROKEN_OFF = "broken off"
"""The state of a job whose process died."""

_TEXTS = ("name", "base", "created", "touched")


def now() -> str:
    """The time as it is written down: ISO 8601, UTC."""
    return datetime.now(UTC).isoformat()


def is_project_id(id: object) -> bool:
    """Whether a value has the form of a project's id."""
    return isinstance(id, str) and PROJECT_ID.fullmatch(id) is not None


def exists(root: Path, id: object) -> bool:
    """Whether there is a project of that id in the folder of all projects."""
    return is_project_id(id) and (root / str(id) / PROJECT).is_file()


def unknown_project() -> InputError:
    """Of an id that opens nothing: the same sentence whether it is malformed or was deleted."""
    return InputError(_UNKNOWN)


def read_project(root: Path, id: object) -> dict[str, Any]:
    """What the project.json of the project `id` says.

    Raises:
        InputError: there is no such project, or the file is damaged.
    """
    if not exists(root, id):
        raise unknown_project()
    try:
        return read_info(root / str(id))
    except InputError:
        if not exists(root, id):  # removed meanwhile
            raise unknown_project() from None
        raise


def read_info(folder: Path) -> dict[str, Any]:
    """What project.json says of the project in `folder`.

    Raises:
        InputError: there is none, or it is damaged.
    """
    return check_info(read_json(folder / PROJECT, PROJECT_BYTES))


def check_info(values: Any) -> dict[str, Any]:
    """Return `values` if they are what a project.json holds, or raise `InputError`."""
    if not isinstance(values, dict) or set(values) != {*_TEXTS, "selected", "made"}:
        raise InputError(f"The file {PROJECT} has not the fields of a project.")
    selected, made = values["selected"], values["made"]
    if (
        not all(isinstance(values[name], str) for name in _TEXTS)
        or not (is_time(values["created"]) and is_time(values["touched"]))
        or not (selected is None or is_version_id(selected))
        or not (type(made) is int and 0 <= made <= 999_999)
    ):
        raise InputError(f"The file {PROJECT} has another kind of value than expected.")
    return values


def read_table(folder: Path) -> Table:
    """The table of the project in `folder`; empty where none was saved yet."""
    if not (folder / ROWS).exists():
        return Table()
    values = read_json(folder / ROWS, ROWS_BYTES)
    if not isinstance(values, list) and not (isinstance(values, dict) and "rows" in values):
        raise InputError(f"The file {ROWS} is {type(values).__name__}; a list of rows is expected.")
    return Table.from_json(values)


def write_table(folder: Path, table: Table) -> None:
    """Write the table of the project in `folder`."""
    write_json(folder / ROWS, table.to_json())


def check_rows(rows: Sequence[Row], limits: Limits) -> None:
    """Raise `InputError` where a table is larger than allowed; unfinished rows pass."""
    limits.check_rows(len(rows))
    for number, row in enumerate(rows, start=1):
        try:
            for field in fields(Row):
                limits.check_text(field.name, getattr(row, field.name))
            if row.label.strip():
                limits.check_label(row.label)
        except InputError as error:
            raise InputError(f"Row {number}: {error}") from None
    for name, check in (("label", limits.check_labels), ("relation", limits.check_relations)):
        check(len({getattr(row, name).strip() for row in rows} - {""}))


def read_version(folder: Path) -> Version:
    """The version in a folder, which carries its id for a name.

    Raises:
        InputError: version.json is missing, damaged or another version's.
    """
    version = Version.from_json(read_json(folder / VERSION, VERSION_BYTES))
    if version.id != folder.name:
        raise InputError(f"The file {VERSION} in {folder.name} is another version's.")
    return version


def write_version(folder: Path, version: Version) -> None:
    """Write the version.json of a version."""
    write_json(folder / VERSION, version.to_json())


def has_versions(folder: Path) -> bool:
    """Whether anything was taught in the project in `folder`, however damaged it is."""
    return any(is_version_id(path.name) for path in folder.glob(f"{VERSIONS}/v*"))


def remove(path: Path) -> None:
    """Remove a file or a folder; what cannot be removed is left to the next sweep."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def sweep_drafts(folder: Path) -> None:
    """Remove what a kill left half written in a project; its lock is held meanwhile."""
    for path in [*folder.glob(".*"), *folder.glob(f"{VERSIONS}/.*")]:
        if path.name != JOB_LOCK:
            remove(path)


def mark_job(folder: Path) -> None:
    """Mark a job that had not ended as broken off, unless another process is still at it."""
    with suppress(InputError, OSError):  # an unreadable state is none to mark
        state = read_json(folder / JOB, ROWS_BYTES) if (folder / JOB).exists() else None
        if not isinstance(state, dict) or state.get("state") not in ALIVE:
            return
        if not is_job_elsewhere(folder / JOB_LOCK):
            write_json(folder / JOB, state | {"state": BROKEN_OFF})
