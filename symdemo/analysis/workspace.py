"""Workspaces: the data, models, marks, notes and slices of one person's analysis.

A workspace is a folder that opens by its id, a secret that only a browser keeps. Everything in it
is on disk, so that it survives the page and the process. A reading key, a hash of the id, opens it
for others: it needs no record, and does not lead to the id, without which nothing can be changed.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from pydantic import TypeAdapter, ValidationError

from symdemo.analysis.built_in import load_built_in
from symdemo.analysis.loaded import LoadedPairs
from symdemo.errors import InputError
from symdemo.files.storage import read_json, write_json
from symdemo.pairs import Pair
from symdemo.text import shorten, tidy_text

MOST_MODELS = 6
MOST_SLICES = 30
MOST_NOTES = 5_000
MOST_KEPT = 500  # counterfactuals kept in a workspace
MAX_NOTE = 500
_MOST_BYTES = 32 * 1024**2
_DAY = 86_400.0  # seconds for which a folder without a record is kept
_ID = re.compile(
    r"(?P<token>[A-Za-z0-9_-]{22})((?P<way>[~=])(?P<set>[a-z-]{1,40}):(?P<models>.{1,600}))?"
)
"""A folder's random name; for a built-in set, which has no folder at first, all that opens it."""
READING = "read."  # prefix of a reading key; no id has it
_ABOUT, _PERSONAL, _DATA = "workspace.json", "personal.json", "data"
_DAMAGED = "personal.damaged.json"
_GONE = "This analysis is no longer here; load the data again."
_GONE_FOR_READERS = "This analysis is no longer here; ask who sent the link for a new one."


@dataclass(frozen=True, slots=True)
class AskedModel:
    """A model of a workspace: its name there, its name in the store, and its key once it ran."""

    name: str
    source: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """A counterfactual that a person kept; two are equal if row and sentences are."""

    row: int
    kind: str = field(compare=False)
    premise: str
    hypothesis: str
    expected: str | None = field(compare=False)

    @property
    def pair(self) -> Pair:
        """The pair to predict."""
        return Pair(self.premise, self.hypothesis, self.expected)


@dataclass(frozen=True)
class Personal:
    """A person's additions to the rows."""

    marked: frozenset[int] = frozenset()  # row numbers
    notes: Mapping[int, str] = field(default_factory=dict)  # row number → text
    slices: Mapping[str, Any] = field(default_factory=dict)
    """Name → a query, as the JSON values of the interface."""
    kept: tuple[Kept, ...] = ()


@dataclass(frozen=True)
class _About:
    """The file `workspace.json`."""

    exchanged: bool
    project: str
    models: tuple[AskedModel, ...]
    format: int = 1


_PERSONAL_JSON, _ABOUT_JSON = TypeAdapter(Personal), TypeAdapter(_About)


