"""Training in pieces on a GPU that is lent for seconds at a time.

Where the package `spaces` is there, a piece of training runs in a process of its own that has a GPU
while it lasts. So everything goes in and comes out as values: the encoder, the pairs and a state on
the CPU. Elsewhere a piece is a plain call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from symdemo.training.loop import TrainingConfig, TrainingRun, TrainingStep

if TYPE_CHECKING:
    from symdemo.encoders import Encoder
    from symdemo.pairs import Pair
    from symdemo.training.readouts import Readout

try:
    import spaces
except ImportError:
    spaces = None

SECONDS = 60
"""For how long a GPU is asked for; a piece takes a few seconds of it."""

STEPS = 24
"""Of one piece, at most: each pays for moving the weights there and back."""


def is_lent() -> bool:
    """Whether training runs in pieces on a GPU that is lent."""
    return spaces is not None


def advance(run: TrainingRun, n: int) -> list[TrainingStep]:
    """Make the next n steps of a run, wherever they are made; as `TrainingRun.advance`."""
    if not is_lent():
        return run.advance(n)
    before = run.step
    made_from = run.encoder, run.pairs, run.method, run.config, run.before
    state = _lent_piece(*made_from, run.state(), n)
    run.restore(state)
    return run.history[before:]


def _piece(
    encoder: Encoder,
    pairs: Sequence[Pair],
    method: str,
    config: TrainingConfig,
    before: Readout | None,
    state: dict[str, Any],
    n: int,
) -> dict[str, Any]:
    """Carry training on by n steps on the GPU that is there, and give back the state."""
    if torch.cuda.is_available():
        encoder = encoder.clone().to("cuda")
    run = TrainingRun(encoder, pairs, method, config, before)
    run.restore(state)
    run.advance(n)
    return run.state()


# Decorated when the module is imported: a machine that lends GPUs looks for that before it starts.
_lent_piece = spaces.GPU(duration=SECONDS)(_piece) if spaces is not None else _piece
