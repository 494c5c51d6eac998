"""Limits on what one person may use of a shared machine, and the message for each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from symdemo.errors import InputError
from symdemo.text import MIB, readable_size, tidy_text

Number = TypeVar("Number", int, float)

MESSAGES = {
    "rows": "There are {} rows; at most {} are allowed.",
    "taught_pairs": "A model in it knows {} pairs; at most {} are allowed.",
    "labels": "There are {} different labels; at most {} can be taught.",
    "relations": "There are {} different relations; at most {} can be taught.",
    "versions": "The project would have {} versions; at most {} are kept, so delete one first.",
    "projects": "There would be {} projects here; at most {} are kept, so try again later.",
    "projects_per_page": "This page would have begun {} projects; at most {} are allowed, so "
    "continue with one of them.",
    "projects_per_address": "There would be {} projects from your network; at most {} are kept, so "
    "delete one.",
    "analyses_per_address": "There would be {} analyses from your network; at most {} are kept, so "
    "close one.",
    "all_bytes": "All projects on this server take {}; at most {} are kept, so delete a version, a "
    "project or an analysis, or try again later.",
    "address_bytes": "The projects and analyses from your network take {}; at most {} are kept, so "
    "delete one first.",
    "archive_entries": "The archive holds {} files; at most {} are read.",
    "archive_bytes": "The archive has {}; at most {} are allowed.",
    "project_bytes": "The project would take {}; at most {} are kept, so delete a version first.",
    "job_minutes": "This would take {} minutes; at most {} are allowed, so choose fewer epochs.",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for one person; `check` and its siblings raise `InputError` beyond them."""

    # a table, and what a model in an archive may know
    rows: int = 1_000
    characters: int = 300  # in a cell
    labels: int = 12
    label_characters: int = 40
    name_characters: int = 80  # of a project or a version
    relations: int = 200
    taught_pairs: int = 20_000
    # a retraining, with the pairs drawn for an epoch
    epochs: int = 60
    samples: int = 1_000
    job_minutes: float = 30
    # the disk; `free_bytes` stay free, and `all_bytes` are for all projects together
    versions: int = 12
    project_bytes: int = 400 * MIB
    all_bytes: int = 10_240 * MIB
    free_bytes: int = 512 * MIB
    archive_bytes: int = 300 * MIB
    archive_entries: int = 200
    # projects, on the machine and by who began them; an unused one is removed after `idle_days`
    idle_days: float = 7
    projects: int = 500
    projects_per_page: int = 20
    projects_per_address: int = 100
    analyses_per_address: int = 100
    address_bytes: int = 2_048 * MIB

    def check(self, name: str, number: Number) -> Number:
        """Return `number` unless it exceeds the limit `name`."""
        most = getattr(self, name)
        if number > most:
            size = name.endswith("_bytes")
            seen, allowed = (readable_size(int(n)) if size else f"{n:,.0f}" for n in (number, most))
            raise InputError(MESSAGES[name].format(seen, allowed))
        return number

    def check_text(self, name: str, text: object) -> str:
        """Return the text of the cell `name` with white space tidied; it may be empty."""
        return tidy_text(name, text, self.characters)

    def check_label(self, text: object) -> str:
        """Return a label with white space tidied."""
        return _tidy("label", text, self.label_characters)

    def check_name(self, text: object) -> str:
        """Return the name of a project or a version with white space tidied."""
        return _tidy("name", text, self.name_characters)


def _tidy(name: str, text: object, most: int) -> str:
    if not (tidy := tidy_text(name, text, most)):
        raise InputError(f"The {name} is empty; a few characters are expected.")
    return tidy


LIMITS = Limits()
