"""Pictures: what every Plotly figure has, and the same in words for those who do not see them.

    caption = draw("map.html") + in_words("map", "Map of taught examples", ["Yours lies beside …"])

The words stand under the picture, folded, where everyone can read them. `assets/aids.js` makes the
picture one image with that name and these words as its description; nothing else need be done.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from symdemo.ui.shared.html import draw

if TYPE_CHECKING:
    from gradio.components.plot import PlotData

# Middle tones: each reads on white and on near-black. Texts, lines and grids are coloured by the
# style sheet, which knows whether the page is light or dark.
COLOURS = {"holds": "#1f9d83", "fails": "#d9603f", "open": "#5a82c8"}
QUERY_COLOUR = "#8a8f98"


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
    """A text for Plotly, which reads all of them as a small HTML: so it is escaped here."""
    return str(escape(text))
