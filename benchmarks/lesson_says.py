"""How far the say of a lesson that is taught at once should reach, and what reaching too far costs.

    python benchmarks/lesson_says.py [--runs runs/general] [--precision fp32]
    python benchmarks/lesson_says.py --report    write the table of docs/teaching.md anew

The first stage of each fold (`benchmarks/general.py`; trained where `--runs` has none) is taught at
once, and asked of the lesson's relations about other entities, of these in other words, and of all
other relations of its fold, none of which it was ever taught. Lessons are

- jargon: the sets of `teach.py` that stay out of its figures;
- the fold's own: five of its relations under their own labels;
- with other meanings: the same five, their labels dealt anew.

All rules answer the same questions. Of those that are right in other words as often as the best of
all, but for `SPARED` points, on jargon and on the fold's own, the best is the plainest that loses
elsewhere, after jargon, no more than the least by one standard error (Breiman et al. 1984, section
3.4.3). A lesson with other meanings contradicts what the model knows, so that what it gains in
other words it takes elsewhere; it stands beside. `voting.NEARER` is what came of it, and nothing
that is asked here is asked by `teach.py`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import NormalDist
from typing import Any, get_args

import checkout  # noqa: F401
import numpy as np
from general import shipped_bench
from general_arms import LEARNT, first_stage
from general_bench import TEST_SEED, Bench, Run
from general_report import earlier_report
from teach import read_set
from teach_report import DEVELOPMENT, signed
from teach_reworded import read_reworded, reword

from symdemo.classifier.voting import kernel, say_of_later
from symdemo.data.bank import BankRelation
from symdemo.evaluation.intervals import GroupBootstrap
from symdemo.files.atomic import write_text
from symdemo.files.paths import DOCS, RESULTS
from symdemo.files.provenance import provenance
from symdemo.pairs import LABELS, Pair
from symdemo.recipes.general import CONFIG
from symdemo.reproduction.markdown import table
from symdemo.reproduction.tables import write_into
from symdemo.training.config import Precision

RESULT, PAGE = RESULTS / "lesson_says.json", DOCS / "teaching.md"
BEGIN, END = "<!-- lesson_says: begin -->", "<!-- lesson_says: end -->"
LESSONS, RELATIONS, SHOWN, ASKED, SEEDS = 24, 5, 4, 6, 3
"""Of a fold: lessons; of a lesson: relations, entity pairs that are shown of each, and that are
asked of each; and in how many ways the entities of jargon are dealt."""
JARGON, OWN, OTHER = "jargon", "the fold’s own", "with other meanings"
SPARED = 1.0


@dataclass(frozen=True)
class Near:
    """What a rule knows of n questions.

    Attributes:
        old: distances to the nearest pair that was known before, (n, 1).
        later: distances to the nearest pair of the lesson, (n, 1).
        own: how far that pair of the lesson lies from the nearest that was known before, (n, 1).
        familiar: the distance within which 95% of the fold's questions have a known pair, (n, 1).
    """

    old: np.ndarray
    later: np.ndarray
    own: np.ndarray
    familiar: np.ndarray


Rule = Callable[[Near], np.ndarray]
"""What the lesson's vote counts for, (n, 1) in [0, 1]; the others' vote has the rest."""


def _power(steepness: float, times: float = 1.0, within: str = "") -> Rule:
    """The say by a power, which falls in the same way beyond `times` the distance `within` names.

    With none named, the lesson has to be as many times nearer than what was known.
    """

    def say(near: Near) -> np.ndarray:
        if not within:
            return say_of_later(times * near.old, near.later, steepness)
        limit = times * getattr(near, within)
        return say_of_later(near.old, near.later, steepness) * say_of_later(limit, near.later, 8)

    return say


RULES: Mapping[str, Rule] = {
    "not taught": lambda near: np.zeros_like(near.old),
    **{f"power {power}": _power(power) for power in (4, 8, 16, 32, 64)},
    "whatever lies nearest": lambda near: (near.later < near.old).astype(float),
    "power 8, the lesson nearer by a tenth": _power(8, 0.9),
    "power 32, the lesson nearer by a tenth": _power(32, 0.9),
    "power 8, within what is familiar": _power(8, within="familiar"),
    "power 32, within what is familiar": _power(32, within="familiar"),
    "power 8, within the lesson’s own distance": _power(8, within="own"),
    "power 8, within twice its own distance": _power(8, 2, within="own"),
    "power 32, within twice its own distance": _power(32, 2, within="own"),
}
"""Name → rule, the plainest first. `Near` says what a lesson's own distance is."""


@dataclass(frozen=True)
class Lesson:
    """Pairs that are taught at once, and what is asked of their relations.

    Attributes:
        kind: one of JARGON, OWN and OTHER.
        taught: labelled pairs.
        asked: "new" and "reworded" → labelled pairs about other entities.
        groups: of relations of the fold that are in it.
    """

    kind: str
    taught: Sequence[Pair]
    asked: Mapping[str, Sequence[Pair]]
    groups: frozenset[str] = frozenset()


