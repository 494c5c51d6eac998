"""The page as a browser receives it."""

import httpx


def test_the_page_is_compressed_for_browsers_that_accept_it(app):
    sizes = {}
    for encoding in ("identity", "gzip"):
        with httpx.stream("GET", app[1], headers={"Accept-Encoding": encoding}) as answer:
            assert b"Does it follow?" in b"".join(answer.iter_bytes())
            sizes[encoding] = answer.num_bytes_downloaded
    assert sizes["gzip"] < sizes["identity"] / 4


def test_streams_are_not_held_back_for_compression(client):
    with client.stream("GET", "/heartbeat/abc", headers={"Accept-Encoding": "gzip"}) as answer:
        assert "content-encoding" not in answer.headers
        assert next(answer.iter_bytes())
