"""What a swap is: two sentences, their parts, and how sure they are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Swap:
    """A sentence, the same sentence with subject and object changed places, and its parts.

    `subject` and `object` stand as they do in the premise. `relation` is the premise with [X] for
    the subject and [Y] for the object: "[X] was married to [Y] in 1895."

    `doubts` says in plain sentences why this may not be the swap that a person would make, and
    `others` gives what else it may be, the likeliest first. `note` says what was read in place of
    what was typed, where the premise is not the sentence as given (a question, a typing error).
    """

    premise: str
    hypothesis: str
    subject: str
    object: str
    relation: str
    doubts: tuple[str, ...] = ()
    others: tuple[Swap, ...] = ()
    note: str = ""

    @property
    def sure(self) -> bool:
        """Whether nothing speaks against showing this swap as the one that was meant."""
        return not self.doubts
