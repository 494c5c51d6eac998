"""What all Plotly figures share, and the same in words for visitors who do not see them.

    caption = draw("map.html") + in_words("map", "Map of taught examples", ["Yours lies beside …"])

The words appear under the figure, folded. `assets/aids.js` turns the figure into one image with
that name and these words as its description.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import Any

import gradio as gr
from gradio.components.plot import PlotData
from markupsafe import Markup

from symdemo.ui.shared.html import draw, draw_html

# Middle tones, readable on white and on near-black. The style sheet colours texts, lines and grids,
# as it knows whether the page is light or dark.
COLOURS = {"holds": "#1f9d83", "fails": "#d9603f", "open": "#5a82c8"}
QUERY_COLOUR = FAINT = "#8a8f98"
GRID = "rgba(138,143,152,0.25)"

LAYOUT = {
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "showlegend": False,
    "dragmode": False,  # so that a finger on the picture scrolls the page
    "hovermode": "closest",
    "font": {"family": "system-ui, sans-serif", "size": 13, "color": QUERY_COLOUR},
    "hoverlabel": {
        "align": "left", "bgcolor": "#1e293b", "bordercolor": "#475569",
        "font": {"size": 13, "color": "#f8fafc"},
    },
}  # fmt: skip


def base_layout(height: int, margin: dict[str, int]) -> dict[str, Any]:
    """Return a transparent layout without tools, to which a figure adds its axes."""
    return {"height": height, "margin": margin, **LAYOUT}


def axis(title: str) -> dict[str, Any]:
    """Return an axis that a finger cannot move."""
    return {
        "title": {"text": title, "standoff": 6, "font": {"size": 13}}, "gridcolor": GRID,
        "zeroline": False, "fixedrange": True, "tickfont": {"size": 12},
    }  # fmt: skip


def markers(
    name: str, x: Any, y: Any, marker: dict[str, Any], hover: Any, **more: Any
) -> dict[str, Any]:
    """Return a trace of points whose texts appear under the pointer."""
    trace = {"type": "scatter", "mode": "markers", "name": name, "x": x, "y": y, "marker": marker}
    return trace | {"hoverinfo": "text", "hovertext": hover} | more


def legend(y: float) -> dict[str, Any]:
    """Return a legend below the figure."""
    return {"orientation": "h", "x": 0, "y": y, "yanchor": "top", "font": {"size": 12}}


def note(text: str, **place: Any) -> dict[str, Any]:
    """Return a text at a place of the figure."""
    note = {"text": text, "xref": "paper", "showarrow": False, "xanchor": "left"}
    return note | {"font": {"size": 12}} | place


def horizontal(y: float, **line: Any) -> dict[str, Any]:
    """Return a line across the figure."""
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line}


def faded(colour: str, opacity: float) -> str:
    """Return a hex colour with an opacity, as Plotly reads it."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def to_figure(data: list[dict[str, Any]], layout: dict[str, Any]) -> dict[str, Any]:
    """Return a figure as Plotly reads it, without the tool bar."""
    return {"data": data, "layout": layout, "config": {"displayModeBar": False}}


def draw_picture(elem_id: str, title: str = "") -> tuple[gr.Plot, gr.HTML]:
    """Make an empty figure with a title above and a caption below it."""
    if title:
        draw_html(f"<h2>{title}</h2>")
    plot = gr.Plot(show_label=False, container=False, elem_id=elem_id)
    return plot, draw_html(elem_classes="caption")


def plot_data(figure: dict[str, Any]) -> PlotData:
    """Return a figure for `gr.Plot`, which would drop the configuration of a Plotly object."""
    return PlotData(type="plotly", plot=json.dumps(figure))


def picture_values(name: str, figure: dict[str, Any] | None, caption: str) -> dict[str, Any]:
    """Return the values of the picture `name` and of its caption; without a figure it says so."""
    if figure is None:
        return {name: gr.Plot(visible=False), f"{name}_caption": "<p>Not measured yet.</p>"}
    return {name: gr.Plot(plot_data(figure), visible=True), f"{name}_caption": caption}


def in_words(plot: str, name: str, sentences: Iterable[str]) -> Markup:
    """Name and describe a figure, for the caption of the `gr.Plot` whose `elem_id` is `plot`.

    The name is read out first. Each sentence, numbers included, is plain text and starts a line.
    """
    return draw("shared/in_words.html", plot=plot, name=name, sentences=list(sentences))


def plotly_text(text: str) -> str:
    """Escape a text for Plotly, which reads texts as a subset of HTML."""
    return escape(text, quote=False)  # Plotly would show entities of quotation marks
