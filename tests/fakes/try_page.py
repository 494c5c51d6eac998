"""Helpers for the tests of the tab “Try it”: type, press, tap, wait, read."""

from __future__ import annotations

import json

import waiting
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from waiting import shown, until, wait

MANY_SENTENCES = tuple(
    (f"{one} {relation} {two}.", f"{two} {relation} {one}.")
    for one, relation, two in (
        ("Ann", "is taller than", "Bob"),
        ("Kenya", "borders", "Uganda"),
        ("Mia", "is married to", "Noah"),
        ("Oslo", "is larger than", "Bergen"),
        ("Peru", "is different from", "Chile"),
    )
)
"""Sentences and their swaps; neighbours share no name."""


POINT = """
const part = document.querySelector(arguments[0]);
const seen = () => part.getBoundingClientRect();
if (seen().top < 0 || seen().bottom > innerHeight)
  part.scrollIntoView({block: "center", behavior: "instant"});
const at = [seen().x + seen().width / 2, seen().y + seen().height / 2];
return part.contains(document.elementFromPoint(...at)) ? at : null;
"""
"""JavaScript: the point where a finger meets an element; null while something covers it."""


def emulate_latency(browser, milliseconds: int | None) -> None:
    """Delay every request; 0 for no delay, None for no network."""
    conditions = {"offline": milliseconds is None, "latency": milliseconds or 0}
    conditions |= {"downloadThroughput": -1, "uploadThroughput": -1}
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", conditions)


def resize(browser, width: int, height: int, touch: bool = False) -> None:
    """Resize the window; with `touch` it is a phone's."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": touch}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    touching = {"enabled": touch, "maxTouchPoints": 1}
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", touching)


def forget(browser, url: str) -> None:
    """Clear the browser's storage of the app: the project key and the questions."""
    browser.get(f"{url}robots.txt")  # the same storage; the page itself takes seconds to load
    browser.execute_script("localStorage.clear(); sessionStorage.clear()")


def opened(browser, url: str, query: str = "") -> None:
    browser.get(f"{url}{query}")
    until(
        browser,
        "!document.querySelector('#first') && "
        "document.querySelector('#verdict:not(.verdict--asked) .verdict__word')",
    )


def box(browser, name: str):
    """Return a text box by the name of its component, as soon as it is drawn."""
    inside = f"#{name} textarea, #{name} input"
    until(browser, f"document.querySelector('{inside}')")
    return browser.find_element(By.CSS_SELECTOR, inside)


def type_into(browser, name: str, text: str):
    """Replace the text of a box."""
    field = wait(browser, lambda b: shown(b, f"#{name} textarea, #{name} input"))[0]
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(text)
    return field


def press(browser, selector: str) -> None:
    """Click where the element is, as a mouse does."""
    waiting.press(browser, By.CSS_SELECTOR, selector, centred=False)


def tap(browser, selector: str) -> None:
    """Touch a point on the screen, as a finger does, without a mouse event before it."""
    before = None

    def at_rest(b):
        nonlocal before
        last, before = before, b.execute_script(POINT, selector)
        return before == last and before

    at = wait(browser, at_rest)
    point = [{"x": at[0], "y": at[1]}]
    for kind, points in (("touchStart", point), ("touchEnd", [])):
        event = {"type": kind, "touchPoints": points}
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", event)


def judged(browser) -> list[str]:
    """Return the pair that the verdict is about."""
    return browser.execute_script(
        "return [...document.querySelectorAll('#verdict .sentence')].map(e => e.textContent)"
    )


def wait_for_pair(browser, sentence: str) -> list[str]:
    """Wait until the verdict is about a sentence and nothing is pending; return the pair."""
    shown = "document.querySelector('#verdict .sentence')?.textContent"
    waiting = "document.querySelector('#verdict.verdict--asked')"
    until(browser, f"{shown} === {json.dumps(sentence)} && !{waiting}")
    return judged(browser)


def text(browser, selector: str) -> str:
    """Return the visible text of an element, or "" if there is none."""
    return browser.execute_script(
        "return document.querySelector(arguments[0])?.innerText.trim() ?? ''", selector
    )
