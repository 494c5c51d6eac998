"""What else could have been asked: the same pair in other words, with the label it should get."""

from symdemo.analysis.counterfactuals.kinds import KINDS, Counterfactual, Unmade
from symdemo.analysis.counterfactuals.making import counterfactuals

__all__ = ["KINDS", "Counterfactual", "Unmade", "counterfactuals"]
