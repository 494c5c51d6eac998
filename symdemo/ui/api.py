"""The named endpoint `/predict`, for programs."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from symdemo.ui.store import ModelStore
from symdemo.ui.try_handlers import Answer, Problem, check

PREDICT = "predict"


def make_predict(store: ModelStore) -> Callable[[str, str, str], dict]:
    """The function behind `/predict`, answering from `store`."""

    def predict(sentence: str, hypothesis: str = "", model: str = "") -> dict:
        """Say whether a sentence still holds once subject and object have changed places.

        Args:
            sentence: an English sentence about two things, such as "Kenya borders Uganda."
            hypothesis: the swapped sentence; it is made from the sentence where this is empty.
            model: the name of a model; the one the app starts with where this is empty.

        Returns:
            label, probabilities (label to share), hypothesis, neighbours (premise, hypothesis,
            label, relation and distance of each, nearest first), symmetry, and familiar (false
            where nothing alike was taught, null where the model cannot tell).
        """
        given = hypothesis.strip()
        _, found = check(store, sentence, given, " ".join(sentence.split()) if given else "", model)
        if isinstance(found, Problem):
            raise gr.Error(found.message, print_exception=False)
        return to_json(found)

    return predict


def to_json(answer: Answer) -> dict:
    """An answer as plain JSON values."""
    prediction = answer.prediction
    return {
        "label": prediction.label,
        "probabilities": prediction.probabilities,
        "hypothesis": prediction.pair.hypothesis,
        "neighbours": [
            {
                "premise": near.pair.premise,
                "hypothesis": near.pair.hypothesis,
                "label": near.label,
                "relation": near.relation,
                "distance": near.distance,
            }
            for near in prediction.neighbours
        ],
        "symmetry": prediction.symmetry,
        "familiar": prediction.familiar,
    }
