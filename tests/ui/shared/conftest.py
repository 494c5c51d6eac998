"""One app for all tests of what the tabs share."""

import httpx
import pytest
from ui_fakes import make_store, served

from symdemo.ui.shared.sessions import Sessions


@pytest.fixture(scope="package")
def app(tmp_path_factory):
    """Serve an app of fake models; return its blocks and address."""
    with served(Sessions(make_store(), tmp_path_factory.mktemp("projects"))) as app:
        yield app


@pytest.fixture
def client(app):
    with httpx.Client(base_url=f"{app[1]}gradio_api", timeout=30) as client:
        yield client
