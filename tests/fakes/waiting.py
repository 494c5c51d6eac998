"""Waiting for a page: until a condition holds, an element can be pressed, a file has arrived."""

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
"""Raised while an element is missing, hidden, covered or being redrawn."""

FATAL = (InvalidSessionIdException, UnexpectedAlertPresentException)


def wait(browser, condition: Callable[..., T], seconds: float = SECONDS) -> T:
    """Call `condition` until it returns something true, and return that."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if answer := condition(browser):
                return answer
            last = repr(answer)
        except FATAL:
            raise
        except NOT_YET as error:
            last = f"{type(error).__name__}: {error}"
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds:g} seconds; last: {last}")
        time.sleep(PAUSE)


def until(browser, condition: str, seconds: float = SECONDS) -> None:
    """Wait until a JavaScript expression is true; one that throws is not true yet."""
    script = f"try {{ return Boolean({condition}); }} catch (error) {{ return false; }}"
    try:
        wait(browser, lambda b: b.execute_script(script), seconds)
    except AssertionError as error:
        raise AssertionError(f"never came true: {condition}") from error


def find(browser, selector: str) -> list:
    return browser.find_elements(By.CSS_SELECTOR, selector)


def shown(browser, selector: str) -> list:
    return [one for one in find(browser, selector) if one.is_displayed()]


def press(browser, by: str, name: str, *, centred: bool = True) -> None:
    """Click an element once it is visible and nothing covers it."""

    def pressed(b) -> bool:
        found = b.find_element(by, name)
        if centred:
            b.execute_script(CENTRE, found)
        if found.is_displayed():
            found.click()
            return True
        return False

    wait(browser, pressed)


def keep_downloads(browser, folder: Path) -> None:
    allow = {"behavior": "allow", "downloadPath": str(folder)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", allow)


def landed(browser, folder: Path, kind: str) -> Path:
    """Return a downloaded file of a kind once it is complete."""

    def whole(_browser) -> Path | None:
        found = [path for path in folder.glob(f"*.{kind}") if path.stat().st_size]
        return found[0] if found and not [*folder.glob("*.crdownload")] else None

    return wait(browser, whole)


def still(browser, selector: str) -> dict[str, float]:
    """Return the place of an element once it no longer moves."""
    before: list = []

    def rests(b) -> dict[str, float] | None:
        before.append(b.find_element(By.CSS_SELECTOR, selector).rect)
        return before[-1] if before[-2:-1] == before[-1:] else None

    return wait(browser, rests)
