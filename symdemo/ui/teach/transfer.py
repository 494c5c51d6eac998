"""Downloads, archives, keys and uploads to the hub for the Teach tab; without Gradio."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from symdemo.errors import InputError, ModelError
from symdemo.teaching.archive import export_model, export_project, import_project
from symdemo.teaching.project import Project
from symdemo.teaching.project_files import read_key
from symdemo.ui.shared.sessions import NO_PROJECT, Sessions, allowed_encoders
from symdemo.ui.shared.temporary import temporary_files

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")


def _place(project: Project, name: str) -> Path:
    """Return where to write a file of a project, under an address that cannot be guessed."""
    plain = re.sub(r"[^\w-]+", "-", name).strip("-")[:60] or "symdemo"
    return temporary_files().place(f"{plain}.zip", of=project.id)


def pack_project(sessions: Sessions, id: str) -> Path:
    """Pack the whole project into a file to download."""
    project = sessions.require(id)
    return export_project(project, _place(project, project.name))


def pack_version(sessions: Sessions, id: str) -> Path:
    """Pack the version in use as folders that other programs load."""
    project = sessions.require(id)
    selected = project.selected
    name = project.version(selected).name if selected else project.base
    return export_model(project, selected, _place(project, name))


def open_by_key(sessions: Sessions, typed: str | None) -> str:
    """Return the id of the project that a typed key opens; `InputError` if it opens none."""
    return sessions.require(read_key(typed)).id


def open_project(sessions: Sessions, path: str | None) -> str:
    """Create a project from a file of `pack_project`, and return its id; `InputError` if none."""
    if not path:
        raise InputError("No file was chosen; a project that was downloaded here is expected.")
    try:
        return sessions.begin(
            lambda: import_project(sessions.projects, path, allowed_encoders())
        ).id
    finally:
        with suppress(OSError):
            Path(path).unlink()  # it may be large


def delete_project(sessions: Sessions, id: str) -> None:
    """Delete a project, damaged or not, with its downloads and analyses, and stop its jobs."""
    if not id or id == NO_PROJECT:
        sessions.require(id)
    sessions.stop_current(id)
    sessions.projects.delete(id)
    temporary_files().drop(id)


def push_version(sessions: Sessions, id: str, repository: str, token: str, private: bool) -> str:
    """Push the version in use to the Hugging Face Hub for the visitor, and return its address.

    The token is used for this one call and stored nowhere.
    """
    project = sessions.require(id)
    repository, token = (repository or "").strip(), (token or "").strip()
    if not _REPOSITORY.fullmatch(repository):
        raise InputError("A repository is expected as your-name/name-of-the-model.")
    if not token:
        raise InputError("A token with write access is needed; see huggingface.co/settings.")
    if not (token.isascii() and token.isprintable()) or len(token) > 200:
        raise InputError("That isn’t a token; tokens begin with hf_, then letters and digits.")
    model = project.model(project.selected)
    try:
        return model.push_to_hub(repository, token, private)
    except ModelError as error:
        raise ModelError(str(error)) from None  # its causes may quote what was sent
