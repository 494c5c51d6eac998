"""`SymmetryClassifier`: what it is made of, what it answers, and how it is kept."""

from symdemo.classifier.index import Neighbour
from symdemo.classifier.prediction import Prediction
from symdemo.classifier.symmetry import SymmetryClassifier

__all__ = ["Neighbour", "Prediction", "SymmetryClassifier"]
