"""The named endpoint `/predict`, for programs."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from symdemo.text import check_is_text
from symdemo.ui.shared.answers import LoadedAnswer, check
from symdemo.ui.shared.events import Problem, bounded
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.store import VisitorModels

PREDICT = "predict"


def make_predict(sessions: Sessions) -> Callable[[str, str, str, str], dict]:
    """Return the function behind `/predict`, over shared models and a caller's own versions."""

    def predict(sentence: str, hypothesis: str = "", model: str = "", project: str = "") -> dict:
        """Tell if a sentence still holds when subject and object change places.

        Args:
            sentence: an English sentence about two things, such as "Kenya borders Uganda."
            hypothesis: the swapped sentence; made from the sentence if empty.
            model: the name of a model or, with a project key, the name or id of one of its
                versions; the app's default model if empty.
            project: the key of your project, from the tab “Teach” or from `/teach`.

        Returns:
            label, probabilities (by label), premise (the sentence as it was read), hypothesis,
            neighbours (premise, hypothesis, label, relation and distance of each, nearest first),
            familiar (false if the model knows nothing similar, null if it cannot tell), is_swap
            (false if more than a swap), in_scope (false if the model knows no such pairs: then the
            verdict means nothing), sure, doubts (sentences), note, other_swaps, sentence, and
            symmetry (null for models that read both sentences together).
        """
        found = bounded(_predict, sessions, sentence, hypothesis, model, project)
        if isinstance(found, Problem):
            raise gr.Error(found.message, print_exception=False)
        return found.to_json()

    return predict


def _predict(
    sessions: Sessions, sentence: str, hypothesis: str, model: str, id: str
) -> LoadedAnswer:
    check_is_text(sentence=sentence, hypothesis=hypothesis, model=model)
    project = sessions.find(id)  # raises for a key that opens nothing
    models = VisitorModels(sessions.store, project) if project else sessions.store
    return check(models, sentence, hypothesis.strip(), model.strip())
