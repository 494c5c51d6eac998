"""An analysis of pasted lines passes few files of the package, from the button to the overview."""

import json

from analyse_tools import start_button, text_of
from counting import files_run
from ui_fakes import TINY, make_tiny_store

from symdemo.ui.shared.sessions import Sessions

MAX_FILES = 51
LINES = "{0} likes {1}. | {1} likes {0}. | yes\n{0} is {1}'s mother. | {1} is {0}'s mother. | no"


def test_an_analysis_passes_few_files(fitted, tmp_path):
    sessions = Sessions(make_tiny_store(fitted["knn"]), tmp_path)
    parts, press = start_button(sessions)
    explorer = parts["analyse-explorer"]

    def analyse(*names: str) -> None:
        lines = {"analyse-kind": "pasted", "analyse-pasted": LINES.format(*names)}
        opened = json.loads(press(lines | {"analyse-models": [TINY]})[explorer])["analysis"]
        look = json.dumps({"view": {"analysis": opened}})
        while (answer := explorer.analyse_look(look)).get("again"):
            job = sessions.queue.current(opened, "analysis")
            sessions.queue.wait(job.id, opened, 60)
        assert "2 pairs" in text_of(answer["parts"]["main"]), answer

    analyse("Ann", "Bob")
    files = {name for name in files_run(analyse, "Cora", "Dan") if name.endswith(".py")}
    assert len(files) <= MAX_FILES, f"{len(files)} files:\n" + "\n".join(sorted(files))
