"""What is right and wrong with a person's rows before anything is taught with them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from symdemo.errors import InputError, SymdemoError
from symdemo.jobs.deadline import DeadlineError
from symdemo.pairs import CONTRADICTION, ENTAILMENT, Pair, check_pair
from symdemo.teaching.limits import Limits
from symdemo.teaching.rows.row import FIELDS, Row, labelled_pair
from symdemo.text import shorten

Kind = Literal[
    "unread",
    "unfinished",
    "unreadable",
    "duplicate",
    "conflict",
    "small_class",
    "one_label",
    "too_many",
]

BLOCKING = frozenset({"unread", "unfinished", "unreadable", "conflict", "too_many"})
"""The kinds that must be put right before rows can be taught; the others are advice."""

NO_RELATION = "(no relation found)"
"""Stands in `RowReport.counts_by_relation` for whole sentences whose two parts are not known."""

_SHOWN_ROWS = 4


@dataclass(frozen=True, slots=True)
class RowProblem:
    """What is wrong: its kind, the rows it is about (numbers from 1), and one sentence."""

    kind: Kind
    rows: tuple[int, ...]
    message: str


@dataclass(frozen=True, slots=True)
class RowReport:
    """What a table of rows holds; blank rows are passed over but keep their numbers.

    Attributes:
        pairs: the readable pairs, duplicates removed, in order.
        problems: those that block first, then by the first row they are about.
        counts_by_label: label → how many of `pairs` have it.
        counts_by_relation: relation, or `NO_RELATION` → how many of `pairs` have it.
    """

    pairs: tuple[Pair, ...]
    problems: tuple[RowProblem, ...]
    counts_by_label: dict[str, int] = field(default_factory=dict)
    counts_by_relation: dict[str, int] = field(default_factory=dict)

    @property
    def ready(self) -> bool:
        """Whether the rows can be taught as they are."""
        return bool(self.pairs) and not any(p.kind in BLOCKING for p in self.problems)

    @property
    def to_finish(self) -> bool:
        """Whether nothing is wrong, but cells are still empty: somebody is writing."""
        return {p.kind for p in self.problems if p.kind in BLOCKING} == {"unfinished"}


def check_rows(
    rows: Sequence[Row],
    limits: Limits | None = None,
    check: Callable[[Pair], Pair] = check_pair,
) -> RowReport:
    """Look through all rows; nothing is raised for what a person wrote.

    Where there is a deadline (`symdemo.jobs.deadline`), one problem tells which rows are left.

    Args:
        rows: the table, blank rows included.
        limits: what is allowed; the usual limits if None.
        check: what a pair must pass too, such as the `check` of the model that is to be taught:
            it knows the scripts and the length that its encoder can read.
    """
    limits = limits or Limits()
    written = [(number, row) for number, row in enumerate(rows, start=1) if not row.is_blank]
    problems = _too_many(limits.check_rows, len(written))
    read: list[tuple[int, Pair]] = []
    for place, (number, row) in enumerate(written[: limits.rows]):
        try:
            read.append((number, _read(row, limits, check)))
        except DeadlineError:
            problems.append(_unread([number for number, _ in written[place : limits.rows]]))
            break
        except SymdemoError as error:
            kind: Kind = "unfinished" if row.is_unfinished else "unreadable"
            problems.append(RowProblem(kind, (number,), f"Row {number}: {error}"))
    kept, repeated = _without_duplicates(read)
    pairs = tuple(pair for _, pair in kept)
    labels = Counter(str(pair.label) for pair in pairs)
    relations = Counter(pair.relation or NO_RELATION for pair in pairs)
    problems += _too_many(limits.check_labels, len(labels))
    problems += _too_many(limits.check_relations, len(relations.keys() - {NO_RELATION}))
    problems += [*_conflicts(kept), *repeated, *_small_classes(kept), *_one_label(labels)]
    problems.sort(key=lambda problem: (problem.kind not in BLOCKING, problem.rows[:1]))
    return RowReport(pairs, tuple(problems), dict(labels), dict(relations))


def _unread(numbers: Sequence[int]) -> RowProblem:
    """Rows that there was no time for; those before are remembered, so the next look goes on."""
    message = (
        f"{_named(numbers)} {'is' if len(numbers) == 1 else 'are'} kept, but not read yet: whole "
        "sentences take time. Change anything, and reading goes on."
    )
    return RowProblem("unread", tuple(numbers), message)


def _read(row: Row, limits: Limits, check: Callable[[Pair], Pair]) -> Pair:
    for name in FIELDS:
        text = getattr(row, name)
        if name != "label":
            limits.check_text(name, text)
        elif text:
            limits.check_label(text)
    return check(labelled_pair(row))


def _too_many(check: Callable[[int], int], number: int) -> list[RowProblem]:
    try:
        check(number)
    except InputError as error:
        return [RowProblem("too_many", (), str(error))]
    return []


def _sentences(pair: Pair) -> tuple[str, str]:
    return pair.premise.casefold(), pair.hypothesis.casefold()


def _without_duplicates(
    read: Iterable[tuple[int, Pair]],
) -> tuple[list[tuple[int, Pair]], list[RowProblem]]:
    """The first row of each pair and label, and what is to be said of the others."""
    same: dict[tuple, list[tuple[int, Pair]]] = defaultdict(list)
    for number, pair in read:
        same[*_sentences(pair), pair.label].append((number, pair))
    problems = []
    for (first, _), *others in same.values():
        if others:
            numbers = tuple(number for number, _ in others)
            says, counts = (
                ("repeats", "it counts") if len(others) == 1 else ("repeat", "they count")
            )
            message = f"{_named(numbers)} {says} row {first}; {counts} only once."
            problems.append(RowProblem("duplicate", (first, *numbers), message))
    return [group[0] for group in same.values()], problems


def _conflicts(kept: Sequence[tuple[int, Pair]]) -> list[RowProblem]:
    """The same two sentences under two labels.

    The other way round two labels can both be true, but not these two: what follows from a sentence
    does not contradict it.
    """
    by_sentences: dict[tuple[str, str], list[tuple[int, Pair]]] = defaultdict(list)
    for number, pair in kept:
        by_sentences[_sentences(pair)].append((number, pair))
    problems = []
    for (premise, hypothesis), group in by_sentences.items():
        numbers = tuple(number for number, _ in group)
        if len(group) > 1:
            labels = ", ".join(f"“{pair.label}”" for _, pair in group)
            message = f"{_named(numbers)} say the same with other labels, {labels}; keep one."
            problems.append(RowProblem("conflict", numbers, message))
        for number, pair in by_sentences.get((hypothesis, premise), ()):
            here = [own for own, p in group if {p.label, pair.label} == {ENTAILMENT, CONTRADICTION}]
            problems += [
                RowProblem(
                    "conflict",
                    (own, number),
                    f"Rows {own} and {number} are the same two sentences in turn, once "
                    f"{ENTAILMENT} and once {CONTRADICTION}; keep one.",
                )
                for own in here
                if own < number
            ]
    return problems


def _small_classes(kept: Sequence[tuple[int, Pair]]) -> list[RowProblem]:
    """Labels and relations with one pair of names: none is left to try out what was learnt."""
    problems = []
    for name, of in (("label", lambda p: p.label), ("relation", lambda p: p.relation)):
        classes: dict[str, list[tuple[int, Pair]]] = defaultdict(list)
        for number, pair in kept:
            if of(pair):
                classes[of(pair)].append((number, pair))
        for text, group in classes.items():
            if len({pair.entity_pair for _, pair in group}) < 2:
                message = (
                    f"The {name} “{shorten(text, 40)}” has only one pair of names; give it two or "
                    "more, so that what was learnt can be tried out."
                )
                numbers = tuple(number for number, _ in group)
                problems.append(RowProblem("small_class", numbers, message))
    return problems


def _one_label(labels: Mapping[str, int]) -> list[RowProblem]:
    if len(labels) != 1:
        return []
    message = (
        f"Every row has the label “{shorten(next(iter(labels)), 40)}”; add rows with another one, "
        "so that there is something to tell apart."
    )
    return [RowProblem("one_label", (), message)]


def _named(numbers: Sequence[int]) -> str:
    """The rows by their numbers: “Row 5”, “Rows 5 and 7”, “Rows 1, 2, 3, 4 and 96 more”."""
    if len(numbers) == 1:
        return f"Row {numbers[0]}"
    shown = [str(number) for number in numbers]
    if len(shown) > _SHOWN_ROWS + 1:
        shown = [*shown[:_SHOWN_ROWS], f"{len(shown) - _SHOWN_ROWS} more"]
    return f"Rows {', '.join(shown[:-1])} and {shown[-1]}"
