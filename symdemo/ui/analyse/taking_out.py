"""What a visitor takes home: the rows that are shown, or a report of them."""

from __future__ import annotations

import re
import secrets
import shutil
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pandas as pd
from gradio.utils import get_upload_folder

from symdemo import __version__
from symdemo.analysis.analysing import column
from symdemo.analysis.exports import ExportKind, export_rows
from symdemo.analysis.report import report_html
from symdemo.analysis.running import neighbours_json
from symdemo.errors import InputError
from symdemo.text import shorten
from symdemo.ui.analyse.desk import Desk
from symdemo.ui.analyse.filters import view_words
from symdemo.ui.analyse.shown import Shown
from symdemo.ui.shared.problems import Problem, attempt

KINDS = (*get_args(ExportKind), "html")
MOST_CHOSEN = 200
"""Rows that a report shows one by one."""
MOST_BYTES = 2 * 1024**3
"""That all files may take; the oldest go first."""
_FOLDER = "symdemo-exports"
_KEEP_SECONDS = 86_400.0


def export(desk: Desk, shown: Shown, kind: Any) -> dict[str, str]:
    """Write a file of what is shown and say where it is: its path, and the name to save it under.

    The path cannot be guessed; files of yesterday are removed, and the oldest of too many.

    Raises:
        InputError: no row is shown, or a kind of file that there is not.
    """
    if kind not in KINDS:
        raise InputError(
            f"A file of the kind {shorten(repr(kind), 30)} cannot be made; there are "
            f"{', '.join(KINDS)}."
        )
    if not len(shown.rows):
        raise InputError("No row is left to take home; take a filter away.")
    root = Path(get_upload_folder()) / _FOLDER
    _clean(root)
    folder = root / secrets.token_urlsafe(16)
    folder.mkdir(mode=0o700, parents=True)
    path = folder / f"{_file_name(shown)}.{kind}"
    if kind == "html":
        report_html(shown.subset(), path, _made(shown), words=True, chosen=chosen_rows(shown))
    else:
        export_rows(with_neighbours(desk, shown), path, kind)
    return {"path": str(path), "name": path.name}


def shown_rows(shown: Shown) -> pd.DataFrame:
    """The rows that are shown, in their order, with marks, notes and where they stood."""
    personal = shown.opened.workspace.personal
    frame = shown.opened.analysis.rows.iloc[shown.rows]
    numbers = [int(row) for row in shown.rows]
    extra: dict[str, Any] = {
        "row": [number + 1 for number in numbers],
        "marked": [number in personal.marked for number in numbers],
        "note": [personal.notes.get(number) for number in numbers],
    }
    for name, run in shown.opened.runs.items():
        extra[column(name, "taught")] = [run.taught[number] for number in numbers]
        for place, label in enumerate(run.labels):
            extra[column(name, f"share of {label}")] = run.probabilities[shown.rows, place]
    return frame.assign(**extra).reset_index(drop=True)


def with_neighbours(desk: Desk, shown: Shown) -> pd.DataFrame:
    """The rows that are shown, with the nearest taught pairs of every model that is still here."""
    frame = shown_rows(shown)
    for name, run in shown.opened.runs.items():
        model = attempt(lambda name=name: desk.model(shown.opened.workspace, name).classifier)
        if not isinstance(model, Problem):
            frame[column(name, "neighbours")] = neighbours_json(model, run, shown.rows)
    return frame


def chosen_rows(shown: Shown) -> pd.DataFrame:
    """The rows a report shows one by one: the marked ones, or else those that are shown."""
    frame = shown_rows(shown)
    marked = frame[frame.marked.astype(bool)]
    return (marked if len(marked) else frame).head(MOST_CHOSEN)


def _made(shown: Shown) -> dict[str, str]:
    data, workspace = shown.opened.workspace.data, shown.opened.workspace
    return {
        "data": f"{data.name} ({data.source})",
        "data hash": data.key,
        "rows shown": f"{len(shown.rows):,} of {len(data.pairs):,}",
        "which rows": view_words(shown) or "all",
        **{f"model {one.name}": one.key or "not asked" for one in workspace.models},
        "symdemo": __version__,
        "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _file_name(shown: Shown) -> str:
    plain = re.sub(r"[^A-Za-z0-9]+", "-", shown.opened.workspace.data.name).strip("-").lower()
    return f"{plain[:40] or 'analysis'}-{'part' if shown.filtered else 'all'}"


def _clean(root: Path) -> None:
    found = []
    for folder in root.glob("*"):
        with suppress(OSError):  # another visitor's removed it
            size = sum(file.stat().st_size for file in folder.iterdir())
            found.append((time.time() - folder.stat().st_mtime, size, folder))
    total = 0
    for age, size, folder in sorted(found):
        total += size
        if age > _KEEP_SECONDS or total > MOST_BYTES:
            shutil.rmtree(folder, ignore_errors=True)
