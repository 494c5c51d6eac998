"""Subject and object of a free English sentence, and the sentence with them changed places."""

from symdemo.swapping.exchanged import Exchange, exchanged
from symdemo.swapping.sentences import Swap, join, swap

__all__ = ["Exchange", "Swap", "exchanged", "join", "swap"]
