"""What leads the tab: how right on relations never taught, beside what it has to beat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from symdemo.data.bank_phrasings import KINDS_OF_PHRASING
from symdemo.evaluation.results import UnseenReport
from symdemo.ui.shared.html import draw

RIVALS = {
    "words": "1 to 3 words",
    "skeleton": "Function words",
    "majority": "One answer",
}
"""The simplest methods, by their names in the file; the page says what each one is."""

USUAL = "fine-tuning-scaled"
"""The strongest rival: the same encoder, pairs and retention under a scaled head."""

OURS = ("general", "first-stage")
"""Both stages of the default model, or until they are measured the first of them alone."""

EXAMPLES = {
    "plain": "Ann taught Bob.",
    "joined": "Ann and Bob are cousins.",
    "passive": "Ann was taught by Bob.",
    "possessive": "Ann is Bob’s aunt.",
    "framed": "It was Ann who taught Bob.",
}


def unseen_panel(report: UnseenReport | None) -> Markup | str:
    """The lead and its table; empty where nothing of the kind was measured."""
    if report is None:
        return ""
    rows = report.values["rows"]
    ours = next((name for name in OURS if name in rows), None)
    rivals = {name: title for name, title in RIVALS.items() if name in rows}
    if ours is None or not rivals:
        return ""
    usual = {USUAL: "Usual training"} if USUAL in rows else {}
    shown = {ours: "symdemo", **usual, **rivals}
    best = max(rivals, key=lambda name: rows[name]["three"]["mean"] or 0)
    return draw(
        "benchmark/unseen.html",
        values=report.values,
        ours=rows[ours],
        best=rows[best],
        usual=rows.get(USUAL),
        whole=ours == OURS[0],
        heads=shown.values(),
        headlines=_lines(rows, list(shown)),
    )


def _lines(rows: Mapping[str, Any], shown: list[str]) -> list[dict[str, Any]]:
    """The rows of the table: all sentences, those built alike, and each construction."""
    lines = [
        {"title": title, "example": "", "figures": [rows[name][key] for name in shown]}
        for key, title in (
            ("three", "All"),
            ("unjoined", "All but “Ann and Bob …”"),
            ("matched", "Only sentences that are built alike"),
        )
    ]
    for kind in KINDS_OF_PHRASING:
        shares = [rows[name]["by_kind"].get(kind) for name in shown]
        figures = [
            {"mean": share[0], "low": None, "high": None} if share else None for share in shares
        ]
        lines.append({"title": kind.capitalize(), "example": EXAMPLES[kind], "figures": figures})
    return lines
