"""HTML about a model, about the three answers, and sentences to try."""

from __future__ import annotations

from functools import cache

from markupsafe import Markup

from symdemo.classifier.card import ModelCard
from symdemo.data.convention import CONVENTION, QUESTION
from symdemo.files.paths import asset_rows
from symdemo.ui.shared.html import draw

QUIET = Markup('<p class="quiet">{}</p>')
NO_MODEL = "There is no model yet."
METHODS_IN_WORDS = {
    "knn": "a vote of the nearest taught examples",
    "knn-learnt-metric": "a vote of the nearest taught examples, with a learnt distance",
    "random-label-embeddings": "the label whose fixed rotation fits best",
    "fine-tuning": "a classifier on top of the encoder",
    "conjugate": "a classifier on rotations between sentences read in roles",
}
FIRST_SENTENCE = "Kenya borders Uganda."  # the page answers it when it opens


def model_panel(card: ModelCard | None) -> Markup:
    """Show what a model was taught and how good it is."""
    return draw("shared/about.html", card=card, methods=METHODS_IN_WORDS, no_model=NO_MODEL)


def convention_panel() -> Markup:
    """Explain the three answers with examples, folded."""
    return draw("shared/convention.html", question=QUESTION, lines=CONVENTION)


@cache
def load_examples() -> tuple[dict[str, str], ...]:
    """Read rows to try: sentence, hypothesis (or ""), note, kind (a relation's id or `other`)."""
    return tuple(asset_rows("examples.csv"))
