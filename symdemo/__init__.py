"""symdemo: when subject and object of a relation change places, does the sentence still hold?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from symdemo.errors import InputError, ModelError, NoPairFound

if TYPE_CHECKING:  # the names that `__getattr__` finds
    from symdemo.classifier.index import Neighbour as Neighbour
    from symdemo.classifier.prediction import Prediction as Prediction
    from symdemo.classifier.symmetry import SymmetryClassifier as SymmetryClassifier
    from symdemo.encoders import load_encoder as load_encoder
    from symdemo.pairs import Pair as Pair
    from symdemo.swapping import join as join
    from symdemo.swapping import swap as swap
    from symdemo.swapping import swap_at as swap_at
    from symdemo.training.config import TrainingConfig as TrainingConfig

__version__ = "0.2.0"

# Loaded on first use, so that `symdemo --help` does not wait for torch.
_HOME = {
    "SymmetryClassifier": "symdemo.classifier.symmetry",
    "Prediction": "symdemo.classifier.prediction",
    "Neighbour": "symdemo.classifier.index",
    "Pair": "symdemo.pairs",
    "TrainingConfig": "symdemo.training.config",
    "swap": "symdemo.swapping",
    "swap_at": "symdemo.swapping",
    "join": "symdemo.swapping",
    "load_encoder": "symdemo.encoders",
}

__all__ = ["InputError", "ModelError", "NoPairFound", "__version__", *_HOME]  # noqa: PLE0604


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"module 'symdemo' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
