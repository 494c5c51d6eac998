"""Subject and object of a free English sentence, and the sentence with the two exchanged.

`parsing` and `readings` parse a sentence, `constructions` finds the two phrases in the parse by
rules, `exchange` swaps them, `ranking` ranks that and all other exchanges by a learnt model,
`candidates` says what is doubtful, and `swaps` is the public face.
`comparing` tells by words alone, without parsing, whether a pair of sentences is such a swap.
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
