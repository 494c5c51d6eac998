"""What one person has open: data, the models that were asked, marks, notes and slices.

A workspace is a folder that is opened by knowing its id, a secret that only a browser keeps. All
that it holds is on the disk, so that it outlives the page and the program.
"""

from __future__ import annotations

import re
import secrets
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from symdemo.analysis.loaded import LoadedPairs
from symdemo.errors import InputError
from symdemo.files.json_files import read_json, write_json
from symdemo.pairs import Pair
from symdemo.text import shorten, tidy_text

MOST_MODELS = 6
MOST_SLICES = 30
MOST_NOTES = 5_000
MOST_KEPT = 500
"""Counterfactuals that are kept in one workspace."""
MAX_NOTE = 500
IDLE_SECONDS = 30 * 86_400.0
_MOST_BYTES = 32 * 1024**2
_STRAY_SECONDS = 86_400.0
_EMPTY_AGES = 10
_ID = re.compile(r"[A-Za-z0-9_-]{22}")
_ABOUT, _PERSONAL, _DATA = "workspace.json", "personal.json", "data"
_DAMAGED = "personal.damaged.json"
_GONE = "This analysis is not here any more; bring the data again."


@dataclass(frozen=True, slots=True)
class AskedModel:
    """A model of a workspace: its name there, its name in the store, and its key once it ran."""

    name: str
    source: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """A counterfactual that a person kept: whose, how it was made, and what it should get."""

    row: int
    kind: str
    premise: str
    hypothesis: str
    expected: str | None

    @property
    def pair(self) -> Pair:
        """The pair to ask."""
        return Pair(self.premise, self.hypothesis, self.expected)


