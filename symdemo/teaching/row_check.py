"""Problems in a table: rows that cannot be read or taught, and labels that look mistyped."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from symdemo.data.columns import FIELDS, LABEL_OF_WORD
from symdemo.errors import InputError, SymdemoError
from symdemo.jobs.deadline import DeadlineError
from symdemo.pairs import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL, Pair, check_pair
from symdemo.teaching.limits import Limits
from symdemo.teaching.rows import TeachRow, labelled_pair
from symdemo.text import shorten

if TYPE_CHECKING:
    from symdemo.classifier import SymmetryClassifier

ProblemKind = Literal[
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
"""Kinds of problems that prevent teaching; the others are advice."""

NO_RELATION = "(no relation found)"
"""Key of `RowReport.counts_by_relation` for whole sentences of unknown relation."""

_SHOWN_ROWS = 4
_REMEMBERED_ROWS = 4096


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A problem: its kind, the rows it concerns (numbered from 1), and one sentence."""

    kind: ProblemKind
    rows: tuple[int, ...]
    message: str


@dataclass(frozen=True, slots=True)
class RowReport:
    """What a table holds. Blank rows are skipped but keep their numbers.

    Attributes:
        pairs: the readable pairs without duplicates, in order.
        problems: blocking ones first, then by row number.
        counts_by_label: label → number of `pairs`.
        counts_by_relation: relation, or `NO_RELATION` → number of `pairs`.
    """

    pairs: tuple[Pair, ...]
    problems: tuple[RowProblem, ...]
    counts_by_label: dict[str, int] = field(default_factory=dict)
    counts_by_relation: dict[str, int] = field(default_factory=dict)

    @property
    def ready(self) -> bool:
        """True if the rows can be taught as they are."""
        return bool(self.pairs) and not any(p.kind in BLOCKING for p in self.problems)

    @property
    def to_finish(self) -> bool:
        """True if the only blocking problem is that cells are still empty."""
        return {p.kind for p in self.problems if p.kind in BLOCKING} == {"unfinished"}


def check_rows(
    rows: Sequence[TeachRow],
    limits: Limits | None = None,
    check: Callable[[Pair], Pair] = check_pair,
) -> RowReport:
    """Report on all rows; nothing a person wrote raises.

    If the deadline (`symdemo.jobs.deadline`) passes, one problem names the rows that are left.

    Args:
        rows: the table, including blank rows.
        limits: the usual ones if None.
        check: what each pair must pass, such as `SymmetryClassifier.check` of the model to be
            taught, which knows the scripts and lengths of its encoder. Results are cached by row.
    """
    limits = limits or Limits()
    written = [(number, row) for number, row in enumerate(rows, start=1) if not row.is_blank]
    problems = _too_many(limits, rows=len(written))
    numbered: list[tuple[int, Pair]] = []
    for place, (number, row) in enumerate(written[: limits.rows]):
        try:
            found = _read(row, limits, check)
        except DeadlineError:
            left = tuple(number for number, _ in written[place : limits.rows])
            message = (
                f"{_named(left)} {'is' if len(left) == 1 else 'are'} saved but not read yet: whole "
                "sentences take time. Change anything to continue."
            )
            problems.append(RowProblem("unread", left, message))
            break
        if isinstance(found, Pair):
            numbered.append((number, found))
        else:
            kind: ProblemKind = "unfinished" if row.is_unfinished else "unreadable"
            problems.append(RowProblem(kind, (number,), f"Row {number}: {found}"))
    kept, repeated = _without_duplicates(numbered)
    pairs = tuple(pair for _, pair in kept)
    labels = Counter(str(pair.label) for pair in pairs)
    relations = Counter(pair.relation or NO_RELATION for pair in pairs)
    problems += _too_many(
        limits, labels=len(labels), relations=len(relations.keys() - {NO_RELATION})
    )
    problems += [*_conflicts(kept), *repeated, *_small_classes(kept)]
    if len(labels) == 1:
        message = (
            f"Every row has the label “{shorten(next(iter(labels)), 40)}”; add rows with another "
            "label, so that there is something to tell apart."
        )
        problems.append(RowProblem("one_label", (), message))
    problems.sort(key=lambda problem: (problem.kind not in BLOCKING, problem.rows[:1]))
    return RowReport(pairs, tuple(problems), dict(labels), dict(relations))


