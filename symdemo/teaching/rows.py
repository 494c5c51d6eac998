"""The rows of a person's table: the pairs they mean, and the problems that keep them from it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from symdemo.data.columns import FIELDS, PARTS, SENTENCES, label_of_word, plain_relation
from symdemo.errors import InputError, ModelError, SymdemoError
from symdemo.jobs.deadline import DeadlineError, check_time
from symdemo.pairs import (
    CONTRADICTION,
    ENTAILMENT,
    MAX_CHARACTERS,
    NEUTRAL,
    Pair,
    check_pair,
    check_sentence,
    sentence_key,
)
from symdemo.swapping import Swap, join, swap
from symdemo.teaching.limits import LIMITS, Limits
from symdemo.text import shorten, tidy_text

if TYPE_CHECKING:
    from symdemo.classifier import SymmetryClassifier

_FORMULA = re.compile(r"=|[+\-@][A-Za-z]+[(|]")  # "-5 °C" and "@ann" are no formulas
_SHEET_ERROR = re.compile(r"#(?:REF|N/A|VALUE|NAME|DIV/0|NULL|NUM|SPILL)[!?]?")


@dataclass(frozen=True, slots=True)
class TeachRow:
    """One line of a table: subject, relation and object, or whole sentences, and a label.

    With a `premise` the three parts may be empty, and so may the hypothesis, which is then the
    swapped premise. The label may be missing until the row is taught.
    """

    subject: str = ""
    relation: str = ""
    object: str = ""
    premise: str = ""
    hypothesis: str = ""
    label: str = ""

    @property
    def is_blank(self) -> bool:
        """True if all cells are empty."""
        return not any(str(getattr(self, name)).strip() for name in FIELDS)

    @property
    def is_unfinished(self) -> bool:
        """True if a cell is empty that teaching needs."""
        needed = ("premise",) if self.premise.strip() else PARTS
        return not all(str(getattr(self, name)).strip() for name in (*needed, "label"))

    def to_json(self) -> dict[str, str]:
        """Return the cells that are not empty, by name."""
        return {name: text for name, text in asdict(self).items() if text}

    def pair(self) -> Pair:
        """Return the pair that the row means; its label is None while the cell is empty.

        `Pair.relation` is the relation as given. For whole sentences it is what the swap found,
        if the swap leads to the hypothesis: plain ("is the boss of") where subject and object are
        at the two ends, else with [X] and [Y].

        Raises:
            InputError: a cell or a sentence that cannot be read.
            ModelError: the hypothesis needs a swap, and the parser is not installed.
        """
        cells = {name: tidy_cell(name, getattr(self, name)) for name in FIELDS}
        if not any(cells[name] for name in (*PARTS, *SENTENCES)):
            raise InputError("There are no words; give subject, relation and object, or a premise.")
        if cells["premise"]:
            return _pair_of_sentences(cells)
        if cells["hypothesis"] and not any(cells[name] for name in PARTS):
            raise InputError("There is a hypothesis but no premise; give the premise too.")
        subject, relation, object = (cells[name] for name in PARTS)
        if not cells["hypothesis"] and subject and same_sentence(subject, object):
            raise InputError(
                f"Subject and object are both “{shorten(subject)}”, so swapping changes nothing; "
                "two different things are expected."
            )
        return check_pair(
            Pair(
                join(subject, relation, object),
                cells["hypothesis"] or join(object, relation, subject),
                cells["label"] or None,
                plain_relation(relation),
                subject,
                object,
            )
        )


def tidy_cell(name: str, text: object) -> str:
    """Return the text of a cell without invisible characters and with single spaces.

    Raises:
        InputError: not text, longer than any sentence, a control character, or a formula.
    """
    if not text and isinstance(text, str):
        return ""
    if isinstance(text, str) and len(text) <= MAX_CHARACTERS and not text.isascii():
        composed = unicodedata.normalize("NFC", text)
        text = "".join(c for c in composed if unicodedata.category(c) != "Cf")
    tidy = tidy_text(name, text, MAX_CHARACTERS)
    if _FORMULA.match(unicodedata.normalize("NFKC", tidy)) or _SHEET_ERROR.fullmatch(tidy):
        raise InputError(
            f"The {name} is “{shorten(tidy, 30)}”, which looks like a spreadsheet formula; plain "
            "words are expected."
        )
    return tidy


@lru_cache(maxsize=4096)
def read_label(text: str) -> str:
    """Return the label that a word means: "Yes" is entailment; other words are their own label.

    The grid asks about mistyped ones, so unlike `columns.read_label` this lets them pass.
    """
    return label_of_word(tidy_cell("label", text))


def same_sentence(one: str, other: str) -> bool:
    """True if two sentences differ only in capitals, spaces and the final stop."""
    return sentence_key(one) == sentence_key(other)


def labelled_pair(row: TeachRow) -> Pair:
    """Return the pair of a row that is to be taught.

    Raises:
        InputError: as `TeachRow.pair`, or the label is empty.
    """
    pair = row.pair()
    if not pair.label:
        raise InputError(
            f"The label of “{shorten(pair.premise)}” is empty; {ENTAILMENT}, {CONTRADICTION}, "
            f"{NEUTRAL} or a label of your own is expected."
        )
    return pair


def rows_of_pairs(pairs: Iterable[Pair]) -> list[TeachRow]:
    """Return pairs as rows: in three parts if they make the same sentences, else whole."""
    return [_row_of_pair(pair) for pair in pairs]


def _row_of_pair(pair: Pair) -> TeachRow:
    label, relation = pair.label or "", pair.relation or ""
    parts = TeachRow(pair.head or "", plain_relation(relation), pair.tail or "", label=label)
    with suppress(InputError):
        if parts.pair() == replace(pair, relation=parts.relation):
            return parts
    return replace(parts, premise=pair.premise, hypothesis=pair.hypothesis)


def _pair_of_sentences(cells: Mapping[str, str]) -> Pair:
    check_time()
    premise = check_sentence(cells["premise"], "premise")
    hypothesis = cells["hypothesis"]
    found: Swap | InputError | None = None
    if not hypothesis:
        found = _find_swap(premise)
        if isinstance(found, InputError):
            raise InputError(str(found))  # the cached exception would collect tracebacks
        hypothesis = found.hypothesis
    elif not all(cells[name] for name in PARTS):
        with suppress(ModelError):  # without the parser only the relation stays unknown
            found = _find_swap(premise)
    relation, ends = cells["relation"], (cells["subject"], cells["object"])
    if isinstance(found, Swap) and same_sentence(found.hypothesis, hypothesis):
        relation = relation or found.relation
        ends = ends if any(ends) else (found.subject, found.object)
    known = (plain_relation(relation), *ends)
    return check_pair(
        Pair(premise, hypothesis, cells["label"] or None, *(text or None for text in known))
    )


@lru_cache(maxsize=4096)
def _find_swap(premise: str) -> Swap | InputError:
    try:
        return swap(premise)
    except InputError as error:
        return error


ProblemKind = Literal[
    "unread", "unfinished", "unreadable", "duplicate", "conflict", "small_class", "one_label",
    "too_many",
]  # fmt: skip

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
    """The findings on a table. Blank rows are skipped but keep their numbers.

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
    rows: Sequence[TeachRow], limits: Limits = LIMITS, check: Callable[[Pair], Pair] = check_pair
) -> RowReport:
    """Report on all rows; nothing a person wrote raises.

    If the deadline (`symdemo.jobs.deadline`) passes, one problem names the rows that are left.

    Args:
        rows: the table, including blank rows.
        check: what each pair must pass, such as `SymmetryClassifier.check` of the model to be
            taught, which knows the scripts and lengths of its encoder. Results are cached by row.
    """
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
    rows: Sequence[TeachRow], base: SymmetryClassifier, limits: Limits = LIMITS
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

    Rows that are `known` were checked before.

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
        turned = by_sentences.get((hypothesis, premise), ()) if premise != hypothesis else ()
        for number, pair in turned:
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