def lessons(bench: Bench, fold: int) -> Iterator[Lesson]:
    """All lessons that a fold's model is taught, one after the other."""
    for name in DEVELOPMENT:
        for seed in range(SEEDS):
            taught, test = read_set(name, seed)
            asked = {"new": test, "reworded": reword(test, read_reworded(name))}
            yield Lesson(JARGON, taught, asked)
    rng = random.Random(fold)
    several = [relation for relation in bench.folds[fold] if len(relation.phrasings) > 1]
    for _ in range(LESSONS):
        few = _draw(several, bench, rng)
        own = _own_lesson(few, bench)
        yield own
        dealt = {relation.id: rng.choice(LABELS) for relation in few}
        asked = {part: _relabel(pairs, dealt) for part, pairs in own.asked.items()}
        yield Lesson(OTHER, _relabel(own.taught, dealt), asked, own.groups)


def _draw(
    relations: Sequence[BankRelation], bench: Bench, rng: random.Random
) -> list[BankRelation]:
    """Relations of as many groups."""
    few: dict[str, BankRelation] = {}
    while len(few) < RELATIONS:
        relation = rng.choice(relations)
        few.setdefault(bench.group_of[relation.id], relation)
    return list(few.values())


def _own_lesson(few: Sequence[BankRelation], bench: Bench) -> Lesson:
    """The first phrasing of each is taught, and asked about other entities; so are the others."""
    taught: list[Pair] = []
    new: list[Pair] = []
    reworded: list[Pair] = []
    for relation in few:
        first, *others = relation.phrasings
        one = replace(relation, phrasings=(first,))
        rest = replace(relation, phrasings=tuple(others))
        pairs = bench.bank.pairs([one], SHOWN + ASKED, seed=TEST_SEED + 1)
        taught += pairs[:SHOWN]
        new += pairs[SHOWN:]
        reworded += bench.bank.pairs([rest], 2, seed=TEST_SEED + 2)
    groups = frozenset(bench.group_of[relation.id] for relation in few)
    return Lesson(OWN, taught, {"new": new, "reworded": reworded}, groups)


def _relabel(pairs: Sequence[Pair], labels: Mapping[str, str]) -> list[Pair]:
    return [replace(pair, label=labels[pair.relation or ""]) for pair in pairs]


