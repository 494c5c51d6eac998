"""Files to download: the rows that are shown, or a report of them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, get_args

import numpy as np
import pandas as pd

from symdemo import __version__
from symdemo.analysis.analysing import column
from symdemo.analysis.exports import ExportKind, export_rows
from symdemo.analysis.report import report_html
from symdemo.errors import InputError
from symdemo.text import shorten
from symdemo.ui.analyse.rows import view_words
from symdemo.ui.analyse.view import ShownRows
from symdemo.ui.shared.temporary import temporary_files

KINDS = (*get_args(ExportKind), "html")
MOST_CHOSEN = 200  # rows that a report lists one by one


def export(shown: ShownRows, kind: Any) -> dict[str, str]:
    """Write a file of the shown rows; return its "path", and the "name" to save it under.

    `InputError` if no row is shown, or `kind` is not one of `KINDS`.
    """
    if kind not in KINDS:
        raise InputError(
            f"There is no export as {shorten(repr(kind), 30)}; choose one of {', '.join(KINDS)}."
        )
    if not len(shown.rows):
        raise InputError("There are no rows to export; remove a filter.")
    workspace = shown.opened.workspace
    name = re.sub(r"[^A-Za-z0-9]+", "-", workspace.data.name).strip("-").lower()[:40] or "analysis"
    file = f"{name}-{'part' if shown.filtered else 'all'}.{kind}"
    path = temporary_files().place(file, of=workspace.folder.name)
    frame = _shown_rows(shown)
    if kind == "html":
        marked = frame[frame.marked.astype(bool)]
        chosen = (marked if len(marked) else frame).head(MOST_CHOSEN)
        report_html(shown.subset(), path, _provenance(shown), words=True, chosen=chosen)
    else:
        export_rows(frame, path, kind)
    return {"path": str(path), "name": path.name}


def _shown_rows(shown: ShownRows) -> pd.DataFrame:
    """Return the shown rows in order, with number, mark, note and probabilities."""
    personal, rows = shown.opened.workspace.personal, shown.rows
    frame = shown.opened.analysis.rows.iloc[rows].reset_index(drop=True)
    frame["row"] = rows + 1
    frame["marked"] = np.isin(rows, list(personal.marked))
    frame["note"] = pd.Series([personal.notes.get(row) for row in rows.tolist()], dtype=object)
    for name, run in shown.opened.runs.items():
        frame[column(name, "taught")] = [run.taught[row] for row in rows]
        shares = [column(name, f"share of {label}") for label in run.labels]
        frame[shares] = run.probabilities[rows]
    return frame


def _provenance(shown: ShownRows) -> dict[str, str]:
    data = shown.opened.workspace.data
    return {
        "data": f"{data.name} ({data.source})",
        "data hash": data.key,
        "rows shown": f"{len(shown.rows):,} of {len(data.pairs):,}",
        "which rows": view_words(shown) or "all",
        **{f"model {one.name}": one.key or "not run" for one in shown.opened.workspace.models},
        "symdemo": __version__,
        "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
