"""Counterfactuals: how often each generator gives what a person wrote down beforehand.

    python experiments/counterfactuals.py [--part seen|fresh] [--kind KIND] [--out FILE]

Reads tests/analysis/counterfactuals/KIND.csv: pairs with the premise, hypothesis and label that
should come out, further right ones parted by " | "; none where nothing should. The expectations
were written before the generators. The rows of the part “seen” were looked at while these were
mended. Those of “fresh” were asked once, at the end: “first_asked” holds what came out, and it is
kept, for some of what went wrong then was mended afterwards, so that “kinds” flatters. Also looked
at were about half of assets/free_sentences.csv, which is timed here, the dev part of
natural_sentences.csv, and some pairs of the bank.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import time
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from symdemo.analysis.counterfactuals import KINDS, Counterfactual, Unmade, counterfactuals
from symdemo.data.bank import load_bank
from symdemo.data.bank_phrasings import capitalise, fill
from symdemo.data.relations import Entity, load_facts
from symdemo.evaluation.intervals import wilson
from symdemo.files.paths import ASSETS
from symdemo.files.provenance import provenance
from symdemo.pairs import Pair

FOLDER = Path(__file__).parents[1] / "tests" / "analysis" / "counterfactuals"
FREE = ASSETS / "free_sentences.csv"
RESULTS = Path(__file__).parent / "results" / "counterfactuals.json"
PARTS = ("seen", "fresh")


class Row(NamedTuple):
    """A pair, what should come out of it, and the part of the table that it is in."""

    pair: Pair
    premises: tuple[str, ...]
    hypotheses: tuple[str, ...]
    label: str | None
    part: str
    head_kinds: tuple[str, ...] = ()
    tail_kinds: tuple[str, ...] = ()


def main() -> None:
    """Measure what is asked for, print the table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--show", action="store_true", help="print each row that goes wrong")
    arguments = parser.parse_args()

    parts = [arguments.part] if arguments.part else PARTS
    kinds = [arguments.kind] if arguments.kind else list(KINDS)
    measured = {kind: {part: measure(kind, part) for part in parts} for kind in kinds}
    for kind, by_part in measured.items():
        for part, found in by_part.items():
            low, high = found["interval"]
            print(
                f"{kind:<14}{part:<6}{found['right']:>3} of {found['of']} [{low:.0%}, {high:.0%}]"
            )
            for wrong in found["wrong"] if arguments.show else ():
                print(json.dumps(wrong, ensure_ascii=False, indent=1))
    if arguments.part or arguments.kind:
        return
    before = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    report = {
        "made_by": provenance(),
        "data": {"tables": "tests/analysis/counterfactuals", "timed": FREE.name},
        "seed": None,  # entities are drawn by a generator that the pair itself seeds
        "kinds": measured,
        "first_asked": before.get("first_asked"),
        "free_sentences": time_free(),
    }
    print(report["free_sentences"])
    arguments.out.write_text(
        json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def load(kind: str, part: str | None = None) -> list[Row]:
    """The rows of one kind, all or those of one part."""
    with (FOLDER / f"{kind}.csv").open(encoding="utf-8", newline="") as lines:
        rows = [_row(kind, values) for values in csv.DictReader(lines)]
    return [row for row in rows if part in {None, row.part}]


def _row(kind: str, values: Mapping[str, str]) -> Row:
    names = ("premise", "hypothesis", "label", "relation", "head", "tail")
    premises, hypotheses = (
        tuple(text for text in values[f"expected_{name}"].split(" | ") if text)
        for name in names[:2]
    )
    if kind == "delexicalized":
        premises, hypotheses = (tuple(map(_with_ids, own)) for own in (premises, hypotheses))
    return Row(
        Pair(
            values["premise"], values["hypothesis"], *(values[name] or None for name in names[2:])
        ),
        premises,
        hypotheses,
        values["expected_label"] or None,
        values["part"],
        tuple(values.get("head_kinds", "").split()),
        tuple(values.get("tail_kinds", "").split()),
    )


def _with_ids(text: str) -> str:
    """The text with an id for each {name}: that of our facts, else the opaque one."""
    ids = {e.label: e.id for fact in load_facts() for e in (fact.head, fact.tail) if e.id}
    return re.sub(r"\{(.*?)\}", lambda m: Entity(m[1], ids.get(m[1], "")).name_without_words, text)


def is_right(kind: str, row: Row, made: Sequence[Counterfactual | Unmade]) -> bool:
    """Whether what was made is what should be, and nothing where nothing should be."""
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
    """Whether a pair is the frame of the row with entities of the kinds that it names."""
    if made.head is None or made.tail is None:
        return False
    bank = load_bank_once()
    pools = (
        {entity for kind in kinds for entity in bank.entities[kind]}
        for kinds in (row.head_kinds, row.tail_kinds)
    )
    x, y = made.head, made.tail
    frames = (row.premises[0], row.hypotheses[0])
    texts = tuple(
        capitalise(fill(frame, *ends)) for frame, ends in zip(frames, [(x, y)] * 2, strict=True)
    )
    return texts == (made.premise, made.hypothesis) and all(
        entity in pool for entity, pool in zip((x, y), pools, strict=True)
    )


def load_bank_once():
    """The relation bank, read once."""
    if not _BANK:
        _BANK.append(load_bank())
    return _BANK[0]


_BANK: list = []


def measure(kind: str, part: str) -> dict[str, Any]:
    """The share of rows that come out right, its 95% interval, and what went wrong."""
    rows, wrong = load(kind, part), []
    for row in rows:
        made = counterfactuals(row.pair, [kind])
        if not is_right(kind, row, made):
            wrong.append(
                {
                    "premise": row.pair.premise,
                    "expected": [list(row.premises), list(row.hypotheses), row.label],
                    "made": [_shown(one) for one in made],
                }
            )
    right = len(rows) - len(wrong)
    return {
        "right": right,
        "of": len(rows),
        "share": round(right / len(rows), 4),
        "interval": [round(end, 4) for end in wilson(right, len(rows))],
        "wrong": wrong,
    }


def _shown(one: Counterfactual | Unmade) -> list[str | None]:
    if isinstance(one, Unmade):
        return [one.why]
    return [one.pair.premise, one.pair.hypothesis, one.expected]


def time_free() -> dict[str, Any]:
    """Processor time a pair, and how often each kind has something, on the free sentences."""
    with FREE.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    pairs = [Pair(row["premise"], row["hypothesis"], row["label"], row["relation"]) for row in rows]
    counterfactuals(pairs[0])  # parser and bank are loaded once, and not timed
    seconds, made = [], dict.fromkeys(KINDS, 0)
    for pair in pairs:
        start = time.process_time()
        found = counterfactuals(pair)
        seconds.append(time.process_time() - start)
        for kind in {one.kind for one in found if isinstance(one, Counterfactual)}:
            made[kind] += 1
    ordered = sorted(seconds)
    return {
        "pairs": len(pairs),
        "milliseconds": {
            "median": round(1000 * median(ordered), 1),
            "95 of 100 under": round(1000 * ordered[int(0.95 * len(ordered))], 1),
            "longest": round(1000 * ordered[-1], 1),
        },
        "made": made,
    }


if __name__ == "__main__":
    main()
