"""The page as a browser receives it."""

import pytest

pytest.importorskip("gradio")

import httpx
from ui_fakes import make_store

from symdemo.ui.app import build_app, launch_options
from symdemo.ui.shared.sessions import Sessions


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    sessions = Sessions(make_store(), tmp_path_factory.mktemp("projects"))
    demo = build_app(sessions.store, sessions=sessions)
    options = launch_options() | {"prevent_thread_lock": True, "quiet": True}
    yield demo.launch(server_name="127.0.0.1", server_port=None, **options)[1]
    demo.close()


def test_the_page_is_compressed_for_browsers_that_accept_it(url):
    sizes = {}
    for encoding in ("identity", "gzip"):
        with httpx.stream("GET", url, headers={"Accept-Encoding": encoding}) as answer:
            assert b"Does it still hold?" in b"".join(answer.iter_bytes())
            sizes[encoding] = answer.num_bytes_downloaded
    assert sizes["gzip"] < sizes["identity"] / 4


def test_streams_are_not_held_back_for_compression(url):
    address, headers = f"{url}gradio_api/heartbeat/abc", {"Accept-Encoding": "gzip"}
    with httpx.stream("GET", address, headers=headers, timeout=30) as answer:
        assert "content-encoding" not in answer.headers
        assert next(answer.iter_bytes())
