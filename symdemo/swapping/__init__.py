"""Subject and object of a free English sentence, and the sentence with them changed places.

`reading` finds the two phrases and `mending` exchanges them; `comparing` tells by the words alone
whether a pair of sentences is such a swap. Imports go one way: the modules here know all three,
`mending` and `comparing` know `reading` and not each other, and `reading` knows none of them.
"""

from symdemo.errors import NoPairFound
from symdemo.swapping.boxes import join
from symdemo.swapping.comparing.exchanged import Exchange, exchanged
from symdemo.swapping.swaps import Swap, swap, swap_at, swap_many
from symdemo.swapping.text import words_of

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
