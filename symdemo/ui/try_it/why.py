"""HTML of what a verdict rests on: a reason, the nearest examples, the pull of each label."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from symdemo.classifier.explaining import (
    is_invented,
    outvoted,
    reason,
    shown_premise,
    vote_pull,
)
from symdemo.classifier.index import Neighbour
from symdemo.ui.shared.answers import Answer
from symdemo.ui.shared.html import draw
from symdemo.ui.try_it.verdict import place_of_label


def why_panel(answer: Answer) -> Markup:
    """Everything that explains the verdict, right under it."""
    model, prediction = answer.model.classifier, answer.prediction
    pull = vote_pull(model, prediction)
    labels = pull.labels if pull else ()
    return draw(
        "try_it/why.html",
        told=[reason(prediction, model), outvoted(prediction, pull) if pull else ""],
        near=[_neighbour(near) for near in prediction.neighbours],
        model=model,
        pull=pull,
        order=sorted(range(len(labels)), key=lambda j: place_of_label((labels[j], 0))),
    )


def _neighbour(near: Neighbour) -> dict[str, Any]:
    """A taught pair with its two sentences in the order to show them in."""
    first = shown_premise(near.pair)
    second = near.pair.premise if first == near.pair.hypothesis else near.pair.hypothesis
    return {"taught": near, "pair": (first, second), "invented": is_invented(near.pair)}
