"""The rows of a person's table: the pairs they mean, and the problems that prevent teaching."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from operator import attrgetter
from typing import Any, Literal
from weakref import WeakKeyDictionary

from symdemo.classifier import SymmetryClassifier
from symdemo.data.columns import FIELDS, PARTS, label_of_word, plain_relation
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

        `Pair.relation` is the relation as given. For whole sentences it is what the swap found, if
        the swap leads to the hypothesis: plain ("is the boss of") where subject and object are at
        the two ends, else with [X] and [Y]. `InputError` for what cannot be read, `ModelError` if
        the parser is missing.
        """
        cells = {name: tidy_cell(name, getattr(self, name)) for name in FIELDS}
        hypothesis, label = cells["hypothesis"], cells["label"] or None
        if cells["premise"]:
            return _pair_of_sentences(cells)
        subject, relation, object = parts = [cells[name] for name in PARTS]
        if hypothesis and not any(parts):
            raise InputError("There is a hypothesis but no premise; give the premise too.")
        if not any(parts):
            raise InputError("There are no words; give subject, relation and object, or a premise.")
        if not hypothesis and subject and same_sentence(subject, object):
            raise InputError(
                f"Subject and object are both “{shorten(subject)}”, so swapping changes nothing; "
                "two different things are expected."
            )
        premise = join(subject, relation, object)
        hypothesis = hypothesis or join(object, relation, subject)
        made = Pair(premise, hypothesis, label, plain_relation(relation), subject, object)
        return check_pair(made)


def tidy_cell(name: str, text: object) -> str:
    """Return a cell's tidy text; `InputError` for a formula, a control character or too much."""
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
    """Return the label of a word, else the word, even a typo (unlike `columns.read_label`)."""
    return label_of_word(tidy_cell("label", text))


def same_sentence(one: str, other: str) -> bool:
    """True if two sentences differ only in capitals, spaces and the final full stop."""
    return sentence_key(one) == sentence_key(other)


def labelled_pair(row: TeachRow) -> Pair:
    """Return the pair of a row that is to be taught; `InputError` also if the label is empty."""
    pair = row.pair()
    if not pair.label:
        raise InputError(
            f"The label of “{shorten(pair.premise)}” is empty; {ENTAILMENT}, {CONTRADICTION}, "
            f"{NEUTRAL} or a label of your own is expected."
        )
    return pair


def rows_of_pairs(pairs: Iterable[Pair]) -> list[TeachRow]:
    """Return pairs as rows: in three parts if they make the same sentences, else whole."""
    rows = []
    for pair in pairs:
        relation = plain_relation(pair.relation or "")
        row = TeachRow(pair.head or "", relation, pair.tail or "", label=pair.label or "")
        is_same = False
        with suppress(InputError):
            is_same = row.pair() == replace(pair, relation=relation)
        if not is_same:
            row = replace(row, premise=pair.premise, hypothesis=pair.hypothesis)
        rows.append(row)
    return rows


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
    about = (text or None for text in (cells["label"], plain_relation(relation), *ends))
    return check_pair(Pair(premise, hypothesis, *about))


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

Numbered = tuple[int, Pair]
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
    """The findings on a table. Blank rows are skipped but keep their numbers."""

    pairs: tuple[Pair, ...]  # the readable pairs without duplicates, in order
    problems: tuple[RowProblem, ...]  # blocking ones first, then by row number

    @property
    def counts_by_label(self) -> dict[str, int]:
        """Label → number of `pairs`."""
        return dict(Counter(str(pair.label) for pair in self.pairs))

    @property
    def counts_by_relation(self) -> dict[str, int]:
        """Relation, or `NO_RELATION` → number of `pairs`."""
        return dict(Counter(pair.relation or NO_RELATION for pair in self.pairs))

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
    """Report on the rows of a table, which may have blank ones; nothing a person wrote raises.

    If the deadline (`symdemo.jobs.deadline`) passes, one problem names the rows that are left. Each
    pair must pass `check`, such as `SymmetryClassifier.check` of the model to be taught, which
    knows the scripts and lengths that its encoder can read. Results are cached by row.
    """
    written = [(number, row) for number, row in enumerate(rows, start=1) if not row.is_blank]
    problems = _too_many(limits, rows=len(written))
    numbered: list[Numbered] = []
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
    report = RowReport(tuple(pair for _, pair in kept), ())
    labels, relations = report.counts_by_label, report.counts_by_relation.keys() - {NO_RELATION}
    problems += _too_many(limits, labels=len(labels), relations=len(relations))
    problems += [*_conflicts(kept), *repeated, *_small_classes(kept)]
    if len(labels) == 1:
        message = (
            f"Every row has the label “{shorten(next(iter(labels)), 40)}”; add rows with another "
            "label, so that there is something to tell apart."
        )
        problems.append(RowProblem("one_label", (), message))
    problems.sort(key=lambda problem: (problem.kind not in BLOCKING, problem.rows[:1]))
    return replace(report, problems=tuple(problems))


