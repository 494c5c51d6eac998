"""Suspected wrong labels: rows whose label three independent guesses have little room for.

For each row there are three guesses of its label that have not seen it: the model's own, that of
its 10 nearest other rows by label embedding, and that of the other rows of its relation. A logistic
regression learns from the other rows how far each guess is to be trusted, and a row is suspected
where its label then has a probability below 0.2.

`benchmarks/planted_errors.py` measures this beside confident learning (Northcutt et al. 2021, by
cleanlab 2.9) on the model's own probabilities, on those of a logistic regression over label
embeddings and over TF-IDF words out of fold, beside disagreement with the relation alone, and
beside the rows where the model is wrong. None of them is better in both recall and precision on any
of four sets of pairs, and confident learning loses half its precision where the model is often
wrong, so cleanlab is no dependency of the package. Words add nothing to the three guesses.
"""

from __future__ import annotations

import numpy as np

from symdemo.analysis.suggestions.answered import Answered, Texts
from symdemo.analysis.suggestions.suggestion import (
    LABEL_ERRORS,
    Suggestion,
    many,
)
from symdemo.analysis.watching import ShouldStop, go_on
from symdemo.classifier.index import unit_rows

SUSPECTED_BELOW = 0.2
"""A label with a smaller probability than this is suspected."""
NEIGHBOURS = 10
FEWEST = 20
"""Labelled rows below which nothing is said."""
KNOWN_BY_HEART = 0.99
"""Share of labels from which on a model that agrees with them may have been taught these rows."""

_FOLDS = 5
_SURE = 0.01  # no guess excludes a label further than this
_EXACT = 20_000  # rows up to which neighbours are searched for without an approximate index
_CELLS_SEARCHED = 4
_STEP = 5_000
_WEIGHED = 20_000  # rows that suffice to learn how far each guess is to be trusted


def label_errors(
    answered: Answered,
    *,
    leave_out: np.ndarray | None = None,
    should_stop: ShouldStop | None = None,
) -> Suggestion | None:
    """Rows whose label is probably wrong; None where none is, or too few rows have labels.

    Args:
        answered: n rows; what is not known of them is not asked.
        leave_out: row numbers that something else already explains, such as a relation whose
            labels contradict the model throughout. They are not suggested, and still asked.
        should_stop: asked between the steps.

    Returns:
        A suggestion whose scores are 1 − the probability of each row's label.

    Raises:
        Stopped: `should_stop` said so.
    """
    rows = answered.labelled
    names = sorted({str(answered.labels[row]) for row in rows})
    if len(rows) < FEWEST or len(names) < 2:
        return None
    number = {name: n for n, name in enumerate(names)}
    labels = np.array([number[str(answered.labels[row])] for row in rows])
    guesses = _guesses(answered, rows, labels, names, should_stop)
    if not guesses:
        return None
    go_on(should_stop)
    share = trusted(labels, guesses)
    suspected = share < SUSPECTED_BELOW
    if leave_out is not None:
        suspected &= ~np.isin(rows, leave_out)
    found = np.flatnonzero(suspected)
    if not len(found):
        return None
    found = found[np.argsort(share[found], kind="stable")]
    whose = _listed(list(guesses))
    return Suggestion(
        LABEL_ERRORS,
        f"{many(len(found), 'label')} may be wrong.",
        f"Of {many(len(rows), 'labelled pair')} these have a label that {whose} speak against: "
        f"together they give it less than {SUSPECTED_BELOW:.0%}.",
        rows[found],
        1 - share[found],
    )


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _guesses(
    answered: Answered,
    rows: np.ndarray,
    labels: np.ndarray,
    names: list[str],
    should_stop: ShouldStop | None,
) -> dict[str, np.ndarray]:
    """Who guesses → probabilities (m, K) of the K labels of the m labelled rows."""
    guesses = {}
    if answered.probabilities is not None:
        own = own_guess(answered.probabilities[rows], list(answered.label_names), names)
        if (own.argmax(axis=1) == labels).mean() < KNOWN_BY_HEART:
            guesses["the model"] = own
    if answered.embeddings is not None:
        vectors = unit_rows(np.asarray(answered.embeddings[rows], np.float32))
        go_on(should_stop)
        guesses["the pairs most like it"] = neighbour_guess(
            vectors, labels, len(names), should_stop
        )
    relations = [answered.column("relations")[row] for row in rows]
    if any(relations):
        guesses["the other pairs of its relation"] = relation_guess(relations, labels, len(names))
    return guesses


