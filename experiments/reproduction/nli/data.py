"""All NLI rows at hand: as long a start, and as many questions, as they carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from symdemo.data.tables import TableFile
from symdemo.errors import InputError
from symdemo.evaluation.nli import load_nli
from symdemo.files.paths import measuring_data
from symdemo.pairs import LABELS, Pair, check_pair, hash_pairs

MOST = 20_000
"""Rows of the hub's larger sets, where nothing is at hand: about as many as there is elsewhere."""

MORE_TO_LEARN = ("nli/xnli_dev_en.jsonl",)
MORE_TO_TEST = ("nli/mnli_matched_1k.jsonl", "nli/mnli_mismatched_1k.jsonl")
"""Beside SNLI's; where one of them is missing, the source says so by not naming it."""


@dataclass(frozen=True, slots=True)
class NliRows:
    """Labelled pairs to learn from, pairs to test on by the set that they are of, and a source."""

    train: tuple[Pair, ...]
    tests: dict[str, tuple[Pair, ...]]
    source: str

    @property
    def test(self) -> list[Pair]:
        """All pairs to test on, set after set."""
        return [pair for pairs in self.tests.values() for pair in pairs]

    @property
    def hash(self) -> str:
        """The first 16 signs of the SHA-256 of all pairs."""
        return hash_pairs([*self.train, *self.test])[:16]


def all_nli() -> NliRows:
    """Every NLI row at hand whose sentences a classifier takes; else the hub's MultiNLI.

    Of a pair that is in both parts, the one to learn from is left out.

    Raises:
        InputError: there is neither.
    """
    first = load_nli(MOST, MOST)
    name = first.source.split(" (")[0]
    learnt, tests = list(first.train), {name: first.test}
    sources = [first.source]
    for more in filter(None, map(measuring_data, MORE_TO_LEARN)):
        learnt += _readable(more)
        sources.append(f"{more.stem} to learn")
    for more in filter(None, map(measuring_data, MORE_TO_TEST)):
        tests[more.stem] = tuple(_readable(more))
        sources.append(f"{more.stem} to test")
    asked = {(p.premise, p.hypothesis) for pairs in tests.values() for p in pairs}
    train = tuple(p for p in learnt if (p.premise, p.hypothesis) not in asked)
    return NliRows(train, tests, ", ".join(sources))


def _readable(path: Path) -> list[Pair]:
    """The rows that a classifier takes: a few have a sentence of one word, or one twice."""
    rows = TableFile(path, max_bytes=None).rows(("premise", "hypothesis", "label"))
    pairs = (_pair(row.cells) for row in rows if not row.error)
    return [pair for pair in pairs if pair and pair.label in LABELS]


def _pair(cells: dict[str, str]) -> Pair | None:
    try:
        return check_pair(Pair(cells["premise"], cells["hypothesis"], cells["label"]))
    except InputError:
        return None


def majority(rows: NliRows) -> dict[str, float]:
    """The share of the commonest taught label, over all test rows and by set."""
    labels = [pair.label for pair in rows.train]
    commonest = max(LABELS, key=labels.count)
    return shares(rows, [pair.label == commonest for pair in rows.test])


def shares(rows: NliRows, right: Sequence[bool]) -> dict[str, float]:
    """The share of right answers over all test rows (“all”) and by set."""
    found, place = {"all": sum(right) / len(right)}, 0
    for name, pairs in rows.tests.items():
        found[name] = sum(right[place : place + len(pairs)]) / len(pairs)
        place += len(pairs)
    return found
