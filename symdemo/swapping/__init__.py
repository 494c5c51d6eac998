"""Subject and object of a free English sentence, and the sentence with them changed places."""

from symdemo.errors import NoPairFound
from symdemo.swapping.boxes import join
from symdemo.swapping.exchanged import Exchange, exchanged
from symdemo.swapping.picked import swap_at
from symdemo.swapping.sentences import swap
from symdemo.swapping.swaps import Swap
from symdemo.swapping.text import words_of

__all__ = ["Exchange", "NoPairFound", "Swap", "exchanged", "join", "swap", "swap_at", "words_of"]
