"""Waiting for a page: whatever is asked of it before it is drawn counts as “not yet”."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from selenium.common.exceptions import (
    InvalidSessionIdException,
    NoSuchWindowException,
    UnexpectedAlertPresentException,
    WebDriverException,
)

SECONDS = 60
"""Longer than any answer takes on a busy machine."""

PAUSE = 0.05

T = TypeVar("T")

CENTRE = "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})"

NOT_YET = (WebDriverException, IndexError, StopIteration, TypeError)
"""What a question raises whose element is missing, hidden, covered or has just been drawn anew."""

NEVER = (InvalidSessionIdException, NoSuchWindowException, UnexpectedAlertPresentException)
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
