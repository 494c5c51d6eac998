"""HTML of what the encoders say of two sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from symdemo.errors import ModelError
from symdemo.ui.sentences.comparing import UNRELATED, Answers, Awaited, Compared, fixed_pairs
from symdemo.ui.sentences.readers import BY_NAME, READERS, missing_words
from symdemo.ui.shared.events import Problem
from symdemo.ui.shared.html import draw

LIKENESS = {
    "same": "As near as sentences that say the same",
    "unrelated": "As far apart as unrelated sentences",
    "between": "Nearer than unrelated, not as near as the same",
    "either": "Too blunt to tell: both kinds are often as near as this",
}
"""What a place on the ruler means, in words."""


@dataclass(frozen=True)
class Example:
    """Two sentences to press, and what they show."""

    first: str
    second: str
    shows: str


EXAMPLES = (
    Example(
        "A man is skating on the frozen lake.",
        "A man is swimming in the warm lake.",
        "Shared words, another scene",
    ),
    Example(
        "She could not stop laughing.", "She found it extremely funny.", "Other words, one meaning"
    ),
    Example(
        "The bank raised its interest rates.",
        "The river bank was flooded.",
        "One word with two meanings",
    ),
    Example(
        "The dog chased the cat up the tree.",
        "The cat chased the dog up the tree.",
        "The same words in other places",
    ),
    Example(
        "I put the milk back in the fridge.",
        "The council voted for a new bridge.",
        "Nothing in common",
    ),
)


def lead_panel() -> Markup:
    """What the tab is for, in three sentences."""
    return draw("sentences/lead.html")


def how_panel() -> Markup:
    """How all of it works, for those who want to know."""
    return draw("sentences/how.html", readers=READERS, same=len(fixed_pairs()), unrelated=UNRELATED)


def example_buttons() -> Markup:
    """Pairs of sentences to press; the script of the tab compares what is pressed."""
    return draw("sentences/examples.html", examples=EXAMPLES)


def answer_panel(answers: Answers, first: str, second: str) -> Markup:
    """What each reader says so far of two sentences, and a sentence on those who are not here."""
    cards = [_card(name, found) for name, found in answers.items()]
    gone = [BY_NAME[name] for name, found in answers.items() if isinstance(found, ModelError)]
    return draw(
        "sentences/answer.html",
        pair=(first, second),
        cards=[card for card in cards if card],
        missing=missing_words(gone) if gone else "",
        same=len(fixed_pairs()),
        unrelated=UNRELATED,
    )


def _card(name: str, found: Any) -> dict[str, Any] | None:
    """What the template needs of one reader; None for one that is not here."""
    card: dict[str, Any] = {"reader": BY_NAME[name], "kind": "answer"}
    if isinstance(found, ModelError):
        return None
    if isinstance(found, Awaited):
        return card | {"kind": "awaited", "seconds": found.seconds}
    if isinstance(found, Problem):
        return card | {"kind": "problem", "message": found.message}
    return card | _place(found)


def _place(found: Compared) -> dict[str, Any]:
    """Where a cosine lies on its ruler, in words and in percent of the picture's width."""
    ruler, cosine = found.ruler, found.cosine
    unrelated, same = ruler.nearer_than(cosine)
    least = min(float(ruler.unrelated[0]), cosine)
    room = 0.04 * (1 - least)

    def across(value: float) -> float:
        return round(100 * (value - least + room) / (1 - least + 2 * room), 1)

    bars = [
        {"name": name, "left": across(low), "width": round(across(high) - across(low), 1)}
        for name, (low, high) in (
            ("Unrelated", ruler.unrelated_range),
            ("Say the same", ruler.same_range),
        )
    ]
    likeness = ruler.likeness(cosine)
    return {
        "cosine": cosine, "nearer_unrelated": unrelated, "nearer_same": same, "bars": bars,
        "at": across(cosine), "likeness": likeness, "words": LIKENESS[likeness],
    }  # fmt: skip
