"""HTML on a model: what it was taught, how it decides, and how good it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from symdemo.classifier.card import FIRST_STAGE, UNSEEN
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.words import count

if TYPE_CHECKING:
    from symdemo.classifier.card import ModelCard

QUIET = Markup('<p class="quiet">{}</p>')
METHODS_IN_WORDS = {
    "knn": "a vote of the nearest taught examples",
    "knn-learnt-metric": "a vote of the nearest taught examples, with a learnt measure of nearness",
    "random-label-embeddings": "the label whose fixed rotation fits best",
    "fine-tuning": "a classifier on top of the encoder",
}


def honest_line(card: ModelCard | None) -> Markup:
    """How good a model is for a visitor's own sentences, in one line."""
    if card is None:
        return QUIET.format("No model is here yet.")
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
    return QUIET.format(line)


def model_panel(card: ModelCard | None) -> Markup:
    """What a model was taught and how good it is."""
    if card is None:
        return Markup('<section class="about"><p>No model is here yet.</p></section>')
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
    return draw("shared/about.html", card=card, taught=taught)


def _decides_by(card: ModelCard) -> str:
    if card.temperature is not None:
        return "a vote of all taught examples, in which the nearest count most"
    return METHODS_IN_WORDS.get(card.method, card.method)
