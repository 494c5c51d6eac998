"""The part “Slices”: sets of rows that were given a name, side by side."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from symdemo.analysis.overview import Share, commonest_label
from symdemo.ui.analyse.filters import view_words
from symdemo.ui.analyse.named import NotMadeYetError
from symdemo.ui.analyse.shown import Shown, set_of
from symdemo.ui.analyse.state import View
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.problems import Problem, attempt


def slices_panel(shown: Shown) -> tuple[Markup, NotMadeYetError | None]:
    """Every slice, all rows and those that are shown, with how often each model is right there.

    With it comes what has to be made before the rows of all slices can be told.
    """
    whole = Shown(shown.opened, View(shown.view.analysis, shown.view.model))
    wish = None
    lines = [_line("All rows", whole, {})]
    if shown.filtered:
        lines.append(_line("Shown now", shown, None))
    for name in shown.opened.workspace.personal.slices:
        query = {"conditions": [set_of(f"slice:{name}")]}
        own = shown.slice(name)
        wish = wish or own.wish()
        line: Any = attempt(_line, name, own, query)
        if isinstance(line, Problem):
            line = {"name": name, "problem": line.message}
        lines.append(line | {"drop": name})
    return draw("analyse/slices.html", models=shown.opened.analysis.models, lines=lines), wish


def _line(name: str, shown: Shown, query: dict[str, Any] | None) -> dict[str, Any]:
    analysis, rows = shown.opened.analysis, shown.rows
    frame = analysis.rows.iloc[rows]
    frame = frame[frame.label.notna()]
    common = commonest_label(frame.label) if len(frame) else []
    shares = {}
    for model in analysis.models:
        shares[model] = Share.of(frame[shown.name("right", model)].astype(bool))
    return {
        "name": name,
        "n": len(rows),
        "labelled": len(frame),
        "shares": shares,
        "majority": Share.of(frame.label == common),
        "query": query,
        "words": view_words(shown),
    }
