"""The named endpoints, for programs; the names of their functions are those of the MCP tools."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypedDict, cast, get_type_hints

import gradio as gr

from symdemo.analysis.influence import word_influence
from symdemo.classifier import asking
from symdemo.errors import InputError, ModelError
from symdemo.teaching.instant import teach_instantly, teach_project_instantly
from symdemo.teaching.row_sources import read_lines
from symdemo.teaching.rows import pairs_to_teach
from symdemo.text import check_is_text, shorten
from symdemo.ui.sentences.comparing import BY_NAME, Similarity, compare, tidy_sentence
from symdemo.ui.shared.answers import LoadedAnswer, check
from symdemo.ui.shared.events import Problem, bounded
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.store import VisitorModels

NEW = "new"  # value of `project` that creates one; no key is this short

MAX_QUESTIONS = 50


class Near(TypedDict):
    """A taught pair near to the asked one."""

    premise: str
    hypothesis: str
    label: str
    relation: str | None
    distance: float


class PairVerdict(TypedDict):
    """The answer of a model about a pair."""

    premise: str
    hypothesis: str
    label: str
    probabilities: dict[str, float]
    judged: bool
    familiar: bool | None
    symmetry: float | None
    neighbours: list[Near]


class Swapped(TypedDict):
    """A sentence with its swap."""

    premise: str
    hypothesis: str
    doubts: list[str]
    note: str
    other_swaps: list[str]


class Checked(PairVerdict, Swapped):
    """A verdict on a question."""

    sentence: str
    is_swap: bool
    change: str
    in_scope: bool
    sure: bool
    model: str


class Influence(TypedDict):
    """The effect of one word on a verdict."""

    word: str
    side: str
    change: float | None
    label: str | None


class Grounds(TypedDict):
    """The grounds of a verdict."""

    label: str
    premise: str
    hypothesis: str
    model: str
    words: list[Influence]
    neighbours: list[Near]


class Compared(Checked):
    """The verdict of one of several models."""

    asked: str


class Missing(TypedDict):
    """Why one of several models did not answer."""

    asked: str
    missing: str


class Taught(TypedDict):
    """A taught model."""

    labels: list[str]
    comparison: dict[str, Any] | None
    verdicts: list[PairVerdict]
    version: str | None
    project: str | None


class Cosine(TypedDict):
    """How similar two sentences are by one encoder; see `how_similar`."""

    encoder: str
    missing: None
    cosine: float
    unrelated: int
    nearer_unrelated: int
    same: int
    nearer_same: int


class NoCosine(TypedDict):
    """Why one encoder did not answer."""

    encoder: str
    missing: str


class Similar(TypedDict):
    """The similarity of two sentences."""

    first: str
    second: str
    encoders: list[Cosine | NoCosine]


def _answered(function: Callable[..., Any], long: bool = False) -> Callable[..., Any]:
    """Let an endpoint answer within its deadline, and raise its error for a program.

    Gradio reads docstrings line by line, so each argument and what is returned gets one line. It
    needs the types themselves, not their names.
    """

    function.__annotations__ = get_type_hints(function)

    @wraps(function)
    def run(*args: Any) -> Any:
        found = bounded(function, *args, long=long)
        if isinstance(found, Problem):
            raise gr.Error(found.message, print_exception=False)
        return found

    told, _, returned = (inspect.getdoc(function) or "").partition("Returns:\n")
    run.__doc__ = re.sub(r"\n {8,}", " ", told) + f"Returns:\n    {' '.join(returned.split())}"
    return run


class Endpoints:
    """Endpoints for programs, on the models and projects of `sessions`."""

    def __init__(self, sessions: Sessions):
        self._sessions = sessions

    @_answered
    def does_it_hold(
        self, sentence: str, hypothesis: str = "", model: str = "", project: str = ""
    ) -> Checked:
        """Tell if a second sentence follows from a first: its swap, or any you give.

        In a swap, subject and object change places. A second sentence that is no swap (a rewording,
        a converse, a negation) goes to the model “pairs” where the asked one was taught swaps only.

        Args:
            sentence: an English sentence about two things, such as "Kenya borders Uganda."
            hypothesis: the second sentence, such as "Uganda is Kenya's neighbour."; the swapped
                first one if empty.
            model: the name of a model or, with a project key, the name or id of one of its
                versions; the app's default model if empty.
            project: the key of your project, from the tab “Teach” or from `/teach`.

        Returns:
            label (“not judged” for sentences that do not relate the same two things, and others
            that the model was not made for), judged (false for these), probabilities (by label),
            premise (the sentence as it was read), hypothesis, neighbours (premise, hypothesis,
            label, relation and distance of each, nearest first), familiar (false if the model knows
            nothing similar, null if it cannot tell), is_swap (false if more than a swap), change
            (what the second sentence changes: a swap, the same sentence, a negation, another thing,
            more is said, seen from the other side, other words), in_scope (false if the model knows
            no such pairs: then the verdict means nothing), sure, doubts (sentences), note,
            other_swaps, model (the one that answered), sentence, and symmetry (null for models that
            read both sentences together).
        """
        return cast(Checked, self._ask(sentence, hypothesis, model, project).to_json())

    def _ask(self, sentence: str, hypothesis: str, model: str, project: str) -> LoadedAnswer:
        check_is_text(sentence=sentence, hypothesis=hypothesis, model=model)
        own = self._sessions.find(project)  # raises for a key that opens nothing
        models = VisitorModels(self._sessions.store, own) if own else self._sessions.store
        return check(models, sentence, hypothesis.strip(), model.strip())

    @_answered
    def explain_verdict(
        self, sentence: str, hypothesis: str = "", model: str = "", project: str = ""
    ) -> Grounds:
        """Tell what a verdict rests on: single words, and the nearest taught pairs.

        Args:
            sentence: an English sentence about two things, such as "Kenya borders Uganda."
            hypothesis: the second sentence; the swapped first one if empty.
            model: the name of a model or of a version, as at `/predict`.
            project: the key of your project.

        Returns:
            label (the verdict), premise, hypothesis, model (the one that answered), words (of each:
            word, side: premise, hypothesis or both, change: how much less probable the verdict is
            without it, and label: the verdict without it; null if the rest cannot be judged), those
            that matter most first, and neighbours (as at `/predict`).
        """
        found = self._ask(sentence, hypothesis, model, project)
        said = found.prediction
        words = word_influence(found.model.classifier, said.pair)
        return {
            "label": said.label,
            "premise": said.pair.premise,
            "hypothesis": said.pair.hypothesis,
            "model": found.answered_by,
            "words": [
                {"word": one.word, "side": one.side, "change": one.change, "label": one.label}
                for one in sorted(words, key=lambda one: -abs(one.change or 0))
            ],
            "neighbours": cast(list[Near], [near.to_json() for near in said.neighbours]),
        }

    @_answered
    def swap_places(self, sentence: str) -> Swapped:
        """Exchange subject and object of a sentence; no model is asked.

        Args:
            sentence: an English sentence about two things, such as "Kenya borders Uganda."

        Returns:
            premise (the sentence as it was read), hypothesis (the swapped sentence), doubts
            (sentences: why another swap may be meant), note, and other_swaps.
        """
        check_is_text(sentence=sentence)
        question = asking.read(sentence)
        assert question.swap is not None  # as no second sentence was given
        return {
            "premise": question.pair.premise,
            "hypothesis": question.pair.hypothesis,
            "doubts": list(question.swap.doubts),
            "note": question.swap.note,
            "other_swaps": [other.hypothesis for other in question.swap.others],
        }

    @_answered
    def compare_models(self, sentence: str, hypothesis: str = "") -> list[Compared | Missing]:
        """Ask every model of the app if a second sentence follows from a first.

        Args:
            sentence: an English sentence about two things.
            hypothesis: the second sentence; the swapped first one if empty.

        Returns:
            for each model: asked (its name), and the answer of `/predict`, or missing: why it did
            not answer.
        """
        check_is_text(sentence=sentence, hypothesis=hypothesis)
        store, found = self._sessions.store, []
        for name in store.cards():
            try:
                answer = check(store, sentence, hypothesis.strip(), name).to_json()
            except ModelError as error:
                answer = {"missing": str(error)}
            found.append({"asked": name} | answer)
        return cast(list[Compared | Missing], found)

    @partial(_answered, long=True)
    def teach_relations(self, rows: str, ask: str = "", project: str = "") -> Taught:
        """Teach the model relations of your own instantly, without retraining.

        Args:
            rows: one per line: subject, relation, object, label; or premise, hypothesis, label;
                or premise, label. Separated by commas, semicolons, | or tabs. A label is
                entailment, contradiction, neutral (or yes, no, maybe), or a name of your own.
            ask: sentences for the taught model, one per line; they are swapped for you.
            project: the key of a project, which gets the new rows and a new version, or stays as
                it is if the rows are refused; “new” creates a project; without one nothing is
                saved.

        Returns:
            labels of the taught model, comparison (own_before, own_after, benchmark_before,
            benchmark_after, drift, probes, …), verdicts on `ask`, version (its id in the project,
            or null), and project (the key, or null; keep it, as nothing else opens the project,
            here and at /predict).
        """
        check_is_text(ask=ask)
        sessions = self._sessions
        pairs, problems = read_lines(rows, sessions.limits)
        if problems:
            raise InputError(next(iter(problems.values())))
        questions = [asking.read(line) for line in ask.splitlines() if line.strip()]
        if len(questions) > MAX_QUESTIONS:
            raise InputError(
                f"There are {len(questions)} sentences to query; at most {MAX_QUESTIONS} are "
                "allowed."
            )
        base = sessions.projects.base_model()
        if project == NEW:
            pairs_to_teach(pairs, base, sessions.limits)  # if it raises, no project is created
        own = sessions.begin(sessions.projects.create) if project == NEW else sessions.find(project)
        if own is None:
            model, comparison = teach_instantly(base, pairs_to_teach(pairs, base, sessions.limits))
            version, scores = None, comparison.to_json()
        else:
            made = teach_project_instantly(own, pairs)
            model, version, scores = own.model(made.id), made.id, made.scores
        answers = asking.ask(model, questions) if questions else []
        return {
            "labels": list(model.labels),
            "comparison": scores,
            "verdicts": cast(list[PairVerdict], [one.prediction.to_json() for one in answers]),
            "version": version,
            "project": own.id if own else None,
        }

    @_answered
    def how_similar(self, first: str, second: str, encoder: str = "") -> Similar:
        """Return how similar two sentences are to several encoders, compared with fixed pairs.

        Args:
            first: an English sentence of up to 500 characters.
            second: another one.
            encoder: the name of one encoder; all of them if empty. A language model is loaded on
                first use, which takes some seconds.

        Returns:
            first and second (as they were read), and encoders: for each its name, its cosine (not
            comparable between encoders), unrelated and same (the numbers of fixed pairs of
            unrelated sentences and of paraphrases), nearer_unrelated and nearer_same (how many of
            them are less similar than this pair), and missing: why it did not answer, else null.
        """
        check_is_text(encoder=encoder)
        asked = encoder.strip()
        if asked and asked not in BY_NAME:
            raise ModelError(
                f"There is no encoder “{shorten(asked)}”; here are: {', '.join(BY_NAME)}."
            )
        one, two = tidy_sentence(first, "first sentence"), tidy_sentence(second, "second sentence")
        rows: list[Any] = []
        for name in [asked] if asked else BY_NAME:
            found = compare(self._sessions.encoders, name, one, two)
            if isinstance(found, Similarity):
                unrelated, same = found.scale.ranks(found.cosine)
                rows.append({
                    "encoder": name, "missing": None, "cosine": found.cosine,
                    "unrelated": len(found.scale.unrelated), "nearer_unrelated": unrelated,
                    "same": len(found.scale.same), "nearer_same": same,
                })  # fmt: skip
            else:
                missing = found.message if isinstance(found, Problem) else str(found)
                rows.append({"encoder": name, "missing": missing})
        return {"first": one, "second": two, "encoders": rows}
