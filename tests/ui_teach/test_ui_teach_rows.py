"""The tab “Teach” without a browser: whose project is whose, and the rows in it."""

from dataclasses import replace

import pytest

pytest.importorskip("gradio")

from symdemo.teaching.table import Table
from teach_fakes import BLANK, make_cells
from ui_fakes import NASTY

from symdemo.errors import InputError
from symdemo.teaching.limits import Limits
from symdemo.teaching.rows import Row
from symdemo.ui import teach_handlers as handlers
from symdemo.ui import teach_panels, teach_rows, teach_upload
from symdemo.ui.teach_grid import decode, encode
from symdemo.ui.teach_handlers import Shelf
from symdemo.ui.teach_sessions import default_root
from symdemo.ui.teach_sheet import SHOWN_ROWS, cells_of_rows
from symdemo.ui.teach_show import read_as

# Whose project is whose


def test_a_visit_without_a_deed_leaves_nothing(sessions, tmp_path):
    assert teach_rows.load(sessions, "").rows == ()
    assert handlers.shelf(sessions, "") == Shelf()
    assert handlers.job(sessions, "") is None
    desk = teach_rows.edit(sessions, "", "page", [BLANK, BLANK])
    assert (desk.project, desk.rows) == ("", ())
    root = tmp_path / "projects"
    assert not root.exists() or not [p for p in root.iterdir() if not p.name.startswith(".")]


def test_the_first_row_makes_the_project_and_it_is_found_again(sessions):
    cells = [["Ann", "knows", "Bob", " Yes "], BLANK, ["Cora", "leads", "Dan", "no"], BLANK]
    desk = teach_rows.edit(sessions, "", "page", cells)
    rows = teach_rows.load(sessions, desk.project).rows
    assert [row.label for row in rows] == ["entailment", "", "contradiction"]
    assert rows[1].is_blank
    assert desk.report.counts_by_label == {"entailment": 1, "contradiction": 1}


def test_two_first_events_of_one_page_meet_in_one_project(sessions):
    first = sessions.find_or_create("", "page")
    assert sessions.find_or_create("", "page").id == first.id
    assert sessions.find_or_create("", "other page").id != first.id
    sessions.leave("page")
    assert sessions.find_or_create("", "page").id != first.id


@pytest.mark.parametrize("id", ["x" * 24, "../../etc", 7, ["a"], "\0"])
def test_an_id_that_opens_nothing_shows_nothing(sessions, project, id):
    with pytest.raises(InputError):
        teach_rows.load(sessions, id)
    for act in (handlers.undo, handlers.shelf, handlers.job, handlers.remove):
        with pytest.raises(InputError):
            act(sessions, id)
    assert sessions.models(id) is sessions.store


def test_where_projects_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMDEMO_PROJECTS", str(tmp_path / "here"))
    assert default_root() == tmp_path / "here"
    monkeypatch.delenv("SYMDEMO_PROJECTS")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("SPACE_ID", raising=False)
    assert default_root() == tmp_path / "symdemo-projects"


# Rows


def test_the_grid_is_read_as_it_was_written():
    rows = [Row("Ann", "knows", "Bob", label="neutral"), Row(premise="A is B.", label="own")]
    sheet = decode(encode(Table.of(rows), whole=True))
    assert sheet.whole
    assert list(sheet.table(Limits()).rows) == rows
    assert list(sheet.base().values())[:2] == rows
    assert len(sheet.cells) == SHOWN_ROWS


@pytest.mark.parametrize(
    "value",
    [
        *(None, 3, "", "{", '{"rows": 1}', '{"rows": [1]}', "[" * 9999),
        *('{"rows": [], "ids": [[]]}', '{"rows": [], "was": {"a": 1}}'),
        '{"rows": [], "revision": "1"}',
    ],
)
def test_what_the_page_never_sends_is_refused(value):
    with pytest.raises(InputError, match="could not be read"):
        decode(value)