@dataclass(frozen=True)
class Personal:
    """What a person added to the rows.

    Attributes:
        marked: numbers of rows.
        notes: number of a row → text.
        slices: name → which rows, as JSON values that whoever shows them understands.
        kept: counterfactuals.
    """

    marked: frozenset[int] = frozenset()
    notes: Mapping[int, str] = field(default_factory=dict)
    slices: Mapping[str, Any] = field(default_factory=dict)
    kept: tuple[Kept, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return {
            "marked": sorted(self.marked),
            "notes": {str(row): text for row, text in self.notes.items()},
            "slices": dict(self.slices),
            "kept": [asdict(one) for one in self.kept],
        }

    @classmethod
    def from_json(cls, values: Any) -> Personal:
        """What `to_json` gave; `InputError` where it is something else."""
        try:
            return cls(
                frozenset(map(int, values["marked"])),
                {int(row): str(text) for row, text in values["notes"].items()},
                dict(values["slices"]),
                tuple(Kept(**{**one, "row": int(one["row"])}) for one in values["kept"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InputError("The marks and slices of this analysis are damaged.") from None


class Workspace:
    """One open analysis; safe between threads.

    Args:
        folder: of it.

    Attributes:
        exchanged: whether each pair is also asked the other way round.
        project: whose versions are among the models, by the id that opens it.
        shown: what whoever shows it has worked out; emptied once it has to go from memory.
        showing: held by whoever works that out.

    Raises:
        InputError: it is damaged.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.id = folder.name
        self._lock = threading.RLock()
        self._removed = False
        self._data: LoadedPairs | None = None
        self._personal: Personal | None = None
        about = read_json(folder / _ABOUT, _MOST_BYTES)
        try:
            self.exchanged = bool(about["exchanged"])
            self.project = str(about["project"])
            self._models = tuple(AskedModel(**one) for one in about["models"])
        except (KeyError, TypeError):
            raise InputError("This analysis is damaged; bring the data again.") from None
        self.shown: dict[str, Any] = {}
        self.showing = threading.Lock()

    @property
    def loaded(self) -> bool:
        """Whether there is data in it yet."""
        return self._data is not None or (self.folder / _DATA).is_dir()

    def put(self, data: LoadedPairs) -> None:
        """Put the data in.

        Raises:
            InputError: no pairs, nobody to ask, or another system called like a model.
        """
        if not data.pairs:
            raise InputError(f"{data.name} has no rows that can be used.{_first_reason(data)}")
        if not self._models and not data.systems:
            raise InputError("No model was chosen; choose at least one.")
        _check_names([*(model.name for model in self._models), *data.systems])
        with self._lock:
            self._check_there()
            data.save(self.folder / _DATA)
            self._data = data

    @property
    def data(self) -> LoadedPairs:
        """The pairs, read when they are first asked for; `InputError` where there are none yet."""
        with self._lock:
            if self._data is None:
                self._data = LoadedPairs.load(self.folder / _DATA)
            return self._data

    @property
    def models(self) -> tuple[AskedModel, ...]:
        """The models that are asked, in order."""
        return self._models

    def set_key(self, name: str, key: str) -> None:
        """A model has run under this key."""
        with self._lock:
            self._check_there()
            self._models = tuple(
                AskedModel(one.name, one.source, key) if one.name == name else one
                for one in self._models
            )
            _write_about(self.folder, self._models, self.exchanged, self.project)

    @property
    def personal(self) -> Personal:
        """Marks, notes, slices and kept counterfactuals."""
        with self._lock:
            if self._personal is None:
                self._personal = self._read_personal()
            return self._personal

    def _read_personal(self) -> Personal:
        path = self.folder / _PERSONAL
        if not path.is_file():
            return Personal()
        try:
            return Personal.from_json(read_json(path, _MOST_BYTES))
        except InputError:  # the pairs and verdicts can still be looked at
            path.replace(self.folder / _DAMAGED)
            return Personal()

    @property
    def damaged(self) -> bool:
        """Whether marks, notes and slices could once not be read; that file was put aside."""
        _ = self.personal
        return (self.folder / _DAMAGED).is_file()

    def remove(self) -> None:
        """Remove it with all that is in it; whoever still holds it can keep nothing any more."""
        with self._lock:
            self._removed = True
            shutil.rmtree(self.folder, ignore_errors=True)

    def _check_there(self) -> None:
        if self._removed:
            raise InputError(_GONE)

    def mark(self, rows: Sequence[int], marked: bool) -> None:
        """Mark rows, or take their marks away."""
        with self._lock:
            now, rows = self.personal, self._rows(rows)
            changed = now.marked | set(rows) if marked else now.marked - set(rows)
            self._keep(marked=frozenset(changed))

    def note(self, rows: Sequence[int], text: object) -> None:
        """Write a note to rows in place of the old one; an empty one takes it away."""
        note = tidy_text("note", text, MAX_NOTE)
        with self._lock:
            left = {row: old for row, old in self.personal.notes.items() if row not in {*rows}}
            if note:
                left |= dict.fromkeys(self._rows(rows), note)
            _at_most(len(left), MOST_NOTES, "notes")
            self._keep(notes=left)

    def keep_slice(self, name: object, query: Any) -> str:
        """Keep which rows are shown under a name, and return that; an old one is replaced."""
        tidy = tidy_text("name of the slice", name, 60)
        if not tidy:
            raise InputError("The slice has no name; a few characters are expected.")
        with self._lock:
            slices = {**self.personal.slices, tidy: query}
            _at_most(len(slices), MOST_SLICES, "slices")
            self._keep(slices=slices)
        return tidy

    def drop_slice(self, name: str) -> None:
        """Forget a slice; its rows stay."""
        with self._lock:
            left = {key: query for key, query in self.personal.slices.items() if key != name}
            self._keep(slices=left)

    def keep_counterfactual(self, kept: Kept) -> None:
        """Keep a counterfactual with its row; one that says the same is replaced."""
        self._rows([kept.row])
        with self._lock:
            left = tuple(one for one in self.personal.kept if not _says_the_same(one, kept))
            _at_most(len(left) + 1, MOST_KEPT, "changed sentences")
            self._keep(kept=(*left, kept))

    def drop_counterfactual(self, kept: Kept) -> None:
        """Forget a counterfactual."""
        with self._lock:
            left = tuple(one for one in self.personal.kept if not _says_the_same(one, kept))
            self._keep(kept=left)

    def _keep(self, **changes: Any) -> None:
        self._check_there()
        personal = Personal(**{**vars(self.personal), **changes})
        write_json(self.folder / _PERSONAL, personal.to_json())
        self._personal = personal

    def _rows(self, rows: Sequence[int]) -> list[int]:
        n = len(self.data.pairs)
        if wrong := [row for row in rows if not 0 <= row < n]:
            raise InputError(f"There is no row {wrong[0] + 1}; there are {n:,}.")
        return list(rows)


def _check_names(names: Sequence[str]) -> None:
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"Two models are called “{shorten(twice)}”; leave one of them out.")


def _first_reason(data: LoadedPairs) -> str:
    return f" The first row: {data.refused[0].reason}" if data.refused else ""


def _says_the_same(one: Kept, other: Kept) -> bool:
    return (one.row, one.premise, one.hypothesis) == (other.row, other.premise, other.hypothesis)


def _at_most(number: int, most: int, noun: str) -> None:
    if number > most:
        raise InputError(f"There would be {number:,} {noun}; at most {most:,} are kept.")


def _write_about(folder: Path, models: Sequence[AskedModel], exchanged: bool, project: str) -> None:
    asked = [asdict(one) for one in models]
    about = {"format": 1, "exchanged": exchanged, "project": project, "models": asked}
    write_json(folder / _ABOUT, about)


class WorkspaceStore:
    """All workspaces of a machine: a folder of folders.

    Args:
        root: that folder; it is made with the first workspace.
        capacity: workspaces that stay in memory; the least recently used one goes first.
        most: workspaces that are kept on the disk; likewise.
    """

    def __init__(self, root: Path, capacity: int = 4, most: int = 300):
        self.root = root
        self._capacity = capacity
        self._most = most
        self._lock = threading.Lock()
        self._opened: OrderedDict[str, Workspace] = OrderedDict()
        # Whoever still holds one that had to go from memory gets the same one again.
        self._held: WeakValueDictionary[str, Workspace] = WeakValueDictionary()

    def create(
        self, models: Sequence[AskedModel], exchanged: bool = True, project: str = ""
    ) -> Workspace:
        """A new workspace, into which data has to be put.

        Args:
            models: which are to be asked.
            exchanged: whether each pair is also asked the other way round.
            project: whose versions are among the models, by the id that opens it.

        Raises:
            InputError: too many models, or two of one name.
        """
        _at_most(len(models), MOST_MODELS, "models")
        _check_names([model.name for model in models])
        self._clean()
        folder = self.root / secrets.token_urlsafe(16)
        folder.mkdir(mode=0o700, parents=True)
        _write_about(folder, models, exchanged, project)
        return self.open(folder.name)

    def open(self, id: object) -> Workspace:
        """The workspace of an id.

        Raises:
            InputError: there is none, or `id` has not the form of an id; one sentence for both.
        """
        if not isinstance(id, str) or not _ID.fullmatch(id):
            raise InputError(_GONE)
        with self._lock:
            if not (self.root / id / _ABOUT).is_file():
                raise InputError(_GONE)
            known = self._held.get(id)
            if known is None:
                known = self._held[id] = Workspace(self.root / id)
            if id not in self._opened:
                with suppress(OSError):
                    (self.root / id / _ABOUT).touch()
            self._opened[id] = known
            self._opened.move_to_end(id)
            while len(self._opened) > self._capacity:
                _, left = self._opened.popitem(last=False)
                left.shown.clear()
            return known

    def delete(self, id: str) -> None:
        """Remove a workspace with all that is in it."""
        workspace = self.open(id)
        with self._lock:
            self._opened.pop(id, None)
        workspace.remove()

    def _clean(self) -> None:
        """Remove workspaces that nobody opened for long, or that are too many; none in use.

        One to which its visitor added nothing goes as if it were ten times as old.
        """
        if not self.root.is_dir():
            return
        found = []
        for folder in self.root.iterdir():
            about = folder / _ABOUT
            with suppress(OSError):
                is_whole = about.is_file()
                age = time.time() - (about if is_whole else folder).stat().st_mtime
                if age > (IDLE_SECONDS if is_whole else _STRAY_SECONDS):
                    self._remove_unused(folder)
                elif is_whole:
                    empty = not (folder / _PERSONAL).is_file()
                    found.append((age * (_EMPTY_AGES if empty else 1), folder))
        for _, folder in sorted(found)[self._most - 1 :]:
            self._remove_unused(folder)

    def _remove_unused(self, folder: Path) -> None:
        with self._lock:  # nobody opens it meanwhile
            if folder.name not in self._held:
                shutil.rmtree(folder, ignore_errors=True)
