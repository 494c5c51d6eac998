"""The answer to two sentences: a card for each encoder, then heat maps of their words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr
from markupsafe import Markup

from symdemo.errors import InputError, ModelError
from symdemo.files.paths import asset_rows
from symdemo.ui.sentences import comparing as lab
from symdemo.ui.sentences.words import change_panel, draw_pictures, read_words
from symdemo.ui.shared.about import QUIET
from symdemo.ui.shared.events import Problem, attempt, problem_panel
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.store import SharedEncoders

LIKENESS = {
    "same": "As similar as paraphrases",
    "unrelated": "As different as unrelated sentences",
    "between": "Between unrelated sentences and paraphrases",
    "either": "Can’t tell: paraphrases and unrelated pairs both score like this",
}
EXAMPLES = [tuple(row.values()) for row in asset_rows("lab_examples.csv")]
"""First sentence, second sentence, and what the pair shows."""


def respond(
    encoders: SharedEncoders,
    queries: list[int],
    first: str,
    second: str,
    shown: str,
    words_only: bool = False,
) -> Iterator[dict[str, Any]]:
    """Yield new values of components, by name, as they become known; a problem replaces them.

    `queries` is the page's list with its number of queries; the answer stops once that grows.
    Pictures are drawn of the words of the sentence `shown`, “first” or “second”.
    """
    (own,) = queries
    steps = _steps(encoders, first, second, shown, words_only)
    while queries == [own]:
        found = attempt(next, steps, None)
        if found is None or queries != [own]:
            return
        if isinstance(found, Problem):
            cleared = {} if words_only else {"answer": ""}
            yield {"problem": problem_panel(found), **cleared, **_no_pictures("")}
            return
        yield {"problem": "", **found}


def _steps(
    encoders: SharedEncoders, first: str, second: str, shown: str, words_only: bool
) -> Iterator[dict[str, Any]]:
    if not words_only:
        for found in lab.compare_all(encoders, first, second):
            yield {"answer": answer_panel(found, first, second)}
    seconds = sum(
        lab.loading_seconds(lab.BY_NAME[name], encoders) for name in (lab.UNTOUCHED, lab.BELLM)
    )
    if seconds:
        yield {"change": draw("sentences/loading.html", seconds=seconds)}
    try:
        words = read_words(encoders, second if shown == "second" else first)
    except ModelError:
        yield _no_pictures(lab.missing_words([lab.BY_NAME[lab.UNTOUCHED]]))
    except InputError as error:
        yield _no_pictures(str(error))
    else:
        drawn = {"change": change_panel(words), "pictures": gr.Row(visible=True)}
        yield drawn | draw_pictures(words)


def _no_pictures(why: str) -> dict[str, Any]:
    return {"change": QUIET.format(why) if why else "", "pictures": gr.Row(visible=False)}


def answer_panel(found: lab.Similarities, first: str, second: str) -> Markup:
    """Draw a card for each encoder, and a sentence about those that are missing."""
    here = {name: one for name, one in found.items() if not isinstance(one, ModelError)}
    missing = [lab.BY_NAME[name] for name in found if name not in here]
    return draw(
        "sentences/answer.html",
        pair=(first, second),
        cards=[{"encoder": lab.BY_NAME[name]} | _card(one) for name, one in here.items()],
        missing=lab.missing_words(missing),
        same=len(lab.fixed_pairs()),
        unrelated=lab.UNRELATED,
    )


def _card(found: lab.Similarity | float | Problem) -> dict[str, Any]:
    """Return where a cosine lies on its scale, in words and in percent of the picture's width."""
    if isinstance(found, float):
        return {"kind": "pending", "seconds": found}
    if isinstance(found, Problem):
        return {"kind": "problem", "message": found.message}
    scale, cosine = found.scale, found.cosine
    unrelated, same = scale.ranks(cosine)
    least = min(float(scale.unrelated[0]), cosine)
    room = 0.04 * (1 - least)

    def across(value: float) -> float:
        return round(100 * (value - least + room) / (1 - least + 2 * room), 1)

    names = ("Unrelated", "Paraphrases")
    bars = [
        {"name": name, "left": across(low), "width": round(across(high) - across(low), 1)}
        for name, (low, high) in zip(names, scale.ranges, strict=True)
    ]
    likeness = scale.likeness(cosine)
    return {
        "kind": "answer", "cosine": cosine, "above_unrelated": unrelated, "above_same": same,
        "bars": bars, "at": across(cosine), "likeness": likeness, "words": LIKENESS[likeness],
    }  # fmt: skip
