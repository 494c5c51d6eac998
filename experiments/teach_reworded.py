"""What teaching is worth in other words, and the look-up that it has to beat.

Asked about other entities in the very words of the lesson, a table of these words is right on
everything. So each taught relation is asked in three other wordings as well (`teach_reworded.csv`:
another tense, the object first, a noun for the verb), written before any of them was asked. The
meaning is that of the lesson, and so is the label.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from symdemo.data.bank_phrasings import fill, finish
from symdemo.pairs import Pair

FILE = Path(__file__).parent / "teach_reworded.csv"


def read_reworded(name: str) -> dict[str, list[str]]:
    """Relation → its other wordings, with [X] for the subject and [Y] for the object, of a set."""
    found: dict[str, list[str]] = {}
    with FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["set"] == name:
                found.setdefault(row["relation"], []).append(row["phrasing"])
    return found


def reword(pairs: Sequence[Pair], wordings: Mapping[str, Sequence[str]]) -> list[Pair]:
    """Each pair once for each other wording of its relation, under the same label."""
    return [
        Pair(
            finish(fill(wording, pair.head or "", pair.tail or "")),
            finish(fill(wording, pair.tail or "", pair.head or "")),
            pair.label,
            pair.relation,
            pair.head,
            pair.tail,
        )
        for pair in pairs
        for wording in wordings[pair.relation or ""]
    ]


def looked_up(taught: Sequence[Pair], asked: Sequence[Pair]) -> float:
    """How often the label of the most alike taught sentence is right: the simplest rival.

    Alike are sentences with the same strings of three to five letters within words, entities left
    out (TF-IDF, cosine), so that "co-fired" is found where "co-fires" was taught.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    known = vectorizer.fit_transform([_without_entities(pair) for pair in taught])
    likeness = vectorizer.transform([_without_entities(pair) for pair in asked]) @ known.T
    found = [taught[row].label for row in likeness.toarray().argmax(axis=1)]
    right = [label == pair.label for label, pair in zip(found, asked, strict=True)]
    return sum(right) / len(right)


def _without_entities(pair: Pair) -> str:
    text = pair.premise
    for name in (pair.head, pair.tail):
        text = text.replace(name or "", " ")
    return text
