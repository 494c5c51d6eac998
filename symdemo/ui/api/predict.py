"""The named endpoint `/predict`, for programs."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from symdemo.text import check_is_text
from symdemo.ui.shared.answers import Answer, check
from symdemo.ui.shared.events import Problem, bounded
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.store import VisitorModels

PREDICT = "predict"


def make_predict(sessions: Sessions) -> Callable[[str, str, str, str], dict]:
    """The function behind `/predict`, answering with shared models and a caller's own versions."""

    def predict(sentence: str, hypothesis: str = "", model: str = "", project: str = "") -> dict:
        """Say whether a sentence still holds once subject and object have changed places.

        Args:
            sentence: an English sentence about two things, such as "Kenya borders Uganda."
            hypothesis: the swapped sentence; it is made from the sentence where this is empty.
            model: the name of a model, or with the key of a project the name or id of one of its
                versions; the model the app starts with where this is empty.
            project: the key of a project of yours: see “Its key” in the tab “Teach”, or `/teach`.

        Returns:
            label, probabilities (label to share), premise (the sentence as it was read),
            hypothesis, neighbours (premise, hypothesis, label, relation and distance of each,
            nearest first), familiar (false where nothing alike was taught, null where the model
            cannot tell), is_swap (false where more than the places changed), in_scope (false where
            the model was taught no such pairs: then the verdict means nothing), sure, doubts
            (sentences), note, other_swaps, sentence, and symmetry
            (null for models that read both sentences together).
        """
        found = bounded(_predict, sessions, sentence, hypothesis, model, project)
        if isinstance(found, Problem):
            raise gr.Error(found.message, print_exception=False)
        return found.to_json()

    return predict


def _predict(sessions: Sessions, sentence: str, hypothesis: str, model: str, id: str) -> Answer:
    check_is_text(sentence=sentence, hypothesis=hypothesis, model=model)
    project = sessions.find(id)  # a key that opens nothing is told of, and not passed over
    models = VisitorModels(sessions.store, project) if project else sessions.store
    return check(models, sentence, hypothesis.strip(), model.strip())
