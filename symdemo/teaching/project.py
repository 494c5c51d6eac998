"""A project: the rows of one person, the versions of the model they made, and the last job.

Nothing of it is kept in memory, so any number of threads and processes see the same project.
`project_files` says what is in its folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from symdemo.teaching import project_files as files
from symdemo.teaching.folder_lock import hold_job, let_go_of_job
from symdemo.teaching.json_files import read_json, write_json
from symdemo.teaching.project_versions import ProjectVersions
from symdemo.teaching.rows import Row
from symdemo.teaching.table import Table
from symdemo.teaching.version import Version

__all__ = ["Project", "Version"]


class Project(ProjectVersions):
    """One person's project; had from a `ProjectStore`.

    Every method raises `InputError` once the project was removed.

    Attributes:
        id: what opens it.
    """

    @property
    def name(self) -> str:
        """What the person calls it."""
        return self._info()["name"]

    @property
    def created(self) -> str:
        """ISO 8601, UTC."""
        return self._info()["created"]

    @property
    def touched(self) -> str:
        """When it was last used: ISO 8601, UTC."""
        return self._info()["touched"]

    @property
    def rows(self) -> list[Row]:
        """The rows of the person's table."""
        return list(self.table.rows)

    @property
    def table(self) -> Table:
        """The person's table, with the names of its rows and its revision."""
        self._info()  # a removed project is no empty one
        return files.read_table(self.folder)

    @property
    def job_state(self) -> dict | None:
        """What `save_job_state` was given last."""
        path = self.folder / files.JOB
        return read_json(path, files.ROWS_BYTES) if path.exists() else None

    def touch(self) -> None:
        """Note that the project is in use, so that it does not count as idle."""
        with self.changing():
            self._change()

    def rename(self, name: str) -> None:
        """Give the project another name."""
        name = self.limits.check_name(name)
        with self.changing():
            self._change(name=name)

    def save_rows(self, rows: Sequence[Row]) -> None:
        """Put `rows` in the place of the table; unfinished rows are kept as they are.

        Raises:
            InputError: more or longer than the limits allow; the table stays as it was.
        """
        self.change_table(lambda _: Table.of(rows))

    def change_table(self, change: Callable[[Table], Table]) -> Table:
        """Put what `change` makes of the table in its place, and return it with its new revision.

        Nobody else reads or changes the project between; where nothing changes, nothing is
        written.

        Raises:
            InputError: more or longer rows than the limits allow; the table stays as it was.
        """
        with self.changing():
            old = self.table
            new = replace(change(old), revision=old.revision)
            if new == old and (self.folder / files.ROWS).exists():
                return old
            files.check_rows(new.rows, self.limits)
            new = replace(new, revision=old.revision + 1)
            files.write_table(self.folder, new)
            self._change()
            return new

    def save_job_state(self, state: Mapping[str, Any]) -> None:
        """Keep the state of a job under `state["state"]`, and whatever else is in `state`.

        One that has not ended when this process does will read "broken off".
        """
        lock, alive = self.folder / files.JOB_LOCK, state.get("state") in files.ALIVE
        with self.changing():
            if alive:
                hold_job(lock)
            write_json(self.folder / files.JOB, dict(state))
            if not alive:
                let_go_of_job(lock)
