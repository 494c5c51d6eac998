"""`SymmetryClassifier`: its parts, its predictions, and how it is stored."""

from symdemo.classifier.index import Neighbour
from symdemo.classifier.prediction import Prediction
from symdemo.classifier.symmetry import SymmetryClassifier

__all__ = ["Neighbour", "Prediction", "SymmetryClassifier"]
