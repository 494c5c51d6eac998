"""Facts as a training shows them: about other entities each time, whose names may be anything.

A relation's pattern does not depend on who stands in it, so a fact is worth more when its entities
are replaced. Plain names would not do: real records hold names that read like a joined subject
("St Peter and St Paul's"), an apposition ("Emley, West Yorkshire") or a sentence of their own
("Every Breath You Take"), and what such a name seems to say must not count.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from symdemo.pairs import Pair
from symdemo.training.sampling import entity_pool, recombine, sometimes_without_stops

AWKWARD_NAMES = (
    *("{} and {}", "{}, {}", "{} ({})", "{} / {}", "{} of {}", "{}, {} and {}", "{}'s {}"),
    *("Waiting for {}", "A Journey to {}", "Letters from {}", "The Return of {}", "All About {}"),
    *("{} in {}", "{} Among {}", "Who Was {}?", "The Last Days of {}", "Far from {}"),
)
"""Names and titles, as made from plainer ones."""

TITLE_WORDS = (2, 6)
"""Fewest and most words of a title that is cut from a sentence."""


def shown_facts(
    facts: Sequence[Pair], seed: int, times: int, sentences: Sequence[str] = ()
) -> list[Pair]:
    """Pairs about facts, each `times` over, about other entities each time.

    Args:
        facts: labelled pairs that name their entities.
        seed: of entities, titles and full stops.
        times: how often each is shown.
        sentences: of these, titles are cut; without any there are none.

    Returns:
        The facts' own entities, awkward names made of them, and titles take even turns by chance.
    """
    rng, entities = random.Random(seed), entity_pool(facts)
    pools = [entities, awkward_names(entities, rng)]
    if sentences:
        pools.append(titles(sentences, rng))
    shown = []
    for pair in facts:
        for _ in range(times):
            about_others = recombine(pair, rng.choice(pools), rng)
            shown.append(sometimes_without_stops(about_others, rng))
    return shown


def awkward_names(entities: Sequence[str], rng: random.Random) -> list[str]:
    """Each shape as often as there are entities, filled with some of them."""
    return [
        shape.format(*rng.sample(entities, shape.count("{}")))
        for shape in AWKWARD_NAMES
        for _ in entities
    ]


def titles(sentences: Sequence[str], rng: random.Random) -> list[str]:
    """A few words in a row out of each sentence, as songs and books are called by."""
    found = []
    for sentence in sentences:
        words = sentence.rstrip(".!?").split()
        length = min(rng.randint(*TITLE_WORDS), len(words))
        start = rng.randint(0, len(words) - length)
        title = " ".join(words[start : start + length]).strip(",;:–“” ")
        if title:
            found.append(title[0].upper() + title[1:])
    return list(dict.fromkeys(found))
