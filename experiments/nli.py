"""Sentence similarity before and after a training, by its former name."""

from experiments.scoring import sts_change

__all__ = ["sts_change"]