def test_pasted_lines_are_added_and_bad_ones_told(sessions, project):
    text = "Ida, borders, Jon, yes\nAnn 77, borders, Ben 77, yes\nKate, borders, Leo,\n"
    desk = teach_rows.paste(sessions, project, "page", make_cells(), text)
    assert len(desk.rows) == 9
    assert desk.rows[-1] == Row("Ida", "borders", "Jon", label="entailment")
    assert desk.said == "1 row added. 1 row left out: already there."
    assert desk.left == "Kate, borders, Leo,"
    (note,) = desk.notes
    assert note.startswith("Line 1: The label is empty")
    with pytest.raises(InputError, match="empty"):
        teach_rows.paste(sessions, project, "page", make_cells(), " \n")


def test_bad_lines_stay_below_the_names_of_their_columns(sessions):
    text = "Label,Object,Subject,Relation\nyes,Ben,Ann,knows\n\n,Di,Cy,knows\nno,Flo,,knows\n"
    desk = teach_rows.paste(sessions, "", "page", [BLANK], text)
    assert desk.left == "Label,Object,Subject,Relation\n,Di,Cy,knows\nno,Flo,,knows"
    assert [note[:8] for note in desk.notes] == ["Line 2: ", "Line 3: "]
    mended = desk.left.replace("\n,", "\nno,").replace(",,", ",Eve,")
    again = teach_rows.paste(sessions, desk.project, "page", cells_of_rows(desk.rows), mended)
    assert (len(again.rows), again.left, again.notes) == (3, "", ())