def pairs_to_teach(
    rows: Sequence[TeachRow], base: SymmetryClassifier, limits: Limits | None = None
) -> list[Pair]:
    """Return the pairs of a table as `base` reads them, without duplicates.

    Raises:
        InputError: there are none, or a row prevents teaching; the message names it.
    """
    report = check_rows(rows, limits, base.check)
    if not report.ready:
        blocking = [p.message for p in report.problems if p.kind in BLOCKING]
        raise InputError(blocking[0] if blocking else "There are no rows to teach; write a few.")
    return list(report.pairs)


def check_sizes(rows: Sequence[TeachRow], limits: Limits, known: Collection[TeachRow] = ()) -> None:
    """Check a table against the limits before it is stored; unfinished rows pass.

    Args:
        rows: the table.
        limits: what is allowed.
        known: rows that were checked before.

    Raises:
        InputError: too many rows, labels or relations, or a cell that is too long.
    """
    limits.check("rows", len(rows))
    for number, row in enumerate(rows, start=1):
        if row not in known:
            try:
                _check_cells(row, limits)
            except InputError as error:
                raise InputError(f"Row {number}: {error}") from None
    for name in ("label", "relation"):
        limits.check(f"{name}s", len({getattr(row, name).strip() for row in rows} - {""}))


def _check_cells(row: TeachRow, limits: Limits) -> None:
    for name in FIELDS:
        text = getattr(row, name)
        if text and name != "label":
            limits.check_text(name, text)
    if row.label.strip():
        limits.check_label(row.label)


_cache: WeakKeyDictionary[Any, dict[tuple[TeachRow, Limits], Pair | str]] = WeakKeyDictionary()


def _read(row: TeachRow, limits: Limits, check: Callable[[Pair], Pair]) -> Pair | str:
    """Return the pair of a row, or why it has none."""
    known = _cache.setdefault(getattr(check, "__self__", check), {})
    found = known.get((row, limits))
    if found is None:
        try:
            _check_cells(row, limits)
            found = check(labelled_pair(row))
        except DeadlineError:
            raise
        except SymdemoError as error:
            found = str(error)
        if len(known) >= _REMEMBERED_ROWS:
            known.clear()
        known[row, limits] = found
    return found


def _too_many(limits: Limits, **numbers: int) -> list[RowProblem]:
    problems = []
    for name, number in numbers.items():
        try:
            limits.check(name, number)
        except InputError as error:
            problems.append(RowProblem("too_many", (), str(error)))
    return problems


def _sentences(pair: Pair) -> tuple[str, str]:
    return pair.premise.casefold(), pair.hypothesis.casefold()


def _without_duplicates(
    numbered: Iterable[tuple[int, Pair]],
) -> tuple[list[tuple[int, Pair]], list[RowProblem]]:
    """Return the first row of each pair and label, and a problem for each that is repeated."""
    same: dict[tuple, list[tuple[int, Pair]]] = defaultdict(list)
    for number, pair in numbered:
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
    """Find the same two sentences under two labels.

    In reverse order two labels can both be true, except for entailment and contradiction.
    """
    by_sentences: dict[tuple[str, str], list[tuple[int, Pair]]] = defaultdict(list)
    for number, pair in kept:
        by_sentences[_sentences(pair)].append((number, pair))
    problems = []
    for (premise, hypothesis), group in by_sentences.items():
        numbers = tuple(number for number, _ in group)
        if len(group) > 1:
            labels = ", ".join(f"“{pair.label}”" for _, pair in group)
            message = (
                f"{_named(numbers)} are the same sentence with different labels, {labels}. "
                "Keep one."
            )
            problems.append(RowProblem("conflict", numbers, message))
        for number, pair in by_sentences.get((hypothesis, premise), ()):
            for own, other in group:
                if own < number and {other.label, pair.label} == {ENTAILMENT, CONTRADICTION}:
                    message = (
                        f"Rows {own} and {number} are the same two sentences in reverse order, "
                        f"once {ENTAILMENT} and once {CONTRADICTION}. Keep one."
                    )
                    problems.append(RowProblem("conflict", (own, number), message))
    return problems


