"""Every tab under axe-core, in both themes and at both widths: no violation, and names that hold.

axe-core is the copy inside a pinned development package (`axe-playwright-python`, of which nothing
is imported); nothing is fetched while the tests run.
"""

import json
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

import analyse_page
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from waiting import find, wait

from symdemo.files.paths import RESULTS

pytestmark = pytest.mark.slow

PACKAGE = "axe_playwright_python"
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice")
EXCLUDED: dict[str, str] = {}
"""Selector → why what it finds is Gradio's own and harmless; such a thing is left out alone."""

UNFOLD = """
document.querySelectorAll("button.label-wrap:not(.open)").forEach(b => b.offsetParent && b.click());
document.querySelectorAll("details").forEach(details => details.open = true);
"""
# Words have their colours when they no longer fade in; what turns for ever is not waited for.
AT_REST = """
return document.getAnimations().every(
  a => a.playState !== "running" || a.effect.getComputedTiming().endTime === Infinity);
"""
REST_SECONDS = 0.3
RUN = """
const [rules, excluded, done] = arguments;
axe.run({include: [["body"]], exclude: excluded.map(selector => [selector])},
        {runOnly: rules, resultTypes: ["violations"]})
  .then(found => done(found.violations), error => done(String(error)));
"""


@pytest.fixture(scope="session")
def axe():
    """The program that is run in the page."""
    found = find_spec(PACKAGE)
    if not found:
        pytest.skip(f"{PACKAGE} is not installed")
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


def there(selector):
    return lambda browser: browser.find_elements(By.CSS_SELECTOR, selector)


def press(browser, selector):
    """Press something by keyboard once it is in sight: what is drawn over it does not matter."""

    def pressed(b):
        found = b.find_element(By.CSS_SELECTOR, selector)
        if not found.is_displayed() or not found.is_enabled():
            return False
        found.send_keys(Keys.ENTER)
        return True

    wait(browser, pressed)


def open_page(browser, url, width=1440, theme="light"):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(f"{url}?__theme={theme}")
    wait(browser, there(".verdict__word"))


def go_to(browser, name):
    def pressed(b):
        tabs = [t for t in find(b, "button[role=tab]") if t.is_displayed()]
        tab = next(t for t in tabs if t.text.strip() == name)
        tab.send_keys(Keys.ENTER)
        return tab.get_attribute("aria-selected") == "true"

    wait(browser, pressed)


def try_it(browser):
    """With an answer and all that stands folded under it."""
    browser.execute_script(UNFOLD)
    wait(browser, there("#map .js-plotly-plot .main-svg"))


def teach(browser):
    """With rows, their report, a version and what it changed."""
    press(browser, "#example-company")
    wait(browser, lambda b: "usable rows" in b.find_element(By.ID, "report").text)
    press(browser, "#instant")
    wait(browser, lambda b: "Version" in b.find_element(By.ID, "versions").text)


def benchmark(browser):
    wait(browser, there("#bench-table tbody tr"))
    for name in ("accuracy", "forgetting"):
        wait(browser, there(f"#bench-{name} .js-plotly-plot .main-svg"))


def at_rest(browser):
    """Wait until nothing has moved for a while: what is unfolded fades in a little later."""
    since = time.monotonic()

    def rested(b):
        nonlocal since
        if not b.execute_script(AT_REST):
            since = time.monotonic()
        return time.monotonic() - since > REST_SECONDS

    wait(browser, rested)


TABS = {"Try it": try_it, "Teach": teach, "Benchmark": benchmark}


def violations(browser, axe) -> list[str]:
    """A line for each element that axe-core objects to."""
    browser.set_script_timeout(180)
    browser.execute_script(axe)
    found = browser.execute_async_script(RUN, list(RULES), list(EXCLUDED))
    assert isinstance(found, list), found
    return [
        f"{rule['id']}: {node['target']}: {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]


# All four went well; two take half as long, and each width and theme is among them.
@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (375, "dark")])
def test_axe_finds_nothing(browser, app_url, axe, width, theme):
    open_page(browser, app_url, width, theme)
    found = []
    for name, fill in TABS.items():  # one load of the page for all three: that is what takes long
        go_to(browser, name)
        fill(browser)
        browser.execute_script(UNFOLD)
        at_rest(browser)
        found += [f"{name}: {line}" for line in violations(browser, axe)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("width", "theme"), [(1440, "dark"), (375, "light")])
