"""Try an installed symdemo from a folder that holds none of the project's files."""

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from symdemo.analysis.built_in import built_in_sets, load_built_in

PATIENCE = 90
"""Seconds until the app has to answer."""


def symdemo(*arguments: str) -> str:
    return subprocess.run(
        ["symdemo", *arguments], check=True, capture_output=True, text=True
    ).stdout


def page(address: str) -> str:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                return answer.read().decode()
        except (urllib.error.URLError, OSError):
            if time.monotonic() > end:
                raise
            time.sleep(1)


def main() -> None:
    assert not Path("symdemo").exists()
    answer = json.loads(symdemo("predict", "--json", "Kenya borders Uganda."))
    assert answer["label"] == "entailment", answer
    study = subprocess.run(["symdemo", "reproduce"], check=False, capture_output=True, text=True)
    assert study.returncode == 2, study  # studies are in a checkout alone
    assert "only a checkout of symdemo holds" in study.stderr, study.stderr
    assert symdemo("models")
    sets = {known.id: len(load_built_in(known.id)) for known in built_in_sets()}
    assert min(sets.values()) > 150, sets
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {"GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_SERVER_PORT": str(port)}
    app = subprocess.Popen(["symdemo", "serve"], env=environment)
    try:
        assert "symdemo" in page(f"http://127.0.0.1:{port}/")
    finally:
        app.terminate()
        app.wait(30)
    print("symdemo predict, models and serve work in an installation.")


main()
