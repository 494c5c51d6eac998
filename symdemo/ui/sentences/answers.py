"""The answer to two sentences: a card for each encoder, then the pictures of the words."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, Literal

import gradio as gr
from markupsafe import Markup
from pydantic import BaseModel

from symdemo.errors import InputError, ModelError
from symdemo.ui.sentences.comparing import (
    BELLM,
    BY_NAME,
    UNRELATED,
    UNTOUCHED,
    Pending,
    Similarities,
    Similarity,
    compare_all,
    fixed_pairs,
    loading_seconds,
    missing_words,
)
from symdemo.ui.sentences.words import change_panel, draw_pictures, read_words
from symdemo.ui.shared.about import QUIET
from symdemo.ui.shared.encoders import SharedEncoders
from symdemo.ui.shared.events import Problem, attempt, from_json, problem_panel
from symdemo.ui.shared.html import draw

LIKENESS = {
    "same": "As similar as paraphrases",
    "unrelated": "As different as unrelated sentences",
    "between": "Between unrelated sentences and paraphrases",
    "either": "Can’t tell: paraphrases and unrelated pairs both score like this",
}
EXAMPLES = (
    ("A man is skating on the frozen lake.", "A man is swimming in the warm lake.",
     "Shared words, another scene"),
    ("She could not stop laughing.", "She found it extremely funny.", "Other words, one meaning"),
    ("The bank raised its interest rates.", "The river bank was flooded.",
     "One word with two meanings"),
    ("The dog chased the cat up the tree.", "The cat chased the dog up the tree.",
     "The same words in another order"),
    ("I put the milk back in the fridge.", "The council voted for a new bridge.",
     "Nothing in common"),
)  # fmt: skip
"""First sentence, second sentence, and what the pair shows."""
_REMEMBERED = 2_000
_END = object()

Values = dict[str, Any]
"""Name of a component → its new value."""


class PairQuery(BaseModel):
    """Two sentences as the page sends them.

    Attributes:
        number: rises with each query of a page.
        shown: the sentence whose words are drawn.
        only: change only the pictures of the words.
    """

    number: int
    first: str
    second: str
    shown: Literal["first", "second"] = "first"
    only: bool = False


class LatestByPage:
    """The latest query or job of each page, so that older answers can stop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest: OrderedDict[str, Any] = OrderedDict()

    def note(self, visit: str | None, value: Any) -> None:
        """Remember the latest value of a page."""
        with self._lock:
            self._latest[visit or ""] = value
            self._latest.move_to_end(visit or "")
            while len(self._latest) > _REMEMBERED:
                self._latest.popitem(last=False)

    def get(self, visit: str | None) -> Any:
        """Return the latest value of a page; None if it is not known."""
        with self._lock:
            return self._latest.get(visit or "")


def respond(
    encoders: SharedEncoders, latest: LatestByPage, visit: str | None, text: Any
) -> Iterator[Values]:
    """Yield new values of components as they become known.

    Stops early once the page has sent a newer query. A problem replaces the answer.
    """
    query = attempt(from_json, PairQuery, text)
    if isinstance(query, Problem):
        yield {"problem": problem_panel(query)}
        return

    def overtaken() -> bool:
        newest = latest.get(visit)
        return newest is not None and newest > query.number

    steps = _steps(encoders, query)
    while not overtaken():
        found = attempt(next, steps, _END)
        if found is _END or overtaken():
            return
        if isinstance(found, Problem):
            cleared = {} if query.only else {"answer": ""}
            yield {"problem": problem_panel(found), **cleared, **_no_pictures("")}
            return
        yield {"problem": "", **found}


def _steps(encoders: SharedEncoders, query: PairQuery) -> Iterator[Values]:
    if not query.only:
        for found in compare_all(encoders, query.first, query.second):
            yield {"answer": answer_panel(found, query.first, query.second)}
    seconds = sum(loading_seconds(BY_NAME[name], encoders) for name in (UNTOUCHED, BELLM))
    if seconds:
        yield {"change": draw("sentences/loading.html", seconds=seconds)}
    try:
        words = read_words(encoders, query.first if query.shown == "first" else query.second)
    except ModelError:
        yield _no_pictures(missing_words([BY_NAME[UNTOUCHED]]))
    except InputError as error:
        yield _no_pictures(str(error))
    else:
        drawn = {"change": change_panel(words), "pictures": gr.Row(visible=True)}
        yield drawn | draw_pictures(words)


def _no_pictures(why: str) -> Values:
    return {"change": QUIET.format(why) if why else "", "pictures": gr.Row(visible=False)}


def answer_panel(found: Similarities, first: str, second: str) -> Markup:
    """Draw a card for each encoder, and a sentence about those that are missing."""
    missing = [BY_NAME[name] for name, own in found.items() if isinstance(own, ModelError)]
    return draw(
        "sentences/answer.html",
        pair=(first, second),
        cards=[
            {"encoder": BY_NAME[name]} | _card(own)
            for name, own in found.items()
            if not isinstance(own, ModelError)
        ],
        missing=missing_words(missing) if missing else "",
        same=len(fixed_pairs()),
        unrelated=UNRELATED,
    )


def _card(found: Similarity | Pending | Problem) -> Values:
    """Return where a cosine lies on its scale, in words and in percent of the picture's width."""
    if isinstance(found, Pending):
        return {"kind": "pending", "seconds": found.seconds}
    if isinstance(found, Problem):
        return {"kind": "problem", "message": found.message}
    scale, cosine = found.scale, found.cosine
    unrelated, same = scale.ranks(cosine)
    least = min(float(scale.unrelated[0]), cosine)
    room = 0.04 * (1 - least)

    def across(value: float) -> float:
        return round(100 * (value - least + room) / (1 - least + 2 * room), 1)

    bars = [
        {"name": name, "left": across(low), "width": round(across(high) - across(low), 1)}
        for name, (low, high) in (
            ("Unrelated", scale.unrelated_range),
            ("Paraphrases", scale.same_range),
        )
    ]
    likeness = scale.likeness(cosine)
    return {
        "kind": "answer", "cosine": cosine, "above_unrelated": unrelated, "above_same": same,
        "bars": bars, "at": across(cosine), "likeness": likeness, "words": LIKENESS[likeness],
    }  # fmt: skip
