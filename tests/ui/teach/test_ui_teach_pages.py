"""Open pages of one project, and the key of a browser, which no fault of the server takes away."""

import json
import shutil

import gradio as gr
import pytest
from killing import LINUX, beside
from teach_fakes import edit, make_cells
from ui_fakes import project_ids

from symdemo.errors import InputError, SymdemoError
from symdemo.teaching.project_files import RowTable
from symdemo.teaching.rows import TeachRow
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.sessions import NO_PROJECT, LostProjectError
from symdemo.ui.shared.visitor import Visitor, add_row
from symdemo.ui.teach import rows as changes
from symdemo.ui.teach.grid import decode, encode, load_rows
from symdemo.ui.teach.page import Page
from symdemo.ui.teach.tab import _draw
from symdemo.ui.teach.training import find_training, plan_training, teach_instantly
from symdemo.ui.teach.transfer import delete_project

NEW = ["Ida", "borders", "Jon", "yes"]


class OpenPage:
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
    return OpenPage(sessions, project, "one"), OpenPage(sessions, project, "two")


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


@pytest.fixture
def page(sessions):
    with gr.Blocks():
        visitor = Visitor.draw(sessions)
        return Page(_draw(sessions.limits, sessions.store), visitor)


def test_damaged_rows_are_told_of_and_hide_no_version(page, sessions, project):
    teach_instantly(edit(sessions, project, "page", make_cells()))
    rows = sessions.find(project).folder / "rows.json"
    rows.write_text("{")
    shown = page.open(project)
    assert "Ann 77" in shown[page.w.grid]
    assert "rows.json is not JSON in UTF-8. Its copy was used" in shown[page.w.problem]
    assert page.open(project)[page.w.problem] == ""
    rows.with_name("rows.json.copy").unlink()
    rows.write_text("{")
    shown = page.open(project)
    assert shown[page.project] == project
    assert "rows.json is not JSON" in shown[page.w.problem]
    assert "Version 1" in shown[page.w.version].choices[0][0]
    with pytest.raises(InputError, match=r"rows\.json is not JSON"):
        edit(sessions, project, "page", [["A", "is", "B", "yes"]]).save()
    assert rows.read_text() == "{"


def test_a_damaged_project_can_be_deleted(sessions, project):
    (sessions.find(project).folder / "project.json").write_text("{")
    delete_project(sessions, project)
    assert project_ids(sessions) == []
    for id in ("", NO_PROJECT, "../x", project):
        with pytest.raises(InputError, match=r"no project yet|no such project"):
            delete_project(sessions, id)


@pytest.mark.parametrize("fault", ["damaged", "away", "unreadable"])
def test_a_key_that_opens_nothing_now_stays(page, make_sessions, project, fault):
    sessions = page.sessions
    root, folder = sessions.root, sessions.find(project).folder
    if fault == "damaged":
        (folder / "project.json").write_text("{")
        (folder / "project.json.copy").unlink()
    else:
        shutil.move(root, root.with_name("away"))
        if fault == "unreadable":
            root.write_text("a file where the folder was")
            page = Page(page.w, Visitor(make_sessions(), *list(vars(page.visitor).values())[1:]))
    shown = page.open(project)
    assert page.project not in shown
    assert project in shown[page.w.lost_text]
    sheet = [["A", "is", "B", "yes"]]
    for write in (
        lambda: edit(page.sessions, project, "page", sheet).save(),
        lambda: add_row(page.sessions, project, "Ann is near.", "Near is Ann.", "yes"),
    ):
        with pytest.raises(SymdemoError, match="key"):
            write()
    if fault == "away":
        shutil.rmtree(root, ignore_errors=True)
        shutil.move(root.with_name("away"), root)
        assert project_ids(sessions) == [project]
        assert page.open(project)[page.project] == project


@LINUX
def test_a_second_server_sees_the_training_of_the_first(page, sessions, project):
    state = {"state": "running", "error": None}
    with beside(lambda: sessions.find(project).save_job_state(state)):
        view = find_training(sessions, project)
        assert (view.state, view.id) == ("running", "")
        assert "runs on another server" in draw("teach/job.html", view=view)
        shown = page.show_job(view)
        assert (shown[page.w.stop].visible, shown[page.w.job_more].visible) == (False, False)
        with pytest.raises(InputError, match="training running"):
            plan_training(edit(sessions, project, "page", make_cells()), {})[1]
    assert find_training(sessions, project).state == "broken off"
