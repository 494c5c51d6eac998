"""What may be wrong about a swap, in plain sentences for a visitor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symdemo.swapping.candidates import Candidate


def doubts_about(candidate: Candidate) -> Iterator[str]:
    """Give each reason to doubt a candidate that shows without another reading."""
    yield from candidate.exchanged.unclear
