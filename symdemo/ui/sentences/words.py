"""The words of a sentence before and after a language model looks back: pictures and figures."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from markupsafe import Markup

from symdemo.errors import InputError, ModelError
from symdemo.evaluation.sentences.tokens import token_similarities
from symdemo.ui.sentences.comparing import BELLM, UNTOUCHED, tidy_sentence
from symdemo.ui.shared.about import QUIET
from symdemo.ui.shared.figures import base_layout, in_words, plot_data, plotly_text, to_figure
from symdemo.ui.shared.html import draw, plain
from symdemo.ui.shared.store import SharedEncoders

LOOKING_BACK = "smollm2-135m?looking_back=1"
"""Drawn in place of the trained BeLLM if that is not available."""
MOST_WORDS = 32
BEFORE, AFTER = "lab-before", "lab-after"
SCALE = [[0, "rgba(31,157,131,0.03)"], [1, "rgba(31,157,131,1)"]]
"""From nearly transparent to full colour, for light and dark pages."""


@dataclass(frozen=True, eq=False)
class WordStates:
    """The similarity of the words of one sentence, in two models."""

    tokens: tuple[str, ...]  # n words and punctuation marks
    before: np.ndarray  # (n, n), cosines between their states in the untouched model
    after: np.ndarray  # (n, n), the same for the model that looks back
    trained: bool  # False if the second model is untrained: only its mask was removed


def read_words(encoders: SharedEncoders, sentence: object) -> WordStates:
    """Encode a sentence with the untouched model and BeLLM, or `LOOKING_BACK` if BeLLM is missing.

    `ModelError` if a model is not available; `InputError` for a sentence that cannot be used, or
    is too long for a picture.
    """
    text = tidy_sentence(sentence, "sentence")
    untouched = encoders.get(UNTOUCHED)
    untouched.check(text)
    names = tuple(re.findall(r"\w+(?:['’]\w+)*|[^\w\s]", text))
    if len(names) > MOST_WORDS:
        raise InputError(
            f"This sentence has {len(names)} words and punctuation marks; pictures show up to "
            f"{MOST_WORDS}."
        )
    name, trained = BELLM, True
    try:
        encoders.get(BELLM)
    except ModelError:
        name, trained = LOOKING_BACK, False
    before, after = (
        _of_words(names, *token_similarities(encoders.get(one), text)) for one in (UNTOUCHED, name)
    )
    return WordStates(names, before, after, trained)


def _of_words(names: Sequence[str], tokens: Sequence[str], matrix: np.ndarray) -> np.ndarray:
    """Return the cosines (n, n) of n words from those of all tokens, including a prompt's.

    The tokens of a first word differ after a prompt, so words are compared. A word has the state of
    the token with its last letter, which has seen all of it. `ModelError` if the words do not occur
    in the tokens.
    """
    pieces = ["".join(token.replace("Ġ", " ").split()) for token in tokens]
    owner = [i for i, piece in enumerate(pieces) for _ in piece]  # character → its token
    place = "".join(pieces).rfind("".join(names))
    if place < 0:
        raise ModelError("This sentence’s tokens do not match its words, so there is no picture.")
    ends = place - 1 + np.cumsum([len(name) for name in names])
    own = [owner[end] for end in ends]
    return matrix[np.ix_(own, own)]


def draw_pictures(words: WordStates) -> dict[str, Any]:
    """Draw both pictures on one colour scale: component → picture, title or caption."""
    looking = "Looking back" if words.trained else "Looking back, untrained"
    least = math.floor(10 * float(min(words.before.min(), words.after.min()))) / 10
    found: dict[str, Any] = {}
    for name, id, title, matrix in (
        ("before", BEFORE, "Left to right only", words.before),
        ("after", AFTER, looking, words.after),
    ):
        told = _sentences(words.tokens, matrix)
        found[name] = plot_data(_heatmap(words.tokens, matrix, least))
        found[f"{name}_title"] = Markup("<h3>{}</h3>").format(title)
        found[f"{name}_caption"] = in_words(id, f"Similarity of words: {title.lower()}", told)
    return found


def _heatmap(tokens: Sequence[str], matrix: np.ndarray, least: float) -> dict[str, Any]:
    n, names = len(tokens), [plotly_text(token) for token in tokens]
    layout = base_layout(height=150 + 24 * max(n, 6), margin={"l": 8, "r": 8, "t": 8, "b": 8})
    axis = {
        "tickvals": list(range(n)), "ticktext": names, "showgrid": False, "zeroline": False,
        "fixedrange": True, "automargin": True, "tickfont": {"size": 12}, "ticks": "",
    }  # fmt: skip
    layout["xaxis"] = axis | {"tickangle": -90 if n > 5 else 0}
    layout["yaxis"] = axis | {"autorange": "reversed"}
    trace = {
        "type": "heatmap", "z": matrix.round(3).tolist(), "zmin": least, "zmax": 1,
        "colorscale": SCALE, "xgap": 1, "ygap": 1, "hoverinfo": "text",
        "text": [[f"{a} – {b}: {plain(matrix[i, j], 2)}" for j, b in enumerate(names)]
                 for i, a in enumerate(names)],
        "colorbar": {
            "orientation": "h", "y": 1.02, "yanchor": "bottom", "ypad": 4, "thickness": 10,
            "len": 0.8, "outlinewidth": 0, "nticks": 5, "tickfont": {"size": 12},
        },
    }  # fmt: skip
    return to_figure([trace], layout)


def change_panel(words: WordStates) -> Markup:
    """Draw the figures of what differs between the two pictures."""
    if len(words.tokens) < 2:
        return QUIET.format("There is only one word, so nothing to compare.")
    change = words.after - words.before
    i, j = max(_pairs(change), key=lambda pair: abs(change[pair]))
    return draw(
        "sentences/change.html",
        means=[_mean(matrix) for matrix in (words.before, words.after)],
        two=(words.tokens[i], words.tokens[j]),
        moved=(float(words.before[i, j]), float(words.after[i, j])),
        trained=words.trained,
    )


def _sentences(tokens: Sequence[str], matrix: np.ndarray) -> list[str]:
    if len(tokens) < 2:
        return ["The sentence has one word."]
    ranked = sorted(_pairs(matrix), key=lambda pair: -matrix[pair])
    sentences = [f"Two words have a cosine of {plain(_mean(matrix), 2)} on average."]
    for name, some in (("Most similar", ranked[:3]), ("Least similar", ranked[:-4:-1])):
        listed = (f"{tokens[i]} and {tokens[j]} {plain(matrix[i, j], 2)}" for i, j in some)
        sentences.append(f"{name}: {', '.join(listed)}.")
    return sentences


def _pairs(matrix: np.ndarray) -> list[tuple[int, int]]:
    return list(combinations(range(len(matrix)), 2))


def _mean(matrix: np.ndarray) -> float:
    return float(matrix[np.triu_indices(len(matrix), 1)].mean())
