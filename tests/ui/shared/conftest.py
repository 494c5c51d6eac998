"""One app for all tests of what the tabs share."""

import httpx
import pytest


@pytest.fixture(scope="package")
def app(tmp_path_factory):
    """Serve an app of fake models; return its blocks and address."""
    pytest.importorskip("gradio")
    from ui_fakes import launched, make_store

    from symdemo.ui.app import build_app
    from symdemo.ui.shared.sessions import Sessions

    sessions = Sessions(make_store(), tmp_path_factory.mktemp("projects"))
    demo = build_app(sessions.store, sessions=sessions)
    with launched(demo) as url:
        yield demo, url
    sessions.queue.close(1)


@pytest.fixture
def client(app):
    """A client of the app’s routes."""
    with httpx.Client(base_url=f"{app[1]}gradio_api", timeout=30) as client:
        yield client
