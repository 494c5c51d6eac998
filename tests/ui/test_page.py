"""The page itself, as a browser is sent it."""

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


def received(url, encoding):
    """The page, and how many bytes it came in."""
    with httpx.stream("GET", url, headers={"Accept-Encoding": encoding}) as answer:
        page = b"".join(answer.iter_bytes())
        return page.decode(), answer.num_bytes_downloaded


def test_it_comes_packed_for_who_can_unpack_it(url):
    plain, packed = received(url, "identity"), received(url, "gzip")
    assert "Does it still hold?" in plain[0]
    assert len(packed[0]) == len(plain[0])
    assert packed[1] < plain[1] / 4


def test_what_comes_bit_by_bit_is_not_held_back_for_packing(url):
    with httpx.stream(
        "GET", f"{url}gradio_api/heartbeat/abc", headers={"Accept-Encoding": "gzip"}, timeout=30
    ) as answer:
        assert "content-encoding" not in answer.headers
        assert next(answer.iter_bytes())
