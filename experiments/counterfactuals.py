"""Counterfactuals: how often each generator gives what was written down before it was made.

`tests/analysis/counterfactuals/KIND.csv` has pairs with the expected premise, hypothesis and label,
further right ones separated by " | "; none if nothing should come out. Rows of the part “seen” were
looked at during development. Those of “fresh” were measured once at the end (“first asked”, kept);
errors found then were fixed afterwards, so their figures of now flatter.
"""

from __future__ import annotations

import csv
import re
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from experiments.runner import main
from symdemo.analysis.counterfactuals import KINDS, Counterfactual, Unmade, counterfactuals
from symdemo.data.bank import shipped_bank
from symdemo.data.bank_phrasings import capitalise, fill
from symdemo.data.pair_files import load_pairs
from symdemo.data.relations import Entity, load_facts
from symdemo.evaluation.intervals import wilson
from symdemo.files.paths import ASSETS
from symdemo.pairs import Pair

FOLDER = Path(__file__).parents[1] / "tests" / "analysis" / "counterfactuals"
PARTS = ("seen", "fresh")
OPTIONAL = ("label", "relation", "head", "tail")


class Row(NamedTuple):
    """A pair and what should come out of it; `types` of subject and object if entities change."""

    pair: Pair
    premises: tuple[str, ...]
    hypotheses: tuple[str, ...]
    label: str | None
    types: tuple[list[str], list[str]]


def cells() -> list[dict[str, str]]:
    """Return a cell for each kind and part, and one for the time of a pair."""
    parts = [{"kind": kind, "part": part} for kind in KINDS for part in PARTS]
    return [*parts, {"timed": "free_sentences.csv"}]


def measure(cell: Mapping[str, str]) -> dict[str, Any]:
    """Return the right rows of a kind with what went wrong, or milliseconds per pair."""
    if "timed" in cell:
        return timed(load_pairs(ASSETS / cell["timed"]))
    rows, wrong = load(cell["kind"], cell["part"]), []
    for row in rows:
        made = counterfactuals(row.pair, [cell["kind"]])
        if not is_right(cell["kind"], row, made):
            expected = [list(row.premises), list(row.hypotheses), row.label]
            shown = [
                [one.why]
                if isinstance(one, Unmade)
                else [one.pair.premise, one.pair.hypothesis, one.expected]
                for one in made
            ]
            wrong.append({"premise": row.pair.premise, "expected": expected, "made": shown})
    right = len(rows) - len(wrong)
    return {
        "right": right,
        "of": len(rows),
        "share": round(right / len(rows), 4),
        "interval": [round(end, 4) for end in wilson(right, len(rows))],
        "wrong": wrong,
    }


def load(kind: str, part: str | None = None) -> list[Row]:
    """Return the rows of a kind, all or those of one part."""
    with (FOLDER / f"{kind}.csv").open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if part in {None, row["part"]}]
    return [
        Row(
            Pair(row["premise"], row["hypothesis"], *(row[name] or None for name in OPTIONAL)),
            tuple(map(_with_ids, filter(None, row["expected_premise"].split(" | ")))),
            tuple(map(_with_ids, filter(None, row["expected_hypothesis"].split(" | ")))),
            row["expected_label"] or None,
            (row.get("head_kinds", "").split(), row.get("tail_kinds", "").split()),
        )
        for row in rows
    ]


def _with_ids(text: str) -> str:
    """Replace each {name} by its id in our facts, else by the opaque id."""
    return re.sub(
        r"\{(.*?)\}", lambda m: Entity(m[1], _ids().get(m[1], "")).name_without_words, text
    )


@cache
def _ids() -> dict[str, str]:
    return {e.label: e.id for fact in load_facts() for e in (fact.head, fact.tail) if e.id}


def is_right(kind: str, row: Row, made: Sequence[Counterfactual | Unmade]) -> bool:
    """True if what was made is what should be, and nothing if nothing should be."""
    given = [one for one in made if isinstance(one, Counterfactual)]
    if not row.premises or not given:
        return not row.premises and not given
    if any(one.expected != row.label or one.pair.label != row.label for one in given):
        return False
    if kind == "entities":
        return all(_fits(row, one.pair) for one in given)
    found = [(one.pair.premise, one.pair.hypothesis) for one in given]
    wanted = set(product(row.premises, row.hypotheses))
    return bool(wanted & set(found)) and (kind == "phrasing" or len(found) == 1)


def _fits(row: Row, made: Pair) -> bool:
    """True if a pair is the frame of the row with entities of its types."""
    ends = str(made.head), str(made.tail)
    frames = (row.premises[0], row.hypotheses[0])
    texts = tuple(capitalise(fill(frame, *ends)) for frame in frames)
    pools = shipped_bank().entities
    return texts == (made.premise, made.hypothesis) and all(
        any(end in pools[name] for name in types)
        for end, types in zip(ends, row.types, strict=True)
    )


def timed(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return processor time per pair, and how often each kind gives something."""
    counterfactuals(pairs[0])  # parser and bank are loaded once, and not timed
    milliseconds, made = [], Counter(dict.fromkeys(KINDS, 0))
    for pair in pairs:
        start = time.process_time()
        found = counterfactuals(pair)
        milliseconds.append(1000 * (time.process_time() - start))
        made.update({one.kind for one in found if isinstance(one, Counterfactual)})
    p50, p95, longest = np.percentile(milliseconds, [50, 95, 100]).round(1).tolist()
    spread = {"median": p50, "95 of 100 under": p95, "longest": longest}
    return {"pairs": len(pairs), "milliseconds": spread, "made": dict(made)}


if __name__ == "__main__":
    sys.exit(main(__doc__, "counterfactuals", cells, measure))