def test_a_file_is_read_by_the_columns_that_were_chosen(sessions, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("who,verb,whom,gold label\nAnn,knows,Bob,maybe\n", encoding="utf-8")
    upload = teach_upload.read_columns(str(path))
    assert upload.columns == ("who", "verb", "whom", "gold label")
    mapping = {"subject": "who", "relation": "verb", "object": "whom", "label": "gold label"}
    mapping |= {"premise": ""}
    desk = teach_upload.add_file(sessions, "", "page", [BLANK], str(path), mapping)
    assert desk.rows == (Row("Ann", "knows", "Bob", label="neutral"),)
    with pytest.raises(InputError, match="label"):
        teach_upload.add_file(sessions, "", "page", [], str(path), {"subject": "who"})
    with pytest.raises(InputError, match="No file"):
        teach_upload.read_columns(None)


def test_a_file_without_names_is_looked_at_before_it_is_taken(sessions, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(f"Ann,knows,{NASTY},maybe\nCy,knows,Di,\n" + "Eve,met,Flo,no\n" * 9)
    upload = teach_upload.read_columns(str(path))
    assert (upload.headed, upload.named, len(upload.columns)) == (False, False, 4)
    found = teach_upload.preview(sessions, str(path), upload.mapping, upload.headed)
    assert [row.label for row in found.rows] == ["neutral", *["contradiction"] * 3]
    assert len(found.notes) == 1
    shown = teach_panels.preview_panel(found)
    assert "<td>Ann</td><td>knows</td><td>&lt;img" in shown
    assert "Line 2: The label is empty" in shown
    assert sessions.projects._ids() == []
    desk = teach_upload.add_file(sessions, "", "page", [], str(path), upload.mapping, upload.headed)
    assert [row.subject for row in desk.rows] == ["Ann", "Eve"]
    named = teach_upload.read_columns(str(path), headed=True)
    assert named.columns[:2] == ("Ann", "knows")


def test_an_example_is_added_once(sessions):
    desk = teach_rows.add_example(sessions, "", "page", [BLANK], "chemistry")
    assert desk.report.ready
    assert desk.report.counts_by_label["depends"] == 4
    again = teach_rows.add_example(
        sessions, desk.project, "page", cells_of_rows(desk.rows), "chemistry"
    )
    assert again.rows == desk.rows
    assert again.said.startswith("0 rows added.")


def test_suggestions_are_only_kept_once_they_are_used(sessions, project):
    rows = teach_rows.suggest(sessions, make_cells())
    assert rows
    assert len(teach_rows.load(sessions, project).rows) == 8
    labels = {"borders": "entailment", "was next to": "depends"}
    assert all(row.label == labels[row.relation] for row in rows)
    edited = [["Zoe", "borders", "Max", "no"], BLANK]
    desk = teach_rows.use_suggestions(sessions, project, "page", make_cells(), edited)
    assert desk.rows[8:] == (Row("Zoe", "borders", "Max", label="contradiction"),)
    with pytest.raises(InputError, match="nothing to suggest"):
        teach_rows.suggest(sessions, [BLANK])


def test_tidying_takes_out_empty_and_repeated_rows(sessions, project):
    cells = [*make_cells(), BLANK, make_cells()[0]]
    desk = teach_rows.tidy(sessions, project, "page", cells)
    assert len(desk.rows) == 8
    assert desk.said == "1 repeated row taken out."


def test_a_near_label_is_offered_and_changed_only_when_asked(sessions):
    cells = [["Ann", "knows", "Bob", "entailmnet"], ["Cy", "knows", "Di", f"contradictio{NASTY}"]]
    desk = teach_rows.edit(sessions, "", "page", cells)
    assert desk.rows[0].label == "entailmnet"
    near = teach_rows.ask_about(sessions, desk.project, [])
    assert (near.typed, near.meant, near.rows) == ("entailmnet", "entailment", (1,))
    assert "in row 1: did you mean <b>entailment</b>?" in teach_panels.asked_panel(near)
    assert NASTY not in teach_panels.asked_panel(replace(near, typed=NASTY))
    assert teach_rows.ask_about(sessions, desk.project, ["entailmnet"]) is None
    desk = teach_rows.relabel(sessions, desk.project, "page", cells, near.typed, near.meant)
    assert desk.rows[0].label == "entailment"
    assert desk.said == "1 row now says “entailment”."
    assert teach_rows.ask_about(sessions, desk.project, []) is None
    assert teach_rows.ask_about(sessions, "", []) is None


def test_words_for_labels_are_never_read_in_silence(sessions):
    desk = teach_rows.edit(sessions, "", "page", make_cells()[:5])
    assert desk.read_as == (("yes", "entailment"),)
    assert read_as(desk.read_as) == "Read “yes” as entailment."
    again = teach_rows.edit(sessions, desk.project, "page", cells_of_rows(desk.rows))
    assert again.read_as == ()
    assert read_as(again.read_as) == ""


def test_too_large_a_table_is_refused_and_the_old_one_stays(make_sessions):
    sessions = make_sessions(limits=Limits(rows=9))
    id = teach_rows.edit(sessions, "", "page", make_cells()).project
    with pytest.raises(InputError, match="at most 9"):
        teach_rows.edit(sessions, id, "page", make_cells() * 2)
    assert len(teach_rows.load(sessions, id).rows) == 8


def test_the_report_points_out_what_is_wrong(sessions):
    cells = [
        ["Ann", "borders", "Ben", "yes"],
        ["Ann", "borders", "Ben", "no"],
        ["Carl", f"{NASTY} was next to", "Dan", f"{NASTY}"],
        ["Eve", "borders", "", "yes"],
    ]
    desk = teach_rows.edit(sessions, "", "page", cells)
    shown = teach_panels.report_panel(desk)
    assert "Rows 1 and 2 say the same with other labels" in shown
    assert 'class="must">Row 4:' in shown
    assert "has only one pair of names" in shown
    assert "Ready to teach" not in shown
    assert NASTY not in shown
    assert "&lt;img" in shown
    assert teach_panels.report_panel(None) == teach_panels.NO_ROWS
    ready = teach_rows.edit(sessions, "", "other", make_cells())
    assert "Ready to teach" in teach_panels.report_panel(ready)
