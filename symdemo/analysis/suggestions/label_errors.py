"""Suspected label errors: rows whose label three independent guesses find improbable.

Three guesses of each label have not seen it: the model's own, that of the 10 nearest other rows by
label embedding, and that of the other rows of its relation. A logistic regression learns from the
other rows how far to trust each guess; a row is suspected if its label then has a probability below
`SUSPECTED_BELOW`. At tag v0.1.0, `planted_errors.py` compares this with
confident learning (Northcutt et al. 2021; cleanlab 2.9), disagreement with the relation, and the
model's errors: none is better in both recall and precision on any of four sets of pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from symdemo.analysis.suggestions.columns import LABEL_ERRORS, Answered, Suggestion
from symdemo.classifier.index import cell_index, unit_rows
from symdemo.jobs.reporting import SILENT, Reporter
from symdemo.text import count

SUSPECTED_BELOW = 0.2  # probability below which a label is suspected
NEIGHBOURS = 10
FEWEST = 20  # labelled rows below which nothing is suggested
KNOWN_BY_HEART = 0.99
"""Agreement with the labels from which a model has probably been taught these rows."""

_FOLDS = 5
_SURE = 0.01  # smallest probability in a guess
_EXACT = 20_000  # rows up to which the neighbour search is exact
_CELLS_SEARCHED = 4
_STEP = 5_000
_WEIGHED = 20_000  # rows that the trust in guesses is learnt from


def label_errors(
    answered: Answered, leave_out: Sequence[int] | np.ndarray = (), reports: Reporter = SILENT
) -> list[Suggestion]:
    """Suggest the rows whose label is probably wrong, the least probable first; [] if none is.

    One suggestion lists them all. Only pairs of a kind that the model judges are checked, and
    guesses that need unknown columns are left out. Rows in `leave_out`, which something else
    explains, are not suggested, but still inform the guesses.
    """
    rows = answered.labelled
    rows = rows[answered.judged[rows]]
    names, labels = np.unique(answered.rows.label.to_numpy(str)[rows], return_inverse=True)
    if len(rows) < FEWEST or len(names) < 2:
        return []
    guesses = _guesses(answered, rows, labels, names.tolist(), reports)
    if not guesses:
        return []
    reports.check()
    share = trusted(labels, guesses)
    found = np.flatnonzero((share < SUSPECTED_BELOW) & ~np.isin(rows, leave_out))
    if not len(found):
        return []
    found = found[np.argsort(share[found], kind="stable")]
    *most, last = guesses
    whose = f"{', '.join(most)} and {last}" if most else last
    title = f"{count(len(found), 'label')} may be wrong."
    why = (
        f"Of {count(len(rows), 'labelled pair')} these have a label that {whose} speak against: "
        f"together they give it less than {SUSPECTED_BELOW:.0%}."
    )
    return [Suggestion(LABEL_ERRORS, title, why, rows[found])]


def _guesses(
    answered: Answered, rows: np.ndarray, labels: np.ndarray, names: list[str], reports: Reporter
) -> dict[str, np.ndarray]:
    """Return source of the guess → probabilities (m, K) of the K labels of m labelled rows."""
    guesses = {}
    if answered.probabilities is not None:
        own = own_guess(answered.probabilities[rows], list(answered.label_names), names)
        if (own.argmax(axis=1) == labels).mean() < KNOWN_BY_HEART:
            guesses["the model"] = own
    if answered.embeddings is not None:
        vectors = unit_rows(np.asarray(answered.embeddings[rows], np.float32))
        reports.check()
        guesses["the pairs most like it"] = neighbour_guess(vectors, labels, len(names), reports)
    # Other pairs of one relation have different labels, as "Ann is Bob's mother" with "Ann is not".
    relations = answered.rows.relation.where(answered.swaps).fillna("").to_numpy(object)[rows]
    if any(relations):
        guesses["the other pairs of its relation"] = relation_guess(relations, labels, len(names))
    return guesses


def own_guess(probabilities: np.ndarray, given: list[str], names: list[str]) -> np.ndarray:
    """Convert (m, L) of labels `given` to (m, K) of `names`; a row without any becomes uniform."""
    known = pd.DataFrame(probabilities, columns=given)
    found = known.reindex(columns=names, fill_value=0).to_numpy(float)
    total = found.sum(axis=1, keepdims=True)
    return np.divide(found, total, out=np.full_like(found, 1 / len(names)), where=total > 0)


def neighbour_guess(
    vectors: np.ndarray, labels: np.ndarray, kinds: int, reports: Reporter = SILENT
) -> np.ndarray:
    """Return the shares (m, K) of labels among the nearest other rows, smoothed by one prior row.

    `vectors` (m, d) float32 have norm 1; `labels` (m,) are numbers below `kinds`, which is K.
    """
    import faiss

    m, d = vectors.shape
    if m > _EXACT:
        index = cell_index(vectors, "Flat", _CELLS_SEARCHED)
    else:
        index = faiss.IndexFlatIP(d)
        index.add(vectors)
    near = np.empty((m, min(NEIGHBOURS + 1, m)), np.int64)
    for start in range(0, m, _STEP):
        reports.check()
        asked = vectors[start : start + _STEP]
        near[start : start + _STEP] = index.search(asked, near.shape[1])[1]
    others = (near != np.arange(m)[:, None]) & (near >= 0)
    others[others.all(axis=1), -1] = False  # the row itself was not found
    votes = np.zeros((m, kinds))
    np.add.at(votes, (np.nonzero(others)[0], labels[near[others]]), 1)
    return _smoothed(votes, labels)


def relation_guess(relations: np.ndarray, labels: np.ndarray, kinds: int) -> np.ndarray:
    """Return the smoothed label shares (m, K) of the other rows of a relation ("" for none)."""
    place, _ = pd.factorize(relations)
    counts = np.zeros((len(labels), kinds))
    np.add.at(counts, (place, labels), 1)
    votes = counts[place] - np.eye(kinds)[labels]
    return _smoothed(votes * (relations != "")[:, None], labels)


def _smoothed(votes: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return shares of votes (m, K); all rows together count as one vote more."""
    votes = votes + np.bincount(labels, minlength=votes.shape[1]) / len(labels)
    return votes / votes.sum(axis=1, keepdims=True)


def trusted(labels: np.ndarray, guesses: dict[str, np.ndarray]) -> np.ndarray:
    """Return the probability (m,) of each row's label, by logistic regression over log guesses.

    The weights for a fifth of the rows are learnt from the others, at most 20,000 of them. If none
    of these has the row's label, all guesses weigh the same.
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
