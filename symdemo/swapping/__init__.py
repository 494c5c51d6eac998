"""Subject and object of a free English sentence, and the sentence with them changed places."""

from symdemo.errors import NoPairFound
from symdemo.swapping.boxes import join
from symdemo.swapping.sentences import Swap, swap
from symdemo.swapping.text import words_of

__all__ = ["NoPairFound", "Swap", "join", "swap", "words_of"]