class Fold:
    """A fold's model before it is taught a lesson, and what it says of its fold."""

    def __init__(self, bench: Bench, number: int, temperature: float):
        run = Run("first-stage", number, 0)
        self.model, self.temperature = first_stage(bench, run), temperature
        self.pairs = bench.asked(run)
        self.groups = np.array([bench.group_of[pair.relation or ""] for pair in self.pairs])
        self._embedded: dict[tuple[str, str], np.ndarray] = {}
        self._embeddings = self._embed(self.pairs)
        self.nearest, self.shares = self._before(self._embeddings)
        self.familiar = float(np.quantile(self.nearest, 0.95))

    def _embed(self, pairs: Sequence[Pair]) -> np.ndarray:
        """Label embeddings (n, d); what was embedded is not embedded again, whatever its label."""
        asked = {(pair.premise, pair.hypothesis): pair for pair in pairs}
        new = {key: pair for key, pair in asked.items() if key not in self._embedded}
        if new:
            found = self.model.embed(list(new.values()))
            self._embedded |= dict(zip(new, found, strict=True))
        return np.stack([self._embedded[pair.premise, pair.hypothesis] for pair in pairs])

    def _before(self, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Distances to the nearest known pair (n, 1), and shares of LABELS (n, 3)."""
        index = self.model.index
        distances = index.distances(vectors)
        columns = [index.labels.index(label) for label in LABELS]
        shares = kernel(distances, self.temperature) @ index.membership[:, columns]
        return distances.min(axis=1, keepdims=True), shares

    def answers(self, lesson: Lesson) -> Iterator[tuple[str, np.ndarray, dict[str, np.ndarray]]]:
        """Of “new”, “reworded” and “elsewhere”: places that are asked, and rule → whether right."""
        names = [*LABELS, *{pair.label or "" for pair in lesson.taught}.difference(LABELS)]
        there = np.flatnonzero(~np.isin(self.groups, list(lesson.groups)))
        for part, pairs in {**lesson.asked, "elsewhere": [self.pairs[n] for n in there]}.items():
            if part == "elsewhere":
                vectors, places = self._embeddings[there], there
                old, known = self.nearest[there], self.shares[there]
            else:
                vectors, places = self._embed(pairs), np.arange(len(pairs))
                old, known = self._before(vectors)
            right = np.array([names.index(pair.label or "") for pair in pairs])
            near, said = self._lesson_says(lesson, vectors, names, old)
            known = np.pad(known, ((0, 0), (0, len(names) - len(LABELS))))
            found = {}
            for name, rule in RULES.items():
                say = rule(near)
                found[name] = ((1 - say) * known + say * said).argmax(axis=1) == right
            yield part, places, found

    def _lesson_says(
        self, lesson: Lesson, vectors: np.ndarray, names: Sequence[str], old: np.ndarray
    ) -> tuple[Near, np.ndarray]:
        """How near a lesson is to questions, and its own shares of the labels."""
        taught = self._embed(lesson.taught)
        own, _ = self._before(taught)
        distances = 1 - vectors @ taught.T  # of unit norm, all of them
        labels = np.eye(len(names))[[names.index(pair.label or "") for pair in lesson.taught]]
        own, familiar = own[distances.argmin(1)], np.full_like(old, self.familiar)
        near = Near(old, distances.min(1, keepdims=True), own, familiar)
        return near, kernel(distances, self.temperature) @ labels


def measure(folds: Sequence[Fold], bench: Bench) -> list[dict[str, Any]]:
    """A row for each rule: what it is right on, and what it loses elsewhere, by kind of lesson."""
    right: dict[tuple, list[float]] = {}
    turned = {
        (rule, kind): [np.zeros((2, len(fold.pairs))) for fold in folds]
        for rule in RULES
        for kind in (JARGON, OWN, OTHER)
    }
    for number, fold in enumerate(folds):
        for lesson in lessons(bench, number):
            for part, places, found in fold.answers(lesson):
                for rule, own in found.items():
                    if part == "elsewhere":
                        lost = 100.0 * (found["not taught"].astype(int) - own)
                        turned[rule, lesson.kind][number][:, places] += lost, np.ones(len(places))
                    else:
                        right.setdefault((rule, lesson.kind, part), []).append(own.mean())
        sys.stderr.write(f"fold {number}\n")
    bootstrap = GroupBootstrap(np.concatenate([fold.groups for fold in folds]))
    rows = []
    for rule in RULES:
        kinds = {}
        for kind in (JARGON, OWN, OTHER):
            lost, times = np.concatenate(turned[rule, kind], axis=1)
            interval = bootstrap.interval(lost / np.maximum(times, 1))
            kinds[kind] = {
                "new": float(np.mean(right[rule, kind, "new"])),
                "reworded": float(np.mean(right[rule, kind, "reworded"])),
                "least_reworded": min(right[rule, kind, "reworded"]),
                "lost": interval.mean,
                "interval": [interval.low, interval.high],
            }
        rows.append({"rule": rule, "kinds": kinds})
    return rows


def best_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """The plainest rule that loses no more than the least by one standard error."""
    most = {kind: max(row["kinds"][kind]["reworded"] for row in rows) for kind in (JARGON, OWN)}
    able = [
        row
        for row in rows
        if all(100 * (most[kind] - row["kinds"][kind]["reworded"]) <= SPARED for kind in most)
    ]
    least = min((row["kinds"][JARGON] for row in able), key=lambda own: own["lost"])
    low, high = least["interval"]
    error = (high - low) / (2 * NormalDist().inv_cdf(0.975))
    return next(r["rule"] for r in able if r["kinds"][JARGON]["lost"] <= least["lost"] + error)


def markdown(report: Mapping[str, Any]) -> str:
    """The table of docs/teaching.md."""
    titles = {JARGON: "Jargon", OWN: "Relations under their labels", OTHER: "Under other labels"}
    made_by, best = report["made_by"], best_of(report["rows"])
    header = ["The lesson’s vote counts for", *titles.values()]
    lines = [
        [
            f"**{row['rule']}**" if row["rule"] == best else row["rule"],
            *(_cell(row["kinds"][kind]) for kind in titles),
        ]
        for row in report["rows"]
    ]
    return (
        f"Made by `{report['command']}` at commit {made_by['commit']}, "
        f"{made_by['machine']['processor']}: {report['folds']} folds, {report['lessons']} lessons. "
        "In each cell: right on the lesson's relations about other entities, and in other words; "
        "points lost on the fold's other relations, none of which was ever taught, with the 95% "
        "interval, relations drawn again.\n\n" + table(header, lines) + "\n"
    )


def _cell(own: Mapping[str, Any]) -> str:
    low, high = (signed(value, 2) for value in own["interval"])
    return f"{own['new']:.1%}, {own['reworded']:.1%}; {signed(own['lost'], 2)} [{low} to {high}]"


def main() -> None:
    """Measure and write, or write anew."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=Path, default=Path("runs/general"))
    parser.add_argument("--precision", choices=get_args(Precision), default=CONFIG.precision)
    parser.add_argument("--report", action="store_true", help="only make the table")
    arguments = parser.parse_args()
    if not arguments.report:
        bench = shipped_bench(arguments.runs, 1, arguments.precision)
        chosen = (earlier_report() or {})["rows"]["first-stage"]["temperature"]
        made_by = provenance(*LEARNT, "teaching.lessons")
        folds = [Fold(bench, number, own) for number, own in enumerate(chosen)]
        rows = measure(folds, bench)
        report = {
            "command": f"python benchmarks/lesson_says.py --precision {arguments.precision}",
            "made_by": made_by,
            "folds": len(folds),
            "lessons": len(folds) * (len(DEVELOPMENT) * SEEDS + 2 * LESSONS),
            "rows": rows,
        }
        write_text(RESULT, json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    report = json.loads(RESULT.read_text(encoding="utf-8"))
    write_into(PAGE, markdown(report), BEGIN, END)
    sys.stdout.write(f"{best_of(report['rows'])}\n")


if __name__ == "__main__":
    main()
