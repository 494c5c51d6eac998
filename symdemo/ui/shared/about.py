"""HTML on a model: what it was taught, how it decides, and how good it is."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from symdemo.classifier.card import FIRST_STAGE, UNSEEN
from symdemo.ui.shared.panels import count

if TYPE_CHECKING:
    from symdemo.classifier.card import ModelCard

METHODS_IN_WORDS = {
    "knn": "a vote of the nearest taught examples",
    "knn-learnt-metric": "a vote of the nearest taught examples, with a learnt measure of nearness",
    "random-label-embeddings": "the label whose fixed rotation fits best",
    "fine-tuning": "a classifier on top of the encoder",
}


def honest_line(card: ModelCard | None) -> str:
    """How good a model is for a visitor's own sentences, in one line."""
    if card is None:
        return '<p class="quiet">No model is here yet.</p>'
    unseen = str(card.scores.get(UNSEEN, "")).split(" ", 1)[0]
    if unseen:
        line = f"Right on {unseen} of test sentences about relations that it was never taught"
        line += ", measured before its last lessons." if FIRST_STAGE in card.scores else "."
    elif card.scores:
        name, value = next(iter(card.scores.items()))
        measured = f"{str(name).capitalize()}: {value}." if isinstance(value, str) else ""
        line = f"{card.summary} {measured}"
    else:
        line = "How good it is was not measured yet."
    return f'<p class="quiet">{escape(line)}</p>'


def model_panel(card: ModelCard | None) -> str:
    """What a model was taught and how good it is."""
    if card is None:
        return '<section class="about"><p>No model is here yet.</p></section>'
    pairs = card.data.get("pairs")
    taught = [
        ("Taught with", count(pairs, "pair") if isinstance(pairs, int) else "–"),
        ("Relations", f"{card.data['relations']:,}" if card.data.get("relations") else "–"),
        ("Answers", ", ".join(card.labels) or "–"),
        ("Decides by", _decides_by(card)),
        ("Made from", card.encoder),
    ]
    if card.data.get("source"):
        taught.insert(1, ("Source", str(card.data["source"])))
    summary = f"<p>{escape(card.summary)}</p>" if card.summary else ""
    scores = _listed(card.scores) or '<p class="quiet">Not measured yet.</p>'
    return f"""
<section class="about">{summary}
<dl>{"".join(f"<dt>{name}</dt><dd>{escape(value)}</dd>" for name, value in taught)}</dl>
<h2>How good it is</h2>{scores}</section>"""


def _decides_by(card: ModelCard) -> str:
    if card.temperature is not None:
        return "a vote of all taught examples, in which the nearest count most"
    return METHODS_IN_WORDS.get(card.method, card.method)


def _listed(values: Any) -> str:
    """Nested JSON values as a list; whole mappings in a mapping become lists in the list."""
    if isinstance(values, Mapping):
        items = [
            (str(name).replace("_", " "), _listed(value))
            for name, value in values.items()
            if value is not None
        ]
        rows = "".join(f"<dt>{escape(name)}</dt><dd>{value}</dd>" for name, value in items)
        return f"<dl>{rows}</dl>" if rows else ""
    if isinstance(values, list | tuple):
        return ", ".join(_listed(value) for value in values)
    if isinstance(values, float):
        return f"{values:.1f}"
    return escape(str(values))
