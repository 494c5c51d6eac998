"""The key of a browser: what opens with it, and that no fault of the server takes it away."""

import multiprocessing
import os
import shutil
import sys

import gradio as gr
import pytest
from teach_fakes import edit, make_cells
from ui_fakes import project_ids

from symdemo.errors import InputError, SymdemoError
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.sessions import NO_PROJECT
from symdemo.ui.shared.visitor import Visitor, add_row
from symdemo.ui.teach.page import Page
from symdemo.ui.teach.tab import _draw
from symdemo.ui.teach.training import find_training, plan_training, teach_instantly
from symdemo.ui.teach.transfer import delete_project


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


def train_until(sessions, project, begun, end):
    """In a process of its own: another server on the same projects, with a training at work."""
    sessions.find(project).save_job_state({"state": "running", "error": None})
    begun.set()
    end.wait(20)
    os._exit(0)


@pytest.mark.skipif(sys.platform != "linux", reason="a process is forked")
def test_a_second_server_sees_the_training_of_the_first(page, sessions, project):
    context = multiprocessing.get_context("fork")
    begun, end = context.Event(), context.Event()
    server = context.Process(target=train_until, args=(sessions, project, begun, end))
    server.start()
    assert begun.wait(20)
    view = find_training(sessions, project)
    assert (view.state, view.id) == ("running", "")
    assert "runs on another server" in draw("teach/job.html", view=view)
    shown = page.show_job(view)
    assert (shown[page.w.stop].visible, shown[page.w.job_more].visible) == (False, False)
    with pytest.raises(InputError, match="training running"):
        plan_training(edit(sessions, project, "page", make_cells()), {})[1]
    end.set()
    server.join(20)
    assert find_training(sessions, project).state == "broken off"
