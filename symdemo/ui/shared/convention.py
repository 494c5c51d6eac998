"""The folded text on what the three answers mean, for whoever asks and whoever labels rows."""

from __future__ import annotations

from markupsafe import Markup

from symdemo.data.convention import CONVENTION, QUESTION
from symdemo.ui.shared.html import draw


def convention_panel() -> Markup:
    """The convention with its examples, folded."""
    return draw("shared/convention.html", question=QUESTION, lines=CONVENTION)
