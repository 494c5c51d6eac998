"""Pictures: what every Plotly figure has, and the same in words for those who do not see them.

    caption = draw("map.html") + in_words("map", "Map of taught examples", ["Yours lies beside …"])

The words stand under the picture, folded, where everyone can read them. `assets/aids.js` makes the
picture one image with that name and these words as its description; nothing else need be done.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from symdemo.ui.shared.html import draw

if TYPE_CHECKING:
    from gradio.components.plot import PlotData

# Middle tones: each reads on white and on near-black. Texts, lines and grids are coloured by the
# style sheet, which knows whether the page is light or dark.
COLOURS = {"holds": "#1f9d83", "fails": "#d9603f", "open": "#5a82c8"}
QUERY_COLOUR = FAINT = "#8a8f98"
GRID = "rgba(138,143,152,0.25)"


def base_layout(height: int, margin: dict[str, int]) -> dict[str, Any]:
    """A transparent layout without tools, to which a picture adds its axes."""
    return {
        "height": height,
        "margin": margin,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "showlegend": False,
        "dragmode": False,  # so that a finger on the picture scrolls the page
        "hovermode": "closest",
        "font": {"family": "system-ui, sans-serif", "size": 13, "color": QUERY_COLOUR},
        "hoverlabel": {
            "align": "left",
            "bgcolor": "#1e293b",
            "bordercolor": "#475569",
            "font": {"size": 13, "color": "#f8fafc"},
        },
    }


def axis(title: str) -> dict[str, Any]:
    """An axis that a finger cannot move."""
    return {
        "title": {"text": title, "standoff": 6, "font": {"size": 13}},
        "gridcolor": GRID,
        "zeroline": False,
        "fixedrange": True,
        "tickfont": {"size": 12},
    }


def legend(y: float) -> dict[str, Any]:
    """A legend below the picture, as many lines as it needs."""
    return {"orientation": "h", "x": 0, "y": y, "yanchor": "top", "font": {"size": 12}}


def note(text: str, **place: Any) -> dict[str, Any]:
    """A text at a place of the picture."""
    note = {"text": text, "xref": "paper", "showarrow": False, "xanchor": "left"}
    return note | {"font": {"size": 12}} | place


def faded(colour: str, opacity: float) -> str:
    """A colour as Plotly reads it with an opacity."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def to_figure(data: list[dict[str, Any]], layout: dict[str, Any]) -> dict[str, Any]:
    """A figure as Plotly reads it, without its tool bar."""
    return {"data": data, "layout": layout, "config": {"displayModeBar": False}}


def plot_data(figure: dict[str, Any]) -> PlotData:
    """A figure for `gr.Plot`, which would drop the configuration of a Plotly object."""
    from gradio.components.plot import PlotData

    return PlotData(type="plotly", plot=json.dumps(figure))


def in_words(plot: str, name: str, sentences: Iterable[str]) -> Markup:
    """HTML that names and describes a picture, to be put into its caption.

    Args:
        plot: the `elem_id` of the `gr.Plot`.
        name: what the picture is, in a few words; it is read out first.
        sentences: what is to be seen, figures included, as plain text; each begins a line.
    """
    return draw("shared/in_words.html", plot=plot, name=name, sentences=list(sentences))


def plotly_text(text: str) -> str:
    """A text for Plotly, which reads all of them as a small HTML: so it is escaped here.

    Quotation marks stay as they are: Plotly does not know all their names, and would show those.
    """
    return escape(text, quote=False)
