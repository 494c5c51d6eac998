"""The tab “Try it”: its components, and which of them an answer reads and writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr


@dataclass(frozen=True)
class Widgets:
    """The components that the events of this tab read and write."""

    sentence: gr.Textbox
    hypothesis: gr.Textbox
    swapped_from: gr.State
    check: gr.Button
    swap_again: gr.Button
    problem: gr.HTML
    parts: tuple[gr.Textbox, gr.Textbox, gr.Textbox]
    use_parts: gr.Button
    k: gr.Slider
    verdict: gr.HTML
    taught: gr.Dataset
    fresh: gr.Dataset
    model: gr.Dropdown
    about: gr.HTML
    neighbours: gr.HTML
    rotation: gr.Plot
    rotation_caption: gr.HTML
    map: gr.Plot
    map_caption: gr.HTML
    project: gr.BrowserState

    @property
    def boxes(self) -> list[Any]:
        """What filling in writes."""
        return [self.sentence, self.hypothesis, self.swapped_from, self.problem]

    @property
    def results(self) -> list[Any]:
        """What an answer writes; a problem leaves them as they are."""
        return [
            self.verdict,
            self.neighbours,
            self.rotation,
            self.rotation_caption,
            self.map,
            self.map_caption,
            self.taught,
            self.fresh,
        ]

    @property
    def question(self) -> list[Any]:
        """What an answer reads."""
        return [
            self.sentence,
            self.hypothesis,
            self.swapped_from,
            self.model,
            self.k,
            self.project,
        ]