class Workspace:
    """One open analysis, which `id` opens; safe between threads.

    If `exchanged`, pairs are also predicted with premise and hypothesis exchanged. `project` is the
    id of the project whose versions are among the models, or "". A workspace of a built-in set has
    its pairs in `data`, and no folder until a person adds something: `make` then creates it. The
    interface caches in `shown`, under the lock `showing`; the cache is emptied when the workspace
    leaves memory.
    """

    def __init__(
        self,
        folder: Path,
        id: str,
        about: _About,
        make: Callable[[Path], None],
        data: LoadedPairs | None = None,
    ):
        self.folder, self.id = folder, id
        self.exchanged, self.project, self.models = about.exchanged, about.project, about.models
        self._make, self._data, self._is_set = make, data, data is not None
        self._personal: Personal | None = None
        self._lock, self._removed = threading.RLock(), False
        self.showing, self.shown = threading.Lock(), dict[str, Any]()

    @property
    def reading_key(self) -> str:
        """The key that opens it in `WorkspaceStore.open_to_read`."""
        return _reading_key(self.folder.name)

    @property
    def kept(self) -> bool:
        """True if it has a folder."""
        return (self.folder / _ABOUT).is_file()

    @property
    def loaded(self) -> bool:
        """True if there is data."""
        return self._data is not None or (self.folder / _DATA).is_dir()

    def put(self, data: LoadedPairs) -> None:
        """Store the data; `InputError` for no pairs, no models, or two models of one name."""
        if not data.pairs:
            first = f" The first row: {data.refused[0].reason}" if data.refused else ""
            raise InputError(f"{data.name} has no rows that can be used.{first}")
        if not self.models and not data.systems:
            raise InputError("No model was chosen; choose at least one.")
        check_names([*(model.name for model in self.models), *data.systems])
        with self._lock:
            self._check_there()
            data.save(self.folder / _DATA)
            self._data = data

    @property
    def data(self) -> LoadedPairs:
        """The pairs, read on first access; `InputError` if there are none."""
        with self._lock:
            if self._data is None:
                self._data = LoadedPairs.load(self.folder / _DATA)
            return self._data

    def set_key(self, name: str, key: str) -> None:
        """Record the key under which a model ran."""
        with self._lock:
            self._check_there()
            self.models = tuple(replace(m, key=key) if m.name == name else m for m in self.models)
            if self.kept:
                self._write_about()

    def _write_about(self) -> None:
        about = _About(self.exchanged, self.project, self.models)
        write_json(self.folder / _ABOUT, _ABOUT_JSON.dump_python(about, mode="json"))

    @property
    def personal(self) -> Personal:
        """Marks, notes, slices and kept counterfactuals."""
        with self._lock:
            if self._personal is None:
                self._personal = Personal()
                path = self.folder / _PERSONAL
                try:
                    if path.is_file():
                        values = read_json(path, _MOST_BYTES)
                        self._personal = _PERSONAL_JSON.validate_python(values)
                except (InputError, ValidationError):  # pairs and verdicts can still be shown
                    path.replace(self.folder / _DAMAGED)
            return self._personal

    @property
    def damaged(self) -> bool:
        """True if marks, notes and slices were once unreadable; their file was put aside."""
        _ = self.personal
        return (self.folder / _DAMAGED).is_file()

    def remove(self) -> None:
        """Delete the workspace; later writes raise `InputError`."""
        with self._lock:
            self._removed = True
            shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def removed(self) -> bool:
        """True if it was deleted, also by another process."""
        return self._removed or not (self._is_set or self.kept)

    def _check_there(self) -> None:
        if self.removed:
            raise InputError(_GONE)

    def mark(self, rows: Sequence[int], marked: bool) -> None:
        """Mark or unmark rows."""
        chosen = self._rows(rows)
        with self._lock:
            now = self.personal.marked
            self._keep(marked=now | chosen if marked else now - chosen)

    def note(self, rows: Sequence[int], text: object) -> None:
        """Replace the notes of rows; an empty text removes them."""
        note, chosen = tidy_text("note", text, MAX_NOTE), self._rows(rows)
        with self._lock:
            left = {row: old for row, old in self.personal.notes.items() if row not in chosen}
            self._keep(notes=left | dict.fromkeys(chosen if note else (), note))

    def keep_slice(self, name: object, query: Any) -> str:
        """Save a query as a slice, in place of one of the same name, and return the tidy name."""
        tidy = tidy_text("name of the slice", name, 60)
        if not tidy:
            raise InputError("The slice has no name; a few characters are expected.")
        with self._lock:
            self._keep(slices={**self.personal.slices, tidy: query})
        return tidy

    def drop_slice(self, name: str) -> None:
        """Delete a slice, not its rows."""
        with self._lock:
            left = {key: query for key, query in self.personal.slices.items() if key != name}
            self._keep(slices=left)

    def keep_counterfactual(self, kept: Kept) -> None:
        """Keep a counterfactual, in place of one with the same sentences."""
        self._rows([kept.row])
        with self._lock:
            self._keep(kept=(*(one for one in self.personal.kept if one != kept), kept))

    def drop_counterfactual(self, kept: Kept) -> None:
        """Delete a counterfactual."""
        with self._lock:
            self._keep(kept=tuple(one for one in self.personal.kept if one != kept))

    def _keep(self, **changes: Any) -> None:
        self._check_there()
        personal = replace(self.personal, **changes)
        _at_most(len(personal.notes), MOST_NOTES, "notes")
        _at_most(len(personal.slices), MOST_SLICES, "slices")
        _at_most(len(personal.kept), MOST_KEPT, "changed sentences")
        if not self.kept:
            self._make(self.folder)
            self.data.save(self.folder / _DATA)
            self._write_about()
        write_json(self.folder / _PERSONAL, _PERSONAL_JSON.dump_python(personal, mode="json"))
        self._personal = personal

    def _rows(self, rows: Sequence[int]) -> frozenset[int]:
        n = len(self.data.pairs)
        if wrong := [row for row in rows if not 0 <= row < n]:
            raise InputError(f"There is no row {wrong[0] + 1}; there are {n:,}.")
        return frozenset(rows)


def _reading_key(name: str) -> str:
    return READING + hashlib.sha256(f"read {name}".encode()).hexdigest()[:40]


def check_names(names: Sequence[str]) -> None:
    """Raise `InputError` if two models or columns have one name."""
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"Two models are called “{shorten(repeated)}”; leave one of them out.")


def _at_most(number: int, most: int, noun: str) -> None:
    if number > most:
        raise InputError(f"There would be {number:,} {noun}; at most {most:,} are kept.")


def _check_models(models: Sequence[AskedModel]) -> None:
    _at_most(len(models), MOST_MODELS, "models")
    check_names([model.name for model in models])


def _read_about(folder: Path) -> _About:
    try:
        return _ABOUT_JSON.validate_python(read_json(folder / _ABOUT, _MOST_BYTES))
    except ValidationError:
        raise InputError("This analysis is damaged; load the data again.") from None


