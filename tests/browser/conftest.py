"""The app as the README starts it, and a headless browser to look at it."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

collect_ignore_glob = [] if find_spec("selenium") else ["test_*.py"]

REPOSITORY = Path(__file__).resolve().parents[2]
START_SECONDS = 300
"""Longer than an app needs beside other tests on a busy machine."""

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running_app(folder: Path) -> Iterator[str]:
    """Run `python app.py` with its projects and log in a folder; give its address."""
    port = free_port()
    url = f"http://127.0.0.1:{port}/"
    log = folder / "log.txt"
    own = {"GRADIO_SERVER_NAME": "127.0.0.1", "SYMDEMO_PROJECTS": str(folder / "projects")}
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "app.py", "--port", str(port)],
            cwd=REPOSITORY,
            env=os.environ | own,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_for(url, process, log)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="session")
def app_url(tmp_path_factory):
    """The address of `python app.py`, started once."""
    from symdemo.classifier.checkpoints import list_models

    if not list_models():
        pytest.skip("there is no model in models/ for the app to answer with")
    with running_app(tmp_path_factory.mktemp("app")) as url:
        yield url


def _wait_for(url: str, process: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except OSError:
            time.sleep(0.3)
    pytest.fail(f"the app did not start:\n{log.read_text()[-2000:]}")


def start_browser(profile: str | Path):
    """Start a headless Chromium; skip if there is none."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    chromium = chromium or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(driver), options=options)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    chrome = start_browser(tmp_path_factory.mktemp("profile"))
    yield chrome
    chrome.quit()


@pytest.fixture
def newcomer(browser, app_url):
    """Start with empty storage in a wide window; end in one in which nothing is emulated."""
    from try_page import emulate_latency, forget, resize

    resize(browser, 1440, 900)
    forget(browser, app_url)
    yield
    emulate_latency(browser, 0)
    browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    resize(browser, 1440, 900)


@pytest.fixture(scope="module")
def second_browser(tmp_path_factory):
    chrome = start_browser(tmp_path_factory.mktemp("profile"))
    yield chrome
    chrome.quit()


@pytest.fixture(scope="module")
def sessions(fitted, tmp_path_factory):
    """Sessions of an app whose one model has the tiny encoder."""
    from ui_fakes import make_tiny_store

    from symdemo.ui.shared.sessions import Sessions

    return Sessions(make_tiny_store(fitted["knn"]), tmp_path_factory.mktemp("projects"))


@pytest.fixture(scope="module")
def url(sessions):
    """The address of that app."""
    from ui_fakes import served

    with served(sessions) as (_, url):
        yield url
