"""A row of a person's table: what they say of one pair of sentences, in parts or whole.

From the premise, the hypothesis follows (entailment), is contradicted (contradiction), stays open
(neutral), or stands in a relation that the person names.
"""

from __future__ import annotations

import builtins
import re
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache

from symdemo.data.columns import (
    FIELDS,
    PARTS,
    SENTENCES,
    label_of_word,
    plain_relation,
)
from symdemo.errors import InputError, ModelError
from symdemo.jobs.deadline import check_time
from symdemo.pairs import (
    CONTRADICTION,
    ENTAILMENT,
    MAX_CHARACTERS,
    NEUTRAL,
    Pair,
    check_pair,
    check_sentence,
)
from symdemo.swapping import Swap, join, swap
from symdemo.text import shorten, tidy_text

# What spreadsheets compute with, and what they leave where that failed. "-5 °C" and "@ann" pass.
_FORMULA = re.compile(r"=|[+\-@][A-Za-z]+[(|]")
_SHEET_ERROR = re.compile(r"#(?:REF|N/A|VALUE|NAME|DIV/0|NULL|NUM|SPILL)[!?]?")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a person's table: three parts, or two whole sentences, and a label.

    With a whole `premise` the parts may be empty, and so may the hypothesis: it is then found by
    swapping. A label may be missing until the row is to be taught.
    """

    subject: str = ""
    relation: str = ""
    object: str = ""
    premise: str = ""
    hypothesis: str = ""
    label: str = ""

    @property
    def is_blank(self) -> bool:
        """Whether nothing is written in any of its cells."""
        return not any(str(getattr(self, name)).strip() for name in FIELDS)

    @property
    def is_unfinished(self) -> bool:
        """Whether a cell is empty that must be filled before the row is taught."""
        needed = ("premise",) if self.premise.strip() else PARTS
        return not all(str(getattr(self, name)).strip() for name in (*needed, "label"))

    def to_json(self) -> dict[str, str]:
        """Its cells by name, without the empty ones."""
        return {name: text for name, text in asdict(self).items() if text}

    @classmethod
    def from_json(cls, values: builtins.object) -> Row:
        """The row that `to_json` gave.

        Raises:
            InputError: not an object, a field that no row has, or a value that is not text.
        """
        if not isinstance(values, Mapping):
            raise InputError(f"A row is {type(values).__name__}; an object of cells is expected.")
        foreign = [str(name) for name in values if name not in FIELDS]
        if foreign:
            raise InputError(
                f"A row has the field “{shorten(foreign[0], 30)}”; expected: {', '.join(FIELDS)}."
            )
        for name, text in values.items():
            if not isinstance(text, str):
                raise InputError(f"The {name} of a row is {type(text).__name__}; text is expected.")
        return cls(**values)

    def pair(self) -> Pair:
        """The pair of sentences that the row stands for; its label is None while it is empty.

        `Pair.relation` is the relation as it was given; for whole sentences it is the wording that
        the swap found, where that leads to the hypothesis: plain ("is the boss of") where subject
        and object stand at its two ends, else with [X] and [Y].

        Raises:
            InputError: a cell or a sentence that cannot be read.
            ModelError: the hypothesis has to be found, and the parser is not installed.
        """
        cells = {name: tidy_cell(name, getattr(self, name)) for name in FIELDS}
        if not any(cells[name] for name in (*PARTS, *SENTENCES)):
            raise InputError("There are no words; give subject, relation and object, or a premise.")
        if cells["premise"]:
            return _pair_of_sentences(cells)
        if cells["hypothesis"] and not any(cells[name] for name in PARTS):
            raise InputError("There is a hypothesis but no premise; give the premise too.")
        subject, relation, object = (cells[name] for name in PARTS)
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
    """The text of a cell as the sentences will hold it: no invisible signs, single spaces.

    Raises:
        InputError: not text, longer than any sentence, a control character, or a formula.
    """
    if isinstance(text, str) and len(text) <= MAX_CHARACTERS:
        composed = unicodedata.normalize("NFC", text)
        text = "".join(c for c in composed if unicodedata.category(c) != "Cf")
    tidy = tidy_text(name, text, MAX_CHARACTERS)
    if _FORMULA.match(tidy) or _SHEET_ERROR.fullmatch(tidy):
        raise InputError(
            f"The {name} is “{shorten(tidy, 30)}”, which is for a spreadsheet; plain words are "
            "expected."
        )
    return tidy


def read_label(text: str) -> str:
    """The label that a person's word means: "Yes" is entailment; another word is its own label."""
    return label_of_word(tidy_cell("label", text))


def same_sentence(one: str, other: str) -> bool:
    """Whether two sentences differ in nothing but capitals, spaces and the final stop."""
    first, second = (" ".join(text.split()).rstrip(" .!…").casefold() for text in (one, other))
    return first == second


def rows_of_pairs(pairs: Iterable[Pair]) -> list[Row]:
    """Pairs as rows: in parts where these give the very same sentences, else whole."""
    return [_row_of_pair(pair) for pair in pairs]


def labelled_pair(row: Row) -> Pair:
    """The pair of a row that is to be taught; `InputError` as `Row.pair`, and without a label."""
    pair = row.pair()
    if not pair.label:
        raise InputError(
            f"The label of “{shorten(pair.premise)}” is empty; {ENTAILMENT}, {CONTRADICTION}, "
            f"{NEUTRAL} or a name of your own is expected."
        )
    return pair


def _pair_of_sentences(cells: Mapping[str, str]) -> Pair:
    check_time()
    premise = check_sentence(cells["premise"], "premise")
    hypothesis = cells["hypothesis"]
    found: Swap | InputError | None = None
    if not hypothesis:
        found = _find_swap(premise)
        if isinstance(found, InputError):
            raise InputError(str(found))  # the remembered one would gather tracebacks
        hypothesis = found.hypothesis
    elif not all(cells[name] for name in PARTS):
        with suppress(ModelError):  # without the parser the relation merely stays unknown
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
    """`swap`, remembered with its refusals: a table is checked again after every change."""
    try:
        return swap(premise)
    except InputError as error:
        return error


def _row_of_pair(pair: Pair) -> Row:
    label, relation = pair.label or "", pair.relation or ""
    parts = Row(pair.head or "", plain_relation(relation), pair.tail or "", label=label)
    with suppress(InputError):
        if parts.pair() == replace(pair, relation=parts.relation):
            return parts
    return replace(parts, premise=pair.premise, hypothesis=pair.hypothesis)
