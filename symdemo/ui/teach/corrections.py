"""A row that comes into a visitor's project from another tab, such as “Wrong? Teach it”.

Another tab puts it in by `AddRow`; the first one makes the project.
"""

from __future__ import annotations

import secrets
from dataclasses import replace

from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.teaching.rows import (
    RowTable,
    TeachRow,
    labelled_pair,
    read_label,
    rows_of_pairs,
    same_sentence,
)
from symdemo.text import shorten
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.visitor import AddedRow


def add_row(
    sessions: Sessions,
    project_key: str,
    premise: str,
    hypothesis: str,
    label: str,
    relation: str = "",
    visit: str | None = None,
) -> AddedRow:
    """Put one row into a visitor's project; the first one makes the project.

    A row of the same two sentences is not repeated: it gets the new label.

    Args:
        sessions: the projects of all visitors.
        project_key: the id that the browser keeps; empty for a new one.
        premise: the sentence.
        hypothesis: the swapped sentence.
        label: entailment, contradiction, neutral, a word for one of them, or a name of their own.
        relation: what is said of the two, where that is known.
        visit: the page that asks, as in `Sessions.find_or_create`.

    Raises:
        InputError: sentences or a label that cannot be taught, or no room for another row; nothing
            is changed, and no project made.
        LostProjectError: the browser keeps the key of a project that cannot be opened now.
    """
    label = read_label(sessions.limits.check_label(label))
    given = TeachRow(premise=premise, hypothesis=hypothesis, relation=relation or "", label=label)
    pair = labelled_pair(given)
    sessions.checker(None)(pair)
    row = rows_of_pairs([pair])[0]
    for name in ("subject", "relation", "object", "premise", "hypothesis"):
        sessions.limits.check_text(name, getattr(row, name))
    project = sessions.find_or_create(project_key, visit)
    done = _AddOrRelabel(row, pair)
    project.change_table(done)
    return AddedRow(project.id, done.place + 1, done.message, secrets.token_urlsafe(6))


class _AddOrRelabel:
    """Puts a row into a table, and remembers where and what was there before."""

    def __init__(self, row: TeachRow, pair: Pair):
        self.row, self.pair = row, pair
        self.place = 0
        self.message = ""

    def __call__(self, table: RowTable) -> RowTable:
        label = shorten(self.row.label, 40)
        for place, old in enumerate(table.rows):
            if self._says_the_same(old):
                self.place = place
                if old.label == self.row.label:
                    self.message = f"Row {place + 1} of your rows says so already."
                    return table
                self.message = f"Row {place + 1} of your rows now says “{label}”."
                return table.with_row(place, replace(old, label=self.row.label))
        self.place = len(table.rows)
        self.message = f"Added to your rows as row {self.place + 1}, with the label “{label}”."
        return table.with_new([self.row])

    def _says_the_same(self, old: TeachRow) -> bool:
        try:
            pair = old.pair()
        except InputError:  # it is unfinished
            return False
        return same_sentence(pair.premise, self.pair.premise) and same_sentence(
            pair.hypothesis, self.pair.hypothesis
        )
