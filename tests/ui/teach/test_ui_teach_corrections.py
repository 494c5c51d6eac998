"""A row that another tab puts into the project."""

import pytest

pytest.importorskip("gradio")

from ui_fakes import project_ids

from symdemo.errors import InputError
from symdemo.teaching.rows import TeachRow as Row
from symdemo.ui.shared.visitor import add_row
from symdemo.ui.teach.grid import load_rows

BORDERS = ("Kenya borders Uganda.", "Uganda borders Kenya.")


def rows(sessions, id):
    return list(load_rows(sessions, id).rows)


def test_rows_are_added_below_and_the_same_sentences_only_change_their_label(sessions, project):
    first, _ = add_row(sessions, project, *BORDERS, "neutral")
    assert (first.id, len(rows(sessions, project))) == (project, 9)
    _, message = add_row(sessions, project, "kenya borders Uganda", BORDERS[1], "neutral")
    assert message == "Row 9 of your rows says so already."
    _, message = add_row(sessions, project, *BORDERS, "entailment")
    assert message == "Row 9 of your rows now says “entailment”."
    assert [row.label for row in rows(sessions, project)][8:] == ["entailment"]


def test_a_second_sentence_that_is_no_swap_is_kept_as_it_is(sessions, project):
    child = ("Ann is Bob's mother.", "Bob is Ann's child.")
    add_row(sessions, project, *child, "yes")
    row = rows(sessions, project)[-1]
    assert row == Row(premise=child[0], hypothesis=child[1], label="entailment")
    _, message = add_row(sessions, project, *child, "no")
    assert message == "Row 9 of your rows now says “contradiction”."


@pytest.mark.parametrize(
    ("sentences", "label", "says"),
    [
        (BORDERS, " ", "label is empty"),
        (("", ""), "yes", "There are no words"),
        (("A borders B." + "x" * 300, "B borders A."), "yes", "at most 300"),
    ],
)
def test_what_cannot_be_taught_makes_no_project(sessions, sentences, label, says):
    with pytest.raises(InputError, match=says):
        add_row(sessions, "", *sentences, label)
    assert project_ids(sessions) == []
