"""The right pair in a real browser: by mouse and by touch, over slow networks, in a hurry.

    python benchmarks/front_door.py [--questions 20] [--latencies 0 100 400 1500]

Starts `app.py`, asks different sentences and compares the pair that the verdict is about with the
pair that was asked. Needs chromium and chromedriver. Writes benchmarks/results/front_door.json.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import checkout  # noqa: F401
from selenium.webdriver.common.keys import Keys

from symdemo.files.provenance import ANSWERS, provenance

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY / "tests" / folder) for folder in ("browser", "fakes")]

import try_page  # noqa: E402
from conftest import running_app, start_browser  # noqa: E402

RESULTS = REPOSITORY / "benchmarks" / "results" / "front_door.json"
WAYS = ("mouse", "touch", "enter", "double press", "while typing")


def main() -> None:
    """Ask in every way at every latency; print a line for each, and write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--latencies", type=int, nargs="+", default=[0, 100, 400, 1500])
    arguments = parser.parse_args()
    questions = try_page.MANY_SENTENCES[: arguments.questions]
    rows = []
    with running_app(Path(tempfile.mkdtemp())) as url, closing_browser() as browser:
        for latency in arguments.latencies:
            for way in WAYS:
                rows.append(ask_all(browser, url, latency, way, questions))
                print(json.dumps(rows[-1]), flush=True)
    report = {
        "made_by": provenance(*ANSWERS, "swapping", "ui"),
        "questions": len(questions),
        "rows": rows,
    }
    RESULTS.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


@contextmanager
def closing_browser() -> Iterator:
    """A headless browser, closed in the end."""
    browser = start_browser(tempfile.mkdtemp())
    try:
        yield browser
    finally:
        browser.quit()


def ask_all(browser, url: str, latency: int, way: str, questions) -> dict:
    """Ask every question one way; counts what was judged as asked, and where the verdict stood."""
    touch = way == "touch"
    try_page.emulate_latency(browser, 0)
    try_page.resize(browser, 375 if touch else 1440, 667 if touch else 900, touch)
    try_page.opened(browser, url)
    try_page.emulate_latency(browser, latency)
    right, seen, seconds = 0, 0, []
    for sentence, swapped in questions:
        browser.execute_script("scrollTo(0, 0)")
        try_page.type_into(browser, "sentence", sentence)
        started = time.perf_counter()
        _GO[way](browser)
        pair = try_page.wait_for_pair(browser, sentence)
        seconds.append(time.perf_counter() - started)
        right += pair == [sentence, swapped]
        seen += browser.execute_script(
            "const box = document.querySelector('#verdict h2').getBoundingClientRect();"
            "return box.top >= 0 && box.bottom <= innerHeight"
        )
    return {
        "latency_ms": latency,
        "way": way,
        "asked": len(questions),
        "right_pair": right,
        "verdict_on_screen": seen,
        "median_s": round(statistics.median(seconds), 2),
        "slowest_s": round(max(seconds), 2),
    }


def _press_twice(browser) -> None:
    try_page.press(browser, "#check")
    try_page.press(browser, "#check")


def _press_and_type_on(browser) -> None:
    try_page.press(browser, "#check")
    try_page.type_into(browser, "sentence", "The next one is not fini")


_GO: dict[str, Callable] = {
    "mouse": lambda browser: try_page.press(browser, "#check"),
    "touch": lambda browser: try_page.tap(browser, "#check"),
    "enter": lambda browser: try_page.box(browser, "sentence").send_keys(Keys.ENTER),
    "double press": _press_twice,
    "while typing": _press_and_type_on,
}


if __name__ == "__main__":
    main()
