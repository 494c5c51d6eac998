"""Training in pieces on ZeroGPU, where the package `spaces` lends a GPU for seconds at a time.

There, a piece runs in a process of its own that has the GPU while it lasts, so everything goes in
and out as values: the encoder, the pairs, and a state on the CPU. Tensors go through shared memory:
the weights are copied once, and later pieces send less than a megabyte. Elsewhere a piece is a
plain call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from symdemo.encoders.registry import is_gpu_lent
from symdemo.training.config import TrainingConfig
from symdemo.training.loop import TrainingRun, TrainingStep

if TYPE_CHECKING:
    from torch import Tensor

    from symdemo.encoders import Encoder
    from symdemo.pairs import Pair
    from symdemo.training.methods import Readout

try:
    import spaces
except ImportError:
    spaces = None

SECONDS = 60
"""GPU seconds to ask for; a piece takes a few of them."""

STEPS = 24
"""Maximum steps per piece: each piece pays for moving the weights there and back."""


def is_lent() -> bool:
    """True if training runs in pieces on a lent GPU."""
    return spaces is not None and is_gpu_lent()


def advance(run: TrainingRun, n: int) -> list[TrainingStep]:
    """Make the next n steps of a run, here or on a lent GPU, as `TrainingRun.advance`."""
    if not is_lent():
        return run.advance(n)
    before = run.step
    made_from = run.encoder, run.pairs, run.method, run.config, run.before, run.anchors
    run.restore(_lent_piece(*made_from, run.state(), n))
    return run.history[before:]


def _piece(
    encoder: Encoder,
    pairs: Sequence[Pair],
    method: str,
    config: TrainingConfig,
    before: Readout | None,
    anchors: Tensor | None,
    state: dict[str, Any],
    n: int,
) -> dict[str, Any]:
    """Continue training by n steps on the GPU and return the state."""
    if torch.cuda.is_available():
        encoder = encoder.clone().to("cuda")
    run = TrainingRun(encoder, pairs, method, config, before, anchors)
    run.restore(state)
    run.advance(n)
    return run.state()


# Decorated on import: a machine that lends GPUs looks for that before it starts.
_lent_piece = spaces.GPU(duration=SECONDS)(_piece) if spaces is not None else _piece
