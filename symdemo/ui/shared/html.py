"""Components that show HTML."""

from __future__ import annotations

from typing import Any

import gradio as gr


def draw_html(value: str = "", **options: Any) -> gr.HTML:
    """A panel whose looks are the style sheet's alone."""
    return gr.HTML(value, apply_default_css=False, **options)


def draw_message(elem_id: str) -> gr.HTML:
    """Where something is said about a press, beside what was pressed; empty until then."""
    return draw_html(elem_id=elem_id, elem_classes="may-be-empty")
