"""One row under the glass: who voted, which words matter, and what else could have been asked."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup

from symdemo.analysis.counterfactuals import KINDS, Unmade, counterfactuals
from symdemo.analysis.influence import word_influence
from symdemo.analysis.workspace import Kept
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.explaining import outvoted, reason, rotation_likeness, vote_pull
from symdemo.classifier.prediction import Prediction
from symdemo.errors import InputError
from symdemo.pairs import LABELS, Pair
from symdemo.ui.analyse.desk import Desk
from symdemo.ui.analyse.rows import neighbours_of
from symdemo.ui.analyse.shown import Shown
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.problems import Problem, attempt
from symdemo.ui.shared.words import relation_name


def glass_panel(desk: Desk, shown: Shown) -> Markup:
    """The row with its verdicts and its neighbours; empty where none is chosen."""
    row = shown.view.row
    if row is None:
        return Markup("")
    before, after = neighbours_of(shown, row)
    pinned = shown.view.pinned
    return draw(
        "analyse/glass.html",
        view=shown.view,
        one=_facts(desk, shown, row),
        pinned=None if pinned is None or pinned == row else _facts(desk, shown, pinned),
        before=before,
        after=after,
        labels=_labels(shown),
    )


def _labels(shown: Shown) -> list[str]:
    own = [label for label, _ in shown.opened.table.values("label") if label not in (None, *LABELS)]
    return [*LABELS, *map(str, own)]


def _facts(desk: Desk, shown: Shown, row: int) -> dict[str, Any]:
    """All that is known of a row before anything new is asked."""
    cells = shown.opened.table.row(row)
    personal = shown.opened.workspace.personal
    models = [name for name in (shown.view.model, shown.view.versus) if name]
    return {
        "row": row,
        **{name: cells[name] for name in ("premise", "hypothesis", "label")},
        "relation": relation_name(cells["relation"]),
        "construction": cells["construction"],
        "answers": [_answer(desk, shown, row, name) for name in models],
        "marked": row in personal.marked,
        "note": personal.notes.get(row, ""),
    }


def _answer(desk: Desk, shown: Shown, row: int, name: str) -> dict[str, Any]:
    cells = shown.opened.table.row(row)
    run = shown.opened.runs.get(name)
    found: dict[str, Any] = {
        "model": name,
        "verdict": cells[shown.name("verdict", name)],
        "probability": cells[shown.name("probability", name)],
        "right": cells[shown.name("right", name)],
        "exchanged": cells[shown.name("exchanged", name)],
        "unread": run.unread.get(row) if run else None,
        "taught": run.taught[row] if run else "unknown",
        "shares": [],
        "why": None,
        "problem": "",
    }
    if run is None or found["unread"]:
        return found
    shares = zip(run.labels, run.probabilities[row].tolist(), strict=True)
    found["shares"] = sorted(shares, key=lambda one: -one[1])
    pair = shown.opened.workspace.data.pairs[row]

    def ask() -> dict[str, Any]:
        return _why(desk.model(shown.opened.workspace, name).classifier, pair)

    why = attempt(lambda: shown.opened.remember_few(("why", name, row), ask))
    if isinstance(why, Problem):
        found["problem"] = why.message
    else:
        found["why"] = why
    return found


def _why(model: SymmetryClassifier, pair: Pair) -> dict[str, Any]:
    """The neighbours with their part of the vote, and the rotation where there is one."""
    (prediction,) = model.predict([pair])
    pull = vote_pull(model, prediction)
    likeness = rotation_likeness(model, prediction)
    return {
        "told": [reason(prediction, model), outvoted(prediction, pull) if pull else ""],
        "near": [
            {"taught": near, "part": part}
            for near, part in zip(prediction.neighbours, _parts(model, prediction), strict=True)
        ],
        "decided": pull.decided if pull else None,
        "of": len(model.index),
        "likeness": likeness and sorted(likeness.cosines.items(), key=lambda one: -one[1]),
        "votes": model.readout is None,
    }


def _parts(model: SymmetryClassifier, prediction: Prediction) -> list[float | None]:
    """Each neighbour's part of the vote, of 1 in all; None where the model does not vote."""
    near = prediction.neighbours
    if model.readout:
        return [None] * len(near)
    if model.card.temperature is None:
        return [1 / len(near)] * len(near)
    weights = model.index.vote_weights(prediction.label_embedding[None], model.card.temperature)[0]
    nearest = np.argsort(model.index.distances(prediction.label_embedding[None])[0], kind="stable")
    return (weights[nearest[: len(near)]] / weights.sum()).tolist()


