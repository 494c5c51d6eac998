"""The named endpoints, for programs; the names of their functions are those of the MCP tools."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import wraps
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

NEW = "new"
"""Value of `project` that creates one; no key is this short."""

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
    """The similarity of two sentences to one encoder."""

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
    """Wrap an endpoint: it answers within its deadline, and raises its error for a program.

    Gradio reads docstrings line by line, so each argument and what is returned gets one line. It
    needs the return type itself, not its name.
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


def make_predict(sessions: Sessions) -> Callable[[str, str, str, str], Checked]:
    """Return the function of `/predict`."""

    def does_it_hold(
        sentence: str, hypothesis: str = "", model: str = "", project: str = ""
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
            seen from the other side, other words), in_scope (false if the model knows no such
            pairs: then the verdict means nothing), sure, doubts (sentences), note, other_swaps,
            model (the one that answered), sentence, and symmetry (null for models that read both
            sentences together).
        """
        return cast(Checked, _ask(sessions, sentence, hypothesis, model, project).to_json())

    return _answered(does_it_hold)


def _ask(
    sessions: Sessions, sentence: str, hypothesis: str, model: str, project: str
) -> LoadedAnswer:
    check_is_text(sentence=sentence, hypothesis=hypothesis, model=model)
    own = sessions.find(project)  # raises for a key that opens nothing
    models = VisitorModels(sessions.store, own) if own else sessions.store
    return check(models, sentence, hypothesis.strip(), model.strip())


def make_why(sessions: Sessions) -> Callable[[str, str, str, str], Grounds]:
    """Return the function of `/why`."""

    def explain_verdict(
        sentence: str, hypothesis: str = "", model: str = "", project: str = ""
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
        found = _ask(sessions, sentence, hypothesis, model, project)
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

    return _answered(explain_verdict)


@_answered
def swap_places(sentence: str) -> Swapped:
    """Exchange subject and object of a sentence; no model is asked.

    Args:
        sentence: an English sentence about two things, such as "Kenya borders Uganda."

    Returns:
        premise (the sentence as it was read), hypothesis (the swapped sentence), doubts (sentences:
        why another swap may be meant), note, and other_swaps.
    """
    check_is_text(sentence=sentence)
    question = asking.read(sentence)
    return {
        "premise": question.pair.premise,
        "hypothesis": question.pair.hypothesis,
        "doubts": list(question.swap.doubts) if question.swap else [],
        "note": question.swap.note if question.swap else "",
        "other_swaps": [s.hypothesis for s in question.swap.others] if question.swap else [],
    }


def make_compare(sessions: Sessions) -> Callable[[str, str], list[Compared | Missing]]:
    """Return the function of `/compare`."""

    def compare_models(sentence: str, hypothesis: str = "") -> list[Compared | Missing]:
        """Ask every model of the app if a second sentence follows from a first.

        Args:
            sentence: an English sentence about two things.
            hypothesis: the second sentence; the swapped first one if empty.

        Returns:
            for each model: asked (its name), and the answer of `/predict`, or missing: why it did
            not answer.
        """
        check_is_text(sentence=sentence, hypothesis=hypothesis)
        found: list[Any] = []
        for name in sessions.store.cards():
            try:
                answer = check(sessions.store, sentence, hypothesis.strip(), name).to_json()
            except ModelError as error:
                answer = {"missing": str(error)}
            found.append({"asked": name} | answer)
        return found

    return _answered(compare_models)


def make_teach(sessions: Sessions) -> Callable[[str, str, str], Taught]:
    """Return the function of `/teach`."""

    def teach_relations(rows: str, ask: str = "", project: str = "") -> Taught:
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
        return _teach(sessions, rows, ask, project)

    return _answered(teach_relations, long=True)


def _teach(sessions: Sessions, text: str, ask: str, id: str) -> Taught:
    check_is_text(ask=ask)
    rows, problems = read_lines(text, sessions.limits)
    if problems:
        raise InputError(next(iter(problems.values())))
    questions = [asking.read(line) for line in ask.splitlines() if line.strip()]
    if len(questions) > MAX_QUESTIONS:
        raise InputError(
            f"There are {len(questions)} sentences to query; at most {MAX_QUESTIONS} are allowed."
        )
    base = sessions.projects.base_model()
    project = None if id == NEW else sessions.find(id)
    if id == NEW:
        pairs_to_teach(rows, base, sessions.limits)  # if they cannot be taught, create no project
        project = sessions.begin(sessions.projects.create)
    if project is None:
        model, comparison = teach_instantly(base, pairs_to_teach(rows, base, sessions.limits))
        version, scores = None, comparison.to_json()
    else:
        made = teach_project_instantly(project, rows)
        model, version, scores = project.model(made.id), made.id, made.scores
    verdicts: list[Any] = [
        found.prediction.to_json() for found in (asking.ask(model, questions) if questions else ())
    ]
    return {
        "labels": list(model.labels),
        "comparison": scores,
        "verdicts": verdicts,
        "version": version,
        "project": project.id if project else None,
    }


def make_similarity(sessions: Sessions) -> Callable[[str, str, str], Similar]:
    """Return the function of `/similarity`, over the encoders of the tab “Sentence lab”."""

    def how_similar(first: str, second: str, encoder: str = "") -> Similar:
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
        name = encoder.strip()
        if name and name not in BY_NAME:
            raise ModelError(
                f"There is no encoder “{shorten(name)}”; here are: {', '.join(BY_NAME)}."
            )
        one, two = tidy_sentence(first, "first sentence"), tidy_sentence(second, "second sentence")
        names = [name] if name else list(BY_NAME)
        rows = [_row(name, compare(sessions.encoders, name, one, two)) for name in names]
        return {"first": one, "second": two, "encoders": rows}

    return _answered(how_similar)


def _row(name: str, found: Similarity | Problem | ModelError) -> Cosine | NoCosine:
    if isinstance(found, Problem | ModelError):
        missing = found.message if isinstance(found, Problem) else str(found)
        return {"encoder": name, "missing": missing}
    unrelated, same = found.scale.ranks(found.cosine)
    return {
        "encoder": name,
        "missing": None,
        "cosine": found.cosine,
        "unrelated": len(found.scale.unrelated),
        "nearer_unrelated": unrelated,
        "same": len(found.scale.same),
        "nearer_same": same,
    }
