"""How an encoder learns: configuration, methods, sampling, retention, and the loop (Eq. 3 to 5)."""

from symdemo.training.config import TrainingConfig
from symdemo.training.loop import TrainingStep, train_encoder

__all__ = ["TrainingConfig", "TrainingStep", "train_encoder"]
