"""A page of the pictures that the lab shows, for reading without the app."""

from __future__ import annotations

from markupsafe import Markup
from plotly.io import to_html

from symdemo.evaluation.results import SentenceReport
from symdemo.ui.sentences.results import PICTURES, TITLES
from symdemo.ui.shared.html import draw


def pictures_page(report: SentenceReport) -> str:
    """One HTML page with every picture of a report, each told in words too; it needs no network."""
    pictures = []
    for id, make, words in PICTURES.values():
        figure = make(report)
        if figure is None:
            continue
        drawn = to_html(
            {"data": figure["data"], "layout": figure["layout"]},
            config=figure["config"],
            full_html=False,
            include_plotlyjs=not pictures,
            default_height="420px",
            div_id=id,
        )
        pictures.append((TITLES[id], Markup(drawn), words(report)))  # Plotly's own
    return draw("sentences/page.html", pictures=pictures, values=report.values)
