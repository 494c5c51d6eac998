"""How good a model is, beside the baselines that matter, and what its encoder forgot."""

from symdemo.evaluation.scores import Evaluation, evaluate, score

__all__ = ["Evaluation", "evaluate", "score"]
