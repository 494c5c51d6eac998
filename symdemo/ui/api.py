"""The named endpoint `/predict`, for programs."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from symdemo.ui.store import OwnModels
from symdemo.ui.teach_sessions import TeachSessions
from symdemo.ui.try_handlers import Answer, Problem, attempt, check

PREDICT = "predict"


def make_predict(sessions: TeachSessions) -> Callable[[str, str, str, str], dict]:
    """The function behind `/predict`, answering with shared models and a caller's own versions."""

    def predict(sentence: str, hypothesis: str = "", model: str = "", project: str = "") -> dict:
        """Say whether a sentence still holds once subject and object have changed places.

        Args:
            sentence: an English sentence about two things, such as "Kenya borders Uganda."
            hypothesis: the swapped sentence; it is made from the sentence where this is empty.
            model: the name of a model, or with the key of a project the name or id of one of its
                versions; the model the app starts with where this is empty.
            project: the key of a project of yours: see “Ask it from a program”, or `/teach`.

        Returns:
            label, probabilities (label to share), hypothesis, neighbours (premise, hypothesis,
            label, relation and distance of each, nearest first), symmetry, and familiar (false
            where nothing alike was taught, null where the model cannot tell).
        """
        found = attempt(_predict, sessions, sentence, hypothesis.strip(), model.strip(), project)
        if isinstance(found, Problem):
            raise gr.Error(found.message, print_exception=False)
        return to_json(found)

    return predict


def _predict(
    sessions: TeachSessions, sentence: str, hypothesis: str, model: str, id: str
) -> Answer | Problem:
    project = sessions.find(id)  # a key that opens nothing is told of, and not passed over
    store = OwnModels(sessions.store, project) if project else sessions.store
    swapped_from = " ".join(sentence.split()) if hypothesis else ""
    return check(store, sentence, hypothesis, swapped_from, model)[1]


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
