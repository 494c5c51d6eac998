"""The tab “Teach” without a browser: whose project is whose, and the rows in it."""

from dataclasses import replace

import pytest
from refusals import refusal
from teach_fakes import BLANK, edit, make_cells
from ui_fakes import NASTY, project_ids

from symdemo.data.tables import TableFile
from symdemo.errors import InputError
from symdemo.teaching.limits import Limits
from symdemo.teaching.near_labels import near_labels
from symdemo.teaching.project_files import RowTable
from symdemo.teaching.rows import TeachRow as Row
from symdemo.ui.shared.html import draw
from symdemo.ui.shared.visitor import add_row
from symdemo.ui.teach import rows as changes
from symdemo.ui.teach.grid import MIN_ROWS, decode, encode, load_rows
from symdemo.ui.teach.page import report_panel
from symdemo.ui.teach.rows import preview_file
from symdemo.ui.teach.training import find_training
from symdemo.ui.teach.transfer import delete_project
from symdemo.ui.teach.versions import VersionList, list_versions


def test_a_visit_without_a_deed_leaves_nothing(sessions, tmp_path):
    assert load_rows(sessions, "").rows == ()
    assert list_versions(sessions, "") == VersionList()
    assert find_training(sessions, "") is None
    view = edit(sessions, "", "page", [BLANK, BLANK]).save()
    assert (view.project, view.rows) == ("", ())
    root = tmp_path / "projects"
    assert not root.exists() or not [p for p in root.iterdir() if not p.name.startswith(".")]


@pytest.mark.parametrize("id", ["x" * 24, "../../etc", 7, ["a"], "\0"])
def test_an_id_that_opens_nothing_shows_nothing(sessions, project, id):
    with pytest.raises(InputError):
        load_rows(sessions, id)
    for act in (list_versions, find_training, delete_project):
        with pytest.raises(InputError):
            act(sessions, id)
    assert sessions.models(id) is sessions.store


def test_the_grid_is_read_as_it_was_written():
    rows = [Row("Ann", "knows", "Bob", label="neutral"), Row(premise="A is B.", label="own")]
    sheet = decode(encode(RowTable.of(rows), whole=True))
    assert sheet.whole
    assert list(sheet.table(Limits()).rows) == rows
    assert list(sheet.base().values())[:2] == rows
    assert len(sheet.cells) == MIN_ROWS


@pytest.mark.parametrize(
    "value",
    [
        *(None, 3, "", "{", '{"rows": 1}', '{"rows": [1]}', "[" * 9999),
        *('{"rows": [], "ids": [[]]}', '{"rows": [], "was": {"a": 1}}'),
        '{"rows": [], "revision": "1"}',
    ],
)
def test_what_the_page_never_sends_is_refused(value):
    assert "could not be read" in refusal(decode, value)


def test_pasted_lines_are_added_and_bad_ones_told(sessions, project):
    bad = {
        "Kate, borders, Leo,": "The label is empty",
        "a b c": "There is 1 column; subject, relation, object and label are expected",
        "Ann,,Ben,no": "The relation is empty; a few words are expected.",
        "=HYPERLINK(1),is,b,no": "The subject is “=HYPERLINK(1)”, which looks like",
        f"{'A' * 301},is,b,no": f"The subject “{'A' * 29}…” has 301 characters",
    }
    text = "Ida, borders, Jon, yes\nAnn 77, borders, Ben 77, yes\n\n" + "\n".join(bad)
    view = changes.paste(edit(sessions, project, "page", make_cells()), text)
    assert len(view.rows) == 9
    assert view.rows[-1] == Row("Ida", "borders", "Jon", label="entailment")
    assert view.message == "1 row added. 1 row skipped: already there."
    assert view.unread == "\n".join(bad)
    for n, (note, says) in enumerate(zip(view.notes, bad.values(), strict=True), 1):
        assert note.startswith(f"Line {n}: {says}")
    assert "empty" in refusal(changes.paste, edit(sessions, project, "page", make_cells()), " \n")


def test_pasted_lines_under_headings_of_their_own_are_mapped_as_files_are(sessions):
    text = "one\ttwo\tgold\n\nAnn met Ben.\tBen met Ann.\t0\nCy met Di.\tDi met Cy.\t1\nx\ty\t\n"
    path = changes.pasted_file("page", text)
    mapping, order = changes.guess_columns(TableFile(path)), "contradiction,entailment"
    assert mapping == {"premise": "one", "hypothesis": "two", "label": "gold"}
    assert preview_file(sessions, path, mapping, True) == ""
    view = changes.add_file(
        edit(sessions, "", "page", [BLANK]), path, mapping, labels=order, pasted=text
    )
    assert [row.label for row in view.rows] == ["contradiction", "entailment"]
    assert view.unread == "one\ttwo\tgold\nx\ty\t"
    assert changes.pasted_file("page", "Ann,met,Ben,yes\nCy,met,Di,no") is None


