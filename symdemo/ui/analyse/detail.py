"""One row in detail: its neighbours, the words that matter, and variants of it to query."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup

from symdemo.analysis.counterfactuals import KINDS, Unmade, counterfactuals
from symdemo.analysis.influence import word_influence
from symdemo.analysis.workspace import Kept
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.asking import NOT_OUR_KIND
from symdemo.classifier.explaining import (
    outvoted,
    reason,
    relation_words,
    rotation_likeness,
    vote_pull,
)
from symdemo.classifier.prediction import NOT_JUDGED
from symdemo.errors import InputError
from symdemo.pairs import LABELS, Pair, check_pair
from symdemo.swapping.changes import is_swap
from symdemo.ui.analyse.service import OpenedAnalysis
from symdemo.ui.analyse.view import ShownRows
from symdemo.ui.shared.events import Problem, attempt, attempt_all
from symdemo.ui.shared.html import draw


def detail_panel(shown: ShownRows, row: int) -> Markup:
    """Draw a row with verdicts and neighbours."""
    pinned, rows = shown.view.pinned, shown.rows.tolist()
    at = rows.index(row) if row in rows else None
    return draw(
        "analyse/detail.html",
        view=shown.view,
        one=_facts(shown, row),
        pinned=None if pinned in (None, row) else _facts(shown, pinned),
        before=rows[at - 1] if at else None,
        after=None if at in (None, len(rows) - 1) else rows[at + 1],
        labels=_labels(shown),
    )


def _labels(shown: ShownRows) -> list[str]:
    own = [label for label, _ in shown.opened.table.values("label") if label not in (None, *LABELS)]
    return [*LABELS, *map(str, own)]


def _facts(shown: ShownRows, row: int) -> dict[str, Any]:
    cells, workspace = shown.opened.table.row(row), shown.opened.workspace
    pair = workspace.data.pairs[row]
    return cells | {
        "relation": relation_words(pair),
        "is_swap": is_swap(pair),
        "answers": [_verdict(shown, cells, name) for name in shown.models],
        "note": workspace.personal.notes.get(row, ""),
    }


def _verdict(shown: ShownRows, cells: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the verdict of one model, and what explains it unless the model is gone."""
    row, opened = cells["row"], shown.opened
    own = ("verdict", "probability", "right", "exchanged")
    found: dict[str, Any] = {cell: cells[shown.name(cell, name)] for cell in own}
    found |= {"model": name, "unread": None, "taught": "", "shares": [], "why": None, "problem": ""}
    if (run := opened.runs.get(name)) is None:
        return found
    found |= {"unread": run.unread.get(row), "taught": run.taught[row]}
    if found["unread"]:
        return found
    if found["verdict"] == NOT_JUDGED:
        return found | {"problem": NOT_OUR_KIND}
    shares = zip(run.labels, run.probabilities[row].tolist(), strict=True)
    found["shares"] = sorted(shares, key=lambda one: -one[1])

    def explain() -> dict[str, Any]:
        return _explain(opened.model(name), opened.workspace.data.pairs[row])

    why = attempt(opened.remember, ("why", name, row), explain)
    return found | ({"problem": why.message} if isinstance(why, Problem) else {"why": why})


def _explain(model: SymmetryClassifier, pair: Pair) -> dict[str, Any]:
    (prediction,) = model.predict([pair])
    pull = vote_pull(model, prediction)
    likeness = rotation_likeness(model, prediction)
    near, embedding = prediction.neighbours, prediction.label_embedding[None]
    shares: list[float | None]
    if model.readout:  # it does not vote
        shares = [None] * len(near)
    elif model.card.temperature is None:
        shares = [1 / len(near) for _ in near]
    else:
        weights = model.index.vote_weights(embedding, model.card.temperature)[0]
        nearest = np.argsort(model.index.distances(embedding)[0], kind="stable")
        shares = weights[nearest[: len(near)]].tolist()
    return {
        "reasons": [reason(prediction, model), outvoted(prediction, pull) if pull else ""],
        "near": [
            {"taught": one, "relation": relation_words(one.pair), "part": share}
            for one, share in zip(near, shares, strict=True)
        ],
        "decided": pull.decided if pull else None,
        "of": len(model.index),
        "likeness": likeness and sorted(likeness.cosines.items(), key=lambda one: -one[1]),
        "votes": model.readout is None,
    }


def words_panel(shown: ShownRows) -> Markup:
    """Draw how much each word contributes to the verdict, found by leaving it out."""
    row, model, opened = shown.view.row, shown.view.model, shown.opened
    if row is None or model not in opened.runs:
        return Markup("")

    def measure() -> Any:
        return word_influence(opened.model(model), opened.workspace.data.pairs[row])

    found = attempt(opened.remember, ("words", model, row), measure)
    problem = found.message if isinstance(found, Problem) else ""
    return draw("analyse/words.html", words=[] if problem else found, problem=problem, model=model)


def variants_panel(shown: ShownRows) -> Markup:
    """Draw the counterfactuals of the row, generated and kept, with fresh verdicts."""
    row, opened = shown.view.row, shown.opened
    if row is None:
        return Markup("")
    pair = opened.workspace.data.pairs[row]
    made = opened.remember(("variants", row), lambda: counterfactuals(pair))
    kept = [one for one in opened.workspace.personal.kept if one.row == row]
    variants = [*kept, *(one for one in made if not isinstance(one, Unmade))]
    pairs = [one.pair for one in variants]
    models = [name for name in shown.models if name in opened.runs]
    return draw(
        "analyse/variants.html",
        view=shown.view,
        row=row,
        pair=pair,
        kinds=KINDS,
        variants=variants,
        n_kept=len(kept),
        answers={name: _query_all(opened, name, pairs) for name in models},
        unmade=[one for one in made if isinstance(one, Unmade)],
        labels=_labels(shown),
    )


def _query_all(
    opened: OpenedAnalysis, name: str, pairs: list[Pair]
) -> list[tuple[str, float | None] | str]:
    """Return for each pair the verdict with its probability, or why there is none."""
    model = attempt(opened.model, name)
    if isinstance(model, Problem):
        return [model.message] * len(pairs)
    found: list[tuple[str, float | None] | str] = []
    for one in attempt_all(model.check, pairs, model.predict):
        if isinstance(one, Problem):
            found.append(one.message)
        else:
            share = one.probabilities.get(one.label)
            found.append(one.label if share is None else (one.label, share))
    return found


def read_counterfactual(row: int, sent: dict[str, Any]) -> Kept:
    """Read a pair that the visitor wrote for a row; `InputError` if it cannot be judged."""
    names = ("premise", "hypothesis", "expected", "kind")
    texts = {name: "" if sent.get(name) is None else sent[name] for name in names}
    if not all(isinstance(text, str) for text in texts.values()):
        raise InputError("The pair could not be read; open the page again.")
    pair = check_pair(Pair(texts["premise"], texts["hypothesis"]))
    kind = texts["kind"] if texts["kind"] in KINDS else "own"
    return Kept(row, kind, pair.premise, pair.hypothesis, texts["expected"][:80] or None)
