"""Subject and object of a free English sentence, and the sentence with the two exchanged.

`swaps` is the public interface: it chooses a swap and states doubts. `statements` checks what was
typed, `readings` parses it, `candidates` lists the pairs of phrases that could change places,
`ranking` says by a learnt model how likely each is, and `exchange` writes the swapped sentence.
`lexicon`, `parsing` and `phrases` are below. `comparing` tells by words alone, without parsing,
whether a pair of sentences is such a swap, and `frames` which two things a pair is about.
"""

from symdemo.errors import NoPairFound
from symdemo.swapping.comparing import Exchange, exchanged
from symdemo.swapping.swaps import Swap, join, swap, swap_at, swap_many, words_of

__all__ = [
    "Exchange",
    "NoPairFound",
    "Swap",
    "exchanged",
    "join",
    "swap",
    "swap_at",
    "swap_many",
    "words_of",
]