def test_a_file_without_names_is_looked_at_before_it_is_taken(sessions, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(f"Ann,knows,{NASTY},maybe\nCy,knows,Di,\n" + "Eve,met,Flo,no\n" * 9)
    upload = TableFile(str(path))
    assert (upload.headed, len(upload.columns)) == (False, 4)
    shown = preview_file(sessions, str(path), upload.guess(), upload.headed)
    assert (shown.count("<td>neutral"), shown.count("<td>contradiction")) == (1, 3)
    assert "<td>Ann</td><td>knows</td><td>&lt;img" in shown
    assert "Line 2: The label is empty" in shown
    assert project_ids(sessions) == []
    view = changes.add_file(
        edit(sessions, "", "page", []), str(path), upload.guess(), upload.headed
    )
    assert [row.subject for row in view.rows] == ["Ann", "Eve"]


def test_columns_that_no_name_tells_are_asked_for(sessions, tmp_path):
    path = tmp_path / "roles.csv"
    path.write_text("scene,one,relationship,other,verdict\n1,Ann,knows,Ben,yes\n")
    mapping = changes.guess_columns(TableFile(str(path)))
    assert mapping == {"relation": "relationship", "label": "verdict"}
    for field, column, asked in (
        ("", "", "Choose the column of the subject and the object above."),
        ("subject", "one", "Choose the column of the object above."),
        ("object", "other", "as relation, “verdict” as label, “one” as subject"),
    ):
        mapping |= {field: column} if field else {}
        shown = preview_file(sessions, str(path), mapping, True)
        assert asked in shown
        assert "<td>Ben</td>" in shown
    view = changes.add_file(edit(sessions, "", "page", []), str(path), mapping)
    assert view.message.startswith("1 row added. Read “relationship” as relation,")
    for head, told in (
        ("who,does what,whom,holds?", {"subject": "who", "object": "whom", "label": "holds?"}),
        ("holds?,relation,two,label", {"subject": "holds?", "object": "two", "label": "label"}),
        ("sentence,true?,by,when", {"premise": "sentence"}),
    ):
        path.write_text(f"{head}\nAnn,knows,Ben,x\n")
        found = changes.guess_columns(TableFile(str(path)))
        assert {field: found[field] for field in told} == told
        assert len(found) == (1 if "premise" in told else 4)


def test_a_near_label_is_offered_and_changed_only_when_asked(sessions):
    cells = [["Ann", "knows", "Bob", "entailmnet"], ["Cy", "knows", "Di", f"contradictio{NASTY}"]]
    view = edit(sessions, "", "page", cells).save()
    assert view.rows[0].label == "entailmnet"
    near = near_labels(view.rows)[0]
    assert "in row 1: did you mean <b>entailment</b>?" in draw("teach/near_label.html", near=near)
    assert NASTY not in draw("teach/near_label.html", near=replace(near, typed=NASTY))
    view = changes.relabel(edit(sessions, view.project, "page", cells), near.typed, near.meant)
    assert view.rows[0].label == "entailment"
    assert view.message == "1 row now says “entailment”."


def test_the_report_points_out_what_is_wrong(sessions):
    cells = [
        ["Ann", "borders", "Ben", "yes"],
        ["Ann", "borders", "Ben", "no"],
        ["Carl", f"{NASTY} was next to", "Dan", f"{NASTY}"],
        ["Eve", "borders", "=A1", "yes"],
    ]
    shown = report_panel(edit(sessions, "", "page", cells).save())
    assert "Rows 1 and 2 are the same sentence with different labels" in shown
    assert 'class="must">Row 4:' in shown
    assert "has only one pair of names" in shown
    assert "Ready to teach" not in shown
    assert NASTY not in shown
    assert "&lt;img" in shown
    assert "Nothing written yet" in report_panel(None)
    assert "Ready to teach" in report_panel(edit(sessions, "", "other", make_cells()).save())


BORDERS = ("Kenya borders Uganda.", "Uganda borders Kenya.")


def test_rows_are_added_below_and_the_same_sentences_only_change_their_label(sessions, project):
    first, _ = add_row(sessions, project, *BORDERS, "neutral")
    assert (first.id, len(load_rows(sessions, project).rows)) == (project, 9)
    _, message = add_row(sessions, project, "kenya borders Uganda", BORDERS[1], "neutral")
    assert message == "Row 9 of your rows says so already."
    _, message = add_row(sessions, project, *BORDERS, "entailment")
    assert message == "Row 9 of your rows now says “entailment”."
    assert [row.label for row in load_rows(sessions, project).rows][8:] == ["entailment"]
    child = ("Ann is Bob's mother.", "Bob is Ann's child.")  # no swap, so it is kept as it is
    add_row(sessions, project, *child, "yes")
    _, message = add_row(sessions, project, *child, "no")
    assert message == "Row 10 of your rows now says “contradiction”."
    whole = Row(premise=child[0], hypothesis=child[1], label="contradiction")
    assert load_rows(sessions, project).rows[9:] == (whole,)


@pytest.mark.parametrize(
    ("sentences", "label", "says"),
    [
        (BORDERS, " ", "label is empty"),
        (("", ""), "yes", "There are no words"),
        (("A borders B." + "x" * 300, "B borders A."), "yes", "at most 300"),
    ],
)
def test_what_cannot_be_taught_makes_no_project(sessions, sentences, label, says):
    assert says in refusal(add_row, sessions, "", *sentences, label)
    assert project_ids(sessions) == []
