"""The tab “Try it”: its components, and which of them an answer reads and writes."""

from __future__ import annotations

from dataclasses import dataclass

import gradio as gr


@dataclass(frozen=True)
class Widgets:
    """The components that the events of this tab read and write.

    Attributes:
        question: hidden; what is asked, as `assets/ask.js` writes it. The one way in.
        correction: hidden; a pair with the label that the visitor says it has.
        answer: hidden; what the page's script has to know of the answer, as JSON.
    """

    question: gr.HTML
    correction: gr.HTML
    answer: gr.Textbox
    sentence: gr.Textbox
    check: gr.Button
    problem: gr.HTML
    verdict: gr.HTML
    taught: gr.HTML
    why: gr.HTML
    another: gr.Accordion
    words: gr.HTML
    hypothesis: gr.Textbox
    check_pair: gr.Button
    parts: tuple[gr.Textbox, gr.Textbox, gr.Textbox]
    use_parts: gr.Button
    model: gr.Dropdown
    other: gr.Dropdown
    about_line: gr.HTML
    about: gr.HTML
    k: gr.Slider
    pictures: gr.Accordion
    rotation_box: gr.Column
    rotation: gr.Plot
    rotation_caption: gr.HTML
    map: gr.Plot
    map_caption: gr.HTML
    project: gr.BrowserState
