"""A typed sentence passes few files of the package on its way to the verdict."""

import json
from types import SimpleNamespace

from counting import files_run
from ui_fakes import TINY, event_of, make_tiny_store, parts_of

from symdemo.ui.app import build_app
from symdemo.ui.shared.sessions import Sessions

MAX_FILES = 32


def test_a_typed_sentence_reaches_its_verdict_through_few_files(fitted, tmp_path):
    sessions = Sessions(make_tiny_store(fitted["knn"]), tmp_path)
    demo = build_app(sessions.store, sessions=sessions)
    event, verdict = event_of(demo, "question", "input"), parts_of(demo)["verdict"]
    request = SimpleNamespace(session_hash="page", client=None, headers={})

    def ask(sentence: str) -> None:
        question = json.dumps({"number": 1, "sentence": sentence})
        answer = event.fn(request, question, TINY, "–", 5, "")
        assert sentence[:3] in answer[verdict]

    ask("Dan is taller than Cora.")
    files = files_run(ask, "Ann is older than Bob.")
    files = {name for name in files if name.endswith(".py")}
    assert len(files) <= MAX_FILES, "\n".join(sorted(files))