def pairs_to_teach(
    rows: Sequence[TeachRow], base: SymmetryClassifier, limits: Limits = LIMITS
) -> list[Pair]:
    """Return distinct pairs as `base` reads them; `InputError` for none or a blocking problem."""
    report = check_rows(rows, limits, base.check)
    if not report.ready:
        blocking = [p.message for p in report.problems if p.kind in BLOCKING]
        raise InputError(blocking[0] if blocking else "There are no rows to teach; write a few.")
    return list(report.pairs)


def check_sizes(rows: Sequence[TeachRow], limits: Limits, known: Collection[TeachRow] = ()) -> None:
    """Raise `InputError` if a table is too large; the cells of `known` rows are not checked."""
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


def _grouped(numbered: Iterable[Numbered], key: Callable[[Pair], Any]) -> dict[Any, list[Numbered]]:
    groups: dict[Any, list[Numbered]] = defaultdict(list)
    for number, pair in numbered:
        groups[key(pair)].append((number, pair))
    return groups


def _numbers(group: Iterable[Numbered]) -> tuple[int, ...]:
    return tuple(number for number, _ in group)


def _sentences(pair: Pair) -> tuple[str, str]:
    return pair.premise.casefold(), pair.hypothesis.casefold()


def _without_duplicates(numbered: Iterable[Numbered]) -> tuple[list[Numbered], list[RowProblem]]:
    """Return the first row of each pair and label, and a problem for each that is repeated."""
    same = _grouped(numbered, lambda pair: (*_sentences(pair), pair.label)).values()
    problems = []
    for group in same:
        if others := _numbers(group[1:]):
            words = ("repeats", "it counts") if len(others) == 1 else ("repeat", "they count")
            message = f"{_named(others)} {words[0]} row {group[0][0]}; {words[1]} only once."
            problems.append(RowProblem("duplicate", _numbers(group), message))
    return [group[0] for group in same], problems


def _conflicts(kept: Sequence[Numbered]) -> list[RowProblem]:
    """Find sentences under two labels, and reversed ones under entailment and contradiction."""
    by_sentences = _grouped(kept, _sentences)
    problems = []
    for (premise, hypothesis), group in by_sentences.items():
        if len(group) > 1:
            labels = ", ".join(f"“{pair.label}”" for _, pair in group)
            message = (
                f"{_named(_numbers(group))} are the same sentence with different labels, {labels}. "
                "Keep one."
            )
            problems.append(RowProblem("conflict", _numbers(group), message))
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


def _small_classes(kept: Sequence[Numbered]) -> list[RowProblem]:
    """Find labels and relations with one pair of names, which leaves none to test on."""
    problems = []
    for name in ("label", "relation"):
        for text, group in _grouped(kept, attrgetter(name)).items():
            if text and len({pair.entity_pair for _, pair in group}) < 2:
                message = (
                    f"The {name} “{shorten(text, 40)}” has only one pair of names. Add another "
                    "pair, so that we can test it."
                )
                problems.append(RowProblem("small_class", _numbers(group), message))
    return problems


def _named(numbers: Sequence[int]) -> str:
    """Name rows by number: “Row 5”, “Rows 5 and 7”, “Rows 1, 2, 3, 4 and 96 more”."""
    if len(numbers) == 1:
        return f"Row {numbers[0]}"
    shown = [str(number) for number in numbers]
    if len(shown) > _SHOWN_ROWS + 1:
        shown = [*shown[:_SHOWN_ROWS], f"{len(shown) - _SHOWN_ROWS} more"]
    return f"Rows {', '.join(shown[:-1])} and {shown[-1]}"
