"""Files to download: the rows that are shown, or a report of them."""

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
from symdemo.ui.analyse.rows import view_words
from symdemo.ui.analyse.service import AnalyseService
from symdemo.ui.analyse.view import ShownRows
from symdemo.ui.shared.events import Problem, attempt

KINDS = (*get_args(ExportKind), "html")
MOST_CHOSEN = 200
"""Rows that a report lists one by one."""
MOST_BYTES = 2 * 1024**3
"""Of all exported files together; the oldest are removed first."""
_FOLDER = "symdemo-exports"
_KEEP_SECONDS = 86_400.0


def export(service: AnalyseService, shown: ShownRows, kind: Any) -> dict[str, str]:
    """Write a file of the shown rows; return its path and the name to save it under.

    The path cannot be guessed. Files older than a day are removed.

    Raises:
        InputError: no row is shown, or an unknown kind of file.
    """
    if kind not in KINDS:
        raise InputError(
            f"There is no export as {shorten(repr(kind), 30)}; choose one of {', '.join(KINDS)}."
        )
    if not len(shown.rows):
        raise InputError("There are no rows to export; remove a filter.")
    root = Path(get_upload_folder()) / _FOLDER
    _clean(root)
    folder = root / secrets.token_urlsafe(16)
    folder.mkdir(mode=0o700, parents=True)
    data = shown.opened.workspace.data
    name = re.sub(r"[^A-Za-z0-9]+", "-", data.name).strip("-").lower()[:40] or "analysis"
    path = folder / f"{name}-{'part' if shown.filtered else 'all'}.{kind}"
    frame = _shown_rows(shown)
    if kind == "html":
        marked = frame[frame.marked.astype(bool)]
        chosen = (marked if len(marked) else frame).head(MOST_CHOSEN)
        report_html(shown.subset(), path, _provenance(shown), words=True, chosen=chosen)
    else:
        for model, run in shown.opened.runs.items():
            loaded = attempt(service.model, shown.opened.workspace, model)
            if not isinstance(loaded, Problem):  # a model that was removed has no neighbours
                found = neighbours_json(loaded.classifier, run, shown.rows)
                frame[column(model, "neighbours")] = found
        export_rows(frame, path, kind)
    return {"path": str(path), "name": path.name}


def _shown_rows(shown: ShownRows) -> pd.DataFrame:
    """Return the shown rows in order, with number, mark, note and probabilities."""
    personal = shown.opened.workspace.personal
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
    return shown.opened.analysis.rows.iloc[shown.rows].assign(**extra).reset_index(drop=True)


def _provenance(shown: ShownRows) -> dict[str, str]:
    workspace = shown.opened.workspace
    data = workspace.data
    return {
        "data": f"{data.name} ({data.source})",
        "data hash": data.key,
        "rows shown": f"{len(shown.rows):,} of {len(data.pairs):,}",
        "which rows": view_words(shown) or "all",
        **{f"model {one.name}": one.key or "not run" for one in workspace.models},
        "symdemo": __version__,
        "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _clean(root: Path) -> None:
    found = []
    for folder in root.glob("*"):
        with suppress(OSError):  # another request removed it
            size = sum(file.stat().st_size for file in folder.iterdir())
            found.append((time.time() - folder.stat().st_mtime, size, folder))
    total = 0
    for age, size, folder in sorted(found):
        total += size
        if age > _KEEP_SECONDS or total > MOST_BYTES:
            shutil.rmtree(folder, ignore_errors=True)
