"""Inputs: columns, words for labels, systems, and how many rows there are."""

import pytest
from refusals import refusal

from symdemo.analysis.loading import look_at_table
from symdemo.errors import InputError
from symdemo.jobs.reporting import SILENT
from symdemo.pairs import LABELS
from symdemo.ui.analyse.inputs import BUILT_IN, FIELDS, FILE, PASTED, chosen_data
from symdemo.ui.shared.html import draw

TABLE = (
    "sentence,second,gold,gpt\nAnn met Ben.,Ben met Ann.,yes,no\nAnn saw Ben.,Ben saw Ann.,ja,yes\n"
)


@pytest.fixture
def path(write):
    return str(write("t.csv", TABLE))


def chosen(path, **values):
    empty = dict.fromkeys([*(f"field_{name}" for name in FIELDS), "groups"], "")
    empty |= {f"means_{label}": [] for label in LABELS}
    fields = {"field_premise": "sentence", "field_hypothesis": "second", "field_label": "gold"}
    return {"kind": FILE, "file": path, "headed": True, "systems": [], **empty, **fields, **values}


def test_columns_words_and_systems_are_read_as_chosen(path):
    means = {"means_contradiction": ["ja"], "means_entailment": ["yes"]}
    load, rows = chosen_data(chosen(path, systems=["gpt"], groups=["gold"], **means))
    assert rows == 2
    data = load(SILENT)
    assert [pair.label for pair in data.pairs] == ["entailment", "contradiction"]
    assert data.systems == {"gpt": ("contradiction", "entailment")}
    assert data.groups == {"gold": ("yes", "ja")}


def test_unusable_choices_are_refused(path):
    assert "Choose a file first" in refusal(chosen_data, chosen(None))
    with pytest.raises(InputError, match="“ja” was chosen for both entailment and neutral"):
        chosen_data(chosen(path, means_entailment=["ja"], means_neutral=["ja"]))
    with pytest.raises(InputError, match="There is no set"):
        chosen_data({"kind": "built-in", "built_in": "../x"})[0](SILENT)


def test_rows_are_counted_before_they_are_read(path):
    assert chosen_data({"kind": PASTED, "pasted": "Ann met Ben.\nAnn saw Ben."})[1] == 2
    assert chosen_data(chosen(path))[1] == 2
    assert chosen_data({"kind": BUILT_IN, "built_in": "unread"})[1] == 0


def test_the_first_rows_of_a_file_are_shown_in_one_line_each(write):
    rows = "".join(f'Ann met <b>{n}</b>.,"Ben\u202e met\nAnn."\n' for n in range(7))
    look = look_at_table(write("t.csv", f"sentence,second\n{rows}"))
    shown = draw("analyse/preview.html", look=look)
    assert "The first rows of 7:" in shown
    assert shown.count("<td>") == 10  # five rows of two cells
    assert "Ann met &lt;b&gt;4&lt;/b&gt;." in shown
    assert all(cell.isprintable() for row in look.rows for cell in row)
