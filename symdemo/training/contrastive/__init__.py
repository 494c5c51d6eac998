"""Contrastive training of sentence encoders on natural language inference: Eq. 6 of BeLLM.

Li and Li (2024), arXiv 2311.05296: a sentence, one that follows from it, and one that contradicts
it. `train_contrastive` trains low-rank additions to a decoder's weights and can go on after a stop.
"""

from symdemo.training.contrastive.config import ContrastiveConfig
from symdemo.training.contrastive.training import ContrastiveStep, train_contrastive
from symdemo.training.contrastive.triplets import Triplet, TripletData, load_triplets

__all__ = [
    "ContrastiveConfig",
    "ContrastiveStep",
    "Triplet",
    "TripletData",
    "load_triplets",
    "train_contrastive",
]