def own_guess(probabilities: np.ndarray, given: list[str], names: list[str]) -> np.ndarray:
    """The model's probabilities (m, L) for the labels `given`, as (m, K) for the labels `names`.

    A row in which none of them has any says nothing: all are then alike.
    """
    found = np.zeros((len(probabilities), len(names)))
    for place, name in enumerate(names):
        if name in given:
            found[:, place] = probabilities[:, given.index(name)]
    total = found.sum(axis=1, keepdims=True)
    return np.where(total > 0, found / np.where(total > 0, total, 1), 1 / len(names))


def neighbour_guess(
    vectors: np.ndarray, labels: np.ndarray, kinds: int, should_stop: ShouldStop | None = None
) -> np.ndarray:
    """Shares (m, K) of the labels among the nearest other rows, and of all rows as one row more.

    Args:
        vectors: (m, d) float32, unit rows.
        labels: (m,) numbers below `kinds`.
        kinds: K.
        should_stop: asked every few thousand rows.
    """
    import faiss

    m, d = vectors.shape
    index: faiss.Index
    if m > _EXACT:
        cells = int(2 * np.sqrt(m))
        index = faiss.IndexIVFFlat(faiss.IndexFlatIP(d), d, cells, faiss.METRIC_INNER_PRODUCT)
        index.train(vectors[:: max(1, m // (40 * cells))])
        index.nprobe = _CELLS_SEARCHED
    else:
        index = faiss.IndexFlatIP(d)
    index.add(vectors)
    near = np.empty((m, min(NEIGHBOURS + 1, m)), np.int64)
    for start in range(0, m, _STEP):
        go_on(should_stop)
        asked = vectors[start : start + _STEP]
        near[start : start + _STEP] = index.search(asked, near.shape[1])[1]
    others = (near != np.arange(m)[:, None]) & (near >= 0)
    others[others.all(axis=1), -1] = False  # the row itself fell behind others at the same place
    votes = np.zeros((m, kinds))
    places = np.repeat(np.arange(m), near.shape[1])[others.ravel()]
    np.add.at(votes, (places, labels[near[others]]), 1)
    votes += np.bincount(labels, minlength=kinds) / m
    return votes / votes.sum(axis=1, keepdims=True)


def relation_guess(relations: Texts, labels: np.ndarray, kinds: int) -> np.ndarray:
    """Shares (m, K) of the labels among the other rows of the relation, smoothed likewise."""
    prior = np.bincount(labels, minlength=kinds) / len(labels)
    names, place = np.unique([name or "" for name in relations], return_inverse=True)
    counts = np.zeros((len(names), kinds))
    np.add.at(counts, (place, labels), 1)
    votes = counts[place]
    votes[np.arange(len(labels)), labels] -= 1
    votes[[not name for name in relations]] = 0
    votes += prior
    return votes / votes.sum(axis=1, keepdims=True)


def trusted(labels: np.ndarray, guesses: dict[str, np.ndarray]) -> np.ndarray:
    """The probability (m,) of each row's label from all guesses, each trusted as it deserves.

    A logistic regression over the logarithms of the guesses; the weights that a row is judged by
    are learnt from the four fifths of the rows that it is not among, or 20,000 of them. Where none
    of these has the row's label, the guesses weigh alike.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import KFold

    inputs = np.hstack([np.log(np.clip(own, _SURE, 1)) for own in guesses.values()])
    shares = np.mean(list(guesses.values()), axis=0)
    rng = np.random.default_rng(0)
    for others, asked in KFold(_FOLDS, shuffle=True, random_state=0).split(inputs):
        learnt = rng.permutation(others)[:_WEIGHED]
        if len(np.unique(labels[learnt])) > 1:
            model = LogisticRegression(max_iter=500).fit(inputs[learnt], labels[learnt])
            shares[np.ix_(asked, model.classes_)] = model.predict_proba(inputs[asked])
    return shares[np.arange(len(labels)), labels]
