"""Sessions whose queues are closed after the test."""

from importlib.util import find_spec

import pytest

collect_ignore_glob = [] if find_spec("gradio") else ["*"]


@pytest.fixture
def open_sessions(tmp_path):
    """Make sessions in one folder, of fake models if no store is given."""
    from ui_fakes import make_store

    from symdemo.ui.shared.sessions import Sessions

    made = []

    def open_one(store=None, **options) -> Sessions:
        made.append(Sessions(store or make_store(), tmp_path / "projects", **options))
        return made[-1]

    yield open_one
    for sessions in made:
        sessions.queue.close(5)
