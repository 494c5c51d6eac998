"""The named endpoint `/similarity`, for programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from symdemo.errors import ModelError
from symdemo.text import check_is_text, shorten
from symdemo.ui.sentences.comparing import BY_NAME, Similarity, compare, tidy_sentence
from symdemo.ui.shared.events import Problem, bounded
from symdemo.ui.shared.sessions import Sessions

SIMILARITY = "similarity"


def make_similarity(sessions: Sessions) -> Callable[[str, str, str], dict]:
    """Return the function behind `/similarity`, over the encoders of the tab “Sentence lab”."""

    def similarity(first: str, second: str, encoder: str = "") -> dict:
        """Return how similar two sentences are to several encoders, compared with fixed pairs.

        Args:
            first: an English sentence of up to 500 characters.
            second: another one.
            encoder: the name of one encoder; all of them if empty. A language model is loaded on
                first use, which takes some seconds.

        Returns:
            first and second (as they were read), and encoders: for each its name, its cosine (not
            comparable between encoders), unrelated and same (the numbers of fixed pairs of
            unrelated sentences and of paraphrases), nearer_unrelated and nearer_same (how many of
            them are less similar than this pair), and missing: why it did not answer, else null.
        """
        found = bounded(_similarity, sessions, first, second, encoder)
        if isinstance(found, Problem):
            raise gr.Error(found.message, print_exception=False)
        return found

    return similarity


def _similarity(sessions: Sessions, first: str, second: str, encoder: str) -> dict[str, Any]:
    check_is_text(encoder=encoder)
    encoder = encoder.strip()
    if encoder and encoder not in BY_NAME:
        raise ModelError(
            f"There is no encoder “{shorten(encoder)}”; here are: {', '.join(BY_NAME)}."
        )
    one, two = tidy_sentence(first, "first sentence"), tidy_sentence(second, "second sentence")
    names = [encoder] if encoder else list(BY_NAME)
    rows = [_row(name, compare(sessions.encoders, name, one, two)) for name in names]
    return {"first": one, "second": two, "encoders": rows}


def _row(name: str, found: Similarity | Problem | ModelError) -> dict[str, Any]:
    row: dict[str, Any] = {"encoder": name, "missing": None}
    if isinstance(found, Problem):
        return row | {"missing": found.message}
    if isinstance(found, ModelError):
        return row | {"missing": str(found)}
    unrelated, same = found.scale.ranks(found.cosine)
    return row | {
        "cosine": found.cosine,
        "unrelated": len(found.scale.unrelated),
        "nearer_unrelated": unrelated,
        "same": len(found.scale.same),
        "nearer_same": same,
    }
