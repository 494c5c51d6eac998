"""Subject and object of a free English sentence, and the sentence with the two exchanged.

`swaps` is the public interface: it chooses a swap and states doubts. `statements` checks what was
typed, `readings` parses it, `constructions` finds the two phrases in the parse by rules, `exchange`
swaps them, and `ranking` ranks that and all other exchanges by a learnt model. `lexicon` and
`parsing` are below. `comparing` tells by words alone, without parsing, whether a pair of sentences
is such a swap, and `frames` which two things a pair is about.
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
