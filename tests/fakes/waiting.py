"""Waiting for a page: whatever is asked of it before it is drawn counts as “not yet”."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from selenium.common.exceptions import (
    InvalidSessionIdException,
    UnexpectedAlertPresentException,
    WebDriverException,
)
from selenium.webdriver.common.by import By

SECONDS = 120
"""Longer than any answer takes on a busy machine."""

PAUSE = 0.05

T = TypeVar("T")

CENTRE = "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})"

NOT_YET = (WebDriverException, IndexError, StopIteration, TypeError)
"""What a question raises whose element is missing, hidden, covered or has just been drawn anew."""

NEVER = (InvalidSessionIdException, UnexpectedAlertPresentException)
"""What no waiting mends."""


def wait(browser, condition: Callable[..., T], seconds: float = SECONDS) -> T:
    """Ask again until the answer is true; give it. In vain, it is told what the last one was."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if answer := condition(browser):
                return answer
            last = repr(answer)
        except NEVER:
            raise
        except NOT_YET as error:
            last = f"{type(error).__name__}: {error}"
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds:g} seconds, at last {last}")
        time.sleep(PAUSE)


def until(browser, condition: str, seconds: float = SECONDS) -> None:
    """Wait until a JavaScript expression holds; one that throws does not hold yet."""
    script = (
        f"try {{ return [Boolean({condition}), '']; }}"
        "catch (error) { return [false, String(error)]; }"
    )
    last = ""

    def holds(b) -> bool:
        nonlocal last
        held, last = b.execute_script(script)
        return held

    try:
        wait(browser, holds, seconds)
    except AssertionError as error:
        raise AssertionError(f"never came true: {condition}: {last or error}") from error


def find(browser, selector: str) -> list:
    """What a CSS selector finds just now."""
    return browser.find_elements(By.CSS_SELECTOR, selector)


def shown(browser, selector: str) -> list:
    """What a CSS selector finds that is in sight."""
    return [one for one in find(browser, selector) if one.is_displayed()]


def press(browser, by: str, name: str, *, centred: bool = True) -> None:
    """Click something once it is there, in sight, uncovered and no longer drawn anew."""

    def pressed(b) -> bool:
        found = b.find_element(by, name)
        if centred:
            b.execute_script(CENTRE, found)
        if not found.is_displayed():
            return False
        found.click()
        return True

    wait(browser, pressed)


def landed(browser, folder: Path, kind: str) -> Path:
    """The whole file of a kind that a download has brought."""

    def whole(_browser) -> Path | None:
        on_its_way = [*folder.glob("*.crdownload")]
        found = [path for path in folder.glob(f"*.{kind}") if path.stat().st_size]
        return found[0] if found and not on_its_way else None

    return wait(browser, whole)


def still(browser, selector: str) -> dict[str, float]:
    """Wait until an element no longer moves; where it is."""
    before: list = []

    def stands(b) -> dict[str, float] | None:
        before.append(b.find_element(By.CSS_SELECTOR, selector).rect)
        return before[-1] if before[-2:-1] == before[-1:] else None

    return wait(browser, stands)
