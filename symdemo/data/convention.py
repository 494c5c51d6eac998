"""What the three labels mean: the text of the app, the command line and docs/understand.md.

The labels of the relation bank, the sentence sets and the models follow these five rules.
"""

from __future__ import annotations

from dataclasses import dataclass

from symdemo.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL

QUESTION = (
    "Take the sentence as true and read its swap next to it, as in one report. Is the swap then "
    "true, false, or open?"
)


@dataclass(frozen=True)
class ConventionLine:
    """A line of the convention.

    Attributes:
        title: its subject.
        label: the label of the swaps of such sentences.
        text: the rule.
        examples: sentences with that label.
        borders: similar sentences with another label, and that label.
    """

    title: str
    label: str
    text: str
    examples: tuple[str, ...]
    borders: tuple[tuple[str, str], ...]


CONVENTION = (
    ConventionLine(
        "The same for both, or done together",
        ENTAILMENT,
        "What two are to each other in the same way, or do with each other, holds both ways.",
        ("Kenya borders Uganda.", "Ann met Bob.", "Ann is as tall as Bob."),
        (("Ann hugged Bob.", NEUTRAL),),
    ),
    ConventionLine(
        "An order",
        CONTRADICTION,
        "More and less, before and after, above and below, part and whole, kind and class, parent "
        "and child, boss and clerk do not hold both ways; nor does a swap that makes no sense. A "
        "name counts as evidence: Linda is a woman.",
        (
            "Oslo is smaller than Paris.",
            "Ann is Bob’s mother.",
            "The cup is on the table.",
            "David is Linda’s brother.",
        ),
        (("Alex is Sam’s brother.", NEUTRAL), ("Ann is at least as tall as Bob.", NEUTRAL)),
    ),
    ConventionLine(
        "One event that rules out the reverse",
        CONTRADICTION,
        "A past event, dated or not, is read as one single event. Its outcome (dead, owner, "
        "winner, first), the thing that changed hands, or the roles in it (judge and accused, "
        "rescuer and rescued, carrier and carried) can rule out the reverse.",
        (
            "Brutus killed Caesar.",
            "Brazil beat Germany in the final.",
            "Ann sold Bob the car.",
            "The judge sentenced the thief.",
            "A dog chased our cat up a tree.",
        ),
        (("Ann lent Bob a book.", NEUTRAL),),
    ),
    ConventionLine(
        "What both can do to each other",
        NEUTRAL,
        "Acts that the other may have done too, at the same time or later, stay open, with or "
        "without a date. So do habits.",
        (
            "Leo kicked Max on Friday.",
            "The puppy chased the kitten round the garden.",
            "Germany sells cars to Italy.",
        ),
        (("Ann and Bob often visit each other.", ENTAILMENT),),
    ),
    ConventionLine(
        "Feelings, opinions, senses, abilities, plans",
        NEUTRAL,
        "What someone feels, thinks, sees, can do or wants says nothing about the other, unless "
        "the sentence says it about both or compares them.",
        ("Ann loves Bob.", "Ann can hear Bob.", "Poverty can lead to crime."),
        (("Ann likes Bob more than he likes her.", CONTRADICTION),),
    ),
)


def paragraphs() -> list[str]:
    """Return the convention as plain text: the question, then each line with its examples."""
    return [QUESTION, *(f"{_title(line)}. {_rest(line)}" for line in CONVENTION)]


def markdown() -> str:
    """Return the convention as Markdown: the question and a numbered list."""
    lines = (
        f"{number}. **{_title(line)}.** {_rest(line)}" for number, line in enumerate(CONVENTION, 1)
    )
    return f"{QUESTION}\n\n" + "\n".join(lines) + "\n"


def _title(line: ConventionLine) -> str:
    return f"{line.title}: {line.label}"


def _rest(line: ConventionLine) -> str:
    examples = " ".join(f"“{sentence}”" for sentence in line.examples)
    borders = " ".join(f"But {label}: “{sentence}”" for sentence, label in line.borders)
    return f"{line.text} {examples} {borders}"
