"""What a visitor takes away from the tab “Teach”, brings along, or deletes; without Gradio."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from symdemo.errors import InputError, ModelError
from symdemo.teaching.archive import export_model, export_project, import_project
from symdemo.teaching.project import Project
from symdemo.teaching.project_files import read_key
from symdemo.text import readable_size
from symdemo.ui.shared.sessions import NO_PROJECT, Sessions, allowed_encoders
from symdemo.ui.shared.temporary import temporary_files
from symdemo.ui.teach.versions import BASE

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")


@dataclass(frozen=True)
class Download:
    """A file to download, and how large it is in words."""

    path: str
    size: str


def _place(project: Project, name: str) -> Path:
    """Where to write a file of a project, under an address that nobody can guess."""
    plain = re.sub(r"[^\w-]+", "-", name).strip("-")[:60] or "symdemo"
    return temporary_files().place(f"{plain}.zip", of=_mark(project.id))


def _mark(id: str) -> str:
    return sha256(id.encode()).hexdigest()[:24]  # an address must not give the key away


def pack_project(sessions: Sessions, id: str) -> Download:
    """The whole project as one file."""
    project = sessions.require(id)
    return _download(export_project(project, _place(project, project.name)))


def pack_version(sessions: Sessions, id: str, version: str | None) -> Download:
    """One version as a folder that other programs load, zipped."""
    project = sessions.require(id)
    chosen = None if version in (None, "", BASE) else version
    name = project.version(chosen).name if chosen else project.base
    return _download(export_model(project, chosen, _place(project, name)))


def project_key(sessions: Sessions, id: str) -> str:
    """What opens the project from elsewhere; it is shown to nobody but the browser that keeps it.

    Raises:
        InputError: there is no project (any more).
    """
    return sessions.require(id).id


def open_by_key(sessions: Sessions, typed: str | None) -> str:
    """The id of the project that a typed or pasted key opens.

    Raises:
        InputError: it is no key, there is a slip in it, or it opens nothing here.
    """
    return sessions.require(read_key(typed)).id


def open_project(sessions: Sessions, path: str | None) -> str:
    """Make a project of a file that `save_project` gave, and return its id.

    Raises:
        InputError: no such file, or one that cannot be opened here.
    """
    if not path:
        raise InputError("No file was chosen; a project that was downloaded here is expected.")
    try:
        return sessions.begin(
            lambda: import_project(sessions.projects, path, allowed_encoders())
        ).id
    finally:
        with suppress(OSError):
            Path(path).unlink()  # it may be large, and nobody needs it any more


def delete_project(sessions: Sessions, id: str) -> None:
    """Delete a project with all that is in it, damaged or not; a training of it is stopped.

    What was packed of it goes too: the addresses of these files answer no more.
    """
    if not id or id == NO_PROJECT:
        sessions.require(id)
    current = sessions.queue.current(id)
    if current is not None and not current.finished:
        sessions.queue.stop(current.id, id)
    sessions.projects.delete(id)
    temporary_files().drop(_mark(id))


def push_version(
    sessions: Sessions,
    id: str,
    version: str | None,
    repository: str,
    token: str,
    private: bool,
) -> str:
    """Put a version on the Hugging Face Hub in the visitor's name, and return its address.

    The token is used for this one call and kept nowhere.
    """
    project = sessions.require(id)
    repository, token = (repository or "").strip(), (token or "").strip()
    if not _REPOSITORY.fullmatch(repository):
        raise InputError("The name of the place is expected as your-name/name-of-the-model.")
    if not token:
        raise InputError("A token that may write is needed; make one at huggingface.co/settings.")
    if not (token.isascii() and token.isprintable()) or len(token) > 200:
        raise InputError("That is no token; one begins with hf_ and has letters and digits.")
    model = project.model(None if version in (None, "", BASE) else version)
    try:
        return model.push_to_hub(repository, token, private)
    except ModelError as error:
        raise ModelError(str(error)) from None  # its causes may quote what was sent


def _download(path: Path) -> Download:
    return Download(str(path), readable_size(path.stat().st_size))
