"""HTML: drawn from the templates under `ui/templates`, where every value is escaped.

    draw("try_it/verdict.html", answer=answer)

What `draw` gives is `Markup`: put into another template it stays as it is, and a plain text that is
joined to it is escaped. A line too short for a template is written with `Markup.format`, which
escapes as well.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gradio as gr
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from symdemo.text import readable_size, shorten
from symdemo.ui.shared.problems import Problem
from symdemo.ui.shared.words import (
    count,
    duration,
    is_number,
    percent,
    plain,
    relation_name,
    wording,
)

TEMPLATES = Path(__file__).parents[1] / "templates"

_templates = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.filters |= {
    "as": format,
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

PROBLEM = Markup(
    '<div class="problem" role="alert"><span class="problem__sign" aria-hidden="true">!</span>'
    "<p>{}</p></div>"
)


def draw(template: str, **values: Any) -> Markup:
    """A template with these values in it."""
    return Markup(_templates.get_template(template).render(values))


def draw_html(value: str = "", **options: Any) -> gr.HTML:
    """A panel whose looks are the style sheet's alone."""
    return gr.HTML(value, apply_default_css=False, **options)


def draw_message(elem_id: str) -> gr.HTML:
    """Where something is said about a press, beside what was pressed; empty until then."""
    return draw_html(elem_id=elem_id, elem_classes="may-be-empty")


def problem_panel(problem: Problem | None) -> str:
    """The one place where it says what is wrong; empty when nothing is."""
    return PROBLEM.format(problem.message) if problem else ""