class WorkspaceStore:
    """All workspaces of a machine: a folder of folders, made with the first one.

    `admit` is called with the name of a new folder, and raises if the person may have no more.
    `clean` deletes workspaces that were unused for `idle_days`. At most `capacity` workspaces stay
    in memory; the least recently used are dropped first.
    """

    def __init__(
        self,
        root: Path,
        admit: Callable[[str], None] = lambda name: None,
        idle_days: float = 7,
        capacity: int = 4,
    ):
        self.root, self._admit, self._capacity = root, admit, capacity
        self._idle_seconds = idle_days * _DAY
        self._lock = threading.Lock()
        self._opened: OrderedDict[str, Workspace] = OrderedDict()
        # A workspace that left memory but is still in use stays the same object.
        self._held: WeakValueDictionary[str, Workspace] = WeakValueDictionary()

    def create(
        self, models: Sequence[AskedModel], exchanged: bool = True, project: str = ""
    ) -> Workspace:
        """Make a workspace without data; `InputError` for too many models, or two of one name."""
        _check_models(models)
        folder = self.root / secrets.token_urlsafe(16)
        about = _About(exchanged, project, tuple(models))
        self._make(folder)
        Workspace(folder, folder.name, about, self._make)._write_about()
        return self.open(folder.name)

    def _make(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True)
        try:
            self._admit(folder.name)
        except BaseException:
            folder.rmdir()
            raise

    def open_set(self, name: str, models: Sequence[str], exchanged: bool = True) -> Workspace:
        """Return a workspace of a built-in set and shipped models; nothing is written for it.

        `InputError` for an unknown set, and for no model, too many, or the same one twice.
        """
        if not models:
            raise InputError("No model was chosen; choose at least one.")
        token, way = secrets.token_urlsafe(16), "~" if exchanged else "="
        return self.open(f"{token}{way}{name}:{','.join(models)}")

    def open(self, id: object) -> Workspace:
        """Return the workspace of an id.

        `InputError` if the id is malformed or unknown, with the same message for both, or names a
        set that does not exist.
        """
        match = _ID.fullmatch(id) if isinstance(id, str) else None
        if match is None:
            raise InputError(_GONE)
        name, about, data = match["token"], None, None
        if match["set"]:
            models = tuple(AskedModel(model, model) for model in match["models"].split(","))
            _check_models(models)
            about, data = _About(match["way"] == "~", "", models), load_built_in(match["set"])
        folder = self.root / name
        with self._lock:
            kept, known = (folder / _ABOUT).is_file(), self._held.get(name)
            if not kept and about is None:
                raise InputError(_GONE)
            if known is None:
                if kept or about is None:
                    about, data = _read_about(folder), None
                known = Workspace(folder, match[0], about, self._make, data)
                self._held[name] = known
            if kept and name not in self._opened:
                with suppress(OSError):
                    (folder / _ABOUT).touch()
            self._opened[name] = known
            self._opened.move_to_end(name)
            while len(self._opened) > self._capacity:
                _, left = self._opened.popitem(last=False)
                left.shown.clear()
            return known

    def open_to_read(self, key: object) -> Workspace:
        """Return the workspace of a reading key, only to be read; `InputError` if there is none."""
        for folder in self.root.glob("*"):
            if _reading_key(folder.name) == key:
                return self.open(folder.name)
        raise InputError(_GONE_FOR_READERS)

    def delete(self, id: str) -> None:
        """Delete a workspace."""
        workspace = self.open(id)
        with self._lock:
            self._opened.pop(workspace.folder.name, None)
        workspace.remove()

    def of_project(self, project: str) -> list[str]:
        """Return the ids of a project's workspaces."""
        found = []
        for path in self.root.glob(f"*/{_ABOUT}"):
            with suppress(InputError):  # a damaged one
                if _read_about(path.parent).project == project:
                    found.append(path.parent.name)
        return found

    def clean(self) -> None:
        """Delete unused workspaces that are too old."""
        for folder in self.root.glob("*"):
            about = folder / _ABOUT
            with suppress(OSError):
                is_whole = about.is_file()
                age = time.time() - (about if is_whole else folder).stat().st_mtime
                if age > (self._idle_seconds if is_whole else _DAY):
                    self._remove_unused(folder)

    def make_room(self, names: Sequence[str]) -> bool:
        """Delete the longest unused of these workspaces without additions; False if none."""
        found = []
        for folder in (self.root / name for name in names):
            with suppress(OSError):
                if not (folder / _PERSONAL).is_file():
                    found.append(((folder / _ABOUT).stat().st_mtime, folder))
        return any(self._remove_unused(folder) for _, folder in sorted(found))

    def _remove_unused(self, folder: Path) -> bool:
        with self._lock:  # so that nobody opens it
            unused = folder.name not in self._held
            if unused:
                shutil.rmtree(folder, ignore_errors=True)
            return unused
