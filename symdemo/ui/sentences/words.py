"""The words of a sentence before and after a language model looks back: pictures and figures."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from symdemo.errors import InputError, ModelError
from symdemo.evaluation.sentences.layers import token_similarities
from symdemo.ui.sentences.comparing import tidy_sentence
from symdemo.ui.sentences.readers import UNTOUCHED, find_looking_back
from symdemo.ui.shared.encoders import SharedEncoders
from symdemo.ui.shared.figures import base_layout, in_words, plotly_text, to_figure
from symdemo.ui.shared.html import draw, plain

MOST_WORDS = 32
BEFORE, AFTER = "lab-before", "lab-after"
SCALE = [[0, "rgba(31,157,131,0.03)"], [1, "rgba(31,157,131,1)"]]
"""From almost the page’s own colour to a full one, whether the page is light or dark."""


@dataclass(frozen=True, eq=False)
class Words:
    """The words of one sentence in the two models.

    Attributes:
        tokens: n words and signs.
        before: (n, n), the cosines between their states in the untouched model.
        after: (n, n), the same in the model that looks back.
        trained: whether that one was trained, or only had its mask taken off.
    """

    tokens: tuple[str, ...]
    before: np.ndarray
    after: np.ndarray
    trained: bool

    @property
    def least(self) -> float:
        """Where the common scale begins, in tenths."""
        return math.floor(10 * float(min(self.before.min(), self.after.min()))) / 10


def read_words(encoders: SharedEncoders, sentence: object) -> Words:
    """Read a sentence by both models.

    Raises:
        InputError: a sentence that cannot be used, or is too long for a picture.
        ModelError: the models are not here.
    """
    text = tidy_sentence(sentence, "sentence")
    untouched = encoders.get(UNTOUCHED)
    untouched.check(text)
    names = tuple(re.findall(r"\w+(?:['’]\w+)*|[^\w\s]", text))
    if len(names) > MOST_WORDS:
        raise InputError(
            f"This sentence has {len(names)} words and signs; the pictures are drawn of up to "
            f"{MOST_WORDS}."
        )
    name, trained = find_looking_back(encoders)
    before, after = (
        _of_words(names, *token_similarities(encoders.get(one), text)) for one in (UNTOUCHED, name)
    )
    return Words(names, before, after, trained)


def _of_words(names: Sequence[str], tokens: Sequence[str], matrix: np.ndarray) -> np.ndarray:
    """The cosines (n, n) of n words out of those of all tokens, a prompt's among them.

    A tokenizer cuts a first word otherwise after a prompt, so words are shown. A word has the state
    of the token with its last letter, which has seen the whole of it.

    Raises:
        ModelError: the words are not found in the tokens.
    """
    pieces = ["".join(token.replace("Ġ", " ").split()) for token in tokens]
    owner = [i for i, piece in enumerate(pieces) for _ in piece]  # character → its token
    place = "".join(pieces).rfind("".join(names))
    if place < 0:
        raise ModelError("The words of this sentence were not found again, so none is drawn.")
    ends = place - 1 + np.cumsum([len(name) for name in names])
    own = [owner[end] for end in ends]
    return matrix[np.ix_(own, own)]


def draw_words(words: Words, after: bool) -> dict[str, Any]:
    """One of the two pictures, both on the same scale."""
    matrix = words.after if after else words.before
    n = len(words.tokens)
    names = [plotly_text(token) for token in words.tokens]
    layout = base_layout(height=150 + 24 * max(n, 6), margin={"l": 8, "r": 8, "t": 8, "b": 8})
    axis = {
        "tickvals": list(range(n)), "ticktext": names, "showgrid": False, "zeroline": False,
        "fixedrange": True, "automargin": True, "tickfont": {"size": 12}, "ticks": "",
    }  # fmt: skip
    layout["xaxis"] = axis | {"tickangle": -90 if n > 5 else 0}
    layout["yaxis"] = axis | {"autorange": "reversed"}
    trace = {
        "type": "heatmap",
        "z": matrix.round(3).tolist(),
        "zmin": words.least,
        "zmax": 1,
        "colorscale": SCALE,
        "xgap": 1,
        "ygap": 1,
        "hoverinfo": "text",
        "text": [[f"{a} – {b}: {plain(matrix[i, j], 2)}" for j, b in enumerate(names)]
                 for i, a in enumerate(names)],
        "colorbar": {
            "orientation": "h", "y": 1.02, "yanchor": "bottom", "ypad": 4, "thickness": 10,
            "len": 0.8, "outlinewidth": 0, "nticks": 5, "tickfont": {"size": 12},
        },
    }  # fmt: skip
    return to_figure([trace], layout)


def titles(words: Words | None) -> tuple[str, str]:
    """What the two pictures are called."""
    looking_back = "Looking back" if words is None or words.trained else "Looking back, untrained"
    return "Left to right only", looking_back


def captions(words: Words) -> tuple[Markup, Markup]:
    """What stands under the two pictures, each with its figures in words."""
    sides = zip((BEFORE, AFTER), titles(words), (words.before, words.after), strict=True)
    before, after = (
        in_words(id, f"Nearness of words: {title.lower()}", _sentences(words.tokens, matrix))
        for id, title, matrix in sides
    )
    return before, after


def change_panel(words: Words) -> Markup:
    """What differs between the two pictures, in figures."""
    if len(words.tokens) < 2:
        return Markup('<p class="quiet">One word alone has no other to be near to.</p>')
    pairs = _pairs(len(words.tokens))
    change = words.after - words.before
    i, j = max(pairs, key=lambda pair: abs(change[pair]))
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
    ranked = sorted(_pairs(len(tokens)), key=lambda pair: -matrix[pair])
    told = []
    for name, some in (("Nearest", ranked[:3]), ("Farthest", ranked[:-4:-1])):
        listed = (f"{tokens[i]} and {tokens[j]} {plain(matrix[i, j], 2)}" for i, j in some)
        told.append(f"{name}: {', '.join(listed)}.")
    return [f"Two words have a cosine of {plain(_mean(matrix), 2)} on average.", *told]


def _pairs(n: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(n) for j in range(i + 1, n)]


def _mean(matrix: np.ndarray) -> float:
    return float(np.mean([matrix[pair] for pair in _pairs(len(matrix))]))
