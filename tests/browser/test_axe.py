"""Every tab under axe-core, in both themes and at two widths, and what axe-core cannot see.

axe-core is the copy in the development package `axe-playwright-python`, which is not imported;
nothing is fetched while the tests run.
"""

import time
from importlib.util import find_spec
from pathlib import Path

import analyse_page
import pytest
import teach_page
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from waiting import find, shown, wait

pytestmark = pytest.mark.slow

PACKAGE = "axe_playwright_python"
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice")
UNFOLD = """
document.querySelectorAll("button.label-wrap:not(.open)").forEach(b => b.offsetParent && b.click());
document.querySelectorAll("details").forEach(details => details.open = true);
"""
# Colours are final when nothing fades in any more; endless animations do not count.
AT_REST = """
return document.getAnimations().every(
  a => a.playState !== "running" || a.effect.getComputedTiming().endTime === Infinity);
"""
REST_SECONDS = 0.3
SCRIPTS = {
    path.stem: path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*.js")
}


@pytest.fixture(scope="session")
def axe():
    found = find_spec(PACKAGE)
    if not found:
        pytest.skip(f"{PACKAGE} is not installed")
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


def there(selector):
    return lambda browser: find(browser, selector)


def press(browser, selector):
    """Press something by keyboard, which works even if something is drawn over it."""

    def pressed(b):
        found = shown(b, selector)[0]
        if found.is_enabled():
            found.send_keys(Keys.ENTER)
        return found.is_enabled()

    wait(browser, pressed)


def fill_try_it(browser):
    browser.execute_script(UNFOLD)
    wait(browser, there("#pictures button"))
    browser.execute_script(UNFOLD)
    wait(browser, there("#map .js-plotly-plot .main-svg"))


def fill_teach(browser):
    press(browser, "#example-company")
    wait(browser, lambda b: "usable rows" in b.find_element(By.ID, "report").text)
    press(browser, "#instant")
    wait(browser, lambda b: "Version 1" in b.find_element(By.ID, "versions").text)
    browser.execute_script(UNFOLD)
    wait(browser, lambda b: shown(b, "#deeper button"))


def fill_benchmark(browser):
    wait(browser, there("#bench-paper"))
    browser.execute_script(UNFOLD)
    wait(browser, there("#bench-table tbody tr"))
    for name in ("accuracy", "forgetting"):
        wait(browser, there(f"#bench-{name} .js-plotly-plot .main-svg"))


def unfold(browser):
    """Unfold everything; wait until it has faded in."""
    browser.execute_script(UNFOLD)
    since = time.monotonic()

    def rested(b):
        nonlocal since
        if not b.execute_script(AT_REST):
            since = time.monotonic()
        return time.monotonic() - since > REST_SECONDS

    wait(browser, rested)


TABS = {"Try it": fill_try_it, "Teach": fill_teach, "Benchmark": fill_benchmark}


def violations(browser, axe) -> list[str]:
    """Return a line for each element that axe-core objects to."""
    browser.set_script_timeout(180)
    browser.execute_script(axe)
    found = browser.execute_async_script(SCRIPTS["axe_run"], list(RULES))
    assert isinstance(found, list), found
    return [
        f"{rule['id']}: {node['target']}: {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]


def sticking_out(browser) -> list[str]:
    """Return the parts that stick out of the window, except in what scrolls sideways by itself.

    Gradio hides what sticks out, so this checks each part's own edge, not the page's width.
    """
    return browser.execute_script(SCRIPTS["sticking_out"])


# Two of the four combinations take half as long; each width and theme is among them.
@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (375, "dark")])
def test_everything_fits_and_axe_finds_nothing(browser, app_url, axe, width, theme):
    teach_page.open_page(browser, app_url, "Try it", width, theme)
    found = []
    for name, fill in TABS.items():  # loading the page takes longest, so do it once
        teach_page.go_to(browser, name)
        fill(browser)
        unfold(browser)
        found += [f"{name}: {line}" for line in sticking_out(browser) + violations(browser, axe)]
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
        contents = {"map": ".an-map .main-svg", "suggestions": ".an-kind"}
        wait(browser, there(contents.get(name, "[data-part=main] *")))
        unfold(browser)
        found += [f"{name}: {line}" for line in sticking_out(browser) + violations(browser, axe)]
        if name == "rows":
            analyse_page.hit(browser, "[data-part=detail] [data-key=close]")
    assert not found, "\n".join(found)


def test_axe_would_find_something(browser, app_url, axe):
    teach_page.open_page(browser, app_url, "Try it")
    browser.execute_script(
        "document.body.insertAdjacentHTML('beforeend', "
        '\'<p style="color: #ccc; background: #fff">pale words</p><img src="data:,">\')'
    )
    found = "\n".join(violations(browser, axe))
    assert "color-contrast" in found
    assert "image-alt" in found


def described(browser, selector):
    """Return role, name and description of an element as a screen reader gets them."""
    document = browser.execute_cdp_cmd("DOM.getDocument", {})["root"]["nodeId"]
    query = {"nodeId": document, "selector": selector}
    node = browser.execute_cdp_cmd("DOM.querySelector", query)["nodeId"]
    asked = {"nodeId": node, "fetchRelatives": False}
    (found,) = browser.execute_cdp_cmd("Accessibility.getPartialAXTree", asked)["nodes"]
    return [found.get(part, {}).get("value") for part in ("role", "name", "description")]


def test_a_picture_is_one_image_with_its_figures_in_words(browser, app_url):
    teach_page.open_page(browser, app_url, "Benchmark")
    fill_benchmark(browser)
    for place, expected, figure in (
        ("accuracy", "Accuracy by number of labelled pairs", "The untouched encoder:"),
        ("forgetting", "Forgetting vs. accuracy", "k-NN: STS-B lost"),
    ):
        wait(browser, there(f"#bench-{place} .js-plotly-plot[role=img]"))
        role, name, words = described(browser, f"#bench-{place} .js-plotly-plot")
        assert (role, name) == ("image", expected)
        assert figure in words  # though the words are folded


def test_an_accordion_says_whether_it_is_open(browser, app_url):
    teach_page.open_page(browser, app_url, "Teach")
    button = wait(browser, lambda b: shown(b, "button.label-wrap[aria-expanded]")[0])
    title = button.text.split("\n")[0]
    for expected in ("true", "false"):
        button.send_keys(Keys.ENTER)
        wait(browser, lambda _, e=expected: button.get_attribute("aria-expanded") == e)
    assert title
    assert button.accessible_name == title