def _small_classes(kept: Sequence[tuple[int, Pair]]) -> list[RowProblem]:
    """Find labels and relations with one pair of names, which leaves none to test on."""
    problems = []
    for name in ("label", "relation"):
        classes: dict[str, list[tuple[int, Pair]]] = defaultdict(list)
        for number, pair in kept:
            if text := getattr(pair, name):
                classes[text].append((number, pair))
        for text, group in classes.items():
            if len({pair.entity_pair for _, pair in group}) < 2:
                message = (
                    f"The {name} “{shorten(text, 40)}” has only one pair of names. Add another "
                    "pair, so that we can test it."
                )
                numbers = tuple(number for number, _ in group)
                problems.append(RowProblem("small_class", numbers, message))
    return problems


def _named(numbers: Sequence[int]) -> str:
    """Name rows by number: “Row 5”, “Rows 5 and 7”, “Rows 1, 2, 3, 4 and 96 more”."""
    if len(numbers) == 1:
        return f"Row {numbers[0]}"
    shown = [str(number) for number in numbers]
    if len(shown) > _SHOWN_ROWS + 1:
        shown = [*shown[:_SHOWN_ROWS], f"{len(shown) - _SHOWN_ROWS} more"]
    return f"Rows {', '.join(shown[:-1])} and {shown[-1]}"


_OTHER_WORDS = {
    ENTAILMENT: "y yep yeah yea ja oui si right correct entailed follows implies",
    CONTRADICTION: "n nope not nay non nein wrong incorrect contradicted contradictory",
    NEUTRAL: "perhaps possibly unsure unclear undecided undetermined",
}
_LABEL_OF_OTHER = {word: label for label, words in _OTHER_WORDS.items() for word in words.split()}
_MIN_LETTERS = 4  # nearly all shorter words look alike
_MIN_SIMILARITY = 0.8
_MAX_LABELS = 60  # each is compared with each


@dataclass(frozen=True, slots=True)
class NearLabel:
    """A label as typed, the one that was probably meant, and its rows (numbered from 1)."""

    typed: str
    meant: str
    rows: tuple[int, ...]


def near_labels(rows: Sequence[TeachRow], settled: Collection[str] = ()) -> list[NearLabel]:
    """Find labels that are probably typing errors, or other words for yes, no and maybe.

    Args:
        rows: the table.
        settled: labels that the person confirmed.
    """
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows, start=1):
        if label := row.label.strip():
            numbers[label].append(number)
    if len(numbers) > _MAX_LABELS:
        return []
    found = []
    for typed, own in numbers.items():
        if typed not in settled and typed not in LABELS:
            more_used = [label for label in numbers if len(numbers[label]) > len(own)]
            if meant := _meant(typed, more_used):
                found.append(NearLabel(typed, meant, tuple(own)))
    return found


def _meant(typed: str, more_used: Sequence[str]) -> str | None:
    word = typed.casefold().strip(".!\"'“” ")
    if word in _LABEL_OF_OTHER:
        return _LABEL_OF_OTHER[word]
    if len(word) < _MIN_LETTERS:
        return None
    known = LABEL_OF_WORD | {label.casefold(): label for label in more_used}
    similarity = {
        name: SequenceMatcher(None, word, name).ratio()
        for name in known
        if len(name) >= _MIN_LETTERS
    }
    best = max(similarity, key=similarity.__getitem__)
    return known[best] if similarity[best] >= _MIN_SIMILARITY else None