def test_axe_finds_nothing_in_an_analysis(browser, app_url, axe, width, theme):
    more = "&analysis=free-sentences:general,wikidata14"
    analyse_page.forget(browser, app_url)
    analyse_page.show(browser, app_url, width, theme, more)
    analyse_page.finished(browser)
    press(browser, "select[data-bind=versus]")
    find(browser, "[data-bind=versus]")[0].send_keys("wikidata14", Keys.ENTER)
    wait(browser, lambda b: "Models differ" in analyse_page.part(b, "filters"))
    found = []
    for name in ("overview", "rows", "map", "suggestions", "slices"):
        analyse_page.go(browser, name)
        if name == "rows":
            analyse_page.hit(browser, ".an-pair")
            wait(browser, lambda b: analyse_page.part(b, "words"))
        shown = {"map": ".an-map .main-svg", "suggestions": ".an-kind"}.get(
            name, "[data-part=main] *"
        )
        wait(browser, there(shown))
        browser.execute_script(UNFOLD)
        at_rest(browser)
        found += [f"{name}: {line}" for line in violations(browser, axe)]
        if name == "rows":
            analyse_page.hit(browser, "[data-part=detail] [data-key=close]")
    assert not found, "\n".join(found)


def test_axe_would_find_something(browser, app_url, axe):
    open_page(browser, app_url)
    browser.execute_script(
        "document.body.insertAdjacentHTML('beforeend', "
        '\'<p style="color: #ccc; background: #fff">pale words</p><img src="data:,">\')'
    )
    found = "\n".join(violations(browser, axe))
    assert "color-contrast" in found
    assert "image-alt" in found


# --- what axe-core cannot see: assets/aids.js


def described(browser, selector):
    """Role, name and description of an element as a screen reader is given them."""
    document = browser.execute_cdp_cmd("DOM.getDocument", {})["root"]["nodeId"]
    query = {"nodeId": document, "selector": selector}
    node = browser.execute_cdp_cmd("DOM.querySelector", query)["nodeId"]
    asked = {"nodeId": node, "fetchRelatives": False}
    (found,) = browser.execute_cdp_cmd("Accessibility.getPartialAXTree", asked)["nodes"]
    return [found.get(part, {}).get("value") for part in ("role", "name", "description")]


def untouched():
    """How right the encoder is untouched that the tab opens with, by the published report."""
    summary = json.loads((RESULTS / "reproduce.json").read_text(encoding="utf-8"))["summary"]
    name = summary["plan"]["encoders"][0]
    probe = next(probe for probe in summary["probes"] if probe["encoder"] == name)
    return f"{100 * probe['lexicalized']['median']:.1f}%"


def test_a_picture_is_one_image_with_its_figures_in_words(browser, app_url):
    open_page(browser, app_url)
    go_to(browser, "Benchmark")
    benchmark(browser)
    wait(browser, there("#bench-accuracy .js-plotly-plot[role=img]"))
    role, name, words = described(browser, "#bench-accuracy .js-plotly-plot")
    assert (role, name) == ("image", "Accuracy by number of labelled pairs")
    assert f"The untouched encoder: {untouched()}" in words  # though the words stand folded
    _, name, words = described(browser, "#bench-forgetting .js-plotly-plot")
    assert name == "What is forgotten, and what that buys"
    assert "k-NN: STS-B lost" in words


def test_an_accordion_says_whether_it_is_open(browser, app_url):
    open_page(browser, app_url)
    go_to(browser, "Teach")
    buttons = "button.label-wrap[aria-expanded]"
    button = wait(browser, lambda b: next(e for e in find(b, buttons) if e.is_displayed()))
    title = button.text.split("\n")[0]
    for expected in ("true", "false"):
        button.send_keys(Keys.ENTER)
        wait(browser, lambda _, e=expected: button.get_attribute("aria-expanded") == e)
    assert title
    assert button.accessible_name == title
