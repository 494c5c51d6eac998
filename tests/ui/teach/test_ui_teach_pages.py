"""Two open pages of one project, each saving its own view of the rows."""

import json

import pytest
from teach_fakes import edit
from ui_fakes import project_ids

from symdemo.teaching.project_files import RowTable
from symdemo.teaching.rows import TeachRow
from symdemo.ui.shared.sessions import LostProjectError
from symdemo.ui.teach import rows as changes
from symdemo.ui.teach.grid import decode, encode, load_rows

NEW = ["Ida", "borders", "Jon", "yes"]


class Page:
    """A page as the browser keeps it: rows with names, what they were, and what it was answered."""

    def __init__(self, sessions, id, visit):
        self.sessions, self.id, self.visit, self.seq = sessions, id, visit, 0
        self.take(encode(load_rows(sessions, id).table))

    def take(self, value):
        value = json.loads(value)
        self.base = dict(zip(value["ids"], value["rows"], strict=False))
        self.rows = {id: list(cells) for id, cells in self.base.items()}
        self.revision = value["revision"]

    def sheet(self):
        was = {id: self.base.get(id) for id in {*self.rows, *self.base}
               if self.rows.get(id) != self.base.get(id)}  # fmt: skip
        sent = {
            "headers": [""] * 4, "rows": list(self.rows.values()), "ids": list(self.rows),
            "was": was, "revision": self.revision, "seq": self.seq,
        }  # fmt: skip
        return decode(json.dumps(sent))

    def change(self, id, cells):
        self.seq += 1
        self.rows[id] = cells

    def take_out(self, id):
        self.seq += 1
        del self.rows[id]

    def save(self, sheet=None):
        view = edit(self.sessions, self.id, self.visit, sheet or self.sheet()).save()
        self.take(encode(view.table))
        return view

    @property
    def ids(self):
        return list(self.rows)


@pytest.fixture
def pages(sessions, project):
    return Page(sessions, project, "one"), Page(sessions, project, "two")


def kept(page):
    return [row.subject for row in load_rows(page.sessions, page.id).rows]


def test_the_later_wins_where_both_changed_a_row_and_the_page_is_told(pages):
    one, two = pages
    one.change(one.ids[2], ["Eve 77", "borders", "Finn 77", "no"])
    one.change(one.ids[3], ["Greta 77", "borders", "Hugo 77", "maybe"])
    one.save()
    two.change(two.ids[2], ["Eve 77", "borders", "Finn 77", "depends"])
    view = two.save()
    assert [row.label for row in view.rows][2:4] == ["depends", "neutral"]
    assert view.merged == (
        "Updated from your other tab (1 row changed).",
        "Row 3 was changed in your other tab too, to “Eve 77 | borders | Finn 77 | contradiction”. "
        "Your text here was kept.",
    )


def test_a_page_that_overtakes_itself_is_no_other_page(pages):
    one, _ = pages
    one.change("new-1", ["Id", "borders", "Jon", "yes"])
    one.change(one.ids[0], NEW)
    sent = one.sheet()
    one.change("new-1", NEW)
    one.take_out(one.ids[0])
    later = one.sheet()
    edit(one.sessions, one.id, "one", sent).save()
    view = one.save(later)
    assert view.merged == ()
    assert [row.subject for row in view.rows] == [*kept(one)]
    assert len(view.rows) == 8
    assert kept(one).count("Ida") == 1
    assert one.save(sent).table == view.table  # it comes once more, late


def test_rows_of_a_deleted_project_are_kept_anew_only_where_that_is_asked_for(pages):
    one, two = pages
    one.sessions.projects.delete(one.id)
    two.change("new-1", NEW)
    for _ in range(2):  # one typed letter is not enough to lose the key
        with pytest.raises(LostProjectError, match=r"cannot be opened now.* key stays"):
            two.save()
    assert project_ids(one.sessions) == []
    view = edit(two.sessions, "", two.visit, two.sheet()).save_in_new_project()
    two.take(encode(view.table))
    assert view.project != one.id
    assert view.rows[-1] == TeachRow("Ida", "borders", "Jon", label="entailment")
    assert len(view.rows) == 9
    assert two.ids[-1] == "new-1"


def test_a_page_that_has_drawn_no_row_yet_takes_none_away(sessions, project):
    unseen = decode(encode(RowTable()))
    view = edit(sessions, project, "page", unseen).save()
    assert len(view.rows) == 8
    assert len(changes.tidy(edit(sessions, project, "page", unseen)).rows) == 8
    written = sessions.find(project).folder / "rows.json"
    rows = [row.to_json() for row in sessions.find(project).rows]
    written.write_text(json.dumps(rows))  # as it was written before rows had names
    assert len(edit(sessions, project, "page", unseen).save().rows) == 8