def words_panel(desk: Desk, shown: Shown) -> Markup:
    """How much each word carries the verdict, by leaving it out."""
    row = shown.view.row
    if row is None or shown.view.model not in shown.opened.runs:
        return Markup("")
    pair = shown.opened.workspace.data.pairs[row]

    def ask() -> Any:
        model = desk.model(shown.opened.workspace, shown.view.model).classifier
        return word_influence(model, pair)

    found = attempt(lambda: shown.opened.remember_few(("words", shown.view.model, row), ask))
    problem = found.message if isinstance(found, Problem) else ""
    return draw(
        "analyse/words.html",
        words=[] if problem else found,
        problem=problem,
        model=shown.view.model,
    )


def others_panel(desk: Desk, shown: Shown) -> Markup:
    """The counterfactuals of the row, and those that the visitor wrote, with fresh verdicts."""
    row = shown.view.row
    if row is None:
        return Markup("")
    workspace = shown.opened.workspace
    pair = workspace.data.pairs[row]
    made = shown.opened.remember_few(("others", row), lambda: counterfactuals(pair))
    found = [one for one in made if not isinstance(one, Unmade)]
    kept = [one for one in workspace.personal.kept if one.row == row]
    models = [name for name in (shown.view.model, shown.view.versus) if name in shown.opened.runs]
    asked = [one.pair for one in (*kept, *found)]
    verdicts = {name: _ask_all(desk, shown, name, asked) for name in models}
    answers = [[(name, verdicts[name][at]) for name in models] for at in range(len(asked))]
    lines = zip((*kept, *found), answers, strict=True)
    return draw(
        "analyse/others.html",
        row=row,
        pair=pair,
        kinds=KINDS,
        lines=[_line(one, own, at < len(kept)) for at, (one, own) in enumerate(lines)],
        unmade=[one for one in made if isinstance(one, Unmade)],
        labels=_labels(shown),
    )


def _line(one: Any, answers: list[tuple[str, Any]], kept: bool) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "premise": one.pair.premise,
        "hypothesis": one.pair.hypothesis,
        "expected": one.expected,
        "how": "" if kept else one.how,
        "kept": kept,
        "answers": answers,
    }


def _ask_all(
    desk: Desk, shown: Shown, name: str, pairs: list[Pair]
) -> list[tuple[str, float] | str]:
    """For each pair the verdict with its probability, or why there is none."""
    model = attempt(lambda: desk.model(shown.opened.workspace, name).classifier)
    if isinstance(model, Problem):
        return [model.message] * len(pairs)
    checked = [attempt(model.check, pair) for pair in pairs]
    fit = [pair for pair in checked if not isinstance(pair, Problem)]
    answers = iter(model.predict(fit) if fit else ())
    found: list[tuple[str, float] | str] = []
    for pair in checked:
        if isinstance(pair, Problem):
            found.append(pair.message)
        else:
            answer = next(answers)
            found.append((answer.label, answer.probabilities[answer.label]))
    return found


def read_counterfactual(row: int, sent: dict[str, Any]) -> Kept:
    """A pair that the visitor wrote under a row.

    Raises:
        InputError: something in it is not text, or a sentence cannot be judged.
    """
    from symdemo.pairs import check_pair

    texts = {name: sent.get(name) for name in ("premise", "hypothesis", "expected", "kind")}
    if not all(text is None or isinstance(text, str) for text in texts.values()):
        raise InputError("The pair could not be read; open the page again.")
    pair = check_pair(Pair(texts["premise"] or "", texts["hypothesis"] or ""))
    kind = texts["kind"] if texts["kind"] in KINDS else "own"
    return Kept(row, kind, pair.premise, pair.hypothesis, (texts["expected"] or "")[:80] or None)
