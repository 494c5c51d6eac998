"""An edited cell and instant teaching pass few files of the package."""

import json

import pytest

pytest.importorskip("gradio")

from counting import files_run
from teach_fakes import make_cells

from symdemo.ui.teach.grid import RowsEdit, decode, encode
from symdemo.ui.teach.training import teach_instantly


@pytest.mark.parametrize(
    ("act", "most"), [(RowsEdit.save, 18), (teach_instantly, 34)], ids=["edited cell", "instant"]
)
def test_few_files_are_passed(sessions, project, act, most):
    def sent(number: int) -> RowsEdit:
        """Rename one person on the page, for the numbered time."""
        value = json.loads(encode(sessions.find(project).table))
        value["was"] = {value["ids"][0]: make_cells()[0]}
        value["rows"][0][2] = f"Ben {number}"
        return RowsEdit(sessions, project, "page", decode(json.dumps(value | {"seq": number})))

    act(sent(1))
    files = {name for name in files_run(act, sent(2)) if name.endswith(".py")}
    assert len(files) <= most, "\n".join(sorted(files))
