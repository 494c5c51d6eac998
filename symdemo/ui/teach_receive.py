"""A row that comes into a visitor's project from another tab, such as “Wrong? Teach it”.

The tab that has the row calls `add_row` in a handler of its own, with the visitor's project id as
input, and gives two of the results to what all tabs share of the visitor:

    def taught(project, …, request: gr.Request):
        received = add_row(
            visitor.sessions, project, premise, hypothesis, label, visit=request.session_hash
        )
        return received.project, received.stamp, received.said

    button.click(taught, [visitor.project, …], [visitor.project, visitor.offered, said])

The id is kept by the browser from then on, and the change of `visitor.offered` lets the tab “Teach”
draw its rows anew.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace

from symdemo.errors import InputError
from symdemo.pairs import Pair, shorten
from symdemo.teaching.rows import Row, labelled_pair, read_label, rows_of_pairs, same_sentence
from symdemo.teaching.table import Table
from symdemo.ui.teach_sessions import TeachSessions


@dataclass(frozen=True)
class Received:
    """What became of a row.

    Attributes:
        project: the id that the browser is to keep.
        row: its number in the table, from 1.
        said: what was done, in a sentence for the visitor.
        stamp: a new value for `Visitor.offered`.
    """

    project: str
    row: int
    said: str
    stamp: str


def add_row(
    sessions: TeachSessions,
    project_key: str,
    premise: str,
    hypothesis: str,
    label: str,
    relation: str = "",
    visit: str | None = None,
) -> Received:
    """Put one row into a visitor's project; the first one makes the project.

    A row of the same two sentences is not repeated: it gets the new label.

    Args:
        sessions: the projects of all visitors.
        project_key: the id that the browser keeps; empty, or of a project that is gone, for a new
            one.
        premise: the sentence.
        hypothesis: the swapped sentence.
        label: entailment, contradiction, neutral, a word for one of them, or a name of their own.
        relation: what is said of the two, where that is known.
        visit: the page that asks, as in `TeachSessions.find_or_create`.

    Raises:
        InputError: sentences or a label that cannot be taught, or no room for another row; nothing
            is changed, and no project made.
    """
    label = read_label(sessions.limits.check_label(label))
    given = Row(premise=premise, hypothesis=hypothesis, relation=relation or "", label=label)
    pair = labelled_pair(given)
    sessions.checker(None)(pair)
    row = rows_of_pairs([pair])[0]
    for name in ("subject", "relation", "object", "premise", "hypothesis"):
        sessions.limits.check_text(name, getattr(row, name))
    project = sessions.find_or_create(project_key, visit)
    done = _Placing(row, pair)
    project.change_table(done)
    return Received(project.id, done.place + 1, done.said, secrets.token_urlsafe(6))


class _Placing:
    """Puts a row into a table, and remembers where and what was there before."""

    def __init__(self, row: Row, pair: Pair):
        self.row, self.pair = row, pair
        self.place = 0
        self.said = ""

    def __call__(self, table: Table) -> Table:
        label = shorten(self.row.label, 40)
        for place, old in enumerate(table.rows):
            if self._says_the_same(old):
                self.place = place
                if old.label == self.row.label:
                    self.said = f"Row {place + 1} of your rows says so already."
                    return table
                self.said = f"Row {place + 1} of your rows now says “{label}”."
                return table.with_row(place, replace(old, label=self.row.label))
        self.place = len(table.rows)
        self.said = f"Added to your rows as row {self.place + 1}, with the label “{label}”."
        return table.with_new([self.row])

    def _says_the_same(self, old: Row) -> bool:
        try:
            pair = old.pair()
        except InputError:  # it is unfinished
            return False
        return same_sentence(pair.premise, self.pair.premise) and same_sentence(
            pair.hypothesis, self.pair.hypothesis
        )
