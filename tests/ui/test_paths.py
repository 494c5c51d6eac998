"""What a visitor does passes few files of the package, so that it can be followed."""

import json
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from analyse_tools import start_button, text_of
from teach_fakes import edit, make_cells
from tiny import keep_in_memory
from ui_fakes import TINY, event_of, make_tiny_store, parts_of

import symdemo
from symdemo.ui.app import build_app
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.teach.grid import RowsEdit, decode, encode
from symdemo.ui.teach.training import teach_instantly

PACKAGE = Path(symdemo.__file__).parent
LINES = "{0} likes {1}. | {1} likes {0}. | yes\n{0} is {1}'s mother. | {1} is {0}'s mother. | no"


def files_run(function, *args) -> set[Path]:
    """Return the files of `symdemo` whose functions run in a call, in any thread."""
    seen = set()

    def profile(frame, event, _arg):
        if event == "call" and frame.f_code.co_name != "<module>":
            seen.add(Path(frame.f_code.co_filename))

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        function(*args)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return {path for path in seen if path.suffix == ".py" and path.is_relative_to(PACKAGE)}


def asking(sessions):
    """Type a sentence and read its verdict."""
    demo = build_app(sessions.store, sessions=sessions)
    event, verdict = event_of(demo, "question", "input"), parts_of(demo)["verdict"]
    request = SimpleNamespace(session_hash="page", client=None, headers={})

    def ask(name):
        question = json.dumps({"number": 1, "sentence": f"{name} is taller than Cora."})
        assert name in event.fn(request, question, TINY, "–", 5, "")[verdict]

    return ask


def analysing(sessions):
    """Paste lines, press the button and look at the overview."""
    parts, press = start_button(sessions)
    explorer = parts["analyse-explorer"]

    def analyse(name):
        lines = {"analyse-kind": "pasted", "analyse-pasted": LINES.format(name, "Dora")}
        opened = json.loads(press(lines | {"analyse-models": [TINY]})[explorer])["analysis"]
        look = json.dumps({"view": {"analysis": opened}})
        while (answer := explorer.analyse_look(look)).get("again"):
            sessions.queue.wait(sessions.queue.current(opened, "analysis").id, opened, 60)
        assert "2 pairs" in text_of(answer["parts"]["main"]), answer

    return analyse


def editing(sessions, act=RowsEdit.save):
    """Rename one person in the table of the tab “Teach”."""
    project = edit(sessions, "", "page", make_cells()).save().project

    def rename(name):
        value = json.loads(encode(sessions.find(project).table))
        value["was"] = {value["ids"][0]: make_cells()[0]}
        value["rows"][0][2] = name
        sheet = decode(json.dumps(value | {"seq": len(name)}))
        act(RowsEdit(sessions, project, "page", sheet))

    return rename


def teaching(sessions):
    """Rename one person and press the button that teaches at once."""
    return editing(sessions, teach_instantly)


@pytest.mark.parametrize(
    ("begin", "most"), [(asking, 32), (analysing, 51), (editing, 18), (teaching, 34)]
)
@pytest.mark.usefixtures("small_measurements")
def test_few_files_are_passed(
    fitted, tiny_encoder, tiny_folder, tmp_path, monkeypatch, begin, most
):
    keep_in_memory(monkeypatch, tiny_encoder, tiny_folder)
    act = begin(Sessions(make_tiny_store(fitted["knn"]), tmp_path))
    act("Eve")  # what is loaded or compiled on first use is not counted
    files = files_run(act, "Maria")
    assert len(files) <= most, "\n".join(map(str, sorted(files)))
