"""HTML drawn from the templates under `ui/templates`, and labels and numbers in words.

    draw("try_it/verdict.html", answer=answer)

Templates escape every value. `draw` returns `Markup`: another template leaves it as it is, and
plain text joined to it is escaped. A line too short for a template uses `Markup.format`, which
escapes too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from symdemo.data.relations import RELATION_BY_ID
from symdemo.files.paths import ASSETS
from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL
from symdemo.text import count, is_number, percent, readable_size, shorten

TEMPLATES = Path(__file__).parents[1] / "templates"


class Wording(NamedTuple):
    """The look of a label: style class, sign, verdict and meaning."""

    style: str
    sign: str
    verdict: str
    meaning: str


class Bar(NamedTuple):
    """A bar of a chart: its value with a 95% interval, in percent or points up to 100."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    style: str = ""  # “own” for ours


WORDINGS = {
    ENTAILMENT: Wording("holds", "✓", "Yes", "If the first is true, so is its swap."),
    CONTRADICTION: Wording("fails", "✕", "No", "If the first is true, its swap is false."),
    NEUTRAL: Wording("open", "?", "Can’t tell", "The swap may or may not be true."),
}


def wording(label: str) -> Wording:
    """Return how to show a label; a visitor's own label is shown by its name."""
    return WORDINGS.get(label, Wording("other", "◆", label, ""))


def relation_name(relation: str | None) -> str:
    """Return the name of one of the 14 relations by its id; any other relation as it is."""
    if not relation:
        return "–"
    return RELATION_BY_ID[relation].name if relation in RELATION_BY_ID else relation


def plain(value: float, digits: int) -> str:
    """Return a number with a true minus sign, and none before a zero."""
    return f"{value:z.{digits}f}".replace("-", "−")


def duration(seconds: float | None) -> str:
    """Return seconds as a person says them."""
    seconds = max(1, round(seconds or 0))
    return count(seconds, "second") if seconds < 90 else f"{round(seconds / 60)} minutes"


_templates = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.filters |= {
    "as": format,
    "as_list": lambda values: values if isinstance(values, list) else [],
    "counted": count,
    "duration": duration,
    "json": json.dumps,
    "percent": percent,
    "plain": plain,
    "relation": relation_name,
    "shorten": shorten,
    "size": readable_size,
    "wording": wording,
}
_templates.tests["measured"] = is_number


def draw(template: str, **values: Any) -> Markup:
    """Render a template."""
    return Markup(_templates.get_template(template).render(values))


def draw_html(value: str = "", **options: Any) -> gr.HTML:
    """Make a panel that only the style sheet styles."""
    return gr.HTML(value, apply_default_css=False, **options)


def read_script(name: str) -> str:
    """Return a script of `assets`, which runs in the page."""
    return (ASSETS / name).read_text(encoding="utf-8")


def draw_hidden(script: str, elem_id: str) -> gr.HTML:
    """Make a hidden panel whose script can set the panel's value and trigger its events."""
    return draw_html(html_template="", js_on_load=script, visible="hidden", elem_id=elem_id)


def draw_sender(name: str, elem_id: str) -> gr.HTML:
    """Make a hidden panel whose value the page's script sets by calling `symdemo.NAME(object)`.

    The value is JSON of the object and a number, so that sending it again is a change too.
    """
    script = "props.value = JSON.stringify({...sent, number: Date.now()}); trigger('input');"
    return draw_hidden(f"symdemo.{name} = (sent) => {{ {script} }};", elem_id)


def draw_message(elem_id: str) -> gr.HTML:
    """Make an empty panel for messages about the button beside it."""
    return draw_html(elem_id=elem_id, elem_classes="may-be-empty")
