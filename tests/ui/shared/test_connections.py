"""Connections and the log: strangers who hold thousands, idle ones, and floods of lines."""

import contextlib
import logging
import re
import resource
import socket
import subprocess
import sys

import httpx
import pytest

from symdemo.ui.shared import connections
from symdemo.ui.shared.connections import FewLines

SERVER = """
import logging, resource, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (1_024, 1_024))
import gradio
from symdemo.ui.shared import connections
connections.IDLE_SECONDS = 6.0
connections.guard_server()
with gradio.Blocks(analytics_enabled=False) as demo:
    gradio.Markdown("here")
print(demo.launch(prevent_thread_lock=True, quiet=True)[1], flush=True)
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8")
def test_others_are_answered_while_one_address_holds_5000_connections(tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 6_000:
        pytest.skip(f"only {hard} files can be opened")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    log = tmp_path / "log"
    with log.open("w") as errors, contextlib.ExitStack() as stack:
        server = subprocess.Popen(
            [sys.executable, "-c", SERVER], stdout=subprocess.PIPE, stderr=errors, text=True
        )
        stack.callback(server.wait)
        stack.callback(server.kill)
        url = re.search(r"http://[\d.:]+", server.stdout.readline()).group()
        place = "127.0.0.1", int(url.rpartition(":")[2])
        held = [
            stack.enter_context(socket.create_connection(place, 5, ("127.0.0.2", 0)))
            for _ in range(5_000)
        ]
        # While asyncio accepts the flood, it may hold all files that can be opened for a moment,
        # and an answer is cut off; people try again.
        with contextlib.suppress(httpx.TransportError):
            httpx.get(url, timeout=20)
        assert httpx.get(url, timeout=20).status_code == 200
        assert b"503" in held[-1].recv(200)  # refused in words
        assert held[0].recv(200) == b""  # closed, as nothing was asked
        assert httpx.get(url, timeout=10).status_code == 200
    assert log.stat().st_size < 200_000
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_flood_of_lines_is_cut_and_counted(monkeypatch, caplog):
    now = 0.0
    monkeypatch.setattr(connections.time, "monotonic", lambda: now)
    logger = logging.getLogger("flood")
    caplog.handler.addFilter(few := FewLines())
    for n in range(1_000):
        logger.warning("Line %s", n)
    assert len(caplog.records) == connections.LINES_AN_HOUR
    now = 3_700.0
    logger.warning("Line %s", "after")
    assert caplog.messages[-1] == "(700 lines were left out.) Line after"
    caplog.handler.removeFilter(few)
